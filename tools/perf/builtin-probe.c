// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "probe"

#include "builtin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/common/pass-on.h"
#include "cmd/probe/probe.h"
#include "util/lib/array.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/lib/printable.h"
#include "util/lib/regular-file.h"
#include "util/lib/text.h"
#include "util/probe/name-filter.h"
#include "util/symbol/probe-finder.h"

static struct probe_options options = { .target = { .max_points = 128 } };
static const char *exec, *module;
static unsigned int target_ns = UINT_MAX; /* pid; UINT_MAX: not given */
static const char *handed_on; /* an option that other perfs have */
static int verbose;
static bool quiet, demangle = true, demangle_kernel;

/* Actions: an option chooses one, and its values are the words of it. */

static const struct action {
	char letter;
	int (*run)(const struct probe_options *options);
} actions[] = {
	{ 'a', probe_command__add },	     { 'D', probe_command__define },	     { 'd', probe_command__delete },
	{ 'l', probe_command__list },	     { 'L', probe_command__show_lines },     { 'V', probe_command__show_variables },
	{ 'F', probe_command__show_functions },
};

static const struct action *chosen;

static const struct action *find_action(char letter)
{
	const struct action *action = actions;

	while (action->letter != letter)
		action++;
	return action;
}

static int add_word(const char *word)
{
	if (array__extend(options.words.word, options.words.nr)) {
		pr_err("out of memory\n");
		return -1;
	}
	options.words.word[options.words.nr++] = word;
	return 0;
}

static int choose(char letter, const char *word)
{
	const struct action *action = find_action(letter);

	if (chosen && chosen != action) {
		pr_err(" Error: switch `%c' cannot be used with switch `%c'\n", letter, chosen->letter);
		return -1;
	}
	chosen = action;
	return word ? add_word(word) : 0;
}

static int choose_action(const struct option_row *row, const char *arg, bool unset)
{
	if (unset)
		return 0;
	if (row->short_name == 'L' && chosen && chosen->letter == 'L') {
		pr_err(" Error: -L is given twice\n");
		return -1;
	}
	return choose(row->short_name, arg);
}

/* The word of -F is a filter. */
static int choose_functions(const struct option_row *row, const char *arg, bool unset)
{
	if (unset)
		return 0;
	if (arg)
		options.filter = arg;
	return choose('F', NULL);
}

/* All definitions are of one program or module. */
static int choose_target(const struct option_row *row, const char *arg, bool unset)
{
	const char **target = row->short_name == 'x' ? &exec : &module;

	if (*target && arg && strcmp(*target, arg)) {
		pr_err(" Error: -%c is given twice, as %s and %s: run one command for each\n", row->short_name, *target, arg);
		return -1;
	}
	*target = unset ? NULL : arg;
	return 0;
}

static int hand_on(const struct option_row *row, const char *arg, bool unset)
{
	if (!unset)
		handed_on = row->long_name;
	return 0;
}

static const char *const probe_usage[] = {
	"perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]",
	"perf probe [<options>] --add 'PROBEDEF' [--add 'PROBEDEF' ...]",
	"perf probe [<options>] --del '[GROUP:]EVENT' ...",
	"perf probe --list [GROUP:]EVENT ...",
	"perf probe [<options>] --line 'LINEDESC'",
	"perf probe [<options>] --vars 'PROBEPOINT'",
	"perf probe [<options>] --funcs",
	NULL,
};

#define DEFINITION "[[GROUP:]EVENT=]FUNC[@SRC][+OFF|%return|:RL|;PT]|SRC:AL|SRC;PT [[NAME=]ARG ...]"

static const struct option_row probe_options[] = {
	OPT_GROUP("What to do"),
	OPT_CALLBACK('a', "add", NULL, DEFINITION, "add an event; see perf help probe", choose_action),
	OPT_CALLBACK('D', "definition", NULL, DEFINITION, "print what the kernel would get for this event, and add nothing", choose_action),
	OPT_CALLBACK('d', "del", NULL, "[GROUP:]EVENT", "delete these events; * and ? match", choose_action),
	OPT_CALLBACK_FLAGS('l', "list", NULL, "[GROUP:]EVENT", "list the events that were added; * and ? match", choose_action, OPTION_OPTARG_NEXT),
	OPT_CALLBACK('L', "line", NULL, "FUNC[@SRC][:RL[+NUM|-RL2]]|SRC[:AL[+NUM|-AL2]]", "show lines of the source, numbered where an event can be",
		     choose_action),
	OPT_CALLBACK('V', "vars", NULL, "FUNC[@SRC][+OFF|:RL]|SRC:AL", "show the variables that an event there can record", choose_action),
	OPT_CALLBACK_FLAGS('F', "funcs", NULL, "FILTER", "show the functions that an event can be on", choose_functions, OPTION_OPTARG_NEXT),
	OPT_GROUP("Where"),
	OPT_CALLBACK('x', "exec", NULL, "path", "take this program or library; without a slash its name is looked up", choose_target),
	OPT_CALLBACK('m', "module", NULL, "name", "take this loaded module of the kernel", choose_target),
	OPT_UINT(0, "target-ns", &target_ns, "pid", "take the path of -x as this process sees it, which may be in a container"),
	OPT_STRING('k', "vmlinux", &options.target.vmlinux, "file", "read the kernel's debug information from this file"),
	OPT_STRING('s', "source", &options.target.source, "directory", "look for the source files below this directory"),
	OPT_STRING(0, "symfs", &options.target.symfs, "directory", "look for files with debug information below this directory"),
	OPT_GROUP("How"),
	OPT_BOOL('f', "force", &options.force, "add an event whose name is taken under the name with _1, _2, ...; probe returns of Go functions"),
	OPT_BOOL('n', "dry-run", &options.dry_run, "look up all and report, but add or delete nothing"),
	OPT_BOOL(0, "externs", &options.externs, "show global variables, too (with --vars)"),
	OPT_BOOL(0, "range", &options.ranges, "show in which parts of the function variables can be recorded (with --vars)"),
	OPT_BOOL(0, "no-inlines", &options.target.no_inlines, "leave out places where a function is inlined"),
	OPT_STRING(0, "filter", &options.filter, "[!]FILTER", "show these names (with --vars and --funcs; default: \"!__k???tab_* & !__crc_*\" for --vars, "
		   "\"!_* & !*@plt\" for --funcs)"),
	OPT_UINT(0, "max-probes", &options.target.max_points, "n", "refuse a definition with more places than this (128)"),
	OPT_BOOL(0, "demangle", &demangle, "demangle names of C++ and Rust, which is always done"),
	OPT_BOOL(0, "demangle-kernel", &demangle_kernel, "demangle names of the kernel, which has none that need it"),
	OPT_INCR('v', "verbose", &verbose, "print more messages"),
	OPT_BOOL('q', "quiet", &quiet, "print errors only"),
	OPT_CALLBACK_FLAGS(0, "cache", NULL, NULL, NULL, hand_on, OPTION_NOARG | OPTION_HIDDEN),
	OPT_CALLBACK_FLAGS(0, "bootconfig", NULL, NULL, NULL, hand_on, OPTION_NOARG | OPTION_HIDDEN),
	OPT_END(),
};

/* The file of -x, or of a first word that is a path */
static char *find_exec(void)
{
	char name[PATH_MAX], *path = NULL;

	if (target_ns != UINT_MAX) {
		snprintf(name, sizeof(name), "/proc/%u", target_ns);
		if (access(name, F_OK))
			options__refuse_exit("There is no process %u (--target-ns)\n", target_ns);
		snprintf(name, sizeof(name), "/proc/%u/root%s", target_ns, exec);
	}
	errno = ENOENT;
	if (*exec)
		path = fs__real_path(target_ns != UINT_MAX ? name : exec);
	if (!path && errno == ENOENT && target_ns == UINT_MAX && !exec[strcspn(exec, "*?[")])
		path = probe_finder__file(exec);
	if (!path)
		options__refuse_exit("Failed to get the absolute path of '%s': %s\n", printable__clean(strdupa(exec)),
				     probe_finder__why_no_file(exec, errno));
	return path;
}

/* Words without an option are one definition. */
static char *join(int argc, char **argv)
{
	struct text t = { 0 };

	for (int i = 0; i < argc; i++)
		text__printf(&t, "%s%s", i ? " " : "", argv[i]);
	text__char(&t, '\0');
	if (!t.failed)
		return t.buf;
	text__exit(&t);
	pr_err("out of memory\n");
	return NULL;
}

static void check_options(void)
{
	struct errmsg err;

	if (verbose && quiet)
		options__refuse_exit("  Error: -v and -q exclude each other.\n");
	if (exec && module)
		options__refuse_exit("  Error: switch `m' cannot be used with switch `x'\n");
	if (target_ns != UINT_MAX && (!exec || *exec != '/'))
		options__refuse_exit("  Error: --target-ns goes with -x and a path that begins with /\n");
	if (!demangle)
		options__refuse_exit("  Error: names are always demangled here; escape those that are written mangled: --no-demangle does nothing\n");
	if (options.filter && chosen->letter != 'V' && chosen->letter != 'F')
		options__refuse_exit("  Error: --filter goes with --vars and --funcs only\n");
	if ((options.externs || options.ranges) && chosen->letter != 'V')
		options__refuse_exit("  Error: --externs and --range go with --vars only\n");
	if (options.filter && name_filter__check(options.filter, &err))
		options__refuse_exit("%s\n", err.text);
}

static int run(int argc, char **argv)
{
	char *definition = NULL, *path = NULL, opened[32];
	int ret, fd;

	if (argc && *argv[0] == '/' && !exec && !module) {
		exec = *argv++;
		argc--;
	}
	if (argc) {
		definition = join(argc, argv);
		if (!definition || choose('a', definition))
			return EXIT_USAGE;
	}
	if (!chosen)
		options__usage_exit(probe_options, probe_usage);
	check_options();
	if (exec)
		path = find_exec();
	options.target.raw = path ? strdupa(path) : NULL;
	options.target.force = options.force;
	options.target.module = module;
	fd = path ? regular_file__open(path, 0) : -1;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	options.target.opened = fd >= 0 ? opened : NULL; /* otherwise the message comes from where it is read */
	options.target.exec = path ? printable__clean(path) : NULL;
	ret = chosen->run(&options);
	if (fd >= 0)
		close(fd);
	free(path);
	free(definition);
	return ret;
}

/* What this perf does not do: a cache of events, modules by their files */
static const char *part_of_others(void)
{
	if (module && strchr(module, '/'))
		return "-m FILE";
	return handed_on;
}

int cmd_probe(int argc, char **argv)
{
	char **words = malloc(argc * sizeof(*words)); /* the parser reorders them */
	int nr_words = argc, ret;

	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	memcpy(words, argv, argc * sizeof(*words));
	argc = options__parse(argc, argv, probe_options, probe_usage, false);
	log__set_verbosity(verbose);
	log__set_quiet(quiet);
	ret = part_of_others() ? pass_on_part(nr_words, words, part_of_others()) : run(argc, argv);
	free(words);
	free(options.words.word);
	return ret;
}
