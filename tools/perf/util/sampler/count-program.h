/* SPDX-License-Identifier: GPL-2.0 */
/* The program that counts the samples of perf events, and its maps. The only user of the skeletons of util/bpf_skel/count-samples*. */
#ifndef PERF_SAMPLER_COUNT_PROGRAM_H
#define PERF_SAMPLER_COUNT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include "util/bpf_skel/count.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/sampler/filter-engine.h"

struct count_program {
	struct bpf_filter filter; /* what it shares with filters: to be attached, to tell what it dropped */
	int slots_fd, ring_fd, control_fd, scratch_fd;
};
#define COUNT_PROGRAM_NONE \
	((struct count_program){ { .prog_fd = -1, .counts_fd = -1, .hits_fd = -1, .slot_fd = -1 }, -1, -1, -1, -1 })

struct count_program_setup {
	struct count_config config;
	const struct filter_table *table; /* config.filtered: what to keep; else NULL */
	size_t ring_size;		  /* a power of two */
	bool old;			  /* take the program for kernels before Linux 6.3 in any case */
};

/* -EOPNOTSUPP: see old_kernel__refuses(). */
int count_program__load(struct count_program *p, const struct count_program_setup *setup, struct errmsg *err);

/* The sum over all CPUs. */
int count_program__counts(const struct count_program *p, struct count_counts *counts, struct errmsg *err);

void count_program__close(struct count_program *p);

#endif
