// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/perfdata/file.h"

static bool has_magic(int dirfd, const char *path)
{
	char magic[8];
	struct stat st;
	bool has;
	int fd;

	/* To open a device may do something. */
	if (fstatat(dirfd, path, &st, 0) || !S_ISREG(st.st_mode))
		return false;
	fd = openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	has = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	      (!memcmp(magic, PERFDATA_MAGIC, sizeof(magic)) || !memcmp(magic, PERFDATA_SWAPPED_MAGIC, sizeof(magic)));
	close(fd);
	return has;
}

static bool is_recording(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool is;

	if (fd < 0)
		return has_magic(dirfd, name);
	is = has_magic(fd, "data");
	close(fd);
	return is;
}

static bool is_same(int dirfd, const char *name, const struct stat *other)
{
	struct stat st;

	return !fstatat(dirfd, name, &st, 0) && st.st_dev == other->st_dev && st.st_ino == other->st_ino;
}

struct fs_names *recordings__read(const char *directory, const char *except)
{
	int dirfd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_names *names;
	struct stat not;
	bool has_except = !stat(except, &not);
	size_t nr = 0;

	if (dirfd < 0)
		return NULL;
	names = fs_names__read(dirfd, ".");
	for (size_t i = 0; names && i < names->nr; i++) {
		if (is_recording(dirfd, names->name[i]) && !(has_except && is_same(dirfd, names->name[i], &not)))
			names->name[nr++] = names->name[i];
		else
			free(names->name[i]);
	}
	if (names)
		names->nr = nr;
	close(dirfd);
	return names;
}
