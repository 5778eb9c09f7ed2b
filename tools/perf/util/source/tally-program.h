/* SPDX-License-Identifier: GPL-2.0 */
/* The program that counts the samples of perf events, and its maps. The only user of the skeletons of util/bpf_skel/count-samples*. */
#ifndef PERF_SOURCE_TALLY_PROGRAM_H
#define PERF_SOURCE_TALLY_PROGRAM_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/tally-table.h"
#include "util/judge/filter-engine.h"

struct tally_program { /* the caller owns all descriptors */
	struct bpf_filter filter; /* the members shared with filters: for attaching, and for its counts */
	struct tally_maps maps;
	int unwound_fd;		  /* counts of unwound stacks; -1: none */
};

struct tally_program_setup {
	struct tally_setup counting;
	const struct filter_table *table; /* what to keep; NULL: all */
	u32 own;			  /* enum filter_owned; that of the table, if there is one */
	u64 clocks;			  /* the same of filter_words */
	const struct unwind_tables *tables; /* as in struct tally_opts */
	const struct bpf_programs *marks; /* as in struct event_filter */
	bool old;			  /* use the program for kernels before Linux 6.3 in any case */
};

/* -EOPNOTSUPP: see old_kernel__refuses(). Nothing is open in *p after an error. */
int tally_program__load(struct tally_program *p, const struct tally_program_setup *setup, struct errmsg *err);

#endif
