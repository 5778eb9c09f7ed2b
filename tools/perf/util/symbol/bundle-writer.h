/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a bundle (bundle.h) of a recording, in its place. It is written beside the recording, and takes its name when it is whole: whatever fails
 * before, the recording stays as it was. The caller asks for an end when a signal comes, as one that ends perf at once leaves the half bundle there.
 *
 * Functions return 0, or -errno with a text: the bundle cannot be written, so give it up.
 */
#ifndef PERF_SYMBOL_BUNDLE_WRITER_H
#define PERF_SYMBOL_BUNDLE_WRITER_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/symbol/bundle.h"

struct bundle_writer;

struct bundle_writer_opts {
	u64 max_bytes; /* limit for all that is added to the recording */
	bool (*stop)(void *data); /* is asked often; true: give up with -EINTR. NULL: never */
	void *data;
};

/* recording: a regular file, which is copied at once. */
int bundle_writer__open(const char *recording, const struct bundle_writer_opts *opts, struct bundle_writer **w, struct errmsg *err);
/* Before finish(): removes the half bundle. NULL is fine. */
void bundle_writer__delete(struct bundle_writer *w);

enum bundle_added {
	BUNDLE_ADDED,
	BUNDLE_NO_ROOM, /* it exceeds the limit */
	BUNDLE_UNREADABLE, /* or it shrank meanwhile, or its path is none that a member can have */
};

/* The file that was mapped as path, or of these bytes: see bundle__open_file(). fd stays the caller's. What was added before counts as added. */
int bundle_writer__add(struct bundle_writer *w, const struct build_id *id, const char *path, const char *name, bool kept, int fd,
		       enum bundle_added *added, struct errmsg *err);
/* Bytes of files that were added. */
u64 bundle_writer__bytes(const struct bundle_writer *w);

/* On the disk, and in the recording's place. *size: of the bundle. */
int bundle_writer__finish(struct bundle_writer *w, u64 *size, struct errmsg *err);

#endif
