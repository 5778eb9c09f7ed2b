/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The perf.data of perf stacks: a sample for each thread of each snapshot, with its stack and a period of 1, of an event "threads". Records of
 * tasks and maps have the time of the snapshot. Those of a process are written again only if they differ from those before.
 *
 * Order of calls: new, begin, then for each snapshot set_time, what the session learns (part, tell, part ...), add for each stack; finish.
 */
#ifndef PERF_CMD_STACKS_RECORDING_H
#define PERF_CMD_STACKS_RECORDING_H

#include "util/perfdata/file.h"
#include "util/source/thread-stacks.h"

struct stacks_recording;

/* argv: the command line, which must outlive it, as must path. "-": the standard output, as a pipe. NULL: no memory */
struct stacks_recording *stacks_recording__new(const char *path, int argc, const char *const *argv);
void stacks_recording__delete(struct stacks_recording *r); /* NULL is fine */

/* All others: 0 or -errno, with err */
int stacks_recording__begin(struct stacks_recording *r, struct errmsg *err); /* makes the file */
const struct perfdata_event *stacks_recording__event(const struct stacks_recording *r);
void stacks_recording__set_time(struct stacks_recording *r, u64 ns); /* of CLOCK_MONOTONIC */

/* Write the part before. The records that follow are of this process, or, with pid 0, of the kernel. */
int stacks_recording__part(struct stacks_recording *r, u32 pid, struct errmsg *err);
int stacks_recording__tell(struct stacks_recording *r, const void *records, size_t size, struct errmsg *err); /* whole records */

int stacks_recording__add(struct stacks_recording *r, const struct thread_stack *stack, struct errmsg *err);
int stacks_recording__finish(struct stacks_recording *r, struct errmsg *err);
u64 stacks_recording__nr(const struct stacks_recording *r); /* stacks so far */

#endif
