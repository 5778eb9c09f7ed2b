// SPDX-License-Identifier: GPL-2.0
#include "util/lib/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "util/lib/types.h"

static bool lost_reader;
/* Streams that have failed, the last of them */
static struct failure {
	const FILE *fp;
	int cause;
} failures[4];

static struct failure *find(const FILE *fp)
{
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		if (failures[i].fp == fp)
			return &failures[i];
	}
	return NULL;
}

/*
 * From now on each write to its descriptor is an error, and never a signal. So it is in programs that perf starts, if it is a standard one: they
 * would open their next file in the place of a closed one, and write messages into it.
 */
static void cut_off(FILE *fp)
{
	const int fd = fileno(fp), nowhere = open("/", O_PATH | O_CLOEXEC);

	if (nowhere < 0)
		return;
	dup3(nowhere, fd, fd > STDERR_FILENO ? O_CLOEXEC : 0);
	close(nowhere);
}

/* A new stream at the address of an old one is not. */
static bool is_cut_off(FILE *fp)
{
	const int flags = fcntl(fileno(fp), F_GETFL);

	return flags >= 0 && flags & O_PATH;
}

static int fail(FILE *fp, int cause)
{
	static unsigned int nr;
	struct failure *failure = find(fp) ?: &failures[nr++ % ARRAY_SIZE(failures)];

	lost_reader |= cause == EPIPE;
	*failure = (struct failure){ .fp = fp, .cause = cause };
	cut_off(fp);
	return -cause;
}

/* Of a pipe or a socket */
static bool has_no_reader(FILE *fp)
{
	struct pollfd fd = { .fd = fileno(fp), .events = POLLOUT };

	return poll(&fd, 1, 0) > 0 && fd.revents & POLLERR;
}

/* Of a file or a device: nothing is written, and a device like /dev/full fails all the same. */
static int ask_again(FILE *fp)
{
	const int fd = fileno(fp);
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)))
		return EIO;
	if (write(fd, "", 0) < 0)
		return errno;
	return S_ISREG(st.st_mode) && !fstatvfs(fd, &fs) && fs.f_blocks && !fs.f_bavail ? ENOSPC : EIO;
}

/*
 * Does errno tell why a write failed that stdio made by itself? Then no other call has changed it since. That nobody reads can be
 * seen afterwards, too, and mostly that the disk is full.
 */
static int cause_of_write(FILE *fp, int error)
{
	switch (error) {
	case EPIPE:
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return error;
	}
	return has_no_reader(fp) ? EPIPE : ask_again(fp);
}

int stream__flush(FILE *fp)
{
	const int before = errno;
	const bool had_failed = ferror(fp);
	const struct failure *known = had_failed && is_cut_off(fp) ? find(fp) : NULL;

	if (known)
		return -known->cause;
	if (fflush(fp))
		return fail(fp, errno);
	return had_failed ? fail(fp, cause_of_write(fp, before)) : 0;
}

bool stream__lost_reader(void)
{
	return lost_reader;
}

bool stream__stdout_has_failed(void *data)
{
	return stream__flush(stdout);
}
