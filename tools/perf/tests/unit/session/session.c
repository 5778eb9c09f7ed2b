// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/session/fixture.h"
#include "util/perfdata/writer.h"
#include "util/session/session.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

struct sample_record {
	struct perf_event_header header;
	u64 ip;
	u32 pid, tid;
	u64 time, id;
};

struct tail {
	u32 pid, tid;
	u64 time, id;
};

struct comm_record {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[16];
	struct tail id;
};

struct lost_record {
	struct perf_event_header header;
	u64 lost;
	struct tail id;
};

/* Two events with the ids 11, 12 and 21. */
static struct perfdata_writer *begin(void)
{
	static u64 ids[] = { 11, 12, 21 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .sample_type = SAMPLE_TYPE,
					.sample_period = 100, .sample_id_all = 1, .exclude_guest = 1 };
	struct perfdata_event events[] = { { .attr = attr, .ids = ids, .nr_ids = 2 }, { .attr = attr, .ids = ids + 2, .nr_ids = 1 } };
	struct perfdata_writer *w;
	struct errmsg err;

	events[1].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	assert_int_equal(perfdata_writer__open(path, &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, events, 2, &err), 0);
	return w;
}

struct lost_records {
	struct perf_event_header header;
	u64 of, lost;
	struct tail id;
};

static void put(struct perfdata_writer *w, const void *record)
{
	const struct perf_event_header *header = record;
	struct errmsg err;

	assert_int_equal(perfdata_writer__write(w, record, header->size, &err), 0);
}

static void put_sample(struct perfdata_writer *w, u64 time, u64 id)
{
	put(w, &(struct sample_record){ .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(struct sample_record) },
					.ip = 0x1000 + time, .pid = 7, .tid = 7, .time = time, .id = id });
}

static void put_comm(struct perfdata_writer *w, u64 time, const char *comm)
{
	struct comm_record record = { .header = { PERF_RECORD_COMM, 0, sizeof(record) }, .pid = 7, .tid = 7,
				      .id = { 7, 7, time, time ? 11 : 0 } };

	strcpy(record.comm, comm);
	put(w, &record);
}

static void put_lost(struct perfdata_writer *w, u64 lost, u64 id, u16 misc)
{
	put(w, &(struct lost_record){ .header = { PERF_RECORD_LOST_SAMPLES, misc, sizeof(struct lost_record) }, .lost = lost,
				      .id = { 7, 7, 0, id } });
}

static void put_round(struct perfdata_writer *w)
{
	put(w, &(struct perf_event_header){ PERF_RECORD_FINISHED_ROUND, 0, sizeof(struct perf_event_header) });
}

static void finish(struct perfdata_writer *w)
{
	static const char hostname[] = "\4\0\0\0abc"; /* without any feature it would be the file of a killed recording */
	struct errmsg err;

	assert_int_equal(perfdata_writer__add_feature(w, HEADER_HOSTNAME, hostname, sizeof(hostname), &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
}

/* What the callbacks saw, as text: "name:time(comm)" of samples, "type" of other records. */
static char seen[1024];

static int see_sample(struct session *s, const struct session_sample *sample, void *data)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s:%llu(%s) ", sample->evsel->name,
		 (unsigned long long)sample->sample->time, sample->thread->comm);
	return 0;
}

static int see_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 offset, void *data)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s ", perf_record__type_name(record->header.type));
	return 0;
}

static const struct session_ops see_all = { .sample = see_sample, .record = see_record };

static struct session *read_back(int want)
{
	struct session_opts opts = { .input = path, .no_resolve = true };
	struct session *s;
	struct errmsg err;

	seen[0] = 0;
	assert_int_equal(session__open(&opts, &s, &err), 0);
	assert_int_equal(session__run(s, &see_all, NULL, &err), want);
	return s;
}

static void samples_come_in_time_order_with_their_event(void **state)
{
	struct perfdata_writer *w = begin();
	struct session *s;

	put_comm(w, 0, "old");
	put_sample(w, 30, 11);
	put_sample(w, 10, 21);
	put_round(w);
	put_sample(w, 40, 12);
	put_comm(w, 20, "new");
	put_round(w);
	put_sample(w, 35, 21);
	finish(w);

	s = read_back(0);
	assert_string_equal(seen, "COMM FINISHED_ROUND FINISHED_ROUND page-faults:10(old) COMM cpu-clock:30(new) "
				  "page-faults:35(new) cpu-clock:40(new) ");
	assert_int_equal(session__event(s, 0)->nr_samples, 2);
	assert_int_equal(session__event(s, 1)->nr_samples, 2);
	assert_int_equal(session__event(s, 0)->total_period, 200);
	assert_int_equal(session__stats(s)->nr[PERF_RECORD_COMM], 2);
	assert_int_equal(session__stats(s)->nr_events, 8);
	assert_null(session__damage(s));
	session__delete(s);
}

static void losses_are_told_from_drops(void **state)
{
	struct perfdata_writer *w = begin();
	struct session *s;

	put_lost(w, 5, 12, 0);
	put_lost(w, 1283, 11, PERF_RECORD_MISC_LOST_SAMPLES_BPF_);
	put_lost(w, 17, 21, PERF_RECORD_MISC_LOST_SAMPLES_BPF_);
	for (u64 nr = 40; nr <= 41; nr++)
		put(w, &(struct lost_records){ .header = { PERF_RECORD_LOST, 0, sizeof(struct lost_records) }, .of = 11, .lost = nr,
					       .id = { 7, 7, 0, 11 } });
	finish(w);

	s = read_back(0);
	assert_int_equal(session__stats(s)->lost_samples, 5);
	assert_int_equal(session__stats(s)->lost_events, 81); /* records of any kind */
	assert_int_equal(session__stats(s)->dropped_samples, 1300);
	assert_int_equal(session__stats(s)->nr_dropped_records, 2);
	assert_int_equal(session__event(s, 0)->lost_samples, 5);
	assert_int_equal(session__event(s, 0)->dropped_samples, 1283);
	assert_int_equal(session__event(s, 1)->dropped_samples, 17);
	session__delete(s);
}

static void put_dropped(struct perfdata_writer *w, u64 what, u64 id, u64 nr)
{
	const struct {
		struct record_event_update update;
		u64 nr;
	} r = { { { PERF_RECORD_EVENT_UPDATE, 0, sizeof(r) }, what, id }, nr };

	put(w, (void *)&r);
}

static void dropped_samples_are_added_up(void **state)
{
	struct perfdata_writer *w = begin();
	struct session *s;

	put_dropped(w, EVENT_UPDATE_DROPPED_, 11, 400);
	put_dropped(w, EVENT_UPDATE_DROPPED_, 21, 30);
	put_dropped(w, EVENT_UPDATE_DROPPED_, 11, 1);
	put_dropped(w, 99, 11, 5000);
	put_lost(w, 2, 11, PERF_RECORD_MISC_LOST_SAMPLES_BPF_);
	finish(w);

	s = read_back(0);
	assert_int_equal(session__stats(s)->dropped_samples, 433);
	assert_int_equal(session__stats(s)->lost_samples, 0);
	assert_int_equal(session__event(s, 0)->dropped_samples, 403);
	assert_int_equal(session__event(s, 1)->dropped_samples, 30);
	session__delete(s);
}

static void samples_of_no_event_are_counted(void **state)
{
	struct perfdata_writer *w = begin();
	struct session *s;

	put_sample(w, 1, 99);
	put_sample(w, 2, 11);
	finish(w);

	s = read_back(0);
	assert_string_equal(seen, "cpu-clock:2(:7) ");
	assert_int_equal(session__stats(s)->nr_unknown_id, 1);
	session__delete(s);
}

static void a_cut_off_file_gives_what_it_has(void **state)
{
	struct perfdata_writer *w = begin();
	struct session *s;
	u64 size;

	put_sample(w, 2, 11);
	put_sample(w, 1, 21);
	put_sample(w, 3, 11);
	size = perfdata_writer__bytes(w);
	perfdata_writer__delete(w); /* killed: never finished */
	assert_int_equal(truncate(path, size - 8), 0);

	s = read_back(0);
	assert_string_equal(seen, "page-faults:1(:7) cpu-clock:2(:7) ");
	assert_non_null(session__damage(s));
	session__delete(s);
}

/* Read what path has now. Whatever is missing, it is told. Returns how many samples came, or -1 if it could not be opened. */
static int read_what_is_left(void)
{
	const struct session_opts opts = { .input = path };
	struct session *s;
	struct errmsg err = {};
	int nr;

	seen[0] = '\0';
	if (session__open(&opts, &s, &err)) {
		assert_true(err.text[0]);
		return -1;
	}
	assert_int_equal(session__run(s, &see_all, NULL, &err), 0);
	assert_true(session__damage(s) || perfdata_reader__warnings(session__reader(s)));
	nr = session__stats(s)->nr_samples;
	session__delete(s);
	return nr;
}

static void a_file_may_be_cut_at_any_byte(void **state)
{
	struct perfdata_writer *w = begin();
	int nr, most = -1;
	struct stat st;

	put_comm(w, 0, "before");
	for (u64 i = 1; i <= 5; i++) {
		put_sample(w, i, i & 1 ? 11 : 21);
		put_lost(w, i, 11, 0);
		put_round(w);
	}
	finish(w);
	assert_int_equal(stat(path, &st), 0);
	for (off_t cut = st.st_size - 1; cut >= 0; cut--) {
		assert_int_equal(truncate(path, cut), 0);
		nr = read_what_is_left();
		if (most >= 0)
			assert_in_range(nr + 1, 0, most + 1);
		most = nr;
		assert_true(cut < st.st_size - 1 || nr == 5); /* without the end of a feature all samples are there */
	}
	assert_int_equal(most, -1);
}

/* What a perf of the future may write: types of records and features that nobody knows yet. */
static void what_is_not_known_is_left_out(void **state)
{
	static const u16 types[] = { 23, 63, PERF_RECORD_USER_MAX, 200, 65535 };
	struct perfdata_writer *w = begin();
	struct session *s;
	struct errmsg err;

	put_sample(w, 1, 11);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		put(w, &(struct lost_record){ .header = { types[i], 0xffff, sizeof(struct lost_record) }, .lost = ~0ULL, .id = { 7, 7, 2, 11 } });
	put_sample(w, 3, 21);
	assert_int_equal(perfdata_writer__add_feature(w, HEADER_FEAT_BITS - 1, "future", 6, &err), 0);
	finish(w);

	s = read_back(0);
	assert_int_equal(session__stats(s)->nr_samples, 2);
	assert_int_equal(session__stats(s)->nr_events, 2 + ARRAY_SIZE(types));
	assert_null(session__damage(s));
	session__delete(s);
}

static void a_record_that_cannot_be_ends_the_reading(void **state)
{
	struct perfdata_writer *w = begin();
	struct session *s;
	FILE *fp;
	u64 size;

	put_sample(w, 2, 11);
	size = perfdata_writer__bytes(w);
	put_sample(w, 3, 11);
	finish(w);
	fp = fopen(path, "r+");
	assert_non_null(fp);
	fseek(fp, size, SEEK_SET);
	fwrite(&(struct perf_event_header){ PERF_RECORD_SAMPLE, 0, 3 }, sizeof(struct perf_event_header), 1, fp);
	fclose(fp);

	s = read_back(0);
	assert_string_equal(seen, "cpu-clock:2(:7) ");
	assert_non_null(strstr(session__damage(s), "reading stopped early"));
	session__delete(s);
}

static int stop(struct session *s, const struct session_sample *sample, void *data)
{
	return -ECANCELED;
}

static void an_error_of_the_callback_stops_the_run(void **state)
{
	static const struct session_ops ops = { .sample = stop };
	struct session_opts opts = { .input = path, .no_resolve = true };
	struct perfdata_writer *w = begin();
	struct session *s;
	struct errmsg err;

	put_sample(w, 2, 11);
	put_sample(w, 3, 11);
	finish(w);
	assert_int_equal(session__open(&opts, &s, &err), 0);
	assert_int_equal(session__run(s, &ops, NULL, &err), -ECANCELED);
	assert_int_equal(session__stats(s)->nr_samples, 1);
	session__delete(s);
}

static void feed(struct session *s, const void *record)
{
	const struct perf_event_header *header = record;
	struct errmsg err;

	assert_int_equal(session__feed(s, record, header->size, &see_all, NULL, &err), 0);
}

static void feed_comm(struct session *s, u64 time, const char *comm)
{
	struct comm_record record = { .header = { PERF_RECORD_COMM, 0, sizeof(record) }, .pid = 7, .tid = 7,
				      .id = { 7, 7, time, time ? 11 : 0 } };

	strcpy(record.comm, comm);
	feed(s, &record);
	memset(&record, 0xff, sizeof(record)); /* the session has its own copy */
}

static void feed_sample(struct session *s, u64 time)
{
	feed(s, &(struct sample_record){ .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(struct sample_record) },
					 .ip = 0x1000, .pid = 7, .tid = 7, .time = time, .id = 11 });
}

static void feed_round(struct session *s)
{
	feed(s, &(struct perf_event_header){ PERF_RECORD_FINISHED_ROUND, 0, sizeof(struct perf_event_header) });
}

/* The samples of a round are delivered at its end, each at its place between the other records; later ones wait. */
static void a_live_session_delivers_round_by_round(void **state)
{
	u64 id = 11;
	struct perfdata_event event = { .attr = { .sample_type = SAMPLE_TYPE, .sample_id_all = 1 }, .ids = &id, .nr_ids = 1,
					.name = (char *)"ev" };
	struct session_opts opts = { .no_resolve = true };
	struct session *s;
	struct errmsg err;

	seen[0] = 0;
	assert_int_equal(session__open_live(&opts, &event, 1, &s, &err), 0);
	feed_comm(s, 0, "first");
	feed_comm(s, 20, "second");
	feed_comm(s, 40, "third");
	feed_sample(s, 30);
	feed_sample(s, 10);
	assert_string_equal(seen, "COMM ");
	feed_round(s);
	assert_string_equal(seen, "COMM ev:10(first) COMM ev:30(second) ");
	feed_comm(s, 35, "late");
	feed_sample(s, 50);
	feed_round(s);
	assert_string_equal(seen, "COMM ev:10(first) COMM ev:30(second) COMM COMM ev:50(third) ");
	feed_comm(s, 60, "never"); /* is freed with the session */
	session__delete(s);
}

struct chain_record {
	struct sample_record sample;
	u64 nr, word[4];
};

struct deferred_record {
	struct perf_event_header header;
	u64 cookie, nr, word[2];
	struct tail id;
};

static void put_awaiting(struct perfdata_writer *w, u64 time, u64 cookie)
{
	put(w, &(struct chain_record){ .sample = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sizeof(struct chain_record) },
						   .pid = 7, .tid = 7, .time = time, .id = 11 },
				       .nr = 4, .word = { PERF_CONTEXT_KERNEL, 0x100, PERF_CONTEXT_USER_DEFERRED_, cookie } });
}

static void put_deferred(struct perfdata_writer *w, u64 time, u64 cookie, u64 word)
{
	put(w, &(struct deferred_record){ .header = { PERF_RECORD_CALLCHAIN_DEFERRED_, PERF_RECORD_MISC_USER, sizeof(struct deferred_record) },
					  .cookie = cookie, .nr = 2, .word = { PERF_CONTEXT_USER, word }, .id = { 7, 7, time, 11 } });
}

static int see_last_word(struct session *s, const struct session_sample *sample, void *data)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%llu:%llx ", (unsigned long long)sample->sample->time,
		 (unsigned long long)sample->sample->callchain[sample->sample->nr_callchain - 1]);
	return 0;
}

static void user_callchains_may_come_later(void **state)
{
	static const struct session_ops ops = { .sample = see_last_word };
	struct session_opts opts = { .input = path, .no_resolve = true };
	struct perfdata_event event = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .sample_type = SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN,
			  .sample_id_all = 1 },
		.ids = (u64[]){ 11 }, .nr_ids = 1,
	};
	struct perfdata_writer *w;
	struct session *s;
	struct errmsg err;

	assert_int_equal(perfdata_writer__open(path, &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, &event, 1, &err), 0);
	put_awaiting(w, 1, 0xc1);
	put_awaiting(w, 2, 0xc1);
	put_deferred(w, 3, 0xc1, 0xaaa);
	put_awaiting(w, 4, 0xc1);
	put_awaiting(w, 5, 0xc2);
	put_awaiting(w, 6, 0xc1); /* of a hostile file: it is c2's turn */
	put_deferred(w, 7, 0xc2, 0xbbb);
	put_awaiting(w, 8, 0xc3);
	finish(w);
	seen[0] = 0;
	assert_int_equal(session__open(&opts, &s, &err), 0);
	assert_int_equal(session__run(s, &ops, NULL, &err), 0);
	assert_string_equal(seen, "1:aaa 2:aaa 4:aaa 6:aaa 5:bbb 8:c3 ");
	session__delete(s);
}

static void cannot_be_told_apart(const struct perf_event_attr *first, const struct perf_event_attr *second)
{
	struct perfdata_event events[] = { { .attr = *first }, { .attr = *second } };
	struct session_opts opts = { .input = path };
	struct perfdata_writer *w;
	struct session *s;
	struct errmsg err;

	assert_int_equal(perfdata_writer__open(path, &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, events, 2, &err), 0);
	finish(w);
	assert_int_equal(session__open(&opts, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cannot tell the records of events"));
}

static void events_without_ids_cannot_be_told_apart(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .sample_type = PERF_SAMPLE_IP };

	cannot_be_told_apart(&attr, &attr);
}

/* The CPU stands behind the id in the tails of records, but not before it in samples. */
static void ids_must_have_one_place_in_tails_too(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .sample_type = SAMPLE_TYPE,
					.sample_id_all = 1 }, other = attr;

	other.sample_type |= PERF_SAMPLE_CPU;
	cannot_be_told_apart(&attr, &other);
	other = attr;
	other.sample_id_all = 0;
	cannot_be_told_apart(&attr, &other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_come_in_time_order_with_their_event),
		cmocka_unit_test(losses_are_told_from_drops),
		cmocka_unit_test(dropped_samples_are_added_up),
		cmocka_unit_test(samples_of_no_event_are_counted),
		cmocka_unit_test(a_cut_off_file_gives_what_it_has),
		cmocka_unit_test(a_file_may_be_cut_at_any_byte),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(a_record_that_cannot_be_ends_the_reading),
		cmocka_unit_test(a_live_session_delivers_round_by_round),
		cmocka_unit_test(an_error_of_the_callback_stops_the_run),
		cmocka_unit_test(user_callchains_may_come_later),
		cmocka_unit_test(events_without_ids_cannot_be_told_apart),
		cmocka_unit_test(ids_must_have_one_place_in_tails_too),
	};

	return cmocka_run_group_tests_name("session/session", tests, make_file, remove_file);
}
