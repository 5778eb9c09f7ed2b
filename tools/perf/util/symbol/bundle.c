// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/disk-bytes.h"
#include "util/lib/hash.h"
#include "util/lib/regular-file.h"
#include "util/lib/tar.h"
#include "util/perfdata/spool.h"
#include "util/symbol/cache-dir.h"
#include "util/symbol/symtab.h"

#define COPY_BYTES (256 << 10)

struct bundled {
	UT_hash_handle hh;
	u64 offset, size;
	char name[];
};

struct bundle {
	int fd;
	u64 bytes; /* that are on disk */
	struct bundled *files;
};

/* "/a/b" is as good as "a/b" below a directory, unless it leads out of it. */
static bool is_plain(const char *path)
{
	char checked[PATH_MAX];

	return path[0] == '/' && !cache_dir__set_path(checked, path, "");
}

/* [vdso] and [kernel.kallsyms] are no paths. */
static char *name_with_id(const struct build_id *id, const char *path, const char *name, const char *top)
{
	char hex[41], dir[PATH_MAX], *all;

	build_id__str(id, hex);
	if (path[0] == '[' && !strchr(path, '/'))
		snprintf(dir, sizeof(dir), "%s/%s", path, hex);
	else if (cache_dir__set_path(dir, path, hex))
		return NULL;
	return asprintf(&all, "%s%s/%s", top, dir, name) < 0 ? NULL : all;
}

char *bundle__member_name(const struct build_id *id, const char *path, const char *name, bool kept)
{
	char *all;

	if (id && id->size)
		return name_with_id(id, path, name, kept ? BUNDLE_KEPT : BUNDLE_CACHE);
	return !is_plain(path) || asprintf(&all, BUNDLE_FILES "%s", path + 1) < 0 ? NULL : all;
}

static int bundle__add(struct bundle *b, const struct tar_member *member)
{
	size_t len = strlen(member->name);
	struct bundled *file, *other;

	HASH_FIND(hh, b->files, member->name, len, other);
	if (other || member->type != '0')
		return 0;
	file = calloc(1, sizeof(*file) + len + 1);
	if (!file)
		return -ENOMEM;
	file->offset = member->offset;
	file->size = member->size;
	strcpy(file->name, member->name);
	HASH_ADD_KEYPTR(hh, b->files, file->name, len, file);
	if (hash_added(file))
		return 0;
	free(file);
	return -ENOMEM;
}

/* 0: it has all files; 1: it is no bundle. */
static int bundle__read(struct bundle *b)
{
	struct tar_member member;
	struct stat st;
	u64 pos = 0;
	int ret = 0;

	if (b->fd < 0 || fstat(b->fd, &st) || !S_ISREG(st.st_mode) || tar__next(b->fd, st.st_size, &pos, &member) <= 0 ||
	    strcmp(member.name, BUNDLE_RECORDING))
		return 1;
	b->bytes = disk_bytes__of(b->fd);
	while (!ret && tar__next(b->fd, st.st_size, &pos, &member) > 0)
		ret = bundle__add(b, &member);
	return ret;
}

int bundle__open(const char *path, struct bundle **bp, struct errmsg *err)
{
	struct bundle *b = calloc(1, sizeof(*b));
	int ret = -ENOMEM;

	*bp = NULL;
	if (b) {
		b->fd = strcmp(path, "-") ? regular_file__open(path, 0) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		ret = bundle__read(b);
	}
	if (!ret) {
		*bp = b;
		return 0;
	}
	bundle__delete(b);
	return ret < 0 ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

void bundle__delete(struct bundle *b)
{
	struct bundled *file, *next;

	if (!b)
		return;
	HASH_ITER(hh, b->files, file, next) {
		HASH_DEL(b->files, file);
		free(file);
	}
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

struct extent {
	u64 begin, end;
};

/* The first part in [from, end) that is on disk; where holes are not known all is. */
static struct extent next_data(int fd, u64 from, u64 end)
{
	off_t data = lseek(fd, from, SEEK_DATA), hole;

	if (data < 0)
		data = errno == ENXIO ? (off_t)end : (off_t)from;
	hole = (u64)data < end ? lseek(fd, data, SEEK_HOLE) : (off_t)end;
	return (struct extent){ data, hole > data && (u64)hole < end ? (u64)hole : end };
}

static int copy_part(const struct bundle *b, const struct extent *part, int to, char *buf)
{
	struct errmsg err;
	int ret = 0;

	for (u64 at = part->begin; at < part->end && !ret;) {
		u64 left = part->end - at;
		ssize_t nr = pread(b->fd, buf, left < COPY_BYTES ? left : COPY_BYTES, at);

		ret = nr > 0 ? spool__write(to, buf, nr, &err) : -EIO;
		at += nr > 0 ? nr : 0;
	}
	return ret;
}

/* Holes stay holes: all copies together take no more of the disk, and of time, than the bundle does. */
static int copy_out(const struct bundle *b, const struct bundled *file, int to)
{
	struct extent part = { .end = file->offset };
	u64 end = file->offset + file->size;
	char *buf = malloc(COPY_BYTES);
	int ret = !buf ? -ENOMEM : ftruncate(to, file->size) ? -errno : 0;

	while (!ret && part.end < end) {
		part = next_data(b->fd, part.end, end);
		if (part.begin >= end)
			break;
		ret = lseek(to, part.begin - file->offset, SEEK_SET) < 0 ? -errno : copy_part(b, &part, to, buf);
	}
	free(buf);
	return ret;
}

/* Members that are larger than what is on disk are holes: copies of them would fill another disk. */
static int bundle__copy(const struct bundle *b, const struct bundled *file)
{
	struct errmsg err;
	int fd = file->size > b->bytes ? -EFBIG : spool__open(&err), ret;

	if (fd < 0)
		return fd;
	ret = copy_out(b, file, fd);
	if (!ret && lseek(fd, 0, SEEK_SET))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static const struct bundled *bundle__find(const struct bundle *b, const struct build_id *id, const char *path, const char *name, bool kept)
{
	char *full = bundle__member_name(id, path, name, kept);
	struct bundled *file = NULL;

	if (full)
		HASH_FIND(hh, b->files, full, strlen(full), file);
	free(full);
	return file;
}

int bundle__open_file(const struct bundle *b, const struct build_id *id, const char *path, const char *name)
{
	const struct bundled *file = b ? bundle__find(b, id, path, name, false) : NULL;

	if (b && !file && id && id->size)
		file = bundle__find(b, id, path, name, true);
	return file ? bundle__copy(b, file) : -ENOENT;
}
