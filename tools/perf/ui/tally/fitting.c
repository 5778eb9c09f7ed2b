// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/fitting.h"

#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/lib/stream.h"

#define PLAIN_LINES 40 /* if there is no terminal */
#define CLEAR "\033[H\033[J"

static struct winsize size_of(FILE *fp)
{
	struct winsize size = { 0 };

	ioctl(fileno(fp), TIOCGWINSZ, &size);
	return size;
}

int fitting__width(FILE *fp)
{
	return size_of(fp).ws_col;
}

void fitting__print(FILE *fp, const char *text, bool terminal, bool all_rows)
{
	const struct winsize size = terminal ? size_of(fp) : (struct winsize){ 0 };
	const int width = size.ws_col;
	int rows = all_rows ? INT_MAX : size.ws_row ? size.ws_row - 1 : PLAIN_LINES;

	fputs(terminal ? CLEAR : "", fp);
	for (; *text && rows-- > 0; text += strcspn(text, "\n") + 1) {
		int len = strcspn(text, "\n");

		fprintf(fp, "%.*s\n", width && len > width ? width : len, text);
		if (!text[len])
			break;
	}
	if (!terminal)
		fputc('\n', fp);
	stream__flush(fp);
}
