// SPDX-License-Identifier: GPL-2.0
#include "util/record/header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/perfdata/reader.h"

static void take_note(void *data, const char *text)
{
	struct errmsg *all = data;

	strncat(all->text, text, sizeof(all->text) - 2 - strlen(all->text));
	strcat(all->text, "\n");
}

static struct perfdata_writer *open_file(char *path)
{
	struct perfdata_event event = { .attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr) } };
	struct perfdata_writer *w;
	struct errmsg err;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	if (perfdata_writer__open(path, &w, &err) || perfdata_writer__set_events(w, &event, 1, &err))
		fail_msg("%s", err.text);
	return w;
}

/* CPUs that came or went while they were asked for: their topology cannot be encoded, all else can. */
static void one_feature_that_fails_leaves_the_others(void **state)
{
	char path[] = "/tmp/perf-unit-header-XXXXXX", cpu[] = "0", host[] = "host", version[] = "7.8";
	struct perfdata_features f = { .hostname = host, .version = version, .nrcpus_avail = 2, .nrcpus_online = 2, .total_mem = 5 };
	struct perfdata_writer *w = open_file(path);
	const struct perfdata_features *got;
	struct perfdata_reader *r;
	struct errmsg notes = { "" };
	const struct record_opts opts = { .run.note = take_note, .run.note_data = &notes };
	char *siblings[] = { cpu };

	f.core_siblings = f.thread_siblings = siblings;
	f.nr_core_siblings = f.nr_thread_siblings = 1;
	f.nr_cpu_topology = 1;
	f.cpu_topology = calloc(1, sizeof(*f.cpu_topology));
	assert_non_null(f.cpu_topology);
	assert_int_equal(header__add(w, &f, false, &opts, NULL), 0);
	assert_int_equal(perfdata_writer__finish(w, NULL), 0);
	perfdata_writer__delete(w);
	assert_string_equal(notes.text, "The header of the file has no CPU_TOPOLOGY: Invalid argument\n");
	assert_int_equal(perfdata_reader__open(path, &r, NULL), 0);
	got = perfdata_reader__features(r);
	assert_string_equal(got->hostname, "host");
	assert_string_equal(got->version, "7.8");
	assert_int_equal(got->total_mem, 5);
	assert_false(perfdata_features__has(got, HEADER_CPU_TOPOLOGY));
	assert_null(perfdata_reader__warnings(r));
	perfdata_reader__delete(r);
	free(f.cpu_topology);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_feature_that_fails_leaves_the_others),
	};

	return cmocka_run_group_tests_name("header of a recording", tests, NULL, NULL);
}
