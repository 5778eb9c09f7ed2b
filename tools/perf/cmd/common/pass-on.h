/* SPDX-License-Identifier: GPL-2.0 */
/* What this perf has not is done by the next program named perf on PATH that is not this one. */
#ifndef PERF_CMD_COMMON_PASS_ON_H
#define PERF_CMD_COMMON_PASS_ON_H

/*
 * Run the whole command line (argv[1] is the command) by that perf. Returns only if that cannot be done, after saying so; the return
 * value is the exit status then.
 */
int pass_on(char **argv);

/* The same for a part of a command of ours that we leave to other perfs, such as "-s". argv[0] is the command. */
int pass_on_part(int argc, char **argv, const char *part);

/* Hand on this option of perf itself, as "--buildid-dir" and a directory, before the command. Both must live as long as the program. */
void pass_on__add_option(char *option, char *value);

#endif
