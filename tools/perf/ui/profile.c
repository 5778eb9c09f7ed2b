// SPDX-License-Identifier: GPL-2.0
#include "ui/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int close_written(FILE *fp, const char *path, int ret, struct errmsg *err)
{
	bool failed = ferror(fp);

	errno = EIO;
	if ((fclose(fp) || failed) && !ret)
		ret = errmsg__set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return ret;
}

/* A temporary file beside path, which becomes path once it is whole. */
static int write_beside(const struct profile *profile, const struct profile_format *format, const char *path, struct errmsg *err)
{
	mode_t mask = umask(0);
	char *temporary;
	FILE *fp = NULL;
	int fd, ret;

	umask(mask);
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return errmsg__set(err, ENOMEM, "out of memory");
	fd = mkstemp(temporary);
	if (fd >= 0)
		fp = fdopen(fd, "w");
	if (!fp || fchmod(fd, 0666 & ~mask)) {
		ret = errmsg__set(err, errno, "cannot create %s: %s", path, strerror(errno));
		if (fp)
			fclose(fp);
		else if (fd >= 0)
			close(fd);
	} else {
		ret = close_written(fp, path, format->write(profile, fp, err), err);
		if (!ret && rename(temporary, path))
			ret = errmsg__set(err, errno, "cannot create %s: %s", path, strerror(errno));
	}
	if (ret && fd >= 0)
		unlink(temporary);
	free(temporary);
	return ret;
}

int profile__write_file(const struct profile *profile, const struct profile_format *format, const char *path, struct errmsg *err)
{
	struct stat st;
	FILE *fp;

	if (!strcmp(path, "-")) {
		int ret = format->write(profile, stdout, err);

		if (!ret && (fflush(stdout) || ferror(stdout)))
			ret = errmsg__set(err, errno ?: EIO, "cannot write: %s", strerror(errno ?: EIO));
		return ret;
	}
	/* Another user's symlink (in /tmp) does not choose the device or the pipe that is written. */
	if ((!lstat(path, &st) && S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid()) || stat(path, &st) || S_ISREG(st.st_mode))
		return write_beside(profile, format, path, err);
	fp = fopen(path, "w"); /* a device or a pipe */
	if (!fp)
		return errmsg__set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return close_written(fp, path, format->write(profile, fp, err), err);
}
