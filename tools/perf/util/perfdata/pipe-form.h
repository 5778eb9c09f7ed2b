/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: recordings in the pipe format (perf record -o -). Nothing can be filled in later there, so records replace the
 * header and the sections of a file: ATTR, EVENT_UPDATE, FEATURE, TRACING_DATA, BUILD_ID.
 */
#ifndef PERF_PERFDATA_PIPE_FORM_H
#define PERF_PERFDATA_PIPE_FORM_H

#include "util/lib/errmsg.h"
#include "util/perfdata/features.h"

#define PIPE_HEADER_SIZE 16 /* magic and its own size */

struct pipe_form { /* starts zeroed except for swap; the reader owns the contents */
	struct perfdata_event *events;
	u32 nr_events;
	struct perfdata_features features;
	bool swap;		/* sections have the other byte order; records were already swapped, see swap.h */
	bool newer;		/* attrs have unknown, newer members */
	struct errmsg left_out;	/* the last record that could not be read; empty: none */
};

/* struct perf_record_event_update, what: the name of an event */
#define EVENT_UPDATE_NAME 2

/*
 * The beginning of a pipe recording, and a feature of the header as records. *image has *size bytes; the caller frees it. -E2BIG:
 * too many ids or too long a section for a record; -ENOMEM.
 */
int pipe_form__head(const struct perfdata_event *events, u32 nr, void **image, size_t *size);
int pipe_form__feature(int feature, const void *body, size_t size, void **image, size_t *image_size);

/* Collect from the records at data, size bytes. 0 or -ENOMEM. */
int pipe_form__read(struct pipe_form *p, const void *data, u64 size);

/* Copy the contents of fd to an unnamed file, since recordings are read from mapped files. Returns its descriptor, or -errno with err. */
int pipe_form__spool(int fd, struct errmsg *err);

#endif
