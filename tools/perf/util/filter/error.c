// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "util/filter/ast.h"

/* Columns of filter text that a message shows; a longer text is cut on both sides of the caret. */
#define SHOWN_COLUMNS 72

static bool is_char_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* How many characters (terminal columns, but for wide scripts) the bytes [begin, end) are. */
static unsigned int columns(const char *text, unsigned int begin, unsigned int end)
{
	unsigned int n = 0;

	for (; begin < end; begin++)
		n += is_char_start(text[begin]);
	return n;
}

/* The part of the text to show around byte pos. */
static struct filter_loc excerpt(const struct filter *f, unsigned int pos)
{
	struct filter_loc part = { 0, f->len };

	if (columns(f->text, 0, f->len) <= SHOWN_COLUMNS)
		return part;
	if (pos > SHOWN_COLUMNS / 2)
		part.begin = pos - SHOWN_COLUMNS / 2;
	if (f->len - part.begin > SHOWN_COLUMNS)
		part.end = part.begin + SHOWN_COLUMNS;
	while (part.begin && !is_char_start(f->text[part.begin]))
		part.begin--;
	while (part.end < f->len && !is_char_start(f->text[part.end]))
		part.end++;
	return part;
}

/* The text may hold newlines and tabs, which would move the caret away from its place. */
static void blank_controls(char *line)
{
	for (; *line; line++) {
		if ((unsigned char)*line < ' ')
			*line = ' ';
	}
}

int filter__error(const struct filter *f, struct filter_loc loc, struct errmsg *err, int errnum, const char *fmt, ...)
{
	struct filter_loc part = excerpt(f, loc.begin);
	const char *cut = part.begin ? "..." : "";
	unsigned int caret = strlen(cut) + columns(f->text, part.begin, loc.begin);
	char message[512], line[4 * SHOWN_COLUMNS + 8];
	va_list ap;

	if (!err)
		return -errnum;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "%.*s", (int)(part.end - part.begin), f->text + part.begin);
	blank_controls(line);
	return errmsg__set(err, errnum, "filter: %s\n  %s%s%s\n  %*s^", message, cut, line,
			   part.end < f->len ? "..." : "", caret, "");
}
