// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/perfdata/attr.h"
#include "util/perfdata/file.h"
#include "util/perfdata/pipe-form.h"
#include "util/perfdata/writer.h"

#define CHECKPOINT_BYTES (64 << 10) /* limit of the bytes that data.size may lag behind */
#define IOV_CHUNK 64

struct feature_body {
	void *data;
	size_t size;
};

struct perfdata_writer {
	int fd; /* -1 after finish() */
	bool pipe; /* pipe format: write nothing out of order */
	char *path;
	struct file_header header; /* as in the file; data.offset 0 until set_events() */
	u64 end;		   /* offset of the next byte */
	struct feature_body features[HEADER_FEAT_BITS];
};

/* Rename an existing file. Do not keep an empty one (as mktemp makes): it must not replace PATH.old. */
static int step_aside(const char *path, const struct stat *st, struct errmsg *err)
{
	char *old;
	int ret = 0;

	if (S_ISREG(st->st_mode) && !st->st_size) {
		if (unlink(path) && errno != ENOENT)
			return errmsg__set(err, errno, "Cannot replace %s: %m; name another file with -o", path);
		return 0;
	}
	if (asprintf(&old, "%s.old", path) < 0)
		return errmsg__set(err, ENOMEM, "Out of memory");
	if (rename(path, old) && errno != ENOENT)
		ret = errmsg__set(err, errno, "Cannot rename %s to %s: %m; name another file with -o", path, old);
	free(old);
	return ret;
}

static int open_device(const char *path, struct errmsg *err)
{
	/* O_NONBLOCK: if another file has replaced the device, open must not wait. */
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return errmsg__set(err, errno, "Cannot open %s for writing: %m", path);
	if (fstat(fd, &st) || !S_ISCHR(st.st_mode) || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return errmsg__set(err, ESPIPE, "Cannot write a perf.data file to %s: its header is written last, which "
				   "needs a seekable file; name one with -o", path);
	}
	return fd;
}

static const char *kind_name(mode_t mode)
{
	return S_ISFIFO(mode) ? "pipe" : S_ISBLK(mode) ? "block device" : "socket";
}

/* /dev/stdout is a link, too, which we must not rename. */
static bool is_standard_stream(const struct stat *target)
{
	struct stat st;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (!fstat(fd, &st) && st.st_dev == target->st_dev && st.st_ino == target->st_ino)
			return true;
	}
	return false;
}

/*
 * Someone else may have created the name (in /tmp): whatever is there is renamed, never written through, and the new file is created
 * by O_EXCL, which follows no symlink. A device is what the user wants and is used directly, unless another user's symlink leads
 * there.
 */
static int open_target(const char *path, struct errmsg *err)
{
	struct stat st, target;
	int fd, ret;

	if (!lstat(path, &st)) {
		if ((S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid()) || stat(path, &target))
			target = st; /* a symlink of another user, or a dangling one */
		if (S_ISDIR(target.st_mode))
			return errmsg__set(err, EISDIR, "%s is a directory; name a file with -o", path);
		if (S_ISCHR(target.st_mode))
			return open_device(path, err);
		if (!S_ISREG(target.st_mode) && !S_ISLNK(target.st_mode))
			return errmsg__set(err, EINVAL, "%s is a %s; name a file with -o", path, kind_name(target.st_mode));
		if (S_ISLNK(st.st_mode) && is_standard_stream(&target))
			return errmsg__set(err, EINVAL, "%s is a link to a standard stream; name a file with -o, or take -o - and a pipe",
					   path);
		ret = step_aside(path, &st, err);
		if (ret)
			return ret;
	}
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return errmsg__set(err, errno, "Cannot create %s: %m; name another file with -o", path);
	return fd;
}

static int open_pipe(struct errmsg *err)
{
	int fd;

	if (isatty(STDOUT_FILENO))
		return errmsg__set(err, ENOTTY, "A recording is nothing for a terminal: let a pipe take it, as in perf record -o - ... | "
				   "perf report -i -, or name a file with -o");
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return fd < 0 ? errmsg__set(err, errno, "Cannot write to the standard output: %m") : fd;
}

int perfdata_writer__open(const char *path, struct perfdata_writer **wp, struct errmsg *err)
{
	struct perfdata_writer *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return errmsg__set(err, ENOMEM, "Out of memory");
	w->fd = -1;
	w->path = strdup(path);
	w->pipe = !strcmp(path, "-");
	if (!w->path)
		ret = errmsg__set(err, ENOMEM, "Out of memory");
	else if (w->pipe)
		ret = open_pipe(err);
	else
		ret = open_target(path, err);
	if (ret < 0) {
		perfdata_writer__delete(w);
		return ret;
	}
	w->fd = ret;
	*wp = w;
	return 0;
}

void perfdata_writer__delete(struct perfdata_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	for (int i = 0; i < HEADER_FEAT_BITS; i++)
		free(w->features[i].data);
	free(w->path);
	free(w);
}

static int write_error(const struct perfdata_writer *w, int errnum, struct errmsg *err)
{
	const char *remedy = errnum == ENOSPC || errnum == EDQUOT ? "; make room or name a file elsewhere with -o" :
			     errnum == EFBIG ? "; raise the limit of file sizes (ulimit -f) or record less" : "";

	if (w->pipe && errnum == EPIPE)
		return errmsg__set(err, errnum, "Nobody reads the recording any more: what should take it has ended");
	return errmsg__set(err, errnum, "Cannot write to %s: %s%s%s", w->path, strerror(errnum), remedy,
			   w->end ? ". What was written before is kept" : "");
}

/* pwrite() until all is there. */
static int put_at(const struct perfdata_writer *w, const void *data, size_t size, u64 offset)
{
	while (size) {
		ssize_t n = w->pipe ? write(w->fd, data, size) : pwrite(w->fd, data, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (const u8 *)data + n;
		size -= n;
		offset += n;
	}
	return 0;
}

/* Write all of iov at offset; *done is the number of bytes written, also after an error. */
static int put_vector_at(const struct perfdata_writer *w, const struct iovec *iov, int nr, u64 offset, u64 *done)
{
	struct iovec chunk[IOV_CHUNK];
	size_t skip = 0; /* bytes of iov[0] that were written */

	*done = 0;
	while (nr) {
		int n = nr < IOV_CHUNK ? nr : IOV_CHUNK;
		ssize_t written;

		memcpy(chunk, iov, n * sizeof(*iov));
		chunk[0].iov_base = (u8 *)chunk[0].iov_base + skip;
		chunk[0].iov_len -= skip;
		written = w->pipe ? writev(w->fd, chunk, n) : pwritev(w->fd, chunk, n, offset + *done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		*done += written;
		for (skip += written; nr && skip >= iov->iov_len; iov++, nr--)
			skip -= iov->iov_len;
		if (!written && nr)
			return -EIO;
	}
	return 0;
}

/* Length of the whole records in the first `size` bytes of iov. A header is never split between two parts: both are 8-byte aligned. */
static u64 whole_records(const struct iovec *iov, u64 size)
{
	u64 end = 0, start_of_part = 0;

	for (;;) {
		struct perf_event_header header;

		while (end - start_of_part >= iov->iov_len) {
			if (size - start_of_part <= iov->iov_len)
				return end;
			start_of_part += iov->iov_len;
			iov++;
		}
		if (size - end < sizeof(header))
			return end;
		memcpy(&header, (const u8 *)iov->iov_base + (end - start_of_part), sizeof(header));
		if (header.size < sizeof(header) || header.size > size - end)
			return end;
		end += header.size;
	}
}

static int checkpoint(struct perfdata_writer *w)
{
	u64 size = w->end - w->header.data.offset;
	int ret = put_at(w, &size, sizeof(size), offsetof(struct file_header, data.size));

	if (!ret)
		w->header.data.size = size;
	return ret;
}

static bool checkpoint_is_due(const struct perfdata_writer *w, const struct iovec *iov)
{
	const struct perf_event_header *first = iov->iov_base;

	return (iov->iov_len >= sizeof(*first) && first->type == PERF_RECORD_FINISHED_ROUND) ||
	       w->end - w->header.data.offset - w->header.data.size >= CHECKPOINT_BYTES;
}

int perfdata_writer__writev(struct perfdata_writer *w, const struct iovec *iov, int nr, struct errmsg *err)
{
	u64 done;
	int ret;

	if (w->fd < 0 || !w->end)
		return errmsg__set(err, EINVAL, "%s is not open for records", w->path);
	if (nr <= 0)
		return 0;
	ret = put_vector_at(w, iov, nr, w->end, &done);
	if (ret && w->pipe) {
		w->end += done;
		return write_error(w, -ret, err);
	}
	if (ret) {
		/* Remove a torn record; if the file cannot be truncated, the next write or finish() overwrites it. */
		w->end += done ? whole_records(iov, done) : 0;
		if (ftruncate(w->fd, w->end) == 0)
			checkpoint(w);
		return write_error(w, -ret, err);
	}
	w->end += done;
	if (!w->pipe && checkpoint_is_due(w, iov)) {
		ret = checkpoint(w);
		if (ret)
			return write_error(w, -ret, err);
	}
	return 0;
}

int perfdata_writer__write(struct perfdata_writer *w, const void *records, size_t size, struct errmsg *err)
{
	struct iovec iov = { (void *)records, size };

	return perfdata_writer__writev(w, &iov, 1, err);
}

/* The layout: header, the ids of all events, their attrs, data. */
static void lay_out(struct file_header *h, const struct perfdata_event *events, u32 nr, size_t attr_size)
{
	u64 ids_size = 0;

	for (u32 i = 0; i < nr; i++)
		ids_size += events[i].nr_ids * sizeof(u64);
	memcpy(h->magic, PERFDATA_MAGIC, sizeof(h->magic));
	h->size = sizeof(*h);
	h->attr_size = attr_size + sizeof(struct file_section);
	h->attrs = (struct file_section){ sizeof(*h) + ids_size, nr * h->attr_size };
	h->data = (struct file_section){ h->attrs.offset + h->attrs.size, 0 };
}

/* Write everything before the data, in one write. */
static u8 *compose_head(const struct file_header *h, const struct perfdata_event *events, u32 nr, size_t attr_size)
{
	u8 *image = calloc(1, h->data.offset), *ids, *entry;

	if (!image)
		return NULL;
	memcpy(image, h, sizeof(*h));
	ids = image + sizeof(*h);
	entry = image + h->attrs.offset;
	for (u32 i = 0; i < nr; i++, entry += h->attr_size) {
		struct perf_event_attr attr = perfdata_attr__for_file(&events[i].attr, attr_size);
		struct file_section where = { ids - image, events[i].nr_ids * sizeof(u64) };

		memcpy(entry, &attr, attr_size);
		memcpy(entry + attr_size, &where, sizeof(where));
		if (where.size)
			memcpy(ids, events[i].ids, where.size);
		ids += where.size;
	}
	return image;
}

static int put_image(struct perfdata_writer *w, int ret, void *image, size_t size, struct errmsg *err)
{
	if (ret)
		return errmsg__set(err, -ret, "Cannot describe the recording: %s", ret == -E2BIG ? "there are too many events, tasks and CPUs for "
				   "the form for pipes; name a file with -o" : strerror(-ret));
	ret = put_at(w, image, size, w->end);
	free(image);
	if (ret)
		return write_error(w, -ret, err);
	w->end += size;
	return 0;
}

/* Remove a file without a header, but not a device. */
static void remove_useless(const struct perfdata_writer *w)
{
	struct stat st;

	if (!fstat(w->fd, &st) && S_ISREG(st.st_mode))
		unlink(w->path);
}

int perfdata_writer__set_events(struct perfdata_writer *w, const struct perfdata_event *events, u32 nr, struct errmsg *err)
{
	size_t attr_size = perfdata_attr__file_size(events, nr), size;
	void *image;
	int ret;

	if (w->fd < 0 || w->end || !nr)
		return errmsg__set(err, EINVAL, "%s needs an event, and may be given once", w->path);
	if (w->pipe) {
		ret = pipe_form__head(events, nr, &image, &size);
		return put_image(w, ret, image, size, err);
	}
	lay_out(&w->header, events, nr, attr_size);
	image = compose_head(&w->header, events, nr, attr_size);
	ret = image ? put_at(w, image, w->header.data.offset, 0) : -ENOMEM;
	free(image);
	w->end = w->header.data.offset;
	if (ret) {
		memset(&w->header, 0, sizeof(w->header));
		w->end = 0;
		remove_useless(w);
		return write_error(w, -ret, err);
	}
	return 0;
}

int perfdata_writer__add_feature(struct perfdata_writer *w, int feature, const void *body, size_t size, struct errmsg *err)
{
	struct feature_body *slot;
	size_t image_size;
	void *copy;

	if (feature <= 0 || feature >= HEADER_FEAT_BITS)
		return errmsg__set(err, EINVAL, "There is no feature %d", feature);
	if (w->pipe) {
		int ret = pipe_form__feature(feature, body, size, &copy, &image_size);

		return put_image(w, ret, copy, image_size, err);
	}
	copy = malloc(size ?: 1);
	if (!copy)
		return errmsg__set(err, ENOMEM, "Out of memory");
	if (size)
		memcpy(copy, body, size);
	slot = &w->features[feature];
	free(slot->data);
	*slot = (struct feature_body){ copy, size };
	return 0;
}

/* Write the table of sections at the end of the data, and the bodies after it. *end is their end. */
static int put_features(const struct perfdata_writer *w, u64 bitmap[], u64 *end)
{
	struct file_section table[HEADER_FEAT_BITS];
	u32 nr = 0;
	int ret = 0;

	for (int i = 0; i < HEADER_FEAT_BITS; i++)
		nr += w->features[i].data != NULL;
	*end = w->end + nr * sizeof(*table);
	nr = 0;
	for (int i = 0; i < HEADER_FEAT_BITS && !ret; i++) {
		const struct feature_body *f = &w->features[i];

		if (!f->data)
			continue;
		bitmap[i / 64] |= 1ULL << i % 64;
		table[nr++] = (struct file_section){ *end, f->size };
		ret = put_at(w, f->data, f->size, *end);
		*end += f->size;
	}
	return ret ?: put_at(w, table, nr * sizeof(*table), w->end);
}

static int close_file(struct perfdata_writer *w, int ret, struct errmsg *err)
{
	if (close(w->fd) && !ret)
		ret = write_error(w, errno, err);
	w->fd = -1;
	return ret;
}

/* Write the data's size to the header first and the features' bits last, so that the header never promises too much. */
int perfdata_writer__finish(struct perfdata_writer *w, struct errmsg *err)
{
	struct file_header final;
	u64 end;
	int ret;

	if (w->fd < 0 || !w->end)
		return errmsg__set(err, EINVAL, "%s has no events yet", w->path);
	if (w->pipe)
		return close_file(w, 0, err);
	ret = checkpoint(w);
	final = w->header;
	if (!ret)
		ret = put_features(w, final.features, &end);
	if (!ret)
		ret = put_at(w, &final, sizeof(final), 0);
	if (!ret) {
		w->header = final;
		w->end = end;
	} else {
		errmsg__set(err, -ret, "Cannot finish %s: %s; its records are kept, but host, command line and the like are "
			    "missing", w->path, strerror(-ret));
		if (ftruncate(w->fd, w->end)) {
			/* Readers see only what the header names: leftovers after the data do no harm. */
		}
	}
	return close_file(w, ret, err);
}

u64 perfdata_writer__bytes(const struct perfdata_writer *w)
{
	return w->end;
}
