// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/code-files.h"

#include <ctype.h>
#include <dirent.h>
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
#include "util/lib/fs.h"
#include "util/lib/regular-file.h"
#include "util/lib/types.h"

#define LD_SO_CONF "/etc/ld.so.conf"
#define BCACHEFS_SUPER_MAGIC 0xca451a4e

/*
 * On these stat(2) gives a device number of the subvolume or of the overlay, while the kernel's inode has another one; the inode
 * numbers agree. There the name takes the device's place.
 */
static bool has_own_device(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) || fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC ||
	       fs.f_type == BCACHEFS_SUPER_MAGIC;
}

int code_file__identify(const char *path, const char *name, struct filter_file_id *id)
{
	char real[PATH_MAX];
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (!name) {
		if (!realpath(path, real))
			return -errno;
		name = strrchr(real, '/') + 1;
	}
	memset(id, 0, sizeof(*id));
	strncpy(id->name, name, FILTER_FILE_LEN - 1);
	id->ino = st.st_ino;
	if (!has_own_device(path))
		id->dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	return 0;
}

struct finder {
	const char *name;
	int (*cb)(void *arg, const char *path, const struct filter_file_id *id);
	void *arg;
	struct filter_file_id *seen;
	unsigned int nr_seen;
};

static int finder__take(struct finder *f, const char *path)
{
	struct filter_file_id id, *grown;
	unsigned int i;

	if (code_file__identify(path, f->name, &id))
		return 0; /* it is gone, or no file */
	for (i = 0; i < f->nr_seen; i++) {
		if (f->seen[i].dev == id.dev && f->seen[i].ino == id.ino)
			return 0;
	}
	grown = realloc(f->seen, (f->nr_seen + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->seen = grown;
	f->seen[f->nr_seen++] = id;
	return f->cb(f->arg, path, &id);
}

/* What the process sees there: opened first, for a link in its file system must not lead to a file of ours. */
static int finder__take_mapped(struct finder *f, const char *root, const char *path)
{
	int fd = regular_file__open_in(root, path), rc;
	char opened[64];

	if (fd < 0)
		return 0;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	rc = finder__take(f, opened);
	close(fd);
	return rc;
}

/* Of "55d0-55d8 r-xp 00000000 08:01 1234    /usr/bin/ls" the path; NULL: no code, or no file. */
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
	if (fs_text__read(&maps, AT_FDCWD, proc))
		return 0; /* it has ended, or is not ours to look at */
	for (line = maps.text; *line && rc >= 0; line = next) {
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
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int rc = 0;

	while (dir && rc >= 0 && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = finder__search_maps(f, atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
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

/* Directories with one of the characters of sep between them */
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

/* ldconfig(8)'s files: a directory a line; "include" takes a pattern of files, which include nothing in practice. */
static int finder__search_ld_conf(struct finder *f)
{
	struct fs_text text = { 0 };
	glob_t files = { 0 };
	size_t i;
	int rc = 0;

	if (!fs_text__read(&text, AT_FDCWD, LD_SO_CONF))
		rc = finder__search_list(f, text.text, " \t\n");
	if (rc >= 0 && !glob(LD_SO_CONF ".d/*.conf", 0, NULL, &files)) {
		for (i = 0; i < files.gl_pathc && rc >= 0; i++) {
			if (!fs_text__read(&text, AT_FDCWD, files.gl_pathv[i]))
				rc = finder__search_list(f, text.text, " \t\n");
		}
	}
	globfree(&files);
	fs_text__exit(&text);
	return rc;
}

static const char *search_path(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value ? value : otherwise;
}

int code_files__find(const char *name, const pid_t *pids, int nr_pids,
		     int (*cb)(void *arg, const char *path, const struct filter_file_id *id), void *arg)
{
	struct finder f = { .name = name, .cb = cb, .arg = arg };
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
