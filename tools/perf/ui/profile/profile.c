// SPDX-License-Identifier: GPL-2.0
#include "ui/profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/event/kind.h"

const struct profile_format profile_formats[PROFILE_NR_FORMATS] = {
	[PROFILE_FLAMEGRAPH] = { "flamegraph", false, profile_page__check, profile__write_flamegraph },
	[PROFILE_PPROF] = { "pprof", false, NULL, profile__write_pprof },
	[PROFILE_JSON] = { "json", false, NULL, profile__write_json },
	[PROFILE_SPEEDSCOPE] = { "speedscope", true, NULL, profile__write_speedscope },
	[PROFILE_FIREFOX] = { "firefox", true, NULL, profile__write_firefox },
	[PROFILE_TIMELINE] = { "timeline", true, profile_page__check, profile__write_timeline },
	[PROFILE_TIMELINE_TEXT] = { "timeline-text", true, NULL, profile__write_timeline_text },
};

/* stdio does not keep the reason of a failed write, and later calls may change errno. */
struct output {
	int fd;
	int error; /* of the first write that failed */
};

const char *profile_event__unit(const struct profile_event *event)
{
	const struct event_kind *kind = event_kind__of_name(event->name);

	return kind && kind->unit ? kind->unit : "count";
}

bool profile_event__has_spans(const struct profile_event *event)
{
	const struct event_kind *kind = event_kind__of_name(event->name);

	return kind && kind->has_spans;
}

static ssize_t output__write(void *cookie, const char *bytes, size_t size)
{
	struct output *out = cookie;
	size_t done = 0;

	while (done < size && !out->error) {
		ssize_t n = write(out->fd, bytes + done, size - done);

		if (n > 0)
			done += n;
		else if (!n || errno != EINTR)
			out->error = n ? errno : EIO;
	}
	return done;
}

/* Takes ownership of the descriptor. */
static int write_all(const struct profile *profile, const struct profile_format *format, int fd, const char *path, struct errmsg *err)
{
	struct output out = { .fd = fd };
	FILE *fp = fopencookie(&out, "w", (cookie_io_functions_t){ .write = output__write });
	int ret;

	if (!fp) {
		close(fd);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = format->write(profile, fp, err);
	fclose(fp);
	if (close(fd) && !out.error)
		out.error = errno;
	return out.error && !ret ? errmsg__set(err, out.error, "cannot write %s: %s", path, strerror(out.error)) : ret;
}

/* Create a file beside path, with a name of its own, malloc'ed. Its descriptor, or -errno with a message; then there is none. */
static int create_beside(const char *path, char **temporary, struct errmsg *err)
{
	mode_t mask = umask(0);
	int fd, ret;

	umask(mask);
	if (asprintf(temporary, "%s.XXXXXX", path) < 0)
		return errmsg__set(err, ENOMEM, "out of memory");
	fd = mkostemp(*temporary, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
		return fd;
	ret = errmsg__set(err, errno, "cannot create %s: %s", path, strerror(errno));
	if (fd >= 0) {
		close(fd);
		unlink(*temporary);
	}
	free(*temporary);
	return ret;
}

/* The temporary file is renamed to path when it is complete. */
static int write_beside(const struct profile *profile, const struct profile_format *format, const char *path, struct errmsg *err)
{
	char *temporary;
	int fd = create_beside(path, &temporary, err), ret;

	if (fd < 0)
		return fd;
	ret = write_all(profile, format, fd, path, err);
	if (!ret && rename(temporary, path))
		ret = errmsg__set(err, errno, "cannot create %s: %s", path, strerror(errno));
	if (ret)
		unlink(temporary);
	free(temporary);
	return ret;
}

/* Not through another user's symlink (in /tmp) to a device or a pipe. */
static bool goes_beside(const char *path)
{
	struct stat st;

	return (!lstat(path, &st) && S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid()) || stat(path, &st) || S_ISREG(st.st_mode);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int profile__check_file(const struct profile_format *format, const char *path, const char *page, struct errmsg *err)
{
	char *temporary;
	int fd, error;

	if (format->check && format->check(page, err))
		return -ENOENT;
	if (!strcmp(path, "-"))
		return 0;
	if (!goes_beside(path)) { /* opening a pipe would wait for its reader */
		error = is_directory(path) ? EISDIR : access(path, W_OK) ? errno : 0;
		return error ? errmsg__set(err, error, "cannot write %s: %s", path, strerror(error)) : 0;
	}
	fd = create_beside(path, &temporary, err);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(temporary);
	free(temporary);
	return 0;
}

int profile__write_file(const struct profile *profile, const struct profile_format *format, const char *path, struct errmsg *err)
{
	int fd;

	if (!strcmp(path, "-"))
		return format->write(profile, stdout, err);
	if (goes_beside(path))
		return write_beside(profile, format, path, err);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666); /* a device or a pipe */
	if (fd < 0)
		return errmsg__set(err, errno, "cannot write %s: %s", path, strerror(errno));
	return write_all(profile, format, fd, path, err);
}
