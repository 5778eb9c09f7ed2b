/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives the programs that unwind user stacks (bpf_skel/unwind.bpf.h) their tables: for the files that processes have mapped at the
 * start, and for those that programs ask for. Each file has one table, whatever number of processes maps it.
 */
#ifndef PERF_SOURCE_UNWIND_FEEDER_H
#define PERF_SOURCE_UNWIND_FEEDER_H

#include <sys/types.h>
#include "util/bpf/programs.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct unwind_feeder;

struct unwind_feeder_counts {
	u64 tables, bytes;  /* that programs have now */
	u64 rows;	    /* of them */
	u64 bare;	    /* files without rules for unwinding */
	u64 failed;	    /* files that could not be read */
	u64 refused;	    /* tables that did not fit into the memory */
	u64 thrown_out;	    /* tables that others took the place of */
	u64 ns;		    /* CPU time for making tables */
};

/* Tell programs that are not loaded yet about this machine. */
void unwind_feeder__configure(struct bpf_programs *programs);

/*
 * programs: configured and loaded from an image with unwind.bpf.h; they must outlive the feeder. max_bytes: of tables, rounded up to whole segments
 * (2 MiB). -EPERM and others, with a text: what the kernel refuses.
 */
int unwind_feeder__new(struct bpf_programs *programs, size_t max_bytes, struct unwind_feeder **feeder, struct errmsg *err);
void unwind_feeder__delete(struct unwind_feeder *feeder); /* NULL is fine */

/* Make the tables of the files that this process has mapped; pid 0: that all processes have. */
int unwind_feeder__add_process(struct unwind_feeder *feeder, pid_t pid, struct errmsg *err);

/* Readable when programs have asked for tables; owned by the programs. */
int unwind_feeder__fd(const struct unwind_feeder *feeder);
/* Make the tables that were asked for. -errno: the ring is broken, or no memory is left. */
int unwind_feeder__serve(struct unwind_feeder *feeder);

struct unwind_feeder_counts unwind_feeder__counts(const struct unwind_feeder *feeder);

#endif
