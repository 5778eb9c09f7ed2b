// SPDX-License-Identifier: GPL-2.0
#include "util/lib/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define USUAL_WIDTH 16

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

/* s, aligned to the right of width columns */
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

static u32 nr_digits(u64 n)
{
	u32 nr = 1;

	for (; n >= 10000; n /= 10000)
		nr += 4;
	return nr + (n >= 10) + (n >= 100) + (n >= 1000);
}

static const char two_digits[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
				 "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Write the nr digits of n before end. Divisions take most of the time: two digits each. */
static void put_digits(char *end, u64 n, u32 nr)
{
	for (; nr > 1; nr -= 2, n /= 100)
		memcpy(end -= 2, two_digits + 2 * (n % 100), 2);
	if (nr)
		*--end = '0' + n;
}

void text__digits(struct text *t, u64 n, u32 nr)
{
	char *to = text__reserve(t, nr < USUAL_WIDTH ? USUAL_WIDTH : nr);

	if (!to)
		return;
	if (nr <= 8)
		decimal__put(to, n, nr);
	else
		put_digits(to + nr, n, nr);
	t->len += nr;
}

static void put_number(struct text *t, u64 n, bool minus, u32 width, char pad)
{
	u32 nr = nr_digits(n), size = nr + minus < width ? width : nr + minus;
	char *to = text__reserve(t, size < USUAL_WIDTH ? USUAL_WIDTH : size);

	if (!to)
		return;
	if (size <= USUAL_WIDTH)
		memset(to, pad, USUAL_WIDTH); /* the excess is overwritten later; a constant size needs no call */
	else
		memset(to, pad, size);
	put_digits(to + size, n, nr);
	if (minus)
		to[size - nr - 1] = '-';
	t->len += size;
}

void text__unsigned(struct text *t, u64 n, u32 width, char pad)
{
	put_number(t, n, false, width, pad);
}

void text__signed(struct text *t, s64 n, u32 width)
{
	put_number(t, n < 0 ? -(u64)n : (u64)n, n < 0, width, ' ');
}

/* The 8 digits of n, the first one in the lowest byte: a nibble in each byte, and 'a' - '9' - 1 more for those above 9. */
static u64 hex_digits(u32 n)
{
	u64 v = __builtin_bswap32(n), letters;

	v = (v | v << 16) & 0x0000ffff0000ffff;
	v = (v | v << 8) & 0x00ff00ff00ff00ff;
	v = (v >> 4 | v << 8) & 0x0f0f0f0f0f0f0f0f;
	letters = (v + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return v + 0x3030303030303030 + letters * ('a' - '9' - 1);
}

static void put_8(char *to, u64 digits)
{
	digits = htole64(digits);
	memcpy(to, &digits, sizeof(digits));
}

char *hex__put(char *to, u64 n)
{
	u32 nr = hex__nr_digits(n);

	if (nr > 8) {
		put_8(to, hex_digits(n >> 32) >> 8 * (16 - nr));
		put_8(to + nr - 8, hex_digits(n));
	} else {
		put_8(to, hex_digits(n) >> 8 * (8 - nr));
	}
	return to + nr;
}

#define BLANKS 0x2020202020202020

/* nr: less than 8 of the first digits become blanks. */
static u64 blank(u64 digits, u32 nr)
{
	u64 first = (1ULL << 8 * nr) - 1;

	return (digits & ~first) | (BLANKS & first);
}

void hex__put_right(char *to, u64 n)
{
	u32 nr = hex__nr_digits(n);

	if (nr > 8) {
		put_8(to, blank(hex_digits(n >> 32), 16 - nr));
		put_8(to + 8, hex_digits(n));
	} else {
		put_8(to, BLANKS);
		put_8(to + 8, blank(hex_digits(n), 8 - nr));
	}
}

void text__hex(struct text *t, u64 n, u32 width)
{
	u32 nr = hex__nr_digits(n), size = nr < width ? width : nr;
	char *to = text__reserve(t, size + USUAL_WIDTH); /* the excess is overwritten later */

	if (!to)
		return;
	if (size <= USUAL_WIDTH)
		memset(to, ' ', USUAL_WIDTH);
	else
		memset(to, ' ', size);
	hex__put(to + size - nr, n);
	t->len += size;
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

int text__copy(char *buf, size_t size, const char *s)
{
	size_t len = strlen(s), fits = len < size ? len : size - 1;

	memcpy(buf, s, fits);
	buf[fits] = '\0';
	return len;
}

/*
 * Numbers whose third digit is near 5, where rounding needs all digits, are left to snprintf(), and so are those that are no percentages.
 */
int text__format_percent(char *buf, size_t size, double percent, int width)
{
	double scaled = percent * 100, rest;
	u32 hundredths, nr, len;

	if (!(scaled >= 0 && scaled < 1000000) || size < 32 || width > 31)
		return snprintf(buf, size, "%*.2f%%", width ? width - 1 : 0, percent);
	hundredths = scaled;
	rest = scaled - hundredths;
	if (rest > 0.4999 && rest < 0.5001)
		return snprintf(buf, size, "%*.2f%%", width ? width - 1 : 0, percent);
	hundredths += rest > 0.5;
	nr = nr_digits(hundredths / 100);
	len = nr + 4 < (u32)width ? (u32)width : nr + 4;
	memset(buf, ' ', 32);
	put_digits(buf + len - 4, hundredths / 100, nr);
	buf[len - 4] = '.';
	put_digits(buf + len - 1, hundredths % 100, 2);
	buf[len - 1] = '%';
	buf[len] = '\0';
	return len;
}

const char *text__format_time(char *buf, size_t size, u64 ns)
{
	snprintf(buf, size, "%llu.%06llu", (unsigned long long)ns / 1000000000, (unsigned long long)ns / 1000 % 1000000);
	return buf;
}

int text__close_stream(FILE *stream, char **stream_text)
{
	bool failed = ferror(stream);

	if (!fclose(stream) && !failed && *stream_text)
		return 0;
	free(*stream_text);
	*stream_text = NULL;
	return -ENOMEM;
}
