// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "tests/runner.h"
#include "tests/workload.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/sampler/kernel-table.h"

static struct run_opts opts = { .seconds = 300 };
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
	OPT_UINT(0, "time-limit", &opts.seconds, "seconds", "kill a test that takes longer (300)"),
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
	const struct workload *w;

	for (w = workloads; w->name; w++)
		printf("%-10s %-22s %s\n", w->name, w->args, w->help);
	return 0;
}

/* No words choose all tests; a number chooses one, any other word those with that part in their names. */
static bool is_chosen(const struct test *test, unsigned int number, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		char *end;

		if (isdigit((unsigned char)*argv[i]) && strtoul(argv[i], &end, 10) == number && !*end)
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

static int run_one(const struct test *test, const char *label, struct totals *totals)
{
	struct tap tap;
	int err;

	err = tap__init(&tap);
	if (err)
		return err;
	if (opts.echo)
		printf("%s\n", label);
	else
		printf("%s", label);
	fflush(stdout);
	err = test__run(test, &tap, &opts);
	if (!err) {
		if (opts.echo)
			printf("%s", label);
		print_result(&tap);
		totals->passed += tap.passed;
		totals->failed += tap.failed;
		totals->skipped += tap.skipped;
	}
	tap__exit(&tap);
	return err;
}

static int run_tests(const struct test_list *list, int argc, char **argv, bool only_list)
{
	struct totals totals = { 0 };
	unsigned int i, chosen = 0;
	char label[300];
	int err;

	for (i = 0; i < list->nr; i++) {
		if (!is_chosen(&list->test[i], i + 1, argc, argv))
			continue;
		chosen++;
		snprintf(label, sizeof(label), "%3u: %-40s%s", i + 1, list->test[i].name, only_list ? "" : ":");
		if (only_list) {
			printf("%3u: %s\n", i + 1, list->test[i].name);
			continue;
		}
		err = run_one(&list->test[i], label, &totals);
		if (err) {
			pr_err("\ncannot run %s: %s\n", list->test[i].path, strerror(-err));
			return 1;
		}
	}
	if (!chosen) {
		pr_err("No test has such a number or name: see 'perf test list'.\n");
		return 1;
	}
	if (!only_list)
		printf("%u passed, %u failed, %u skipped\n", totals.passed, totals.failed, totals.skipped);
	return totals.failed ? 1 : 0;
}

static int find_and_run(int argc, char **argv)
{
	bool only_list = argc && !strcmp(argv[0], "list");
	const char *given = getenv("PERF_TEST_DIR");
	char *dir = given ? strdup(given) : find_own_file("tests");
	struct test_list list = { 0 };
	int err, status = 1;

	if (!argc && !list_kernel_offers())
		putchar('\n');
	err = dir ? test_list__find(&list, dir) : -errno;
	if (err)
		pr_err("cannot look for tests: %s; 'make' builds them, PERF_TEST_DIR names their directory\n", strerror(-err));
	else if (!list.nr)
		pr_err("No tests in %s: build them with 'make', or name their directory in PERF_TEST_DIR.\n", dir);
	else
		status = run_tests(&list, argc - only_list, argv + only_list, only_list);
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
	if (workload)
		return workload__run(workload, argc, argv);
	return find_and_run(argc, argv);
}
