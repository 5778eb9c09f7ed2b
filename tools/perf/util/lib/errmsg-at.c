// SPDX-License-Identifier: GPL-2.0
#include "util/lib/errmsg.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Maximum columns of the text; a longer text is cut on both sides of the mark. */
#define SHOWN_COLUMNS 72u
#define MAX_UTF8 4u /* bytes of a character */

struct part { /* a part of a text, in bytes: [begin, end) */
	unsigned int begin, end;
};

static bool is_char_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Number of characters (terminal columns, except for wide scripts) in bytes [begin, end). */
static unsigned int columns(const char *text, unsigned int begin, unsigned int end)
{
	unsigned int n = 0;

	for (; begin < end; begin++)
		n += is_char_start(text[begin]);
	return n;
}

/* The part of the text to show around byte pos; cut between characters. */
static struct part surroundings(const char *text, unsigned int len, unsigned int pos)
{
	struct part part = { 0, len };

	if (columns(text, 0, len) <= SHOWN_COLUMNS)
		return part;
	if (pos > SHOWN_COLUMNS / 2)
		part.begin = pos - SHOWN_COLUMNS / 2;
	if (len - part.begin > SHOWN_COLUMNS)
		part.end = part.begin + SHOWN_COLUMNS;
	while (part.begin && !is_char_start(text[part.begin]))
		part.begin--;
	while (part.end < len && !is_char_start(text[part.end]))
		part.end++;
	return part;
}

/* The text may contain newlines, tabs and escapes, which would move the mark away from its place. */
static void blank_controls(char *line)
{
	for (; *line; line++) {
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			*line = ' ';
	}
}

int errmsg__vset_at(struct errmsg *err, int errnum, const char *domain, const char *text, unsigned int begin,
		    unsigned int end, const char *fmt, va_list ap)
{
	struct part part = surroundings(text, strlen(text), begin);
	const char *before = part.begin ? "..." : "", *after = text[part.end] ? "..." : "";
	unsigned int indent = strlen(before) + columns(text, part.begin, begin), mark;
	char message[512], line[MAX_UTF8 * SHOWN_COLUMNS + 1], carets[SHOWN_COLUMNS + 1];

	vsnprintf(message, sizeof(message), fmt, ap);
	snprintf(line, sizeof(line), "%.*s", (int)(part.end - part.begin), text + part.begin);
	blank_controls(line);

	/* The mark may be after the last column: at the end of the text. */
	mark = columns(text, begin, end < part.end ? end : part.end);
	if (mark < 1)
		mark = 1;
	if (mark > SHOWN_COLUMNS)
		mark = SHOWN_COLUMNS;
	memset(carets, '^', mark);
	carets[mark] = '\0';
	return errmsg__set(err, errnum, "%s: %s\n  %s%s%s\n  %*s%s", domain, message, before, line, after, indent, "", carets);
}
