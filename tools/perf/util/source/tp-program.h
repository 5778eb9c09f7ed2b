/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF programs that record a tracepoint, loaded. This is the only user of their skeletons. */
#ifndef PERF_SOURCE_TP_PROGRAM_H
#define PERF_SOURCE_TP_PROGRAM_H

#include <linux/types.h>
#include "util/bpf_skel/sample-encode.h"
#include "util/bpf_skel/tp.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/tally-table.h"
#include "util/source/target.h"
#include "util/source/tp-layout.h"

struct tp_program { /* descriptors; -1: none */
	int record_fd, fork_fd, seed_fd;	  /* programs */
	int ring_fd, counts_fd, seeds_fd, bss_fd; /* maps */
	struct tally_maps counting;		  /* of hits that are counted; to be taken over by a tally_table */
};
#define TP_PROGRAM_NONE ((struct tp_program){ -1, -1, -1, -1, -1, -1, -1, TALLY_MAPS_NONE })

struct tp_program_setup {
	enum tp_kind kind;
	const struct tp_config *config;
	const struct filter_table *table; /* NULL: none */
	const struct tally_setup *counting; /* NULL: hits are not counted */
	struct sample_layout layout;
	const struct sampler_target *target;
	size_t ring_size;
};

int tp_program__load(struct tp_program *p, const struct tp_program_setup *setup, struct errmsg *err);
/* Over all CPUs; *untracked: tasks that could not be followed. */
int tp_program__counts(const struct tp_program *p, struct tp_counts *sum, u64 *untracked, struct errmsg *err);
void tp_program__close(struct tp_program *p);

#endif
