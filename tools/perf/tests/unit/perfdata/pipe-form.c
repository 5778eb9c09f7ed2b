// SPDX-License-Identifier: GPL-2.0
/* Recordings in the form for pipes, from files and from pipes. */
#include "tests/unit/perfdata/fixture.h"
#include "util/perfdata/pipe-form.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

static u8 data[65536], *end;

static void put(const void *bytes, size_t size)
{
	memcpy(end, bytes, size);
	end += size;
}

static void put_header(u32 type, size_t body_size)
{
	put(&(struct perf_event_header){ .type = type, .size = sizeof(struct perf_event_header) + body_size },
	    sizeof(struct perf_event_header));
}

static void put_attr(const struct perfdata_event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.size = PERF_ATTR_SIZE_VER5;
	put_header(PERF_RECORD_HEADER_ATTR, attr.size + event->nr_ids * sizeof(u64));
	put(&attr, attr.size);
	put(event->ids, event->nr_ids * sizeof(u64));
}

/* Its size is odd here: nothing that follows is aligned. */
static void put_feature(int feature)
{
	u64 number = feature;
	size_t size;
	void *body;

	assert_int_equal(perfdata_features__encode(fixture_features(), feature, &body, &size), 0);
	put_header(PERF_RECORD_HEADER_FEATURE, sizeof(number) + size + 3);
	put(&number, sizeof(number));
	put(body, size);
	put("\0\0", 3);
	free(body);
}

static void put_name(u64 id, const char *name)
{
	u64 words[2] = { 2, id };
	char text[32] = "";

	strcpy(text, name);
	put_header(PERF_RECORD_EVENT_UPDATE, sizeof(words) + sizeof(text));
	put(words, sizeof(words));
	put(text, sizeof(text));
}

static void make(void)
{
	u32 nr;
	const struct perfdata_event *events = fixture_events(&nr);

	end = data;
	put("PERFILE2\x10\0\0\0\0\0\0\0", 16);
	for (u32 i = 0; i < nr; i++)
		put_attr(&events[i]);
	put_feature(HEADER_HOSTNAME);
	put_name(events[1].ids[1], "renamed");
	put_header(PERF_RECORD_HEADER_FEATURE, sizeof(u64));
	put(&(u64){ HEADER_CPU_DOMAIN_INFO }, sizeof(u64));
	for (u64 i = 0; i < 100; i++) {
		put_header(PERF_RECORD_SAMPLE, 2 * sizeof(u64));
		put(&(u64[2]){ i, ~i }, 2 * sizeof(u64));
	}
}

static void check(struct perfdata_reader *r)
{
	const struct perfdata_event *events;
	const union perf_record *record;
	u64 pos = 0, nr = 0, word;
	struct errmsg err;
	u32 nr_events;
	int ret;

	events = perfdata_reader__events(r, &nr_events);
	assert_int_equal(nr_events, 2);
	assert_int_equal(events[0].attr.sample_type, fixture_events(&nr_events)[0].attr.sample_type);
	assert_int_equal(events[1].nr_ids, 3);
	assert_int_equal(events[1].ids[2], 23);
	assert_null(events[0].name);
	assert_string_equal(events[1].name, "renamed");
	assert_string_equal(perfdata_reader__features(r)->hostname, fixture_features()->hostname);
	assert_null(perfdata_reader__warnings(r));
	while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0) {
		assert_int_equal((uintptr_t)record % 8, 0);
		if (record->header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&word, &record->header + 1, sizeof(word));
		assert_int_equal(word, nr++);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr, 100);
	assert_false(perfdata_reader__truncated(r));
	assert_false(perfdata_reader__unfinished(r));
	perfdata_reader__delete(r);
}

static void events_and_features_come_from_records(void **state)
{
	struct perfdata_reader *r = NULL;
	struct errmsg err;

	make();
	write_whole("piped", data, end - data);
	assert_int_equal(perfdata_reader__open("piped", &r, &err), 0);
	check(r);
}

static void standard_input_may_be_a_pipe(void **state)
{
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	int fds[2], old = dup(STDIN_FILENO), status;
	pid_t pid;

	make();
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		for (u8 *at = data; at < end; at += 1000) /* in pieces */
			if (write(fds[1], at, end - at < 1000 ? end - at : 1000) < 0)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	assert_int_equal(perfdata_reader__open("-", &r, &err), 0);
	dup2(old, STDIN_FILENO);
	close(old);
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	check(r);
}

/* What the writer makes of the same events and features is read as the same. */
static void the_writer_s_form_is_read(void **state)
{
	const struct perfdata_event *back;
	struct perfdata_features f = {};
	struct perfdata_event event = { .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .size = PERF_ATTR_SIZE_VER5 },
					.ids = (u64[]){ 71, 72, 73 }, .nr_ids = 3, .name = (char *)"named" };
	static const struct perf_event_header round = { .type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(round) };
	struct perfdata_reader *r = NULL;
	struct perfdata_writer *w;
	int out = dup(STDOUT_FILENO), to = open("written", O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	const union perf_record *record;
	struct errmsg err;
	size_t size;
	void *body;
	u32 nr;
	u64 pos = 0;

	fflush(stdout);
	assert_true(out >= 0 && to >= 0 && dup2(to, STDOUT_FILENO) >= 0);
	assert_int_equal(perfdata_writer__open("-", &w, &err), 0);
	dup2(out, STDOUT_FILENO);
	assert_int_equal(perfdata_writer__set_events(w, &event, 1, &err), 0);
	f.hostname = (char *)"somewhere";
	assert_int_equal(perfdata_features__encode(&f, HEADER_HOSTNAME, &body, &size), 0);
	assert_int_equal(perfdata_writer__add_feature(w, HEADER_HOSTNAME, body, size, &err), 0);
	free(body);
	assert_int_equal(perfdata_writer__write(w, &round, sizeof(round), &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);

	assert_int_equal(perfdata_reader__open("written", &r, &err), 0);
	back = perfdata_reader__events(r, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(back->nr_ids, 3);
	assert_int_equal(back->ids[2], 73);
	assert_int_equal(back->attr.config, PERF_COUNT_SW_TASK_CLOCK);
	assert_string_equal(back->name, "named");
	assert_string_equal(perfdata_reader__features(r)->hostname, "somewhere");
	while (perfdata_reader__next(r, &pos, &record, &err) > 0)
		nr = record->header.type;
	assert_int_equal(nr, PERF_RECORD_FINISHED_ROUND);
	perfdata_reader__delete(r);
	close(out);
	close(to);
}

static void more_ids_than_a_record_holds(void **state)
{
	struct perfdata_event event = { .attr = { .size = PERF_ATTR_SIZE_VER5 }, .nr_ids = 9000 };
	size_t size;
	void *image;

	event.ids = calloc(event.nr_ids, sizeof(u64));
	assert_non_null(event.ids);
	assert_int_equal(pipe_form__head(&event, 1, &image, &size), -E2BIG);
	free(event.ids);
}

static void a_cut_off_one_is_read_to_its_end(void **state)
{
	struct errmsg err;

	make();
	for (size_t size = 0; size < (size_t)(end - data); size += 7) {
		struct perfdata_reader *r = NULL;
		const union perf_record *record;
		u64 pos = 0;
		int ret;

		write_whole("cut", data, size);
		if (perfdata_reader__open("cut", &r, &err)) {
			assert_true(size < 300);
			continue;
		}
		while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0)
			;
		assert_int_equal(ret, 0);
		perfdata_reader__delete(r);
	}
}

/* The last ones: what stands behind the file must not be taken for theirs. */
static void tracing_data_end_with_the_file(void **state)
{
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	void *body;
	size_t size;

	assert_int_equal(perfdata_features__encode(fixture_features(), HEADER_TRACING_DATA, &body, &size), 0);
	for (u32 too_much = 0; too_much < 2; too_much++) {
		make();
		put_header(PERF_RECORD_HEADER_TRACING_DATA, 2 * sizeof(u32));
		put((u32[]){ size + too_much, 0 }, 2 * sizeof(u32));
		put(body, size);
		write_whole("traced", data, end - data);
		assert_int_equal(perfdata_reader__open("traced", &r, &err), 0);
		assert_int_equal(perfdata_features__has(perfdata_reader__features(r), HEADER_TRACING_DATA), !too_much);
		perfdata_reader__delete(r);
	}
	free(body);
}

static void damage_is_no_crash(void **state)
{
	u64 seed = 3;

	make();
	for (int i = 0; i < 5000; i++) {
		struct perfdata_reader *r = NULL;
		const union perf_record *record;
		size_t at = random_u64(&seed) % (end - data);
		u8 old = data[at];
		struct errmsg err;
		u64 pos = 0;

		data[at] = random_u64(&seed);
		write_whole("damaged", data, end - data);
		data[at] = old;
		if (perfdata_reader__open("damaged", &r, &err))
			continue;
		while (perfdata_reader__next(r, &pos, &record, &err) > 0)
			;
		perfdata_reader__delete(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_and_features_come_from_records),
		cmocka_unit_test(standard_input_may_be_a_pipe),
		cmocka_unit_test(the_writer_s_form_is_read),
		cmocka_unit_test(more_ids_than_a_record_holds),
		cmocka_unit_test(a_cut_off_one_is_read_to_its_end),
		cmocka_unit_test(tracing_data_end_with_the_file),
		cmocka_unit_test(damage_is_no_crash),
	};

	return cmocka_run_group_tests_name("perfdata/pipe-form", tests, scratch__enter, scratch__leave);
}
