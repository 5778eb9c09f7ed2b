/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands. Each is the main() of its builtin-<name>.c: argv[0] is the command's name, the return value the exit
 * status of perf. They may exit() by themselves for a wrong command line (EXIT_USAGE of util/lib/options.h).
 */
#ifndef PERF_BUILTIN_H
#define PERF_BUILTIN_H

int cmd_annotate(int argc, char **argv);
int cmd_bpfsample(int argc, char **argv);
int cmd_buildid_cache(int argc, char **argv);
int cmd_buildid_list(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_evlist(int argc, char **argv);
int cmd_ftrace(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_kwork(int argc, char **argv);
int cmd_lock(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_sched(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_stacks(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* cmd_record() for another command, with these words (the first is "record") before its own, which follow argv[0], and its own usage lines. */
int cmd_record_with(const char *const *words, unsigned int nr, int argc, char **argv, const char *const *usages);

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

/* All of them, in the order of their names; ends with a row whose name is NULL. */
extern const struct command commands[];
const struct command *command__find(const char *name); /* NULL: not one of ours */

#define PERF_USAGE "perf [--version] [--help] [OPTIONS] COMMAND [ARGS]"

/* "0.1", or "0.1.g<commit>" when built from a git checkout; also the version that recordings carry. */
extern const char perf_version[];

#endif
