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
#include "util/perfdata/dir-form.h"
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
	bool part; /* of a directory: records only */
	bool begun; /* takes records */
	int dirfd; /* of the directory, for its parts; -1: none */
	char *path;
	struct file_header header; /* as in the file; data.offset 0 until set_events() */
	u64 end;		   /* offset of the next byte */
	u64 published;		   /* end of the features that the file has; 0: none. Records must not follow */
	struct feature_body features[HEADER_FEAT_BITS];
};

/* PATH.old gives way to what will be renamed to it; rename() replaces files by files only. */
static int clear_old(const char *old, mode_t new_mode)
{
	struct stat st;

	if (lstat(old, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return dir_form__is_recording(old) ? dir_form__remove(old) : 0;
	return S_ISDIR(new_mode) && unlink(old) ? -errno : 0;
}

/* Rename what exists. Do not keep an empty file or directory (as mktemp makes them): it must not replace PATH.old. */
static int step_aside(const char *path, const struct stat *st, struct errmsg *err)
{
	char *old;
	int ret;

	if (S_ISREG(st->st_mode) && !st->st_size) {
		if (unlink(path) && errno != ENOENT)
			return errmsg__set(err, errno, "Cannot replace %s: %m; name another file", path);
		return 0;
	}
	if (S_ISDIR(st->st_mode) && !rmdir(path))
		return 0;
	if (asprintf(&old, "%s.old", path) < 0)
		return errmsg__set(err, ENOMEM, "Out of memory");
	ret = clear_old(old, st->st_mode);
	if (!ret && rename(path, old) && errno != ENOENT)
		ret = -errno;
	if (ret == -ENOTEMPTY)
		errmsg__set(err, ENOTEMPTY, "Cannot rename %s to %s: that is a directory with files that are no recording; name another file", path, old);
	else if (ret)
		errmsg__set(err, -ret, "Cannot rename %s to %s: %s; name another file", path, old, strerror(-ret));
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
				   "needs a seekable file; name one", path);
	}
	return fd;
}

static const char *kind_name(mode_t mode)
{
	return S_ISFIFO(mode) ? "pipe" : S_ISBLK(mode) ? "block device" : S_ISCHR(mode) ? "device" : "socket";
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
 * there. Returns 0: nothing has the name; 1: a device has it.
 */
static int clear_name(const char *path, bool for_dir, struct errmsg *err)
{
	struct stat st, target;

	if (lstat(path, &st))
		return 0;
	if ((S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid()) || stat(path, &target))
		target = st; /* a symlink of another user, or a dangling one */
	if (S_ISDIR(target.st_mode) && !dir_form__is_recording(path) && !(for_dir && dir_form__is_empty(path)))
		return errmsg__set(err, EISDIR, for_dir ? "%s is a directory with files that are no recording; name another one" :
							  "%s is a directory; name a file", path);
	if (S_ISCHR(target.st_mode) && !for_dir)
		return 1;
	if (!S_ISREG(target.st_mode) && !S_ISLNK(target.st_mode) && !S_ISDIR(target.st_mode))
		return errmsg__set(err, EINVAL, "%s is a %s; name a %s", path, kind_name(target.st_mode),
				   for_dir ? "directory" : "file");
	if (S_ISLNK(st.st_mode) && is_standard_stream(&target))
		return errmsg__set(err, EINVAL, "%s is a link to a standard stream; name a file, or - for a pipe",
				   path);
	return step_aside(path, &st, err);
}

#define CREATE_FLAGS (O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY)

static int opened_fd(int fd, const char *what, const char *path, struct errmsg *err)
{
	const char *remedy = fd < 0 && errno == EMFILE ? "raise ulimit -n" : "name another file";

	return fd < 0 ? errmsg__set(err, errno, "Cannot %s %s: %m; %s", what, path, remedy) : fd;
}

static int created(int fd, const char *path, struct errmsg *err)
{
	return opened_fd(fd, "create", path, err);
}

static int open_target(const char *path, struct errmsg *err)
{
	int ret = clear_name(path, false, err);

	if (ret < 0)
		return ret;
	return ret ? open_device(path, err) : created(open(path, CREATE_FLAGS, 0600), path, err);
}

static int open_pipe(struct errmsg *err)
{
	int fd;

	if (isatty(STDOUT_FILENO))
		return errmsg__set(err, ENOTTY, "A recording cannot be written to a terminal: write to a pipe, as in perf record -o - ... | "
				   "perf report -i -, or name a file");
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return fd < 0 ? errmsg__set(err, errno, "Cannot write to the standard output: %m") : fd;
}

/* Frees path with the writer, also after an error. NULL: out of memory. */
static struct perfdata_writer *new_writer(char *path, struct errmsg *err)
{
	struct perfdata_writer *w = path ? calloc(1, sizeof(*w)) : NULL;

	if (!w) {
		errmsg__set(err, ENOMEM, "Out of memory");
		free(path);
		return NULL;
	}
	w->fd = w->dirfd = -1;
	w->path = path;
	return w;
}

/* fd: negative after an error. */
static int opened(struct perfdata_writer *w, int fd, struct perfdata_writer **wp)
{
	if (fd < 0) {
		perfdata_writer__delete(w);
		return fd;
	}
	w->fd = fd;
	*wp = w;
	return 0;
}

int perfdata_writer__open(const char *path, struct perfdata_writer **wp, struct errmsg *err)
{
	struct perfdata_writer *w = new_writer(strdup(path), err);

	if (!w)
		return -ENOMEM;
	w->pipe = !strcmp(path, "-");
	return opened(w, w->pipe ? open_pipe(err) : open_target(path, err), wp);
}

/* "PATH/NAME"; NULL: out of memory */
static char *path_in(const char *path, const char *name)
{
	char *joined;

	return asprintf(&joined, "%s/%s", path, name) < 0 ? NULL : joined;
}

static int make_dir(const char *path, struct errmsg *err)
{
	int ret = clear_name(path, true, err), fd;

	if (ret)
		return ret;
	if (mkdir(path, 0700))
		return errmsg__set(err, errno, "Cannot create the directory %s: %m; name another one", path);
	fd = opened_fd(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), "open", path, err);
	if (fd < 0)
		rmdir(path);
	return fd;
}

int perfdata_writer__open_dir(const char *path, struct perfdata_writer **wp, struct errmsg *err)
{
	static const u64 version = DIR_FORM_VERSION;
	struct perfdata_writer *w = new_writer(path_in(path, "data"), err);
	int ret;

	if (!w)
		return -ENOMEM;
	ret = perfdata_writer__add_feature(w, HEADER_DIR_FORMAT, &version, sizeof(version), err);
	if (!ret)
		ret = w->dirfd = make_dir(path, err);
	if (ret >= 0) {
		ret = created(openat(w->dirfd, "data", CREATE_FLAGS, 0600), w->path, err);
		if (ret < 0)
			rmdir(path);
	}
	return opened(w, ret, wp);
}

int perfdata_writer__open_part(const struct perfdata_writer *w, unsigned int nr, struct perfdata_writer **wp, struct errmsg *err)
{
	struct perfdata_writer *part;
	char *path;

	if (w->dirfd < 0)
		return errmsg__set(err, EINVAL, "%s is no directory: it has no parts", w->path);
	part = new_writer(asprintf(&path, "%s.%u", w->path, nr) < 0 ? NULL : path, err);
	if (!part)
		return -ENOMEM;
	part->part = part->begun = true;
	return opened(part, created(openat(w->dirfd, strrchr(part->path, '/') + 1, CREATE_FLAGS, 0600), part->path, err), wp);
}

void perfdata_writer__delete(struct perfdata_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->dirfd >= 0)
		close(w->dirfd);
	for (int i = 0; i < HEADER_FEAT_BITS; i++)
		free(w->features[i].data);
	free(w->path);
	free(w);
}

static int write_error(const struct perfdata_writer *w, int errnum, struct errmsg *err)
{
	const char *remedy = errnum == ENOSPC || errnum == EDQUOT ? "; make room or name a file elsewhere" :
			     errnum == EFBIG ? "; raise the limit of file sizes (ulimit -f) or record less" : "";

	if (w->pipe && errnum == EPIPE)
		return errmsg__set(err, errnum, "Nobody reads the recording any more: the reader of the pipe has ended");
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

/* Ends of rounds, and of what there was at the beginning, are where a killed recording should be whole. */
static bool checkpoint_is_due(const struct perfdata_writer *w, const struct iovec *iov)
{
	const struct perf_event_header *first = iov->iov_base;

	if (w->pipe || w->part)
		return false;
	return (iov->iov_len >= sizeof(*first) &&
		(first->type == PERF_RECORD_FINISHED_ROUND || first->type == PERF_RECORD_FINISHED_INIT)) ||
	       w->end - w->header.data.offset - w->header.data.size >= CHECKPOINT_BYTES;
}

/* Others may ask for the size at the same time. */
static void advance(struct perfdata_writer *w, u64 bytes)
{
	__atomic_store_n(&w->end, w->end + bytes, __ATOMIC_RELAXED);
}

int perfdata_writer__writev(struct perfdata_writer *w, const struct iovec *iov, int nr, struct errmsg *err)
{
	u64 done;
	int ret;

	if (w->fd < 0 || !w->begun)
		return errmsg__set(err, EINVAL, "%s is not open for records", w->path);
	if (nr <= 0)
		return 0;
	ret = put_vector_at(w, iov, nr, w->end, &done);
	if (ret && w->pipe) {
		advance(w, done);
		return write_error(w, -ret, err);
	}
	if (ret) {
		/* Remove a torn record; if the file cannot be truncated, the next write or finish() overwrites it. */
		advance(w, done ? whole_records(iov, done) : 0);
		if (ftruncate(w->fd, w->end) == 0 && !w->part)
			checkpoint(w);
		return write_error(w, -ret, err);
	}
	advance(w, done);
	if (checkpoint_is_due(w, iov)) {
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
				   "the form for pipes; name a file" : strerror(-ret));
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

	if (fstat(w->fd, &st) || !S_ISREG(st.st_mode) || unlink(w->path) || w->dirfd < 0)
		return;
	*strrchr(w->path, '/') = 0;
	rmdir(w->path);
	w->path[strlen(w->path)] = '/';
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

struct feature_table {
	struct file_section section[HEADER_FEAT_BITS];
	u32 nr;
	u64 bitmap[HEADER_FEAT_BITS / 64];
	u64 end; /* of the bodies */
};

/* Write the bodies after the place of the table, which follows the data. */
static int put_bodies(const struct perfdata_writer *w, struct feature_table *table)
{
	u32 nr = 0;
	int ret = 0;

	*table = (struct feature_table){ .nr = 0 };
	for (int i = 0; i < HEADER_FEAT_BITS; i++)
		nr += w->features[i].data != NULL;
	table->end = w->end + nr * sizeof(table->section[0]);
	for (int i = 0; i < HEADER_FEAT_BITS && !ret; i++) {
		const struct feature_body *f = &w->features[i];

		if (!f->data)
			continue;
		table->bitmap[i / 64] |= 1ULL << i % 64;
		table->section[table->nr++] = (struct file_section){ table->end, f->size };
		ret = put_at(w, f->data, f->size, table->end);
		table->end += f->size;
	}
	return ret;
}

/* With the bits last, so that the header never promises too much: a directory has others, which are taken back first. */
static int put_features(struct perfdata_writer *w)
{
	struct file_header final = w->header;
	struct feature_table table;
	int ret = put_bodies(w, &table);

	if (!ret && w->published)
		ret = put_at(w, &w->header, sizeof(w->header), 0);
	if (!ret)
		ret = put_at(w, table.section, table.nr * sizeof(table.section[0]), w->end);
	memcpy(final.features, table.bitmap, sizeof(final.features));
	if (!ret)
		ret = put_at(w, &final, sizeof(final), 0);
	if (!ret)
		w->published = table.end;
	return ret;
}

/*
 * The parts are found only by a header that has DIR_FORMAT, so it has from the beginning on. That needs data: a mark without meaning,
 * as there is nothing to sort yet.
 */
static int publish_dir(struct perfdata_writer *w, struct errmsg *err)
{
	static const struct perf_event_header mark = { .type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(mark) };
	int ret = put_at(w, &mark, sizeof(mark), w->end);

	if (!ret) {
		advance(w, sizeof(mark));
		ret = checkpoint(w);
	}
	if (!ret)
		ret = put_features(w);
	return ret ? write_error(w, -ret, err) : 0;
}

int perfdata_writer__set_events(struct perfdata_writer *w, const struct perfdata_event *events, u32 nr, struct errmsg *err)
{
	size_t attr_size = perfdata_attr__file_size(events, nr), size;
	void *image;
	int ret;

	if (w->fd < 0 || w->begun || !nr)
		return errmsg__set(err, EINVAL, "%s needs an event, and may be given once", w->path);
	if (w->pipe) {
		ret = pipe_form__head(events, nr, &image, &size);
		w->begun = true;
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
	w->begun = w->dirfd < 0;
	ret = w->begun ? 0 : publish_dir(w, err);
	if (ret)
		remove_useless(w);
	return ret;
}

static int close_file(struct perfdata_writer *w, int ret, struct errmsg *err)
{
	if (close(w->fd) && !ret)
		ret = write_error(w, errno, err);
	w->fd = -1;
	return ret;
}

int perfdata_writer__finish(struct perfdata_writer *w, struct errmsg *err)
{
	int ret;

	if (w->fd < 0 || (!w->end && !w->part))
		return errmsg__set(err, EINVAL, "%s has no events yet", w->path);
	if (w->pipe || w->part)
		return close_file(w, 0, err);
	ret = checkpoint(w) ?: put_features(w);
	if (!ret) {
		advance(w, w->published - w->end);
	} else {
		errmsg__set(err, -ret, "Cannot finish %s: %s; its records are kept, but host, command line and the like are "
			    "missing", w->path, strerror(-ret));
		if (ftruncate(w->fd, w->published ?: w->end)) {
			/* Readers see only what the header names: leftovers after the data do no harm. */
		}
	}
	return close_file(w, ret, err);
}

u64 perfdata_writer__bytes(const struct perfdata_writer *w)
{
	return __atomic_load_n(&w->end, __ATOMIC_RELAXED);
}
