// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/build-id-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/lib/half-file.h"
#include "util/lib/regular-file.h"
#include "util/symbol/cache-dir.h"
#include "util/symbol/symtab.h"

#define COPY_BYTES (256 << 10)
#define FREE_PART 20 /* of the file system stays free: the recording itself may be on it */

/* Opening a FIFO would wait for a writer, and a device may have no end. */
static bool is_readable(const char *path, const char *name)
{
	struct stat st;

	return !access(path, R_OK) && (!*name || (!stat(path, &st) && S_ISREG(st.st_mode)));
}

char *build_id_cache__find(const char *cache, const struct build_id *id, const char *name)
{
	char hex[41], *path;

	if (!cache || !id->size)
		return NULL;
	build_id__str(id, hex);
	if (asprintf(&path, "%s/.build-id/%.2s/%s%s%s", cache, hex, hex + 2, *name ? "/" : "", name) < 0)
		return NULL;
	if (is_readable(path, name))
		return path;
	free(path);
	return NULL;
}

struct adding {
	const char *cache;
	const struct build_id_copy *copy;
	int cache_fd; /* or that of "kept" in the cache */
	char hex[41];
	char path[PATH_MAX]; /* of the new directory, below the cache */
	u64 nr_bytes;
};

char *build_id_cache__find_kept(const char *cache, const struct build_id *id, const char *path)
{
	char hex[41], dir[PATH_MAX], *found;

	if (!cache || !id->size)
		return NULL;
	build_id__str(id, hex);
	if (cache_dir__set_path(dir, path, hex) || asprintf(&found, "%s/" CACHE_KEPT "/%s/elf", cache, dir) < 0)
		return NULL;
	if (!access(found, R_OK))
		return found;
	free(found);
	return NULL;
}

static bool is_below_kept(const char *path)
{
	return !strncmp(path, CACHE_KEPT "/", strlen(CACHE_KEPT "/"));
}

static int write_all(int fd, const char *buf, size_t size, off_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, buf, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		buf += n;
		at += n;
		size -= n;
	}
	return 0;
}

/* From at up to end. -ESTALE: cannot be read. */
static int adding__copy_data(struct adding *a, int to, off_t at, off_t end, char *buf)
{
	int ret = 0;

	while (at < end && !ret) {
		size_t size = end - at < COPY_BYTES ? end - at : COPY_BYTES;
		ssize_t n = pread(a->copy->fd, buf, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -ESTALE;
		ret = write_all(to, buf, n, at);
		a->nr_bytes += n;
		at += n;
		if (a->copy->progress)
			a->copy->progress(a->copy->data);
	}
	return ret;
}

static int adding__copy(struct adding *a, int to, off_t size)
{
	char *buf = malloc(COPY_BYTES);
	off_t data, hole = 0;
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && hole < size) {
		data = lseek(a->copy->fd, hole, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		if (data < hole) /* the file system knows of no holes */
			data = hole;
		hole = lseek(a->copy->fd, data, SEEK_HOLE);
		if (hole <= data || hole > size)
			hole = size;
		ret = adding__copy_data(a, to, data, hole, buf);
	}
	free(buf);
	return ret ? ret : ftruncate(to, size) ? -errno : 0;
}

static bool adding__is_right(const struct adding *a, int copy)
{
	int fd = fcntl(copy, F_DUPFD_CLOEXEC, 0);
	struct build_id id;

	return fd >= 0 && !build_id__read_fd(fd, &id) && build_id__equal(&id, a->copy->id);
}

int build_id_cache__open_kept(const char *cache, const struct build_id *id, const char *path)
{
	char *kept = build_id_cache__find_kept(cache, id, path);
	int fd = kept ? regular_file__open(kept, O_NOFOLLOW) : -ENOENT;

	free(kept);
	return fd;
}

static int check_room(int dir, const struct stat *st)
{
	u64 need = st->st_blocks * 512ULL;
	struct statvfs vfs;

	if (fstatvfs(dir, &vfs))
		return -errno;
	return vfs.f_bavail < vfs.f_blocks / FREE_PART || (vfs.f_bavail - vfs.f_blocks / FREE_PART) * vfs.f_frsize < need ? -ENOSPC : 0;
}

static const char *kept_part(const struct adding *a)
{
	return a->copy->is_seen ? "" : CACHE_KEPT "/";
}

static bool has_grown(int fd, off_t size)
{
	struct stat st;

	return fstat(fd, &st) || st.st_size > size;
}

static void remove_on_exit(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&done))
		atexit(half_files__remove);
}

struct half_copy {
	int dir, fd;
	char temp[32]; /* its name; "": it has none, so that nothing of it stays however perf ends */
	struct half_file *half; /* of one with a name: removed by exit(3), though not by signals that end perf at once */
};

/* For file systems without O_TMPFILE. 0 or -errno. */
static int half_copy__open_named(struct half_copy *half, const struct adding *a, mode_t mode)
{
	char *full;

	snprintf(half->temp, sizeof(half->temp), ".elf-%d", getpid());
	if (asprintf(&full, "%s/%s%s/%s", a->cache, kept_part(a), a->path, half->temp) < 0)
		return -ENOMEM;
	half->half = half_file__new(full);
	free(full);
	if (!half->half)
		return -ENOMEM;
	remove_on_exit();
	unlinkat(half->dir, half->temp, 0); /* of a perf that was killed, and had the same id */
	half->fd = openat(half->dir, half->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (half->fd >= 0)
		return 0;
	half_file__done(half->half);
	return -errno;
}

static int half_copy__open(struct half_copy *half, const struct adding *a, mode_t mode)
{
	half->fd = openat(half->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	if (half->fd >= 0)
		return 0;
	return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT ? half_copy__open_named(half, a, mode) : -errno;
}

static bool has_copy(int dir)
{
	struct stat st;

	return !fstatat(dir, "elf", &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/* Of one without a name. Another perf may have copied the same file; anything else is in the way. */
static int half_copy__link(const struct half_copy *half)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", half->fd);
	if (!linkat(AT_FDCWD, self, half->dir, "elf", AT_SYMLINK_FOLLOW))
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (has_copy(half->dir))
		return 0;
	unlinkat(half->dir, "elf", 0);
	return linkat(AT_FDCWD, self, half->dir, "elf", AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* ret: 0 gives the copy its name; else it is given up. Returns ret, or -errno. */
static int half_copy__close(struct half_copy *half, int ret)
{
	bool named = half->temp[0];

	if (!ret && !named)
		ret = half_copy__link(half);
	if (close(half->fd) && !ret)
		ret = -errno;
	if (!ret && named && renameat(half->dir, half->temp, half->dir, "elf"))
		ret = -errno;
	if (ret && named)
		unlinkat(half->dir, half->temp, 0);
	half_file__done(half->half);
	return ret;
}

/* The file has another name, and a copy under that one. False: a copy of its own is needed. */
static bool adding__link_same(const struct adding *a, int dir)
{
	char path[PATH_MAX];
	bool linked;
	int same;

	if (!a->copy->same_as || cache_dir__set_path(path, a->copy->same_as, a->hex))
		return false;
	same = cache_dir__open_below(a->cache_fd, path, false);
	if (same < 0)
		return false;
	linked = has_copy(same) && !linkat(same, "elf", dir, "elf", 0);
	close(same);
	return linked;
}

/* -ESTALE and -EFBIG as build_id_cache__add(). */
static int adding__write(struct adding *a, int dir)
{
	struct half_copy half = { .dir = dir };
	struct stat st;
	int ret;

	if (has_copy(dir) || adding__link_same(a, dir))
		return 0;
	if (fstat(a->copy->fd, &st) || !S_ISREG(st.st_mode))
		return -ESTALE;
	if ((u64)st.st_size > a->copy->max_bytes)
		return -EFBIG;
	ret = check_room(dir, &st) ?: half_copy__open(&half, a, 0600 | (st.st_mode & S_IXUSR));
	if (ret)
		return ret;
	ret = adding__copy(a, half.fd, st.st_size);
	if (!ret && !a->copy->is_data && has_grown(a->copy->fd, st.st_size))
		ret = -EFBIG;
	if (!ret && !a->copy->is_data && !adding__is_right(a, half.fd))
		ret = -ESTALE;
	return half_copy__close(&half, ret);
}

/* Takes over dir. */
static int adding__put_file(struct adding *a, int dir)
{
	int ret = adding__write(a, dir);

	close(dir);
	return ret;
}

/* A link that leads to a file stays; others are of files that were removed. Takes over dir. */
static int adding__put_link(struct adding *a, int dir)
{
	char target[PATH_MAX + 8], temp[64];
	int ret = 0;

	snprintf(target, sizeof(target), "%s/elf", a->hex + 2);
	if (!faccessat(dir, target, F_OK, 0)) {
		close(dir);
		return 0;
	}
	snprintf(target, sizeof(target), "../../%s", a->path);
	snprintf(temp, sizeof(temp), ".%s-%d", a->hex + 2, getpid());
	unlinkat(dir, temp, 0);
	if (symlinkat(target, dir, temp))
		ret = -errno;
	else if (renameat(dir, temp, dir, a->hex + 2)) {
		ret = -errno;
		unlinkat(dir, temp, 0);
	}
	close(dir);
	return ret;
}

/* Put something into the directory at path, which is made; after an error no directory stays empty. */
static int adding__put(struct adding *a, const char *path, int (*put)(struct adding *a, int dir))
{
	int dir = cache_dir__open_below(a->cache_fd, path, true);
	int ret = dir < 0 ? dir : put(a, dir);
	char made[PATH_MAX];

	if (ret) {
		snprintf(made, sizeof(made), "%s", path);
		cache_dir__remove_empty(a->cache_fd, made);
	}
	return ret;
}

static int adding__run(struct adding *a)
{
	char links[16];

	snprintf(links, sizeof(links), ".build-id/%.2s", a->hex);
	return adding__put(a, a->path, adding__put_file) ?: adding__put(a, links, adding__put_link);
}

/* path: below the cache, or below "kept" in it. */
static int explain(int err, const char *cache, const char *kept, const char *path, struct errmsg *errmsg)
{
	char below[PATH_MAX + 8];

	snprintf(below, sizeof(below), "%s%s", kept, path);
	return cache_dir__explain(err, cache, below, errmsg);
}

/* A path needs a directory where another needs a file, or the file system has no such names. */
static bool is_in_the_way(int err)
{
	return err == -ENOTDIR || err == -EISDIR || err == -EEXIST || err == -ENOTEMPTY || err == -ELOOP || err == -ENAMETOOLONG || err == -EINVAL;
}

int build_id_cache__add(const char *cache, const struct build_id_copy *copy, u64 *nr_bytes, struct errmsg *err)
{
	struct adding a = { .cache = cache, .copy = copy };
	int ret = -ESTALE;

	*nr_bytes = 0;
	if (copy->id->size > 1) {
		build_id__str(copy->id, a.hex);
		ret = cache_dir__set_path(a.path, copy->path, a.hex);
	}
	if (ret || (copy->is_seen && is_below_kept(a.path)))
		return -ESTALE;
	a.cache_fd = cache_dir__open(cache, true);
	if (a.cache_fd < 0)
		return explain(a.cache_fd, cache, "", "", err);
	if (!copy->is_seen)
		a.cache_fd = cache_dir__enter(a.cache_fd, CACHE_KEPT, true);
	if (a.cache_fd < 0)
		return explain(a.cache_fd, cache, kept_part(&a), "", err);
	ret = adding__run(&a);
	close(a.cache_fd);
	*nr_bytes = a.nr_bytes;
	if (!ret || ret == -ESTALE || is_in_the_way(ret))
		return ret ? -ESTALE : 0;
	if (ret == -EFBIG)
		return errmsg__set(err, EFBIG, "%s: is larger than %llu MiB, or grew while it was copied", copy->path, (unsigned long long)copy->max_bytes >> 20);
	return explain(ret, cache, kept_part(&a), a.path, err);
}
