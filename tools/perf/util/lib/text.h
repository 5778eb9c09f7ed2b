/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that grows in memory, with the few number formats of long outputs: stdio's formatting takes most of the time for millions of
 * numbers. Starts zeroed; if memory runs out text is lost and `failed` is set.
 */
#ifndef PERF_LIB_TEXT_H
#define PERF_LIB_TEXT_H

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

/*
 * End a stream of open_memstream(3): 0, or -ENOMEM with *stream_text freed and NULL. Do not use only fclose(): if glibc has no
 * memory for the text's final size, only the missing text shows it.
 */
int text__close_stream(FILE *stream, char **stream_text);

#endif
