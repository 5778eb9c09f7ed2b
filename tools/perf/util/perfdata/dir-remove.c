// SPDX-License-Identifier: GPL-2.0
/* Makes way for a recording where another one is, which is a directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/perfdata/dir-form.h"

/* "data", "data.0", ... */
static bool is_part(const char *name)
{
	if (strncmp(name, "data", 4))
		return false;
	if (!name[4])
		return true;
	return name[4] == '.' && name[5] && name[5 + strspn(name + 5, "0123456789")] == 0;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

bool dir_form__is_recording(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	bool is = fd >= 0 && !fstatat(fd, "data", &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);

	if (fd >= 0)
		close(fd);
	return is;
}

/* Number of names in dir that are no part of a recording; -errno */
static int count_others(DIR *dir, bool parts_too)
{
	struct dirent *entry;
	int nr = 0;

	rewinddir(dir);
	for (errno = 0; (entry = readdir(dir));)
		nr += !is_dots(entry->d_name) && (parts_too || !is_part(entry->d_name));
	return errno ? -errno : nr;
}

bool dir_form__is_empty(const char *path)
{
	DIR *dir = opendir(path);
	bool is = dir && count_others(dir, true) == 0;

	if (dir)
		closedir(dir);
	return is;
}

static int remove_parts(DIR *dir)
{
	struct dirent *entry;

	rewinddir(dir);
	while ((entry = readdir(dir))) {
		if (is_part(entry->d_name) && unlinkat(dirfd(dir), entry->d_name, 0) && errno != ENOENT)
			return -errno;
	}
	return 0;
}

int dir_form__remove(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), ret;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = count_others(dir, false);
	ret = ret > 0 ? -ENOTEMPTY : ret ?: remove_parts(dir);
	closedir(dir);
	return ret ?: rmdir(path) ? -errno : 0;
}
