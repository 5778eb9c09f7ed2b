/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user-space side of util/bpf_skel/tally.bpf.h, for any program that includes it: reads its table in rounds, and its ring in
 * between. Order of calls: configure; load the program with that setup; new.
 */
#ifndef PERF_SOURCE_TALLY_TABLE_H
#define PERF_SOURCE_TALLY_TABLE_H

#include <stddef.h>
#include "util/bpf/programs.h"
#include "util/bpf_skel/tally.h"
#include "util/lib/errmsg.h"
#include "util/source/tally.h"

struct tally_table;
struct unwind_finisher;

struct tally_setup { /* for the program's skeleton */
	struct tally_config config; /* rodata; members without a tally_opts are 0 */
	u32 nr_slots;		    /* maps.tally_slots.max_entries */
	size_t ring_size;	    /* maps.tally_ring.max_entries */
	struct tally_values *values; /* of opts; NULL: none */
};
int tally_table__configure(const struct tally_opts *opts, struct tally_setup *setup, struct errmsg *err);
/* Explain that the maps do not fit into memory. Returns -ENOMEM. */
int tally_setup__explain_memory(const struct tally_setup *setup, struct errmsg *err);

struct tally_maps { /* descriptors; -1: none */
	int slots_fd, ring_fd, control_fd, scratch_fd;
};
#define TALLY_MAPS_NONE { -1, -1, -1, -1 }
void tally_maps__close(const struct tally_maps *maps);
/* For programs that count by util/bpf_skel/tally.h: put before the load, get after it. */
void tally_setup__put(const struct tally_setup *setup, struct bpf_programs *programs);
void tally_maps__take(struct tally_maps *maps, struct bpf_programs *programs);

/* Takes over the maps, even if it fails. */
int tally_table__new(const struct tally_maps *maps, const struct tally_setup *setup, struct tally_table **table, struct errmsg *err);

/* Stacks that programs could not finish are finished by this, which must outlive the table, before they are counted. */
void tally_table__finish_by(struct tally_table *table, struct unwind_finisher *finisher);

/* As the functions of the same names in tally.h. */
int tally_table__fd(const struct tally_table *table);
struct bpf_ring *tally_table__ring(struct tally_table *table);
int tally_table__drain(struct tally_table *table);
int tally_table__collect(struct tally_table *table, int (*cb)(void *data, const struct tally_row *row), void *data,
			 struct errmsg *err);

/* The sum over all CPUs. */
int tally_table__counts(const struct tally_table *table, struct tally_totals *counts, struct errmsg *err);
u64 tally_table__bytes(const struct tally_table *table); /* memory of its maps in the kernel */

void tally_table__delete(struct tally_table *table); /* NULL is fine */

#endif
