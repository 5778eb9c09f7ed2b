/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who waits for a lock: the first frame of a stack that is not part of locking. Which functions are, is known by their names and by the
 * kernel's section of lock functions, not by their number, since compilers inline them.
 */
#ifndef PERF_UI_LOCK_FRAMES_H
#define PERF_UI_LOCK_FRAMES_H

#include <stdbool.h>
#include "util/lib/types.h"
#include "util/symbol/kernel-names.h"
#include "util/session/session.h"
#include "util/symbol/resolve.h"

#define LOCK_SKIP_BY_NAME (-1)
#define LOCK_DATA_NAME 160

struct lock_frames {
	const struct kernel_names *names; /* of variables, and without resolver of functions; NULL: none are known */
	struct resolver *resolver;	  /* of a recording's functions; NULL: there is no recording. Without both nothing is cut */
	struct session *live;		  /* of a run that is watched, knows its processes; NULL: stacks are the kernel's */
	u64 text_start, text_end;	  /* the section; both 0: unknown */
	bool all_variables;		  /* names has those of the kernel's image */
};

void lock_frames__init(struct lock_frames *f, const struct kernel_names *names);

/*
 * A stack. Frames in user space belong to a process that lock_frames.live knows, whose program is that of now.
 */
struct lock_stack {
	const u64 *frame;
	u32 nr;
	u32 pid; /* 0: in the kernel */
};

/*
 * The number of frames before the caller. In the kernel, frames of BPF programs and tracepoints always are; then those of locks, or if skip is
 * not LOCK_SKIP_BY_NAME exactly as many as it says. nr: there is no caller. In user space, frames of the C library
 * and of what runtimes wait by; if there are no others the innermost frame is the caller.
 */
u32 lock_frames__before_caller(const struct lock_frames *f, const struct lock_stack *stack, int skip);

/* The number of frames of BPF programs and tracepoints, which come first. */
u32 lock_frames__plumbing(const struct lock_frames *f, const u64 *frame, u32 nr);

/* Of the frame of a stack with this pid: "function+0x1c", in user space "file+0x1c" without a function, or the address. Returns buf. */
const char *lock_frames__name(const struct lock_frames *f, u32 pid, u64 address, char *buf, size_t size);

/* A futex's place in its process */
struct lock_data {
	char name[LOCK_DATA_NAME]; /* "variable", "variable+0x8", "[heap]+0x2a0", "file+0x40"; "" in memory that has no name */
	u64 ino, offset;	   /* of a file that processes share; ino 0: it is the process's own, or not known */
};
void lock_frames__find_data(const struct lock_frames *f, u32 pid, u64 address, struct lock_data *data);

#endif
