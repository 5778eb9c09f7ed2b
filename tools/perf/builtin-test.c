// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cmd/common/own-file.h"
#include "tests/runner.h"
#include "tests/workload.h"
#include "util/bpf/kernel-table.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

static struct test_run_opts opts = { .seconds = 900, .jobs = 1 };
static bool show_workloads, show_kernel;
static const char *workload;

static const char *const test_usage[] = {
	"perf test [<options>] [list] [<number or part of a name>...]",
	"perf test -w <workload> [<arguments>]",
	"perf test --kernel",
	NULL,
};

static const struct option_row test_options[] = {
	OPT_BOOL('v', "verbose", &opts.echo, "print what the tests print"),
	OPT_UINT('j', "jobs", &opts.jobs, "number", "run this many tests at a time (1)"),
	OPT_UINT(0, "time-limit", &opts.seconds, "seconds", "kill a test that takes longer (900)"),
	OPT_STRING('w', "workload", &workload, "workload", "run a built-in workload, see --list-workloads"),
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
		printf("%-10s %-22s %s\n", w->name, w->args, w->help);
	return 0;
}

/* Without words all tests; a number chooses one, any other word those with it in their names. */
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

static void on_end(const struct test *test, const struct tap *tap, void *arg)
{
	struct totals *totals = arg;

	if (opts.jobs > 1 || opts.echo)
		print_label(test);
	print_result(tap);
	totals->passed += tap->passed;
	totals->failed += tap->failed;
	totals->skipped += tap->skipped;
}

static int run_tests(struct test_list *list)
{
	struct totals totals = { 0 };
	int err;

	opts.started = on_start;
	opts.ended = on_end;
	opts.arg = &totals;
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

		test->chosen = is_chosen(test, argc, argv);
		chosen += test->chosen;
		if (test->chosen && only_list)
			printf("%3u: %s\n", test->number, test->name);
	}
	if (!chosen)
		pr_err("No test has such a number or name: see 'perf test list'.\n");
	return chosen ? 0 : -1;
}

static int find_and_run(int argc, char **argv)
{
	bool only_list = argc && !strcmp(argv[0], "list");
	const char *given = getenv("PERF_TEST_DIR");
	char *dir = given ? strdup(given) : own_file__find("tests");
	struct test_list list = { 0 };
	int err, status = 1;

	if (!argc && !list_kernel_offers())
		putchar('\n');
	err = dir ? test_list__find(&list, dir) : -errno;
	if (err)
		pr_err("cannot look for tests: %s; 'make' builds them, PERF_TEST_DIR names their directory\n", strerror(-err));
	else if (!list.nr)
		pr_err("No tests in %s: build them with 'make', or name their directory in PERF_TEST_DIR.\n", dir);
	else if (!choose_tests(&list, argc - only_list, argv + only_list, only_list))
		status = only_list ? 0 : run_tests(&list);
	test_list__exit(&list);
	free(dir);
	return status;
}

int cmd_test(int argc, char **argv)
{
	argc = options__parse(argc, argv, test_options, test_usage, true);
	if (show_workloads)
		return list_workloads();
	if (show_kernel)
		return list_kernel_offers();
	if (opts.jobs < 1 || opts.jobs > MAX_JOBS)
		options__usage_exit(test_options, test_usage, "-j takes a number from 1 to %u", MAX_JOBS);
	if (opts.jobs > 1 && opts.echo)
		options__usage_exit(test_options, test_usage, "-v shows the output of one test after the other, so it does not go with -j");
	if (workload)
		return workload__run(workload, argc, argv);
	return find_and_run(argc, argv);
}
