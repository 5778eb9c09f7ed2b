/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who waits for a lock: the first frame of a stack that is not part of locking. Which functions are, is known by their names and by the
 * kernel's section of lock functions, not by their number, since compilers inline them.
 */
#ifndef PERF_UI_LOCK_FRAMES_H
#define PERF_UI_LOCK_FRAMES_H

#include "util/lib/types.h"
#include "util/symbol/kernel-names.h"
#include "util/symbol/resolve.h"

#define LOCK_SKIP_BY_NAME (-1)

struct lock_frames {
	const struct kernel_names *names; /* of variables, and without resolver of functions; NULL: none are known */
	struct resolver *resolver;	  /* of a recording's functions; NULL: there is no recording. Without both nothing is cut */
	u64 text_start, text_end;	  /* the section; both 0: unknown */
};

void lock_frames__init(struct lock_frames *f, const struct kernel_names *names);

/*
 * The number of frames before the caller. Frames of BPF programs and tracepoints always are; then those of locks, or if skip is
 * not LOCK_SKIP_BY_NAME exactly as many as it says. nr: there is no caller.
 */
u32 lock_frames__before_caller(const struct lock_frames *f, const u64 *frame, u32 nr, int skip);

/* The number of frames of BPF programs and tracepoints, which come first. */
u32 lock_frames__plumbing(const struct lock_frames *f, const u64 *frame, u32 nr);

/* "function+0x1c", or the address. Returns buf. */
const char *lock_frames__name(const struct lock_frames *f, u64 address, char *buf, size_t size);

#endif
