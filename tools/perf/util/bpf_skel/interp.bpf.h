/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Where the native unwinder hands over to an interpreter's. After each native frame in the interpreter's file unwind_next() asks interp_step()
 * whether that was an activation of its loop, whose stack is from the stack pointer to the CFA. If so, further calls note the frames that the
 * activation runs, until it has no more. Which activation runs which frames is decided by addresses in its stack, never by counting.
 *
 * Memory of the process may hold anything. Each step reads a few words and goes on, and all steps of a stack are INTERP_MAX_STEPS.
 */
#ifndef PERF_BPF_INTERP_BPF_H
#define PERF_BPF_INTERP_BPF_H

#include "interp-tables.bpf.h"

#define INTERP_MAX_STEPS 1024
#define INTERP_NR_WORDS 32 /* read at once */

enum interp_state {
	INTERP_IDLE,   /* native frames */
	INTERP_ENTER,  /* the last one may be an activation */
	INTERP_SEARCH, /* for the state of the thread */
	INTERP_RUN,    /* frames of an activation */
	INTERP_FINISH, /* the stack is whole, but its frames are not where they belong */
};

/* After a step in INTERP_RUN: does the activation run more frames, or is it known whether those it was thought to run are its own? */
enum interp_verdict {
	INTERP_GOES_ON,
	INTERP_OWNS,
	INTERP_OWNS_NOT,
};

/* Of one stack. The members from thread on are those of the interpreter's walker. */
struct interp_walk {
	__u32 state, steps;
	__u32 file;  /* number of the interpreter's file, */
	__u32 entered; /* and that of the innermost activation, and 1; 0: none was met */
	__u32 slot;  /* the place of the activation's native frame, which its own frames replace, */
	__u64 word;  /* and what was there */
	__u32 last_slot;   /* of the activation that was left without frames last, */
	__u64 first_word;  /* and what was at the innermost one */
	__u64 at;    /* the last native frame: offset in a file with an interpreter; 0: another file */
	__u64 begin, end; /* of its stack */
	__u64 runtime; /* data of the interpreter */
	__u8 lost;     /* no more is known of this stack */
	__u8 bare;     /* only frames of interpreters are noted */
	__u8 begun;    /* the search */
	__u8 skipped;  /* the innermost _PyCFrame */
	__u16 missing; /* activations behind the last frame: PYTHON_OBJECTS */
	__u64 self;    /* pthread_self() */
	__u64 process; /* interp_process() */
	__u64 thread, interpreter;
	__u64 frame, first; /* the next one, and the first one of this activation */
	__u64 cframe;
	__u64 code, lines; /* of the frame: its code object, and the line table */
	__u64 read[INTERP_NR_WORDS];
};

const volatile __u32 interp_mode; /* enum interp_mode */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct interp_code);
} interp_message SEC(".maps");

/* Count in the caller's unwind_counts. */
#define interp_count(member)									\
	({											\
		struct unwind_counts *counts_;							\
		__u32 zero_ = 0;								\
												\
		counts_ = bpf_map_lookup_elem(&unwind_counts, &zero_);				\
		if (counts_)									\
			counts_->interp.member++;						\
	})

/* NULL: others have taken its place */
static __always_inline struct interp_file *interp_file_at(__u32 number)
{
	__u32 place = number % INTERP_MAX_FILES;
	struct interp_file *f = bpf_map_lookup_elem(&interp_files, &place);

	return f && f->number == number ? f : NULL;
}

/* No more is known of this stack. */
static __always_inline void interp_lose(struct interp_walk *w)
{
	w->lost = 1;
	w->state = INTERP_IDLE;
}

/* Read size bytes, at most those of w->read, from there on. */
static __always_inline bool interp_read(struct interp_walk *w, __u64 at, __u32 size)
{
	return !unwind_read_user(w->read, size, at);
}

/* What was read of the object at that offset */
static __always_inline __u64 interp_word(const struct interp_walk *w, __u32 offset)
{
	return w->read[offset / 8 % INTERP_NR_WORDS];
}

static __always_inline __u32 interp_half(const struct interp_walk *w, __u32 offset)
{
	return ((const __u32 *)w->read)[offset / 4 % (2 * INTERP_NR_WORDS)];
}

static __always_inline __u8 interp_byte(const struct interp_walk *w, __u32 offset)
{
	return ((const __u8 *)w->read)[offset % (8 * INTERP_NR_WORDS)];
}

#endif
