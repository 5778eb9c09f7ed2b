/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: recordings in the form for pipes (perf record -o -). Nothing can be filled in later there, so that what the
 * header and the sections of a file tell comes as records: ATTR, EVENT_UPDATE, FEATURE, TRACING_DATA, BUILD_ID.
 */
#ifndef PERF_PERFDATA_PIPE_FORM_H
#define PERF_PERFDATA_PIPE_FORM_H

#include "util/lib/errmsg.h"
#include "util/perfdata/features.h"

#define PIPE_HEADER_SIZE 16 /* magic and its own size */

struct pipe_form { /* starts zeroed but for swap; what is in it belongs to whoever read it */
	struct perfdata_event *events;
	u32 nr_events;
	struct perfdata_features features;
	bool swap;		/* sections have the other byte order; records were turned, see swap.h */
	bool newer;		/* attrs have members that are not known here */
	struct errmsg left_out;	/* the last one that could not be read; empty: none */
};

/* struct perf_record_event_update, what: the name of an event */
#define EVENT_UPDATE_NAME 2

/*
 * What a recording for a pipe begins with, and a feature of its header as records. *image is of *size bytes, to be freed. -E2BIG: there
 * are more ids, or a longer section, than a record has room for; -ENOMEM.
 */
int pipe_form__head(const struct perfdata_event *events, u32 nr, void **image, size_t *size);
int pipe_form__feature(int feature, const void *body, size_t size, void **image, size_t *image_size);

/* Gather from the records at data, of size bytes. 0 or -ENOMEM. */
int pipe_form__read(struct pipe_form *p, const void *data, u64 size);

/* Copy what fd has to a file without a name, as recordings are read from mapped files. Its descriptor, or -errno with err. */
int pipe_form__spool(int fd, struct errmsg *err);

#endif
