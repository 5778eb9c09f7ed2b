// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "cmd/common/own-file.h"
#include "tests/junit.h"
#include "tests/runner.h"
#include "tests/workload.h"
#include "util/bpf/kernel-table.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

static struct test_run_opts opts = { .seconds = 900, .jobs = 1 };
static bool show_workloads, show_kernel, sequential;
static const char *workload, *junit_path, *skipped;
static unsigned int nr_runs = 1;

static const char *const test_usage[] = {
	"perf test [<options>] [list] [<number or part of a name>...]",
	"perf test -w <workload> [<arguments>]",
	"perf test --kernel",
	NULL,
};

static void list_workload_names(void)
{
	for (const struct test_workload *w = workloads; w->name; w++)
		printf("%s\n", w->name);
}

static const struct option_row test_options[] = {
	OPT_INCR('v', "verbose", &opts.builtin.verbose, "print the output of tests; -vv: also what the built-in tests check"),
	OPT_UINT(0, "jobs", &opts.jobs, "number", "run this many tests at a time (1)"),
	OPT_BOOL('S', "sequential", &sequential, "run one test after the other (default)"),
	OPT_UINT('r', "runs-per-test", &nr_runs, "number", "run each test this many times (1)"),
	OPT_STRING('s', "skip", &skipped, "number,...", "leave out these tests"),
	OPT_BOOL('F', "dont-fork", &opts.no_fork, "run the built-in tests only, inside perf"),
	OPT_STRING(0, "dso", &opts.builtin.dso, "file", "test the symbols of this file (perf)"),
	{ OPTION_STRING, 'j', "junit", &junit_path, "file", "write the results as JUnit's XML, too (test.xml)", NULL, OPTION_OPTARG, "test.xml", NULL },
	OPT_UINT(0, "time-limit", &opts.seconds, "seconds", "kill a test that takes longer (900)"),
	OPT_STRING_OF('w', "workload", &workload, "workload", "run a built-in workload, see --list-workloads", list_workload_names),
	OPT_BOOL(0, "list-workloads", &show_workloads, "list the built-in workloads"),
	OPT_BOOL(0, "kernel", &show_kernel, "show what this kernel offers, and run no test"),
	OPT_END(),
};

static int list_kernel_offers(void)
{
	static const char *const answers[] = { [KERNEL_HAS] = "yes", [KERNEL_LACKS] = "no", [KERNEL_UNKNOWN] = "?" };
	enum kernel_offer offer;
	struct utsname uts;

	if (uname(&uts))
		return 1;
	printf("Linux %s on %s:\n%-26s %-4s %-6s %s\n", uts.release, uts.machine, "feature", "here", "since", "needed for");
	for (offer = 0; offer < KERNEL_OFFER_MAX; offer++) {
		const struct kernel_offer_desc *desc = kernel_offer__get(offer);

		printf("%-26s %-4s %-6s %s\n", desc->name, answers[kernel_offer__probe(offer)], desc->since ? desc->since : "-",
		       desc->use);
	}
	return 0;
}

static int list_workloads(void)
{
	const struct test_workload *w;

	for (w = workloads; w->name; w++)
		printf("%-19s %-22s %s\n", w->name, w->args, w->help);
	return 0;
}

/* Of -s, whose form has been checked */
static bool is_skipped(const struct test *test)
{
	const char *at = skipped;

	while (at && *at) {
		char *end;

		if (strtoul(at, &end, 10) == test->number)
			return true;
		at = *end ? end + 1 : end;
	}
	return false;
}

/* No words choose all tests; a number chooses one, any other word those with that part in their names. */
static bool is_chosen(const struct test *test, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		char *end;

		if (isdigit((unsigned char)*argv[i]) && strtoul(argv[i], &end, 10) == test->number && !*end)
			return true;
		if (strstr(test->name, argv[i]))
			return true;
	}
	return !argc;
}

struct totals {
	unsigned int passed, failed, skipped;
	struct junit *junit; /* NULL: not asked for */
};

static void print_result(const struct tap *tap)
{
	if (tap->failed)
		printf(" FAILED!\n%s", tap->failures_text);
	else if (tap->skipped && !tap->passed)
		printf(" Skip (%s)\n", tap->skip_reason);
	else if (tap->skipped)
		printf(" Ok (%u skipped: %s)\n", tap->skipped, tap->skip_reason);
	else
		printf(" Ok\n");
}

static void print_label(const struct test *test)
{
	printf("%3u: %-40s:", test->number, test->name);
}

/* A line begins with its test if no other test can print in between. */
static void on_start(const struct test *test, void *arg)
{
	if (opts.jobs > 1)
		return;
	print_label(test);
	if (opts.echo)
		putchar('\n');
}

static void on_end(const struct test *test, const struct tap *tap, s64 ms, void *arg)
{
	struct totals *totals = arg;

	if (opts.jobs > 1 || opts.echo)
		print_label(test);
	print_result(tap);
	totals->passed += tap->passed;
	totals->failed += tap->failed;
	totals->skipped += tap->skipped;
	if (totals->junit)
		junit__add(totals->junit, test, tap, ms); /* a lack of memory shows at its end */
}

static int run_tests(struct test_list *list, struct junit *junit)
{
	struct totals totals = { .junit = junit };
	int err = 0;

	opts.started = on_start;
	opts.ended = on_end;
	opts.arg = &totals;
	for (unsigned int i = 0; i < nr_runs && !err; i++)
		err = test_list__run(list, &opts);
	if (err) {
		pr_err("\ncannot run tests: %s\n", strerror(-err));
		return 1;
	}
	printf("%u passed, %u failed, %u skipped\n", totals.passed, totals.failed, totals.skipped);
	return totals.failed ? 1 : 0;
}

static int choose_tests(struct test_list *list, int argc, char **argv, bool only_list)
{
	unsigned int i, chosen = 0;

	for (i = 0; i < list->nr; i++) {
		struct test *test = &list->test[i];

		test->chosen = is_chosen(test, argc, argv) && !is_skipped(test);
		chosen += test->chosen;
		if (test->chosen && only_list)
			printf("%3u: %s\n", test->number, test->name);
	}
	if (!chosen)
		pr_err("No test has such a number or name: see 'perf test list'.\n");
	return chosen ? 0 : -1;
}

/* Find the tests of PERF_TEST_DIR, or else those beside perf. 0, or -errno after a message: some are missing. */
static int find_tests(struct test_list *list)
{
	const char *given = getenv("PERF_TEST_DIR");
	char *dir = given ? strdup(given) : own_file__find("tests");
	int err = 0;

	memset(list, 0, sizeof(*list));
	if (!opts.no_fork)
		err = dir ? test_list__find(list, dir) : -errno;
	free(dir);
	if (!err && !opts.no_fork && !list->nr)
		err = -ENOENT;
	if (err)
		pr_err("cannot look for tests: %s; 'make' builds them, PERF_TEST_DIR names their directory\n", strerror(-err));
	if (given && !opts.no_fork)
		return err;
	return test_list__add_builtin(list) ?: err;
}

static int find_and_run(int argc, char **argv, struct junit *junit)
{
	bool only_list = argc && !strcmp(argv[0], "list");
	struct test_list list;
	int status = 1, err;

	if (!argc && !opts.no_fork && !list_kernel_offers())
		putchar('\n');
	err = find_tests(&list);
	/* If others were not found, run the built-in tests only; that is an error unless tests were named. */
	if (list.nr && !choose_tests(&list, argc - only_list, argv + only_list, only_list))
		status = only_list ? 0 : run_tests(&list, junit);
	test_list__exit(&list);
	return err && !argc ? 1 : status;
}

static int run_with_junit(int argc, char **argv)
{
	struct junit *junit = NULL;
	int status, err;

	if (junit_path) {
		junit = junit__open(junit_path);
		if (!junit) {
			pr_err("cannot write %s: %s\n", junit_path, strerror(errno));
			return 1;
		}
	}
	status = find_and_run(argc, argv, junit);
	err = junit__close(junit);
	if (err)
		pr_err("cannot write %s: %s\n", junit_path, strerror(-err));
	return err ? 1 : status;
}

/* A wrong command line ends perf. */
static void check_options(void)
{
	if (opts.jobs < 1 || opts.jobs > MAX_JOBS)
		options__refuse_exit("--jobs takes a number from 1 to %u\n", MAX_JOBS);
	if (opts.jobs > 1 && (opts.echo || sequential || opts.no_fork))
		options__refuse_exit("%s runs one test after the other: leave out --jobs\n",
				     opts.echo ? "-v" : sequential ? "-S" : "-F");
	if (nr_runs < 1)
		options__refuse_exit("-r takes a number from 1 on\n");
	if (skipped && (skipped[strspn(skipped, "0123456789,")] || !*skipped))
		options__refuse_exit("-s %s: not a list of numbers such as 1,12\n", skipped);
}

/* Recordings tell workloads from perf by the name of their task. */
static int run_workload(int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "perf-%s", workload);
	prctl(PR_SET_NAME, name);
	return workload__run(workload, argc, argv);
}

int cmd_test(int argc, char **argv)
{
	argc = options__parse(argc, argv, test_options, test_usage, true);
	opts.echo = opts.builtin.verbose > 0;
	if (show_workloads)
		return list_workloads();
	if (show_kernel)
		return list_kernel_offers();
	check_options();
	return workload ? run_workload(argc, argv) : run_with_junit(argc, argv);
}
