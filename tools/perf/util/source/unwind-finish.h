/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finishes user stacks that BPF could not (struct unwind_unfinished): it walks them anew from their registers and the copy of the stack,
 * with tables that are made now, with those that had no room, and with DWARF where no table's rule will do. What comes out are the
 * records as BPF would have written them, in their order.
 */
#ifndef PERF_SOURCE_UNWIND_FINISH_H
#define PERF_SOURCE_UNWIND_FINISH_H

#include "util/bpf/ring.h"
#include "util/source/unwind-feeder.h"

struct unwind_finish_counts {
	u64 began[UNWIND_NR_ENDS]; /* stacks by how BPF's walk ended */
	u64 ended[UNWIND_NR_ENDS]; /* and by how they ended here */
	u64 frames; /* more than BPF had found */
	u64 no_time; /* stacks that libdw had no time for: those before took too much of it */
	u64 bytes;  /* of records with registers and stack */
	u64 ns;	    /* CPU time, including that for tables that were made for it */
};

/* How BPF's walk of a stack ended, and the one here */
struct unwind_ends {
	enum unwind_end began, ended;
};

struct unwind_finisher {
	struct unwind_feeder *feeder;
	u64 began, dwarf_ns; /* the first stack for libdw, CLOCK_MONOTONIC, and the CPU time for all of them; begin with 0 */
	struct unwind_finish_counts counts;
	struct unwind_ends last; /* of the record that is passed on */
};

/*
 * Pass records on to cb, in runs of whole records: unfinished ones as the samples that they become. 0, the first negative return of cb,
 * -EIO: malformed record, or -ENOMEM.
 */
int unwind_finisher__pass(struct unwind_finisher *f, const void *records, size_t size, int (*cb)(void *data, const void *records, size_t size),
			  void *data);
/* The same for the records in a ring: see bpf_ring__drain(). Without a feeder they are passed on as they are. */
int unwind_finisher__drain(struct unwind_finisher *f, struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data,
			   u64 *nr_bytes);

#endif
