/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: recordings of machines that have the other byte order, turned into this one's in place. What a record says is turned
 * in two steps, as the layout of samples is known only when the events are: first headers and the members that a type always has,
 * then samples and the sample_id tails. Nothing is believed: what does not fit stays as it is, and is refused by whoever reads it.
 */
#ifndef PERF_PERFDATA_SWAP_H
#define PERF_PERFDATA_SWAP_H

#include "util/perfdata/file.h"
#include "util/perfdata/record.h"

void swap_u32(void *value);
void swap_u64(void *value);

void swap__record_header(struct perf_event_header *header); /* of a record in a section */
void swap__header(struct file_header *header);
void swap__section(struct file_section *section);
/* An attr of room bytes at most; its own size says how many there are. */
void swap__attr(void *attr, size_t room);

/* The first step, for all records at data, of size bytes. */
void swap__records(void *data, u64 size);
/* The second. -ENOMEM. */
int swap__samples(void *data, u64 size, const struct perfdata_event *events, u32 nr);

#endif
