// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILES 10000

/* A descriptor; -1 with errno set. */
static int open_next(const char *base, bool plain_first, char *name)
{
	for (int i = plain_first ? -1 : 0; i < MAX_FILES; i++) {
		int fd;

		if (i < 0)
			snprintf(name, SAVED_NAME_MAX, "%s", base);
		else
			snprintf(name, SAVED_NAME_MAX, "%s.%d", base, i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* as a recording */
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

int save__to_next(const char *base, bool plain_first, void (*print)(FILE *fp, void *data), void *data, char name[SAVED_NAME_MAX],
		  struct errmsg *err)
{
	int fd = open_next(base, plain_first, name), errnum = errno;
	FILE *fp = fd < 0 ? NULL : fdopen(fd, "w");

	if (fp) {
		print(fp, data);
		errnum = fflush(fp) ? errno : 0;
		if (fclose(fp) && !errnum)
			errnum = errno;
	} else if (fd >= 0) {
		errnum = errno;
		close(fd);
	}
	if (!errnum)
		return 0;
	if (fd >= 0)
		unlink(name);
	return errmsg__set(err, errnum, "cannot write %s: %s", name, strerror(errnum));
}

struct saved_lines {
	const struct browser_lines *lines;
	const char *title;
};

static void print_lines(FILE *fp, void *data)
{
	const struct saved_lines *saved = data;
	const struct browser_lines *lines = saved->lines;
	char text[4096];

	fprintf(fp, "# %s\n#\n# %s\n#\n", saved->title, browser_lines__titles(lines, text, sizeof(text)));
	for (u32 i = 0; i < browser_lines__nr(lines); i++)
		fprintf(fp, "%c %s\n", browser_lines__mark(lines, i), browser_lines__text(lines, i, text, sizeof(text)));
}

int browser_lines__save(const struct browser_lines *lines, const char *title, char name[SAVED_NAME_MAX], struct errmsg *err)
{
	struct saved_lines saved = { lines, title };

	return save__to_next("perf.hist", false, print_lines, &saved, name, err);
}
