// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-added.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/tp.h"
#include "util/lib/text.h"

static const char field_begin[] = "\tfield:", offset_begin[] = ";\toffset:", print_begin[] = "\nprint fmt:";

/* A line of the format; the offset of a field that is not common to all tracepoints grows by shift. -EINVAL: it has another form. */
static int put_line(struct text *out, const char *line, size_t len, u32 shift)
{
	const char *offset = memmem(line, len, offset_begin, strlen(offset_begin));
	unsigned long value;
	char *rest;

	if (len < strlen(field_begin) || memcmp(line, field_begin, strlen(field_begin))) {
		text__put(out, line, len);
		return 0;
	}
	if (!offset)
		return -EINVAL;
	offset += strlen(offset_begin);
	value = strtoul(offset, &rest, 10);
	if (memmem(line, offset - line, " common_", strlen(" common_"))) {
		text__put(out, line, len);
		return value < TP_HEADER_SIZE ? 0 : -EINVAL;
	}
	text__put(out, line, offset - line);
	text__unsigned(out, value + shift, 0, ' ');
	text__put(out, rest, line + len - rest);
	return value < TP_HEADER_SIZE ? -EINVAL : 0;
}

static int put_lines(struct text *out, const char *at, const char *end, u32 shift)
{
	const char *next;
	int ret = 0;

	for (; at < end && !ret; at = next) {
		next = memchr(at, '\n', end - at);
		next = next ? next + 1 : end;
		ret = put_line(out, at, next - at, shift);
	}
	return ret;
}

static void put_fields(struct text *out, const struct tp_added *added)
{
	text__printf(out, "\tfield:u32 " TP_ADDED_MASK ";\toffset:%d;\tsize:4;\tsigned:0;\n", TP_HEADER_SIZE);
	for (unsigned int i = 0; i < added->nr; i++) {
		const struct tp_added_field *f = &added->field[i];

		if (f->is_text)
			text__printf(out, "\tfield:char %s[%u];", f->name, f->size);
		else
			text__printf(out, "\tfield:%c%u %s;", f->is_signed ? 's' : 'u', 8 * f->size, f->name);
		text__printf(out, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->offset, f->size, f->is_signed);
	}
}

/* The end of the words in quotation marks that at begins with: the last mark. NULL: there are none. */
static const char *end_of_words(const char *at, const char *end)
{
	const char *last = NULL;

	for (;;) {
		while (at < end && isspace((unsigned char)*at))
			at++;
		if (at == end || *at != '"')
			return last;
		for (at++; at < end && *at != '"'; at++)
			at += *at == '\\';
		if (at >= end)
			return NULL;
		last = at++;
	}
}

static void put_words(struct text *out, const struct tp_added *added)
{
	static const char *const length[] = { [1] = "hh", [2] = "h", [4] = "", [8] = "ll" };

	for (unsigned int i = 0; i < added->nr; i++) {
		const struct tp_added_field *f = &added->field[i];

		text__printf(out, " %s=", f->name);
		if (f->is_address)
			text__str(out, "0x%llx");
		else if (!f->is_text)
			text__printf(out, "%%%s%c", length[f->size], f->is_signed ? 'd' : 'u');
		text__str(out, "%s");
	}
}

/* Where there is no value, "(no value)" is in place of a text, and behind a number. */
static void put_arguments(struct text *out, const struct tp_added *added)
{
	for (unsigned int i = 0; i < added->nr; i++) {
		const char *name = added->field[i].name;

		if (added->field[i].is_text)
			text__printf(out, ", REC->" TP_ADDED_MASK " & %u ? \"(no value)\" : REC->%s", 1U << i, name);
		else
			text__printf(out, ", REC->%s, REC->" TP_ADDED_MASK " & %u ? \" (no value)\" : \"\"", name, 1U << i);
	}
}

static int put_print(struct text *out, const char *print, const char *end, const struct tp_added *added)
{
	const char *words = end_of_words(print + strlen(print_begin), end);

	if (!words)
		return -EINVAL;
	while (end > words && isspace((unsigned char)end[-1]))
		end--;
	text__put(out, print, words - print);
	put_words(out, added);
	text__put(out, words, end - words);
	put_arguments(out, added);
	text__char(out, '\n');
	text__char(out, '\0');
	return 0;
}

char *tp_added__format(const char *format, size_t size, const struct tp_added *added, size_t *out_size)
{
	const char *print = memmem(format, size, print_begin, strlen(print_begin));
	struct text out = {};
	int ret = print ? put_lines(&out, format, print, added->size) : -EINVAL;

	if (!ret) {
		put_fields(&out, added);
		ret = put_print(&out, print, format + size, added);
	}
	if (!ret && !out.failed) {
		*out_size = out.len - 1;
		return out.buf;
	}
	text__exit(&out);
	errno = ret ? EINVAL : ENOMEM;
	return NULL;
}
