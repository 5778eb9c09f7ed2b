// SPDX-License-Identifier: GPL-2.0
#include "util/lib/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/array.h"
#include "util/lib/regular-file.h"

#define FIRST_ALLOC 4096

static int fs_text__grow(struct fs_text *t)
{
	size_t alloc = t->alloc ? t->alloc * 2 : FIRST_ALLOC;
	char *text = realloc(t->text, alloc);

	if (!text)
		return -ENOMEM;
	t->text = text;
	t->alloc = alloc;
	return 0;
}

static int fs_text__read_fd(struct fs_text *t, int fd)
{
	for (;;) {
		ssize_t n;

		if (t->size + 1 >= t->alloc && fs_text__grow(t))
			return -ENOMEM;
		n = read(fd, t->text + t->size, t->alloc - t->size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		t->size += n;
	}
	t->text[t->size] = '\0';
	return 0;
}

int fs_text__read(struct fs_text *t, int dirfd, const char *path)
{
	int fd, err;

	t->size = 0;
	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fs_text__read_fd(t, fd);
	if (err)
		t->size = 0;
	close(fd);
	return err;
}

void fs_text__exit(struct fs_text *t)
{
	free(t->text);
	*t = (struct fs_text){ 0 };
}

int fs__own_error(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EIO ? err : 0;
}

int fs__read_int(const char *path, int *value)
{
	struct fs_text t = { 0 };
	char *end;
	long n;
	int err;

	err = fs_text__read(&t, AT_FDCWD, path);
	if (!err) {
		errno = 0;
		n = strtol(t.text, &end, 10);
		if (end == t.text || (*end != '\n' && *end != '\0') || errno || n < INT_MIN || n > INT_MAX)
			err = -EINVAL;
		else
			*value = n;
	}
	fs_text__exit(&t);
	return err;
}

char *fs__read_file(int dirfd, const char *path, size_t *size)
{
	struct fs_text t = { 0 };
	int err = fs_text__read(&t, dirfd, path);

	if (err) {
		fs_text__exit(&t);
		errno = -err;
		return NULL;
	}
	if (size)
		*size = t.size;
	return t.text;
}

void fs_names__delete(struct fs_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->nr; i++)
		free(names->name[i]);
	free(names->name);
	free(names);
}

static int fs_names__add(struct fs_names *names, const char *name)
{
	if (array__extend(names->name, names->nr))
		return -ENOMEM;
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

struct fs_names *fs_names__read(int dirfd, const char *path)
{
	DIR *dir = opendir_at(dirfd, path);
	struct fs_names *names;
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
			err = fs_names__add(names, entry->d_name);
	}
	closedir(dir);
	if (err) {
		fs_names__delete(names);
		errno = -err;
		return NULL;
	}
	if (names->nr)
		qsort(names->name, names->nr, sizeof(*names->name), compare_names);
	return names;
}

bool fs__is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Of "/proc/PID/root" at the begin of path; 0: it is not there */
static size_t root_length(const char *path)
{
	int len = 0;

	sscanf(path, "/proc/%*[0-9]/root%n", &len);
	return path[len] == '/' ? len : 0;
}

/* realpath(3) as the process sees it: an absolute link in its root leads to a file there, but for the kernel to one of ours. */
static char *real_path_in(const char *path, size_t root_len)
{
	char root[64], opened[64], text[PATH_MAX], *inside = NULL, *found = NULL;
	int fd;
	ssize_t len;

	snprintf(root, sizeof(root), "%.*s", (int)root_len, path);
	fd = regular_file__open_in(root, path + root_len, 0);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	len = readlink(opened, text, sizeof(text) - 1);
	text[len > 0 ? len : 0] = '\0';
	if (asprintf(&inside, "%s%s", root, text) < 0)
		inside = NULL;
	/* The text is the name here if the process has only another root, and there if it has other mounts. */
	if (fs__is_same_file(text, opened))
		found = strdup(text);
	else if (inside && fs__is_same_file(inside, opened))
		found = strdup(inside);
	else if (fs__is_same_file(path, opened))
		found = strdup(path);
	else
		errno = ENOENT;
	free(inside);
	close(fd);
	return found;
}

char *fs__real_path(const char *path)
{
	char *real, dir[PATH_MAX], *whole;

	if (root_length(path))
		return real_path_in(path, root_length(path));
	real = realpath(path, NULL);
	if (real && fs__is_same_file(real, path))
		return real;
	free(real);
	if (access(path, F_OK))
		return NULL;
	if (*path == '/' || !getcwd(dir, sizeof(dir)))
		return strdup(path);
	if (asprintf(&whole, "%s/%s", dir, path) < 0)
		return NULL;
	if (fs__is_same_file(whole, path))
		return whole;
	free(whole);
	return strdup(path);
}

const char *fs__why_missing(const char *path, int error)
{
	static const char in_proc[] = "/proc/";

	if (*path != '/' || !strncmp(path, in_proc, strlen(in_proc)) || (error != ENOENT && error != ENOTDIR))
		return strerror(error);
	return "No such file or directory here. That of a container is /proc/PID/root/PATH, with the PID of one of its processes";
}

int fs__file_name(const char *path, char *name, size_t size)
{
	static const char deleted[] = " (deleted)";
	char link[64], real[PATH_MAX];
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = fstat(fd, &st) ? -1 : readlink(link, real, sizeof(real) - 1);
	close(fd);
	if (len < 0)
		return -errno;
	if (!st.st_nlink && len > (ssize_t)strlen(deleted) && !memcmp(real + len - strlen(deleted), deleted, strlen(deleted)))
		len -= strlen(deleted);
	real[len] = '\0';
	snprintf(name, size, "%s", strrchr(real, '/') ? strrchr(real, '/') + 1 : real);
	return 0;
}

char *fs__path_of_fd(int fd)
{
	char *path;

	return fd < 0 || asprintf(&path, "/proc/self/fd/%d", fd) < 0 ? NULL : path;
}

void fs__close_many(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}
