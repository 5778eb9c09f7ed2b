// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/keyboard.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static int taken_fd = -1;

bool keyboard__take(int fd)
{
	struct termios now;

	/* In the background a change would stop us (SIGTTOU), and keys belong to another process. */
	if (!isatty(fd) || tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &before))
		return false;
	now = before;
	now.c_lflag &= ~(ICANON | ECHO);
	now.c_cc[VMIN] = 0;
	now.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSANOW, &now))
		return false;
	taken_fd = fd;
	return true;
}

void keyboard__release(void)
{
	if (taken_fd >= 0)
		tcsetattr(taken_fd, TCSANOW, &before);
	taken_fd = -1;
}

bool keyboard__wants_end(int fd)
{
	char keys[64];
	ssize_t i, nr = read(fd, keys, sizeof(keys));

	if (nr <= 0)
		return !(nr < 0 && (errno == EINTR || errno == EAGAIN));
	for (i = 0; i < nr; i++) {
		if (keys[i] == 'q' || keys[i] == 'Q')
			return true;
	}
	return false;
}
