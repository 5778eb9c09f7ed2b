/* SPDX-License-Identifier: GPL-2.0 */
/* Which types of data, and which of their bytes, the samples of a recording accessed. */
#ifndef PERF_ANNOTATE_TYPE_HITS_H
#define PERF_ANNOTATE_TYPE_HITS_H

#include "util/annotate/hits.h"

struct resolver;

struct type_hit {
	const struct dso *dso;
	const struct data_type *type;
	u32 event;
	u64 nr, period;
	struct location loc; /* of the instruction */
};

struct type_use { /* a type of one file */
	const struct type_hit *hit; /* by offset */
	u32 nr_hits;
};

struct type_hits { /* starts zeroed */
	struct type_hit *hit;
	struct type_use *use; /* by the period of the first event, the largest first */
	u32 nr_hits, nr_uses;
};

/* Find the types of the events' hits; those of instructions that access none, or an unknown one, are left out. 0 or -ENOMEM */
int type_hits__fill(struct type_hits *types, const struct code_hits *hits, struct resolver *resolver, const u32 *event, u32 nr_events);
void type_hits__exit(struct type_hits *types);

/* The event's hits of these bytes of the type: its number of samples, and their periods. Both are added to. */
void type_use__sum(const struct type_use *use, u32 event, u64 offset, u64 size, u64 *nr, u64 *period);

#endif
