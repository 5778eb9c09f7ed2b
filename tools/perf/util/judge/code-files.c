// SPDX-License-Identifier: GPL-2.0
#include "util/judge/code-files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "util/lib/array.h"
#include "util/lib/fs.h"
#include "util/lib/regular-file.h"
#include "util/lib/types.h"

#define LD_SO_CONF "/etc/ld.so.conf"
#define BCACHEFS_SUPER_MAGIC 0xca451a4e

/*
 * File systems on which stat(2) returns the device number of the subvolume or of the overlay, while the kernel's inode has another
 * one; inode numbers agree. Compare names instead of devices there.
 */
static bool has_own_device(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) || fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC ||
	       fs.f_type == BCACHEFS_SUPER_MAGIC;
}

int code_file__identify(const char *path, const char *name, struct filter_file_id *id)
{
	char own[FILTER_FILE_LEN];
	struct stat st;
	int rc;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (!name) {
		rc = fs__file_name(path, own, sizeof(own));
		if (rc)
			return rc;
		name = own;
	}
	memset(id, 0, sizeof(*id));
	memcpy(id->name, name, strnlen(name, FILTER_FILE_LEN - 1));
	id->ino = st.st_ino;
	if (!has_own_device(path))
		id->dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	return 0;
}

struct finder {
	const char *name;
	int (*cb)(void *arg, const char *path, const struct filter_file_id *id);
	void *arg;
	struct file_seen { dev_t dev; ino_t ino; } *seen; /* the device of stat(2): the one of an id may be 0, see has_own_device() */
	unsigned int nr_seen;
	struct errmsg *err;
};

/* Skip what is missing or not accessible; but return errors of our own, such as too many open files. */
static int finder__cannot(struct finder *f, int rc, const char *do_what, const char *path)
{
	rc = fs__own_error(rc);
	return rc ? errmsg__set(f->err, -rc, "cannot %s %s: %s", do_what, path, strerror(-rc)) : 0;
}

static int finder__take(struct finder *f, const char *path)
{
	struct filter_file_id id;
	unsigned int i;
	struct stat st;
	int rc;

	rc = code_file__identify(path, f->name, &id);
	if (rc)
		return finder__cannot(f, rc, "look at", path);
	if (stat(path, &st))
		return finder__cannot(f, -errno, "look at", path);
	for (i = 0; i < f->nr_seen; i++) {
		if (f->seen[i].dev == st.st_dev && f->seen[i].ino == st.st_ino)
			return 0;
	}
	if (array__extend(f->seen, f->nr_seen))
		return -ENOMEM;
	f->seen[f->nr_seen++] = (struct file_seen){ st.st_dev, st.st_ino };
	return f->cb(f->arg, path, &id);
}

/* Get the file as the process sees it: opened first, as a link in its file system must not lead to one of our files. */
static int finder__take_mapped(struct finder *f, const char *root, const char *path)
{
	int fd = regular_file__open_in(root, path, 0), rc;
	char opened[64];

	if (fd < 0)
		return finder__cannot(f, fd, "open", path);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	rc = finder__take(f, opened);
	close(fd);
	return rc;
}

/* The path in "55d0-55d8 r-xp 00000000 08:01 1234    /usr/bin/ls"; NULL: no code, or no file. */
static char *mapped_path(char *line)
{
	char *perms = strchr(line, ' ');
	char *path = strchr(line, '/');

	return perms && strlen(perms) > 3 && perms[3] == 'x' ? path : NULL;
}

static int finder__search_maps(struct finder *f, pid_t pid)
{
	char proc[64], root[64], *line, *next, *path;
	struct fs_text maps = { 0 };
	int rc = 0;

	snprintf(proc, sizeof(proc), "/proc/%d/maps", pid);
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	rc = fs_text__read(&maps, AT_FDCWD, proc);
	if (rc)
		rc = finder__cannot(f, rc, "read", proc);
	for (line = maps.text; maps.size && *line && rc >= 0; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		path = mapped_path(line);
		if (!path || strcmp(strrchr(path, '/') + 1, f->name))
			continue;
		rc = finder__take_mapped(f, root, path);
	}
	fs_text__exit(&maps);
	return rc;
}

static int finder__search_all_maps(struct finder *f)
{
	struct fs_names *names = fs_names__read(AT_FDCWD, "/proc");
	int rc = 0;

	if (!names)
		return errmsg__set(f->err, errno, "cannot list the processes in /proc: %s", strerror(errno));
	for (size_t i = 0; i < names->nr && rc >= 0; i++) {
		if (isdigit((unsigned char)names->name[i][0]))
			rc = finder__search_maps(f, atoi(names->name[i]));
	}
	fs_names__delete(names);
	return rc;
}

static int finder__search_dir(struct finder *f, const char *dir, size_t len)
{
	char path[PATH_MAX];
	int rc = 0;

	if (len && (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, f->name) < sizeof(path))
		rc = finder__take(f, path);
	return rc;
}

/* Search directories separated by one of the characters of sep. */
static int finder__search_list(struct finder *f, const char *list, const char *sep)
{
	size_t len;
	int rc = 0;

	for (; *list && rc >= 0; list += len + !!list[len]) {
		len = strcspn(list, sep);
		if (*list == '/')
			rc = finder__search_dir(f, list, len);
	}
	return rc;
}

/* One directory per line */
static int finder__search_conf(struct finder *f, const char *path)
{
	struct fs_text text = { 0 };
	int rc = fs_text__read(&text, AT_FDCWD, path);

	rc = rc ? finder__cannot(f, rc, "read", path) : finder__search_list(f, text.text, " \t\n");
	fs_text__exit(&text);
	return rc;
}

/* Read ldconfig(8)'s configuration; "include" takes a pattern of files, which include no others in practice. */
static int finder__search_ld_conf(struct finder *f)
{
	glob_t files = { 0 };
	int rc = finder__search_conf(f, LD_SO_CONF);

	if (rc >= 0 && glob(LD_SO_CONF ".d/*.conf", 0, NULL, &files) == GLOB_NOSPACE)
		rc = -ENOMEM;
	for (size_t i = 0; i < files.gl_pathc && rc >= 0; i++)
		rc = finder__search_conf(f, files.gl_pathv[i]);
	globfree(&files);
	return rc;
}

static const char *search_path(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value ? value : otherwise;
}

int code_files__find(const char *name, const pid_t *pids, int nr_pids,
		     int (*cb)(void *arg, const char *path, const struct filter_file_id *id), void *arg, struct errmsg *err)
{
	struct finder f = { .name = name, .cb = cb, .arg = arg, .err = err };
	int i, rc = nr_pids ? 0 : finder__search_all_maps(&f);

	for (i = 0; i < nr_pids && rc >= 0; i++)
		rc = finder__search_maps(&f, pids[i]);
	if (rc >= 0)
		rc = finder__search_list(&f, search_path("LD_LIBRARY_PATH", ""), ":");
	if (rc >= 0)
		rc = finder__search_ld_conf(&f);
	if (rc >= 0)
		rc = finder__search_list(&f, "/lib64:/usr/lib64:/lib:/usr/lib", ":");
	if (rc >= 0)
		rc = finder__search_list(&f, search_path("PATH", "/bin:/usr/bin"), ":");
	free(f.seen);
	return rc < 0 ? rc : 0;
}

int code_files__program(const char *name, char *path, size_t size)
{
	const char *list = search_path("PATH", "/bin:/usr/bin");
	size_t len;

	if (strchr(name, '/'))
		return (size_t)snprintf(path, size, "%s", name) < size && !access(path, X_OK) ? 0 : -ENOENT;
	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, ":");
		if ((size_t)snprintf(path, size, "%.*s/%s", (int)len, list, name) < size && !access(path, X_OK))
			return 0;
	}
	return -ENOENT;
}
