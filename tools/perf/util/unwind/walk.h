/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks a user stack with unwinding tables, exactly as the BPF programs do (both use util/bpf_skel/unwind-step.bpf.h): to prove them, and to
 * finish what they could not.
 */
#ifndef PERF_UNWIND_WALK_H
#define PERF_UNWIND_WALK_H

#include <stdbool.h>
#include "util/unwind/table.h"

struct unwind_walk_ops {
	/* Find the id of the rule at this address. UNWIND_GOES_ON, or why there is none: then the walk ends. */
	enum unwind_end (*find)(void *context, u64 ip, u32 *rule);
	bool (*read)(void *context, u64 address, u64 *value); /* 8 bytes of memory; false: unknown */
	bool (*reg)(void *context, u32 number, u64 *value);   /* the sample's register, by DWARF number; false: unknown */
};

struct unwind_walk {
	const struct unwind_rules *rules;
	const struct unwind_walk_ops *ops;
	void *context;
	u64 ra_mask; /* see unwind-step.bpf.h */
};

/* An address in the instruction that the frame is at. */
static inline u64 unwind_frame__pc(const struct unwind_frame *frame)
{
	return frame->exact ? frame->ip : frame->ip - 1;
}

/* Replace frame by its caller. UNWIND_GOES_ON, or why there is none. */
enum unwind_end unwind_walk__apply(const struct unwind_walk *walk, struct unwind_frame *frame, u32 rule);
/* The same by the rule that .find finds. */
enum unwind_end unwind_walk__step(const struct unwind_walk *walk, struct unwind_frame *frame);

/*
 * Walk from frame, the sample's, to the end. ips: room for max; gets frame's ip and those of its callers, as return addresses. *nr: their
 * number. Returns why it ended; UNWIND_DEPTH: there are more than max.
 */
enum unwind_end unwind_walk__run(const struct unwind_walk *walk, struct unwind_frame frame, u64 *ips, u32 max, u32 *nr);

#endif
