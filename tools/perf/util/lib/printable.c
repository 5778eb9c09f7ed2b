// SPDX-License-Identifier: GPL-2.0
#include "util/lib/printable.h"

#include <stdlib.h>
#include <string.h>

size_t utf8_length(const u8 *s, const u8 *end)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	u32 c = s[0] & (0xff >> (len + 1));

	if (len > (size_t)(end - s) || (s[0] >= 0x80 && s[0] < 0xc2))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((len == 3 && c < 0x800) || (c >= 0xd800 && c < 0xe000) || (len == 4 && c < 0x10000) || c > 0x10ffff)
		return 0;
	return len;
}

static bool is_control(const u8 *s)
{
	return *s < ' ' || *s == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

#define EACH_BYTE(b) (0x0101010101010101ULL * (b))

/* False positives only cost time. */
static bool is_plain(const u8 *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return !((word | (word - EACH_BYTE(' ')) | (word + EACH_BYTE(1))) & EACH_BYTE(0x80));
}

/* A fast path for nearly all texts, of which there are many: ASCII without controls, eight bytes at a time, the last ones overlapping. */
static const u8 *skip_plain(const u8 *at, const u8 *end)
{
	const u8 *start = at;

	for (; end - at >= (ptrdiff_t)sizeof(u64); at += sizeof(u64)) {
		if (!is_plain(at))
			return at;
	}
	return end - start >= (ptrdiff_t)sizeof(u64) && is_plain(end - sizeof(u64)) ? end : at;
}

/* The first byte that is not text; end: all are. keep: a control character that is text here; NUL: none */
static const u8 *skip_text(const u8 *at, const u8 *end, u8 keep)
{
	at = skip_plain(at, end);
	while (at < end) {
		size_t size = utf8_length(at, end);

		if (!size || (is_control(at) && (!keep || *at != keep)))
			break;
		at += size;
	}
	return at;
}

static bool clean(char *text, size_t len, u8 keep)
{
	const u8 *start = (const u8 *)text, *end = start + len, *at;
	bool found = false;

	for (at = skip_text(start, end, keep); at < end; at = skip_text(at + 1, end, keep)) {
		text[at - start] = '?';
		found = true;
	}
	return found;
}

bool printable__clean_bytes(char *text, size_t len)
{
	return clean(text, len, '\0');
}

bool printable__clean_line(char *text, size_t len)
{
	return clean(text, len, '\t');
}

char *printable__clean(char *text)
{
	printable__clean_bytes(text, strlen(text));
	return text;
}

bool printable__is_clean(const char *text)
{
	const u8 *end = (const u8 *)text + strlen(text);

	return skip_text((const u8 *)text, end, '\0') == end;
}

char *utf8__clean(char *text)
{
	u8 *at = (u8 *)text, *end = at + strlen(text);

	while (at < end) {
		size_t size = utf8_length(at, end);

		if (!size)
			*at = '?';
		at += size ?: 1;
	}
	return text;
}

bool utf8__is_valid(const char *text)
{
	const u8 *at = (const u8 *)text, *end = at + strlen(text);
	size_t size;

	for (; at < end; at += size) {
		size = utf8_length(at, end);
		if (!size)
			return false;
	}
	return true;
}

void printable__fputs(const char *text, FILE *fp)
{
	char *copy = strdup(text);

	fputs(copy ? printable__clean(copy) : "[out of memory]", fp);
	free(copy);
}
