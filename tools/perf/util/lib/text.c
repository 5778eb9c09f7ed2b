// SPDX-License-Identifier: GPL-2.0
#include "util/lib/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_DIGITS 20 /* of a u64 */

char *text__grow(struct text *t, size_t size)
{
	size_t alloc = t->alloc ?: 1024;
	char *buf;

	while (alloc - t->len < size)
		alloc *= 2;
	buf = realloc(t->buf, alloc);
	if (!buf) {
		t->failed = true;
		return NULL;
	}
	t->buf = buf;
	t->alloc = alloc;
	return buf + t->len;
}

void text__exit(struct text *t)
{
	free(t->buf);
	*t = (struct text){};
}

/* s at the right end of width columns */
static void put_right(struct text *t, const char *s, size_t len, u32 width, char pad)
{
	size_t before = len < width ? width - len : 0;
	char *to = text__reserve(t, before + len);

	if (!to)
		return;
	memset(to, pad, before);
	memcpy(to + before, s, len);
	t->len += before + len;
}

void text__str_right(struct text *t, const char *s, u32 width)
{
	put_right(t, s, strlen(s), width, ' ');
}

/* Digits of n before end; returns the first one. */
static char *put_digits(char *end, u64 n)
{
	do {
		*--end = '0' + n % 10;
		n /= 10;
	} while (n);
	return end;
}

void text__unsigned(struct text *t, u64 n, u32 width, char pad)
{
	char digits[MAX_DIGITS], *end = digits + sizeof(digits), *first = put_digits(end, n);

	put_right(t, first, end - first, width, pad);
}

void text__signed(struct text *t, s64 n, u32 width)
{
	char digits[MAX_DIGITS + 1], *end = digits + sizeof(digits), *first = put_digits(end, n < 0 ? -(u64)n : (u64)n);

	if (n < 0)
		*--first = '-';
	put_right(t, first, end - first, width, ' ');
}

void text__hex(struct text *t, u64 n, u32 width)
{
	char digits[16], *end = digits + sizeof(digits), *first = end;

	do {
		*--first = "0123456789abcdef"[n & 15];
		n >>= 4;
	} while (n);
	put_right(t, first, end - first, width, ' ');
}

void text__printf(struct text *t, const char *fmt, ...)
{
	size_t size = 128;

	for (;;) {
		char *to = text__reserve(t, size);
		va_list ap;
		int len;

		if (!to)
			return;
		va_start(ap, fmt);
		len = vsnprintf(to, size, fmt, ap);
		va_end(ap);
		if (len < 0) {
			t->failed = true;
			return;
		}
		if ((size_t)len < size) {
			t->len += len;
			return;
		}
		size = (size_t)len + 1;
	}
}
