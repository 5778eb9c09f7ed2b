/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGPIPE and SIGXFSZ, by which the kernel ends a program whose write fails. perf that only prints ends by SIGPIPE once nobody reads it. perf that
 * watches a running system gets errors instead, completes what it has recorded, and ends by SIGPIPE then.
 */
#ifndef PERF_LIB_FAILED_WRITES_H
#define PERF_LIB_FAILED_WRITES_H

/* SIGPIPE ends perf, even if it was ignored when perf was started, as in services of systemd. Call it first. */
void failed_writes__end_perf(void);
/* From now on a failed write returns an error. */
void failed_writes__return_errors(void);
/* Both signals as perf was given them: for the user's programs. Async-signal-safe, and changes no memory: for children. */
void failed_writes__as_given(void);
/* Both signals end the process: for the programs that perf reads, and ends by closing their pipe. The same holds. */
void failed_writes__end_program(void);
/* End by SIGPIPE. Returns if it is blocked. */
void failed_writes__end_now(void);

#endif
