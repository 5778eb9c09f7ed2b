/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that grows in memory, with the few number formats of long outputs: stdio's formatting takes most of the time for millions of
 * numbers. Starts zeroed; if memory runs out text is lost and `failed` is set.
 */
#ifndef PERF_LIB_TEXT_H
#define PERF_LIB_TEXT_H

#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "util/lib/types.h"

struct text {
	char *buf; /* len characters, without a NUL */
	size_t len, alloc;
	bool failed;
};

char *text__grow(struct text *t, size_t size); /* private to text__reserve() */
/* Reserve size characters; the caller then adds to len. NULL: no memory. */
static inline char *text__reserve(struct text *t, size_t size)
{
	return t->buf && size <= t->alloc - t->len ? t->buf + t->len : text__grow(t, size);
}
void text__exit(struct text *t);

static inline void text__put(struct text *t, const char *s, size_t len)
{
	char *to = text__reserve(t, len);

	if (!to)
		return;
	memcpy(to, s, len);
	t->len += len;
}

static inline void text__str(struct text *t, const char *s)
{
	text__put(t, s, strlen(s));
}

static inline void text__char(struct text *t, char c)
{
	text__put(t, &c, 1);
}

/* As %*s, %*llu, %*lld and %*llx; pad is ' ' or '0' (the precision of a number). */
void text__str_right(struct text *t, const char *s, u32 width);
void text__unsigned(struct text *t, u64 n, u32 width, char pad);
void text__signed(struct text *t, s64 n, u32 width);
void text__hex(struct text *t, u64 n, u32 width);
/* As %0*llu for a number of at most nr digits. */
void text__digits(struct text *t, u64 n, u32 nr);

#define EIGHT_DIGITS 100000000 /* numbers below have at most that many */

/* The 8 decimal digits of n, less than EIGHT_DIGITS, as numbers, the first one in the lowest byte: halves are split, then pairs, then digits. */
static inline u64 decimal__digits(u32 n)
{
	u64 v = n / 10000 | (u64)(n % 10000) << 32, upper;

	upper = v * 10486 >> 20 & 0x0000007f0000007f;
	v = upper | (v - upper * 100) << 16;
	upper = v * 103 >> 10 & 0x000f000f000f000f;
	return upper | (v - upper * 10) << 8;
}

/* Write n, less than EIGHT_DIGITS, as %*u into 8 columns or more, up to 16. */
static inline void decimal__put_right(char *to, u32 n, u32 width)
{
	u64 digits = decimal__digits(n), first = (1ULL << (digits ? __builtin_ctzll(digits) & ~7 : 56)) - 1;

	memset(to, ' ', 8);
	digits = htole64(((digits + 0x3030303030303030) & ~first) | (0x2020202020202020 & first));
	memcpy(to + width - 8, &digits, 8);
}

/* Write the last nr digits of n, less than EIGHT_DIGITS, into memory with room for 8. */
static inline void decimal__put(char *to, u32 n, u32 nr)
{
	u64 digits = htole64((decimal__digits(n) + 0x3030303030303030) >> 8 * (8 - nr));

	memcpy(to, &digits, 8);
}

static inline u32 hex__nr_digits(u64 n)
{
	return n ? (64 - __builtin_clzll(n) + 3) / 4 : 1;
}

/* Write n in hex to memory with room for 16 characters; returns the end of its digits. */
char *hex__put(char *to, u64 n);
/* The same in all 16 characters, with blanks before the digits. */
void hex__put_right(char *to, u64 n);

void text__printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Like snprintf() with "%s", and with "%*.2f%%": width is that of the whole. */
int text__copy(char *buf, size_t size, const char *s);
int text__format_percent(char *buf, size_t size, double percent, int width);
const char *text__format_time(char *buf, size_t size, u64 ns); /* in seconds, to the microsecond; returns buf */

/*
 * End a stream of open_memstream(3): 0, or -ENOMEM with *stream_text freed and NULL. Do not use only fclose(): if glibc has no
 * memory for the text's final size, only the missing text shows it.
 */
int text__close_stream(FILE *stream, char **stream_text);

#endif
