/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: converts recordings of machines with the other byte order in place. Records are converted in two steps, as the
 * layout of samples is known only after the events are: first headers and the fixed members of each type, then samples and the
 * sample_id tails. Trusts nothing: what does not fit stays unchanged, and the reader refuses it.
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
/* Convert an attr of at most room bytes; its own size member limits it, too. */
void swap__attr(void *attr, size_t room);

/* First step, for all records at data, size bytes. */
void swap__records(void *data, u64 size);
/* Second step. -ENOMEM. */
int swap__samples(void *data, u64 size, const struct perfdata_event *events, u32 nr);

#endif
