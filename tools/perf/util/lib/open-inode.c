// SPDX-License-Identifier: GPL-2.0
#include "util/lib/open-inode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/fs.h"
#include "util/lib/regular-file.h"

/* Types and contents of handles: include/linux/exportfs.h; tmpfs: mm/shmem.c */
#define HANDLE_INO32_GEN 1
#define MAX_HANDLE 12

union handle {
	struct file_handle head;
	char room[sizeof(struct file_handle) + MAX_HANDLE];
};

static void handle__set(union handle *h, const void *bytes, u32 size)
{
	h->head.handle_bytes = size;
	h->head.handle_type = HANDLE_INO32_GEN;
	memcpy(h->room + sizeof(h->head), bytes, size);
}

/* A handle leads to any kind of file; only a regular one is opened. */
static int open_handle(int mount_fd, union handle *h)
{
	const int path_fd = open_by_handle_at(mount_fd, &h->head, O_PATH | O_CLOEXEC);
	char path[32];
	int fd;

	if (path_fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	fd = regular_file__open(path, 0);
	close(path_fd);
	return fd;
}

static int open_on(const char *mount_point, const struct inode_number *n)
{
	const u32 usual[] = { n->inode, n->generation }, tmpfs[] = { n->generation, n->inode, n->inode >> 32 };
	const int mount_fd = open(mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	union handle h;
	int fd;

	if (mount_fd < 0)
		return -errno;
	handle__set(&h, usual, sizeof(usual));
	fd = n->inode >> 32 ? -ESTALE : open_handle(mount_fd, &h);
	if (fd < 0) {
		handle__set(&h, tmpfs, sizeof(tmpfs));
		fd = open_handle(mount_fd, &h);
	}
	close(mount_fd);
	return fd;
}

/* Blanks and some others are written as three octal digits: seq_path(). */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned int code;

		if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1) {
			*to++ = code;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

int inode_number__open(const struct inode_number *number)
{
	char *text = fs__read_file(AT_FDCWD, "/proc/self/mountinfo", NULL), *rest = text, *line;
	int fd = -ENOENT;

	if (!text)
		return -errno;
	while (fd < 0 && (line = strsep(&rest, "\n"))) {
		char mount_point[4096];
		u32 major, minor;

		if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &major, &minor, mount_point) != 3 || major != number->major || minor != number->minor)
			continue;
		unescape(mount_point);
		fd = open_on(mount_point, number);
	}
	free(text);
	return fd;
}
