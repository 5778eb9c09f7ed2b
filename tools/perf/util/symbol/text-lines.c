// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/text-lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

int text_lines__for_each(int fd, u64 max, int (*cb)(void *data, char *line), void *data)
{
	char buf[MAX_TEXT_LINE], *line, *end;
	bool skip = false; /* skip the rest of a line that is too long */
	size_t size = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = read(fd, buf + size, sizeof(buf) - 1 - size))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if ((u64)n > max)
			return -E2BIG;
		max -= n;
		size += n;
		for (line = buf; !rc && (end = memchr(line, '\n', buf + size - line)); line = end + 1) {
			*end = '\0';
			rc = skip ? 0 : cb(data, line);
			skip = false;
		}
		size -= line - buf;
		memmove(buf, line, size);
		if (size == sizeof(buf) - 1) {
			skip = true;
			size = 0;
		}
	}
	buf[size] = '\0';
	return rc || skip ? rc : cb(data, buf); /* the last line may lack a newline */
}
