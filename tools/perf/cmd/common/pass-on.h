/* SPDX-License-Identifier: GPL-2.0 */
/* Passes what this perf lacks on to the next program named perf on PATH that is not this one. */
#ifndef PERF_CMD_COMMON_PASS_ON_H
#define PERF_CMD_COMMON_PASS_ON_H

/*
 * Run the whole command line (argv[1] is the command) by that perf. Returns only if that fails, after a message; the return value is
 * then the exit status.
 */
int pass_on(char **argv);

/* The same for a part of one of our commands that other perfs do, such as "-s". argv[0] is the command. */
int pass_on_part(int argc, char **argv, const char *part);

/*
 * Hand on this option of perf itself before the command, as "--buildid-dir" and a directory; value NULL: it has none. The last value counts.
 * There are two such options at most. Both texts must live as long as the program.
 */
void pass_on__add_option(char *option, char *value);

#endif
