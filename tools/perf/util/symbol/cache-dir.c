// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/cache-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DELETED " (deleted)" /* behind names in /proc/PID/maps */

/* How much of path names the file. */
static size_t path_len(const char *path)
{
	size_t len = strlen(path);

	return len > strlen(DELETED) && !strcmp(path + len - strlen(DELETED), DELETED) ? len - strlen(DELETED) : len;
}

bool cache_dir__is_up_or_here(const char *part, size_t size)
{
	return part[0] == '.' && (size == 1 || (size == 2 && part[1] == '.'));
}

int cache_dir__set_path(char buf[PATH_MAX], const char *path, const char *hex)
{
	size_t len = path_len(path), size;

	if (path[0] != '/' || len + strlen(hex) + 1 >= PATH_MAX)
		return -ESTALE;
	snprintf(buf, PATH_MAX, "%.*s", (int)len - 1, path + 1);
	if (!strncmp(buf, ".build-id", strlen(".build-id")))
		return -ESTALE;
	for (const char *part = buf; ; part += size + 1) {
		size = strcspn(part, "/");
		if (!size || cache_dir__is_up_or_here(part, size))
			return -ESTALE;
		if (!part[size])
			break;
	}
	snprintf(buf + len - 1, PATH_MAX - (len - 1), "/%s", hex);
	return 0;
}

static bool is_of_others(const struct stat *st)
{
	return st->st_uid && st->st_uid != geteuid();
}

static bool is_open(const struct stat *st)
{
	return st->st_mode & (S_IWGRP | S_IWOTH);
}

/* Whoever else may write here could put links in the way. */
static int check_owner(int dir)
{
	struct stat st;

	if (fstat(dir, &st))
		return -errno;
	return is_of_others(&st) || is_open(&st) ? -EPERM : 0;
}

/* 0: nothing is refused about dir; else as errmsg__set(). */
static int explain_refused(const char *dir, struct errmsg *errmsg)
{
	struct stat st;

	if (!lstat(dir, &st) && is_of_others(&st)) /* of a link to the cache, too */
		return errmsg__set(errmsg, EPERM, "%s: belongs to neither you nor root: remove it, or chown it", dir);
	if (stat(dir, &st))
		return 0;
	if (is_of_others(&st))
		return errmsg__set(errmsg, EPERM, "%s: belongs to neither you nor root: remove it, or chown it", dir);
	return is_open(&st) ? errmsg__set(errmsg, EPERM, "%s: others may write to this directory: chmod go-w %s", dir, dir) : 0;
}

int cache_dir__explain(int err, const char *cache, const char *path, struct errmsg *errmsg)
{
	char dir[2 * PATH_MAX];
	char *end;

	snprintf(dir, sizeof(dir), "%s%s%s", cache, *path ? "/" : "", path);
	end = err == -EPERM && strlen(cache) < PATH_MAX ? dir + strlen(cache) : NULL;
	while (end) {
		char c = *end;

		*end = '\0';
		if (explain_refused(dir, errmsg))
			return err;
		*end = c;
		end = c ? strchrnul(end + 1, '/') : NULL;
	}
	return errmsg__set(errmsg, -err, "%s: %s", dir, strerror(-err));
}

int cache_dir__enter(int parent, const char *name, bool make)
{
	int fd = make && mkdirat(parent, name, 0700) && errno != EEXIST ? -errno : 0, ret;

	if (!fd)
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ret = fd < 0 ? -errno : check_owner(fd);
	if (ret && fd >= 0)
		close(fd);
	close(parent);
	return ret ? ret : fd;
}

/* Who owns the link chooses the directory. */
int cache_dir__open(const char *cache, bool make)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, len = strlen(cache), fd, ret;
	char name[PATH_MAX];
	struct stat st;

	while (len > 1 && cache[len - 1] == '/') /* would follow the link */
		len--;
	if ((size_t)snprintf(name, sizeof(name), "%.*s", len, cache) >= sizeof(name))
		return -ENAMETOOLONG;
	if ((make && mkdir(name, 0700) && errno != EEXIST) || lstat(name, &st))
		return -errno;
	if (!S_ISLNK(st.st_mode))
		flags |= O_NOFOLLOW;
	else if (st.st_uid && st.st_uid != geteuid())
		return -EPERM;
	fd = open(name, flags);
	ret = fd < 0 ? -errno : check_owner(fd);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

int cache_dir__open_below(int parent, const char *path, bool make)
{
	char copy[PATH_MAX], *save, *part;
	int fd = fcntl(parent, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(copy, sizeof(copy), "%s", path);
	for (part = strtok_r(copy, "/", &save); part && fd >= 0; part = strtok_r(NULL, "/", &save)) {
		if (!cache_dir__is_up_or_here(part, strlen(part))) {
			fd = cache_dir__enter(fd, part, make);
			continue;
		}
		close(fd);
		fd = -ELOOP; /* cache_dir__set_path() lets none through */
	}
	return fd;
}

/* 0 or -errno */
static int remove_dir(int top, const char *parent, const char *name)
{
	int dir = cache_dir__open_below(top, parent, false), ret;

	if (dir < 0)
		return dir;
	ret = unlinkat(dir, name, AT_REMOVEDIR) ? -errno : 0;
	close(dir);
	return ret;
}

/* What was not made, as for want of room, may still have empty ones above it. */
void cache_dir__remove_empty(int parent, char *path)
{
	char *slash;
	int ret;

	do {
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
		ret = remove_dir(parent, slash ? path : "", slash ? slash + 1 : path);
	} while (slash && (!ret || ret == -ENOENT));
}
