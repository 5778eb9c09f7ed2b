/* SPDX-License-Identifier: GPL-2.0 */
/* Which instructions of which functions the samples of a recording fell on. */
#ifndef PERF_ANNOTATE_HITS_H
#define PERF_ANNOTATE_HITS_H

#include "util/lib/hash-index.h"
#include "util/session/session.h"

struct code_hit {
	u32 function;	/* index */
	u32 next;	/* of the same function: index, plus 1; 0: none */
	u64 offset;	/* in the function */
	u64 nr, period;
};

struct code_function_hits {
	u32 event;
	struct location loc; /* of the first sample */
	u64 nr, period;	     /* sums of all hits */
	u32 first;	     /* hit: index, plus 1 */
};

struct code_hits { /* starts zeroed */
	struct code_function_hits *function;
	struct code_hit *hit;
	u32 nr_functions, alloc_functions, nr_hits, alloc_hits;
	struct hash_index functions, hits;
	u32 last; /* see code_hits__last() */
};

/* Count a sample; those without a function do nothing. 0 or -ENOMEM. */
int code_hits__add(struct code_hits *hits, const struct session_sample *sample);
u32 code_hits__last(const struct code_hits *hits); /* where the last sample was counted, for: (0: nowhere) */
void code_hits__add_more(struct code_hits *hits, u32 where, u64 nr, u64 period);
/* NULL: no sample of the event is in it. */
const struct code_function_hits *code_hits__find(const struct code_hits *hits, u32 event, const struct symbol *sym);
const struct code_function_hits *code_hits__find_name(const struct code_hits *hits, u32 event, const struct dso *dso, const char *name);
/*
 * Add the hits of a function to the sums of its nr instructions, which begin at these offsets in ascending order, zeroed: a hit belongs to the
 * last one that does not begin behind it. size: of the function; hits behind it are left out.
 */
struct code_sum {
	u64 offset;
	u64 nr, period;
};
void code_hits__sum(const struct code_hits *hits, const struct code_function_hits *function, u64 size, struct code_sum *sum, u32 nr);
void code_hits__exit(struct code_hits *hits);

#endif
