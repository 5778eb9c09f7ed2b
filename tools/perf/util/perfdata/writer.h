/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a perf.data file. Order of calls: open, set_events, write records ..., add_feature ..., finish. The file is 0600; an
 * existing one, or a directory with a recording, becomes PATH.old. A character device (/dev/null) is written in place; symlinks of other users are replaced, wherever
 * they lead.
 *
 * Until finish() the header names no features, and its data.size covers whole records up to the last FINISHED_ROUND (or less than 64
 * KiB before the end): perf 6.1 reads nothing from a file with data.size 0 and fails on a torn record, so this keeps a killed
 * recording readable there. Our reader goes on to the last complete record of the file.
 *
 * The path "-" is the standard output, in the pipe format, which has no header to complete: features are then added before the
 * records, and each is written at once; features that are known only at the end are left out.
 *
 * A directory (perf record --threads) is PATH/data, a file as above, and parts data.0, data.1, ... of nothing but whole records, which a
 * thread each may write at the same time. Its feature DIR_FORMAT is added here, and is in the header from set_events() on, so that a
 * killed recording is readable, too. PATH has mode 0700.
 *
 * Every function returns 0 or -errno and fills err (full disk, EIO, ...). What was written before an error stays: after a write that
 * failed half way the file ends with its last whole record. A file that set_events() could not begin is removed.
 */
#ifndef PERF_PERFDATA_WRITER_H
#define PERF_PERFDATA_WRITER_H

#include <sys/uio.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/record.h"

struct perfdata_writer;

int perfdata_writer__open(const char *path, struct perfdata_writer **w, struct errmsg *err);

/* As a directory. w is its file "data", which gets events and features, but no records: those go to parts. */
int perfdata_writer__open_dir(const char *path, struct perfdata_writer **w, struct errmsg *err);
/* Part nr of the directory that w writes: begin with 0, leave none out. It takes records at once, and no events or features. */
int perfdata_writer__open_part(const struct perfdata_writer *w, unsigned int nr, struct perfdata_writer **part, struct errmsg *err);

/* Header, ids and attrs. Written attrs have the smallest size of 112, 120, 128 (or sizeof) without a non-zero tail. */
int perfdata_writer__set_events(struct perfdata_writer *w, const struct perfdata_event *events, u32 nr, struct errmsg *err);

/* Whole records only, 8-byte aligned sizes; in writev a record may lie across two parts. */
int perfdata_writer__write(struct perfdata_writer *w, const void *records, size_t size, struct errmsg *err);
int perfdata_writer__writev(struct perfdata_writer *w, const struct iovec *iov, int nr, struct errmsg *err);

/*
 * feature: HEADER_* number of features.h; body: as in the file, copied and kept in memory until finish(). A second body for the same
 * feature replaces the first.
 */
int perfdata_writer__add_feature(struct perfdata_writer *w, int feature, const void *body, size_t size, struct errmsg *err);

/*
 * Write the feature sections, then the final header, and close the file. If the features do not fit on the disk, the file is
 * complete without them, and the error says so.
 */
int perfdata_writer__finish(struct perfdata_writer *w, struct errmsg *err);
u64 perfdata_writer__bytes(const struct perfdata_writer *w); /* size of the file so far; any thread may ask */
void perfdata_writer__delete(struct perfdata_writer *w);     /* closes; without finish() the file stays unfinished */

#endif
