/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results that could not be written. There is one rule for all commands: if their reader has gone, as in 'perf list | head', perf says nothing
 * and ends by SIGPIPE, like other programs; any other cause is an error, with a message.
 */
#ifndef PERF_CMD_LOST_OUTPUT_H
#define PERF_CMD_LOST_OUTPUT_H

/* "cannot write WHAT: cause", by a positive errno; nothing if the reader has gone */
void lost_output__tell(const char *what, int error);
/* The end of each command: write out the rest, and end perf by SIGPIPE if any reader has gone. Returns the exit status. */
int lost_output__end(int status);

#endif
