// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILES 10000

/* A descriptor; -1 with errno set. */
static int open_next(char *name)
{
	for (int i = 0; i < MAX_FILES; i++) {
		int fd;

		snprintf(name, SAVED_NAME_MAX, "perf.hist.%d", i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* as a recording */
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static void print(const struct browser_lines *lines, const char *title, FILE *fp)
{
	char text[4096];

	fprintf(fp, "# %s\n#\n# %s\n#\n", title, browser_lines__titles(lines, text, sizeof(text)));
	for (u32 i = 0; i < browser_lines__nr(lines); i++)
		fprintf(fp, "%c %s\n", browser_lines__mark(lines, i), browser_lines__text(lines, i, text, sizeof(text)));
}

int browser_lines__save(const struct browser_lines *lines, const char *title, char name[SAVED_NAME_MAX], struct errmsg *err)
{
	int fd = open_next(name), errnum = errno;
	FILE *fp = fd < 0 ? NULL : fdopen(fd, "w");

	if (fp) {
		print(lines, title, fp);
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
