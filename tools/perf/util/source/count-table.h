/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user's side of util/bpf_skel/count.bpf.h, whatever program includes that: its table is read in rounds, and its ring in between.
 * First configure; then load the program with what that says; then new.
 */
#ifndef PERF_SOURCE_COUNT_TABLE_H
#define PERF_SOURCE_COUNT_TABLE_H

#include <stddef.h>
#include "util/bpf/programs.h"
#include "util/bpf_skel/count.h"
#include "util/lib/errmsg.h"
#include "util/source/counter.h"

struct count_table;

struct count_setup { /* for the program's skeleton */
	struct count_config config; /* rodata; what counter_opts do not tell is 0 */
	u32 nr_slots;		    /* maps.count_slots.max_entries */
	size_t ring_size;	    /* maps.count_ring.max_entries */
};
int count_table__configure(const struct counter_opts *opts, struct count_setup *setup, struct errmsg *err);
/* That the maps could not be had: -ENOMEM */
int count_setup__explain_memory(const struct count_setup *setup, struct errmsg *err);

struct count_maps { /* descriptors; -1: none */
	int slots_fd, ring_fd, control_fd, scratch_fd;
};
#define COUNT_MAPS_NONE { -1, -1, -1, -1 }
void count_maps__close(const struct count_maps *maps);
/* Of programs that count by util/bpf_skel/count.h: before the load, and after it. */
void count_setup__put(const struct count_setup *setup, struct bpf_programs *programs);
void count_maps__take(struct count_maps *maps, struct bpf_programs *programs);

/* The table takes over the maps, also if it fails. */
int count_table__new(const struct count_maps *maps, const struct count_setup *setup, struct count_table **table, struct errmsg *err);

/* As the functions of counter.h that are called so. */
int count_table__fd(const struct count_table *table);
int count_table__drain(struct count_table *table);
int count_table__collect(struct count_table *table, int (*cb)(void *data, const struct counter_row *row), void *data,
			 struct errmsg *err);

/* The sum over all CPUs. */
int count_table__counts(const struct count_table *table, struct count_counts *counts, struct errmsg *err);
u64 count_table__bytes(const struct count_table *table); /* of its maps in the kernel */

void count_table__delete(struct count_table *table); /* NULL is fine */

#endif
