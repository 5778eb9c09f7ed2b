/* SPDX-License-Identifier: GPL-2.0 */
/*
 * EVENT_UPDATE records of our own, which say in a line of text how an event's user stacks ended. They are the last records of a file,
 * or of a directory's data.0, and uncompressed. Each ends with its size, so that a reader of the header finds them without reading all others.
 * Other perfs skip them: a feature that they do not know, whatever its number, crashes their perf inject.
 */
#ifndef PERF_PERFDATA_STACKS_UPDATE_H
#define PERF_PERFDATA_STACKS_UPDATE_H

#include <stdbool.h>
#include "util/perfdata/record.h"

/* A record in buf, which has room for any. Returns its size, or 0 if the text is too long for a record. */
size_t stacks_update__encode(union perf_record *buf, u64 id, const char *text);

/*
 * The texts of the records at the end of size bytes of records, one a line, without a newline at the end. *text is malloc'ed, or NULL if
 * there are none. swap: the records are of the other byte order, and not yet turned. Returns 0 or -ENOMEM.
 */
int stacks_update__find(const void *records, u64 size, bool swap, char **text);

/* Appends a record's text to *text, as above; does nothing for other records. The record has passed perf_record__check(). */
int stacks_update__add(char **text, const union perf_record *record);

#endif
