// SPDX-License-Identifier: GPL-2.0
#include "util/event/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/fs.h"

char *file__read_at(int dirfd, const char *path, size_t *size)
{
	struct fs_text file = { 0 };
	int err = fs_text__read(&file, dirfd, path);

	if (err) {
		fs_text__exit(&file);
		errno = -err;
		return NULL;
	}
	if (size)
		*size = file.size;
	return file.text;
}

void names__delete(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->nr; i++)
		free(names->name[i]);
	free(names->name);
	free(names);
}

static int names__add(struct names *names, const char *name)
{
	char **bigger = realloc(names->name, (names->nr + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	names->name = bigger;
	names->name[names->nr] = strdup(name);
	if (!names->name[names->nr])
		return -ENOMEM;
	names->nr++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static DIR *opendir_at(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir;

	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

struct names *names__read_at(int dirfd, const char *path)
{
	DIR *dir = opendir_at(dirfd, path);
	struct names *names;
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return NULL;
	names = calloc(1, sizeof(*names));
	if (!names)
		err = -ENOMEM;
	while (!err) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		if (entry->d_name[0] != '.')
			err = names__add(names, entry->d_name);
	}
	closedir(dir);
	if (err) {
		names__delete(names);
		errno = -err;
		return NULL;
	}
	if (names->nr)
		qsort(names->name, names->nr, sizeof(*names->name), compare_names);
	return names;
}
