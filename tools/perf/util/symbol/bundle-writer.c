// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/bundle-writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/half-file.h"
#include "util/lib/hash.h"
#include "util/lib/regular-file.h"
#include "util/lib/tar.h"
#include "util/symbol/cache-dir.h"
#include "util/symbol/symtab.h"

#define COPY_BYTES (256 << 10)

struct added_name {
	UT_hash_handle hh;
	char name[];
};

struct bundle_writer {
	char *path, *temp; /* temp: NULL when it is finished */
	struct half_file *half;
	int fd;
	u64 end; /* where the next member goes */
	u64 nr_bytes, max_bytes;
	bool (*stop)(void *data);
	void *data;
	struct added_name *names;
	char *buf;
};

static int write_error(const struct bundle_writer *w, int error, struct errmsg *err)
{
	return errmsg__set(err, -error, "cannot write the bundle of %s: %s", w->path, strerror(-error));
}

static int write_at(int fd, u64 offset, const char *data, u64 size)
{
	while (size) {
		ssize_t nr = pwrite(fd, data, size, offset);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr ? -errno : -EIO;
		data += nr;
		offset += nr;
		size -= nr;
	}
	return 0;
}

/* -ESTALE: from has less than that. */
static int bundle_writer__copy(struct bundle_writer *w, int from, u64 to, u64 size)
{
	u64 done = 0;
	int ret = 0;

	while (!ret && done < size) {
		ssize_t nr = pread(from, w->buf, size - done < COPY_BYTES ? size - done : COPY_BYTES, done);

		if (w->stop && w->stop(w->data))
			return -EINTR;
		ret = nr > 0 ? write_at(w->fd, to + done, w->buf, nr) : -ESTALE;
		done += nr > 0 ? nr : 0;
	}
	return ret;
}

/* The next member begins behind it. Blocks that are not filled are empty by then, as the file ends before them. */
static int bundle_writer__put(struct bundle_writer *w, const char *name, const char *target, unsigned int mode, int fd, u64 size)
{
	struct tar_member member = { .type = target ? '2' : '0', .size = size };
	u64 nr_bytes, contents;
	char *blocks;
	int ret;

	snprintf(member.name, sizeof(member.name), "%s", name);
	blocks = tar__encode(&member, target, mode, time(NULL), &nr_bytes);
	if (!blocks)
		return -ENOMEM;
	contents = w->end + nr_bytes;
	ret = write_at(w->fd, w->end, blocks, nr_bytes) ?: bundle_writer__copy(w, fd, contents, size);
	free(blocks);
	if (!ret && ftruncate(w->fd, contents + tar__padded(size)))
		ret = -errno;
	if (ret == -ESTALE && ftruncate(w->fd, w->end))
		ret = -errno;
	if (!ret)
		w->end = contents + tar__padded(size);
	return ret;
}

/* 1: it is new. */
static int bundle_writer__know(struct bundle_writer *w, const char *name)
{
	size_t len = strlen(name);
	struct added_name *known;

	HASH_FIND(hh, w->names, name, len, known);
	if (known)
		return 0;
	known = calloc(1, sizeof(*known) + len + 1);
	if (!known)
		return -ENOMEM;
	strcpy(known->name, name);
	HASH_ADD_KEYPTR(hh, w->names, known->name, len, known);
	if (hash_added(known))
		return 1;
	free(known);
	return -ENOMEM;
}

static int bundle_writer__put_recording(struct bundle_writer *w)
{
	int fd = regular_file__open(w->path, 0), ret;
	struct stat st;

	if (fd < 0)
		return fd;
	ret = fstat(fd, &st) ? -errno : bundle_writer__put(w, BUNDLE_RECORDING, NULL, 0600, fd, st.st_size);
	close(fd);
	return ret;
}

static int bundle_writer__open_temp(struct bundle_writer *w)
{
	if (!w->path || !w->buf || asprintf(&w->temp, "%s.bundle-%d", w->path, getpid()) < 0)
		return -ENOMEM;
	w->half = half_file__new(w->temp);
	if (!w->half)
		return -ENOMEM;
	unlink(w->temp); /* of a perf that was killed */
	w->fd = open(w->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return w->fd < 0 ? -errno : 0;
}

int bundle_writer__open(const char *recording, const struct bundle_writer_opts *opts, struct bundle_writer **wp, struct errmsg *err)
{
	struct bundle_writer *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return errmsg__set(err, ENOMEM, "out of memory");
	w->fd = -1;
	w->max_bytes = opts->max_bytes;
	w->stop = opts->stop;
	w->data = opts->data;
	w->path = realpath(recording, NULL);
	w->buf = malloc(COPY_BYTES);
	ret = w->path ? bundle_writer__open_temp(w) ?: bundle_writer__put_recording(w) : -errno;
	if (!ret) {
		*wp = w;
		return 0;
	}
	errmsg__set(err, -ret, "cannot write the bundle of %s: %s", recording, strerror(-ret));
	bundle_writer__delete(w);
	return ret;
}

void bundle_writer__delete(struct bundle_writer *w)
{
	struct added_name *known, *next;

	if (!w)
		return;
	HASH_ITER(hh, w->names, known, next) {
		HASH_DEL(w->names, known);
		free(known);
	}
	if (w->fd >= 0) {
		close(w->fd);
		unlink(w->temp);
	}
	half_file__done(w->half);
	free(w->temp);
	free(w->path);
	free(w->buf);
	free(w);
}

/* Other perfs look files up by .build-id/ab/cdef..., a link. */
static int bundle_writer__link(struct bundle_writer *w, const struct build_id *id, const char *path, bool kept)
{
	const char *top = kept ? BUNDLE_KEPT : BUNDLE_CACHE;
	char hex[41], link[128], dir[PATH_MAX], target[PATH_MAX + 8];
	int ret;

	build_id__str(id, hex);
	snprintf(link, sizeof(link), "%s.build-id/%.2s/%s", top, hex, hex + 2);
	if (path[0] == '/' ? cache_dir__set_path(dir, path, hex) : snprintf(dir, sizeof(dir), "%s/%s", path, hex) < 0)
		return 0;
	snprintf(target, sizeof(target), "../../%s", dir);
	ret = bundle_writer__know(w, link);
	return ret <= 0 ? ret : bundle_writer__put(w, link, target, 0777, -1, 0);
}

static int bundle_writer__add_named(struct bundle_writer *w, const char *member, int fd, enum bundle_added *added)
{
	struct stat st;
	int ret = fstat(fd, &st) ? -ESTALE : bundle_writer__know(w, member);

	if (ret <= 0 && ret != -ESTALE)
		return ret;
	if (ret > 0 && (u64)st.st_size > w->max_bytes - w->nr_bytes) {
		*added = BUNDLE_NO_ROOM;
		return 0;
	}
	if (ret > 0)
		ret = bundle_writer__put(w, member, NULL, 0600 | (st.st_mode & S_IXUSR), fd, st.st_size);
	if (!ret)
		w->nr_bytes += st.st_size;
	if (ret == -ESTALE)
		*added = BUNDLE_UNREADABLE;
	return ret == -ESTALE ? 0 : ret;
}

int bundle_writer__add(struct bundle_writer *w, const struct build_id *id, const char *path, const char *name, bool kept, int fd,
		       enum bundle_added *added, struct errmsg *err)
{
	char *member = bundle__member_name(id, path, name, kept);
	int ret;

	*added = member ? BUNDLE_ADDED : BUNDLE_UNREADABLE;
	ret = member ? bundle_writer__add_named(w, member, fd, added) : 0;
	if (!ret && *added == BUNDLE_ADDED && id && id->size)
		ret = bundle_writer__link(w, id, path, kept);
	free(member);
	return ret ? write_error(w, ret, err) : 0;
}

u64 bundle_writer__bytes(const struct bundle_writer *w)
{
	return w->nr_bytes;
}

int bundle_writer__finish(struct bundle_writer *w, u64 *size, struct errmsg *err)
{
	static const char end[2 * TAR_BLOCK];
	int ret = write_at(w->fd, w->end, end, sizeof(end));

	*size = w->end + sizeof(end);
	if (!ret && (fsync(w->fd) || rename(w->temp, w->path)))
		ret = -errno;
	if (ret)
		return write_error(w, ret, err);
	close(w->fd);
	w->fd = -1;
	return 0;
}
