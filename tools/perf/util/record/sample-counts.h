/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many samples of each event have reached the file. What a filter kept and is not there was lost; the kernel's own count
 * of lost samples (PERF_FORMAT_LOST) takes in the event's other records, such as those of forks and maps.
 */
#ifndef PERF_RECORD_SAMPLE_COUNTS_H
#define PERF_RECORD_SAMPLE_COUNTS_H

#include "util/lib/types.h"

struct sample_counts;

struct sample_counts *sample_counts__new(unsigned int nr_events); /* NULL: out of memory */
void sample_counts__delete(struct sample_counts *c);

/* Let ids be those of an event. Only needed if there are several events; all before the first sample. 0 or -ENOMEM. */
int sample_counts__add_ids(struct sample_counts *c, unsigned int event, const u64 *ids, u32 nr);
void sample_counts__sort_ids(struct sample_counts *c);

void sample_counts__count(struct sample_counts *c, u64 id); /* one that is not known is not counted */
u64 sample_counts__of(const struct sample_counts *c, unsigned int event);

#endif
