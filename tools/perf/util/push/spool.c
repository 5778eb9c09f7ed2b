// SPDX-License-Identifier: GPL-2.0
/*
 * A file's name is NUMBER.KIND; it holds the query in its first line, then the body. While it is written it ends with ".part".
 */
#include "util/push/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/array.h"

#define NAME_SIZE 64
#define MAX_QUERY 16384

struct spooled {
	u64 seq, bytes;
	enum push_kind kind;
	struct tries tries;
};

struct spool {
	char *dir;
	int fd; /* of dir, locked */
	u64 max_bytes, bytes, next_seq;
	enum push_kind kind;
	struct spooled *item; /* sorted by seq, from first on */
	size_t first, nr, room;
	u64 nr_of_kind; /* of item, those for the receiver */
};

static void set_name(char name[NAME_SIZE], u64 seq, enum push_kind kind, const char *end)
{
	snprintf(name, NAME_SIZE, "%020" PRIu64 ".%s%s", seq, push_kind__name(kind), end);
}

static bool parse_name(const char *name, struct spooled *item)
{
	char *end;

	if (!isdigit((unsigned char)*name))
		return false;
	item->seq = strtoull(name, &end, 10);
	for (int kind = 0; *end == '.' && kind < PUSH_NR_KINDS; kind++) {
		if (!strcmp(end + 1, push_kind__name(kind))) {
			item->kind = kind;
			return true;
		}
	}
	return false;
}

/* --- the list --- */

static int reserve_item(struct spool *s)
{
	if (s->first && s->first + s->nr == s->room) {
		memmove(s->item, s->item + s->first, s->nr * sizeof(*s->item));
		s->first = 0;
	}
	return array__grow(s->item, s->nr, s->room);
}

static void append(struct spool *s, const struct spooled *item)
{
	s->item[s->first + s->nr++] = *item;
	s->bytes += item->bytes;
	s->nr_of_kind += item->kind == s->kind;
	if (item->seq >= s->next_seq)
		s->next_seq = item->seq + 1;
}

static void forget(struct spool *s, size_t i)
{
	struct spooled *item = &s->item[i];

	s->bytes -= item->bytes;
	s->nr_of_kind -= item->kind == s->kind;
	if (i == s->first)
		s->first++;
	else
		memmove(item, item + 1, (s->first + s->nr - i - 1) * sizeof(*item));
	s->nr--;
}

static void throw_out(struct spool *s, size_t i, u64 *thrown_out)
{
	char name[NAME_SIZE];

	set_name(name, s->item[i].seq, s->item[i].kind, "");
	unlinkat(s->fd, name, 0);
	forget(s, i);
	++*thrown_out;
}

static int by_seq(const void *a, const void *b)
{
	const struct spooled *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Files with other names stay, except those that a killed perf left half written. */
static int list(struct spool *s)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int ret = 0;

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		struct spooled item = { 0 };
		struct stat st;

		if (len > 5 && isdigit((unsigned char)entry->d_name[0]) && !strcmp(entry->d_name + len - 5, ".part"))
			unlinkat(s->fd, entry->d_name, 0);
		if (!parse_name(entry->d_name, &item) || fstatat(s->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		item.bytes = st.st_size;
		ret = reserve_item(s);
		if (!ret)
			append(s, &item);
	}
	closedir(dir);
	if (s->nr)
		qsort(s->item, s->nr, sizeof(*s->item), by_seq);
	return ret;
}

/* --- the directory --- */

static int make_parents(const char *dir)
{
	char *path = strdup(dir), *slash;

	if (!path)
		return -ENOMEM;
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST && errno != EROFS) {
			free(path);
			return -errno;
		}
		*slash = '/';
	}
	free(path);
	return 0;
}

static int open_dir(struct spool *s, struct errmsg *err)
{
	struct stat st;

	if (make_parents(s->dir) || (mkdir(s->dir, 0700) && errno != EEXIST))
		return errmsg__set(err, errno, "cannot make the spool %s: %s. Name another place (--spool)", s->dir, strerror(errno));
	s->fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0 || fstat(s->fd, &st))
		return errmsg__set(err, errno, "cannot open the spool %s: %s", s->dir, strerror(errno));
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return errmsg__set(err, EPERM, "the spool %s must belong to the user of perf alone: chown it and chmod 0700, or name another one "
				   "(--spool)", s->dir);
	if (flock(s->fd, LOCK_EX | LOCK_NB))
		return errmsg__set(err, EBUSY, "another perf uses the spool %s: name another one (--spool)", s->dir);
	return 0;
}

int spool__new(const char *dir, u64 max_bytes, enum push_kind kind, struct spool **spool, struct errmsg *err)
{
	struct spool *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	s->fd = -1;
	s->max_bytes = max_bytes;
	s->kind = kind;
	s->dir = strdup(dir);
	ret = s->dir ? open_dir(s, err) : errmsg__set(err, ENOMEM, "out of memory");
	if (!ret) {
		ret = list(s);
		if (ret)
			errmsg__set(err, -ret, "cannot read the spool %s: %s", dir, strerror(-ret));
	}
	if (ret) {
		spool__delete(s);
		return ret;
	}
	*spool = s;
	return 0;
}

void spool__delete(struct spool *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->item);
	free(s->dir);
	free(s);
}

/* --- files --- */

static int write_whole(int fd, const void *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (const char *)data + n;
		size -= n;
	}
	return 0;
}

static int write_file(struct spool *s, const struct spooled *item, const char *query, const void *body, size_t size)
{
	char part[NAME_SIZE], name[NAME_SIZE];
	int fd, ret;

	set_name(part, item->seq, item->kind, ".part");
	set_name(name, item->seq, item->kind, "");
	fd = openat(s->fd, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	ret = write_whole(fd, query, strlen(query)) ?: write_whole(fd, "\n", 1) ?: write_whole(fd, body, size);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(s->fd, part, s->fd, name))
		ret = -errno;
	if (ret)
		unlinkat(s->fd, part, 0);
	return ret;
}

int spool__add(struct spool *s, const char *query, const void *body, size_t size, u64 *thrown_out, struct errmsg *err)
{
	struct spooled item = { .seq = s->next_seq, .kind = s->kind, .bytes = strlen(query) + 1 + size };
	int ret;

	if (item.bytes > s->max_bytes)
		return errmsg__set(err, EFBIG, "a profile of %" PRIu64 " bytes does not fit into a spool of %" PRIu64 " (--spool-size)", item.bytes,
				   s->max_bytes);
	while (s->nr && s->bytes + item.bytes > s->max_bytes)
		throw_out(s, s->first, thrown_out);
	ret = reserve_item(s) ?: write_file(s, &item, query, body, size);
	/* Others may have filled the disk: what is newer is worth more. */
	while (ret == -ENOSPC && s->nr) {
		throw_out(s, s->first, thrown_out);
		ret = reserve_item(s) ?: write_file(s, &item, query, body, size);
	}
	if (ret)
		return errmsg__set(err, -ret, "cannot write to the spool %s: %s", s->dir, strerror(-ret));
	append(s, &item);
	return 0;
}

static int read_whole(int fd, char *data, size_t size)
{
	while (size) {
		ssize_t n = read(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		size -= n;
	}
	return 0;
}

/* 0, -ENOMEM, or -EIO and others: the file is not what was written. */
static int read_file(struct spool *s, const struct spooled *from, struct spool_item *item)
{
	char name[NAME_SIZE], *data = malloc(from->bytes ?: 1), *end = NULL;
	int fd, ret;

	if (!data)
		return -ENOMEM;
	set_name(name, from->seq, from->kind, "");
	fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ret = fd < 0 ? -errno : read_whole(fd, data, from->bytes);
	if (fd >= 0)
		close(fd);
	if (!ret) {
		end = memchr(data, '\n', from->bytes < MAX_QUERY ? from->bytes : MAX_QUERY);
		ret = end ? 0 : -EIO;
	}
	if (!ret) {
		item->query = strndup(data, end - data);
		item->seq = from->seq;
		item->size = data + from->bytes - (end + 1);
		memmove(data, end + 1, item->size);
		item->body = data;
		ret = item->query ? 0 : -ENOMEM;
	}
	if (ret)
		free(data);
	return ret;
}

int spool__next(struct spool *s, u64 from, u64 now, struct spool_item *item, u64 *thrown_out)
{
	size_t i = s->first;

	while (i < s->first + s->nr) {
		int ret;

		if (s->item[i].kind != s->kind || s->item[i].seq < from || s->item[i].tries.retry_at > now) {
			i++;
			continue;
		}
		ret = read_file(s, &s->item[i], item);
		if (!ret || ret == -ENOMEM)
			return ret;
		throw_out(s, i, thrown_out);
		i = s->first; /* the list has moved */
	}
	return -ENOENT;
}

/* Returns its place, or that of none. */
static size_t find(const struct spool *s, const struct spool_item *item)
{
	size_t i = s->first;

	while (i < s->first + s->nr && (s->item[i].seq != item->seq || s->item[i].kind != s->kind))
		i++;
	return i;
}

void spool__remove(struct spool *s, const struct spool_item *item)
{
	size_t i = find(s, item);
	u64 nobody = 0;

	if (i < s->first + s->nr)
		throw_out(s, i, &nobody);
}

enum tries_verdict spool__failed(struct spool *s, const struct spool_item *item, u64 accepted, u64 now)
{
	size_t i = find(s, item);
	enum tries_verdict verdict;

	if (i == s->first + s->nr)
		return TRIES_UNDECIDED;
	verdict = tries__failed(&s->item[i].tries, accepted, now);
	if (verdict == TRIES_GIVE_UP)
		spool__remove(s, item);
	return verdict;
}

u64 spool__due_at(const struct spool *s)
{
	u64 at = UINT64_MAX;

	for (size_t i = s->first; i < s->first + s->nr; i++) {
		if (s->item[i].kind == s->kind && s->item[i].tries.retry_at < at)
			at = s->item[i].tries.retry_at;
	}
	return at;
}

u64 spool__nr(const struct spool *s)
{
	return s->nr_of_kind;
}

u64 spool__nr_others(const struct spool *s)
{
	return s->nr - s->nr_of_kind;
}

u64 spool__bytes(const struct spool *s)
{
	return s->bytes;
}

const char *spool__dir(const struct spool *s)
{
	return s->dir;
}
