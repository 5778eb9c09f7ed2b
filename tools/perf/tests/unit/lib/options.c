// SPDX-License-Identifier: GPL-2.0
#include "util/lib/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/lib/types.h"

#define MAX_WORDS 16

/* What the table below fills. */
static struct {
	bool all, no_inherit;
	int verbose, number;
	u64 count;
	unsigned int freq;
	const char *output, *level;
	const char *cb_arg;
	int cb_calls, cb_unset;
} got;

static int record_call(const struct option_row *row, const char *arg, bool unset)
{
	got.cb_calls++;
	got.cb_arg = arg;
	got.cb_unset = unset;
	if (arg && !strcmp(arg, "bad")) {
		fprintf(stderr, "callback says no\n");
		return -1;
	}
	return 0;
}

static const struct option_row rows[] = {
	OPT_BOOL('a', "all-cpus", &got.all, "system-wide collection from all CPUs"),
	OPT_BOOL('i', "no-inherit", &got.no_inherit, "child tasks do not inherit counters"),
	OPT_INCR('v', "verbose", &got.verbose, "be more verbose"),
	OPT_INT('n', "number", &got.number, NULL, "a number"),
	OPT_U64('c', "count", &got.count, "n", "event period to sample"),
	OPT_UINT('F', "freq", &got.freq, "freq or 'max'", "profile at this frequency\nor another"),
	OPT_STRING('o', "output", &got.output, "file", "output file name"),
	OPT_CALLBACK('e', "event", NULL, "event", "event selector", record_call),
	OPT_CALLBACK_FLAGS('g', NULL, NULL, NULL, "enables call-graph recording", record_call, OPTION_NOARG),
	OPT_CALLBACK_FLAGS(0, "call-graph", NULL, "mode", "sets up call graphs", record_call, OPTION_OPTARG_NEXT),
	OPT_CALLBACK_FLAGS(0, "secret", NULL, NULL, "not shown", record_call, OPTION_HIDDEN | OPTION_NOARG),
	{ OPTION_STRING, 'z', "level", &got.level, "n", "compress", NULL, OPTION_OPTARG, "1", NULL },
	OPT_END(),
};
static const char *const usages[] = { "perf x [<options>] [<command>]", "perf x [<options>] -- <command>", NULL };

static char *words[MAX_WORDS + 1];

/* Parse the words of line (split at blanks); returns how many words remain, which are in words[]. */
static int parse_mode(const char *line, bool stop)
{
	static char copy[256];
	int argc = 1;
	char *word;

	memset(&got, 0, sizeof(got));
	snprintf(copy, sizeof(copy), "%s", line);
	words[0] = (char *)"x";
	for (word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < MAX_WORDS);
		words[argc++] = word;
	}
	words[argc] = NULL;
	return options__parse(argc, words, rows, usages, stop);
}

static int parse(const char *line)
{
	return parse_mode(line, false);
}

/* Parse in a child that must exit with 129; returns what it wrote to stderr. */
static const char *refuse(const char *line)
{
	static char text[4096];
	size_t used = 0;
	ssize_t len;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		parse(line);
		_exit(0);
	}
	close(fds[1]);
	while ((len = read(fds[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += len;
	close(fds[0]);
	text[used] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_USAGE);
	return text;
}

#define assert_contains(text, part) assert_non_null(strstr(text, part))
#define assert_starts(text, start) assert_ptr_equal(strstr(text, start), text)

static void short_options_bundle(void **state)
{
	assert_int_equal(parse("-avvc5 -ofile"), 0);
	assert_true(got.all);
	assert_int_equal(got.verbose, 2);
	assert_int_equal(got.count, 5);
	assert_string_equal(got.output, "file");
}

static void booleans_have_negations(void **state)
{
	parse("--all-cpus --no-all-cpus");
	assert_false(got.all);
	parse("--no-inherit");
	assert_true(got.no_inherit);
	parse("-i --inherit");
	assert_false(got.no_inherit);
	parse("-vv --no-verbose -o f --no-output -c 3 --no-count");
	assert_int_equal(got.verbose, 0);
	assert_null(got.output);
	assert_int_equal(got.count, 0);
	parse("--no-event");
	assert_int_equal(got.cb_unset, 1);
	assert_null(got.cb_arg);
}

static void long_names_may_be_shortened(void **state)
{
	parse("--all --no-inh --out=f");
	assert_true(got.all);
	assert_true(got.no_inherit);
	assert_string_equal(got.output, "f");
	assert_contains(refuse("--no"), "ambiguous option `no' (could be --no-");
	assert_contains(refuse("--c"), "(could be --count or --call-graph)");
}

static void numbers_are_checked(void **state)
{
	parse("-c 10K -n -5 -F 4294967295");
	assert_int_equal(got.count, 10000);
	assert_int_equal(got.number, -5);
	assert_int_equal(got.freq, 4294967295u);
	parse("-c 18446744073709551615 -n 010");
	assert_true(got.count == UINT64_MAX);
	assert_int_equal(got.number, 10);
	parse("--count=2m");
	assert_int_equal(got.count, 2000000);
	parse("--count 3G");
	assert_true(got.count == 3000000000ull);
	assert_contains(refuse("-c foo"), " Error: switch `c' expects an unsigned numerical value");
	assert_contains(refuse("--count=1KK"), " Error: option `count' expects");
	refuse("-c -1");
	refuse("-c 18446744073709551616");
	refuse("-c 18446744073709552K");
	refuse("-c 1T");
	refuse("-F 4294967296");
	refuse("-F 1K");
	assert_contains(refuse("-n 2147483648"), " Error: switch `n' expects a numerical value");
	refuse("-n 1x");
	refuse("-n -");
	refuse("--number=");
	refuse("--count=");
}

static void optional_arguments(void **state)
{
	assert_int_equal(parse("-z 9"), 1); /* OPTARG takes no next word */
	assert_string_equal(got.level, "1");
	assert_string_equal(words[0], "9");
	parse("-z9");
	assert_string_equal(got.level, "9");
	parse("--level=7");
	assert_string_equal(got.level, "7");
	assert_int_equal(parse("--call-graph fp"), 0);
	assert_string_equal(got.cb_arg, "fp");
	assert_int_equal(parse("--call-graph -a"), 0);
	assert_null(got.cb_arg);
	assert_true(got.all);
	parse("--call-graph");
	assert_int_equal(got.cb_calls, 1);
	assert_int_equal(parse("-g fp"), 1);
	assert_int_equal(got.cb_calls, 1);
}

static void words_are_gathered_or_stop(void **state)
{
	assert_int_equal(parse("one -a two - -v"), 3);
	assert_string_equal(words[0], "one");
	assert_string_equal(words[1], "two");
	assert_string_equal(words[2], "-");
	assert_null(words[3]);
	assert_true(got.all && got.verbose == 1);
	assert_int_equal(parse_mode("-a cmd -v", true), 2);
	assert_string_equal(words[0], "cmd");
	assert_string_equal(words[1], "-v");
	assert_null(words[2]);
	assert_int_equal(got.verbose, 0);
	assert_int_equal(parse_mode("-a -- -v --", true), 2);
	assert_string_equal(words[0], "-v");
	assert_string_equal(words[1], "--");
	assert_int_equal(parse("one -- -v"), 2);
	assert_int_equal(got.verbose, 0);
}

static void posixly_correct_changes_nothing(void **state)
{
	setenv("POSIXLY_CORRECT", "1", 1);
	assert_int_equal(parse("one -a"), 1);
	unsetenv("POSIXLY_CORRECT");
	assert_true(got.all);
}

static void help_has_perfs_shape(void **state)
{
	const char *text = refuse("-h");

	assert_string_equal(text,
		"\n Usage: perf x [<options>] [<command>]\n"
		"    or: perf x [<options>] -- <command>\n\n"
		"    -a, --all-cpus        system-wide collection from all CPUs\n"
		"    -i, --no-inherit      child tasks do not inherit counters\n"
		"    -v, --verbose         be more verbose\n"
		"    -n, --number <n>      a number\n"
		"    -c, --count <n>       event period to sample\n"
		"    -F, --freq <freq or 'max'>\n"
		"                          profile at this frequency\n"
		"                          or another\n"
		"    -o, --output <file>   output file name\n"
		"    -e, --event <event>   event selector\n"
		"    -g                    enables call-graph recording\n"
		"        --call-graph [<mode>]\n"
		"                          sets up call graphs\n"
		"    -z, --level[=<n>]     compress\n\n");
	assert_contains(refuse("--help"), "\n Usage: perf x [<options>] [<command>]\n");
}

static void wrong_command_lines_are_explained(void **state)
{
	const char *text = refuse("--foo");

	assert_starts(text, "  Error: unknown option `foo'. See perf x --help\n");
	assert_starts(refuse("--ouptut=x"), "  Error: unknown option `ouptut=x'; did you mean --output? See perf x --help\n");
	assert_contains(refuse("-aZ"), "  Error: unknown switch `Z'. See perf x --help\n");
	text = refuse("-o");
	assert_starts(text, " Error: switch `o' requires a value\n Usage: perf x");
	assert_contains(text, "--output <file>");
	assert_null(strstr(text, "--level"));
	assert_contains(refuse("--output"), " Error: option `output' requires a value\n");
	assert_contains(refuse("--all-cpus=1"), " Error: option `all-cpus' takes no value\n");
	assert_contains(refuse("--no-all-cpus=1"), " Error: option `no-all-cpus' takes no value\n");
}

static void a_callback_may_refuse(void **state)
{
	const char *text = refuse("-e bad");

	assert_starts(text, "callback says no\n Usage: perf x");
	assert_contains(text, "--event <event>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_options_bundle),
		cmocka_unit_test(booleans_have_negations),
		cmocka_unit_test(long_names_may_be_shortened),
		cmocka_unit_test(numbers_are_checked),
		cmocka_unit_test(optional_arguments),
		cmocka_unit_test(words_are_gathered_or_stop),
		cmocka_unit_test(posixly_correct_changes_nothing),
		cmocka_unit_test(help_has_perfs_shape),
		cmocka_unit_test(wrong_command_lines_are_explained),
		cmocka_unit_test(a_callback_may_refuse),
	};

	return cmocka_run_group_tests_name("lib/options", tests, NULL, NULL);
}
