/* SPDX-License-Identifier: GPL-2.0 */
/* The program that counts the samples of perf events, and its maps. The only user of the skeletons of util/bpf_skel/count-samples*. */
#ifndef PERF_SOURCE_COUNT_PROGRAM_H
#define PERF_SOURCE_COUNT_PROGRAM_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/count-table.h"
#include "util/judge/filter-engine.h"

struct count_program { /* all descriptors are the caller's */
	struct bpf_filter filter; /* what it shares with filters: to be attached, to tell what it dropped */
	struct count_maps maps;
};

struct count_program_setup {
	struct count_setup counting;
	const struct filter_table *table; /* what to keep; NULL: all */
	u32 own;			  /* enum filter_owned; the table's, if there is one */
	bool old;			  /* take the program for kernels before Linux 6.3 in any case */
};

/* -EOPNOTSUPP: see old_kernel__refuses(). Nothing is open in *p after an error. */
int count_program__load(struct count_program *p, const struct count_program_setup *setup, struct errmsg *err);

#endif
