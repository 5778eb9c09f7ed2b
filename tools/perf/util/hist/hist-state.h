/* SPDX-License-Identifier: GPL-2.0 */
/* What the files that implement hist.h share: how entries are made. */
#ifndef PERF_HIST_HIST_STATE_H
#define PERF_HIST_HIST_STATE_H

#include "util/hist/hist.h"
#include "util/hist/sampled-chains.h"

struct hist_shared {
	struct sampled_chains *chains; /* NULL: nobody asks */
	/* Without chains, the entries that hists__last_place() has numbered, from 0 on, and that of the last sample. */
	struct hist_entry **numbered, *last;
	u32 nr_numbered, alloc_numbered;
};

/* Fill the values that are keys; for a caller (no sample) only those of its place, the others stay. 0 or -ENOMEM. */
int hist_entry__read_values(struct hist_entry *key, struct hists *hists, const struct hist_sample *sample, const struct location *loc);

/* texts.c: all texts that hists__intern() has made */
void hists__free_texts(struct hists *hists);

static inline void hist_entry__set_place(struct hist_entry *key, const struct location *loc)
{
	key->dso = loc->dso;
	key->sym = loc->sym;
	key->addr = loc->addr;
}

#endif
