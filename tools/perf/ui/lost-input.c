// SPDX-License-Identifier: GPL-2.0
#include "ui/lost-input.h"

#include <string.h>
#include <unistd.h>

#include "ui/pager.h"
#include "util/lib/file-map.h"
#include "util/lib/half-file.h"

static int end_status;

static void say(const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t nr = write(STDERR_FILENO, text, left);

		if (nr <= 0)
			return;
		text += nr;
		left -= nr;
	}
}

/* Runs in a signal handler of the thread that writes the output, while other threads are running: unwritten output of stdio is lost. */
static void end(const char *message)
{
	half_files__remove();
	if (isatty(STDERR_FILENO))
		say("\r\033[K"); /* clear the line of the progress */
	if (pager__shows_errors())
		say("\n"); /* the output may end within a line */
	say(message);
	pager__finish();
	_exit(end_status);
}

void lost_input__end_with(int status)
{
	end_status = status;
	file_maps__on_loss(end);
}
