// SPDX-License-Identifier: GPL-2.0
#include "ui/report/tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "util/lib/types.h"

#define UNKNOWN ((u32)-1)
#define MANY 200000

static struct machine *m;

static int begin(void **state)
{
	/* Of CPU time: with a look at all tasks for each task it would take minutes. */
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 100, 100 });
	m = machine__new(NULL);
	assert_non_null(m);
	return 0;
}

static int end(void **state)
{
	machine__delete(m);
	return 0;
}

static void fork_(u32 ppid, u32 pid, u32 tid)
{
	struct record_fork rec = {
		.header = { .type = PERF_RECORD_FORK, .size = sizeof(rec) }, .pid = pid, .tid = tid, .ppid = ppid, .ptid = ppid,
	};

	assert_int_equal(machine__process(m, (const union perf_record *)&rec), 0);
}

static char *shown(void)
{
	size_t size;
	char *text;
	FILE *fp = open_memstream(&text, &size);

	assert_non_null(fp);
	assert_int_equal(tasks__fprintf(fp, m, false), 0);
	fclose(fp);
	return text;
}

static void shows(const char *expected)
{
	char *text = shown();

	assert_string_equal(text, expected);
	free(text);
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

#define HEAD \
	"#      pid      tid     ppid  comm\n" \
	"         0        0       -1 |swapper\n"

static void children_are_below_their_parents(void **state)
{
	fork_(10, 11, 11);
	fork_(11, 11, 13);
	fork_(10, 14, 14);
	fork_(11, 12, 12);
	fork_(12, 15, 15);
	fork_(14, 9, 9);
	shows(HEAD
	      "        10       10       -1 |:10\n"
	      "        11       11       10 | :11\n"
	      "        12       12       11 |  :12\n"
	      "        15       15       12 |   :15\n"
	      "        11       13       11 |  :13\n"
	      "        14       14       10 | :14\n"
	      "         9        9       14 |  :9\n");
}

static void parents_of_each_other_are_shown_once(void **state)
{
	fork_(8, 7, 7);
	fork_(9, 8, 8);
	fork_(7, 9, 9);
	fork_(8, 10, 10);
	fork_(11, 11, 11);
	shows(HEAD
	      "        11       11       -1 |:11\n"
	      "         7        7        8 | :7\n"
	      "         9        9        7 |  :9\n"
	      "         8        8        9 |   :8\n"
	      "        10       10        8 |    :10\n");
}

static void chains_are_as_long_as_they_are(void **state)
{
	char *text;

	for (u32 tid = 2; tid <= MANY; tid++)
		fork_(tid - 1, tid, tid);
	text = shown();
	assert_int_equal(nr_lines(text), MANY + 2);
	assert_in_range(strlen(text), 0, MANY * 256);
	free(text);
}

static void children_are_as_many_as_they_are(void **state)
{
	char *text;

	for (u32 tid = 2; tid <= MANY; tid++)
		fork_(1, tid, tid);
	text = shown();
	assert_int_equal(nr_lines(text), MANY + 2);
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(children_are_below_their_parents), TEST(parents_of_each_other_are_shown_once),
		TEST(chains_are_as_long_as_they_are), TEST(children_are_as_many_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
