/* SPDX-License-Identifier: GPL-2.0 */
/* Which instructions of which functions the samples of a recording fell on. */
#ifndef PERF_CMD_ANNOTATE_HITS_H
#define PERF_CMD_ANNOTATE_HITS_H

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
};

/* Count a sample; those without a function do nothing. 0 or -ENOMEM. */
int code_hits__add(struct code_hits *hits, const struct session_sample *sample);
/* NULL: no sample of the event is in it. */
const struct code_function_hits *code_hits__find(const struct code_hits *hits, u32 event, const struct symbol *sym);
/* Add up the hits from one offset to another, which is not included. */
struct code_hit code_hits__sum(const struct code_hits *hits, const struct code_function_hits *function, u64 from, u64 to);
void code_hits__exit(struct code_hits *hits);

#endif
