/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the samples of each event in the file, and adds up their periods where these differ. Samples that a filter kept and that are not there were lost; the kernel's own count
 * of lost samples (PERF_FORMAT_LOST) includes the event's other records, such as those of forks and maps.
 */
#ifndef PERF_RECORD_SAMPLE_COUNTS_H
#define PERF_RECORD_SAMPLE_COUNTS_H

#include "util/lib/types.h"

struct sample_counts;

struct sample_counts *sample_counts__new(unsigned int nr_events); /* NULL: out of memory */
void sample_counts__delete(struct sample_counts *c);

/* Assign ids to an event. Only needed for several events; call it before the first sample. 0 or -ENOMEM. */
int sample_counts__add_ids(struct sample_counts *c, unsigned int event, const u64 *ids, u32 nr);
void sample_counts__sort_ids(struct sample_counts *c);

/* Add up the event's periods, which are this value of each of its samples: PERF_RECORD_SAMPLE in perf_event_open(2). Before the first sample */
void sample_counts__add_periods(struct sample_counts *c, unsigned int event, unsigned int pos);

/* values: of a sample. They begin with its id, if there are several events; unknown ids are ignored. */
void sample_counts__count(struct sample_counts *c, const u64 *values);
/* Any thread may ask. */
u64 sample_counts__of(const struct sample_counts *c, unsigned int event);
u64 sample_counts__period(const struct sample_counts *c, unsigned int event); /* 0: not added up */

#endif
