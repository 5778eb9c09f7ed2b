// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-rewrite.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/text.h"

static const char head[] = "\nprint fmt:", strings[] = "\tfield:__data_loc char[][";

/* Behind "char[][": "3] NAME;" becomes "NAME[3];". Returns where the rest begins, or NULL: it has another form. */
static const char *rewrite_strings(const char *at, const char *end, FILE *fp)
{
	size_t digits = 0, name = 0;
	const char *start;

	while (at + digits < end && isdigit((unsigned char)at[digits]))
		digits++;
	start = at + digits + strlen("] ");
	if (!digits || start >= end || memcmp(at + digits, "] ", strlen("] ")))
		return NULL;
	while (start + name < end && (isalnum((unsigned char)start[name]) || start[name] == '_'))
		name++;
	if (!name || start + name == end || start[name] != ';')
		return NULL;
	fprintf(fp, "\tfield:" TP_REWRITE_STRINGS " %.*s[%.*s]", (int)name, start, (int)digits, at);
	return start + name;
}

static void rewrite(const char *at, const char *end, FILE *fp)
{
	const char *found, *rest;

	while ((found = memmem(at, end - at, strings, strlen(strings)))) {
		fwrite(at, 1, found - at, fp);
		rest = rewrite_strings(found + strlen(strings), end, fp);
		if (!rest) {
			rest = found + strlen(strings);
			fwrite(found, 1, rest - found, fp);
		}
		at = rest;
	}
	fwrite(at, 1, end - at, fp);
}

char *tp_rewrite__fields(const char *format, size_t size, size_t *out_size, const char **print, size_t *print_size)
{
	const char *found = memmem(format, size, head, strlen(head));
	char *out = NULL;
	FILE *fp;

	if (!found) {
		errno = EINVAL;
		return NULL;
	}
	*print = found + strlen(head);
	*print_size = format + size - *print;
	fp = open_memstream(&out, out_size);
	if (!fp)
		return NULL;
	rewrite(format, *print, fp);
	fputs(" \"\"\n", fp);
	if (text__close_stream(fp, &out)) {
		errno = ENOMEM;
		return NULL;
	}
	return out;
}
