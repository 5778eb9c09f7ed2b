/* SPDX-License-Identifier: GPL-2.0 */
/* Reads numbers from untrusted little-endian bytes. Reading beyond the end gives 0 and sets bad. */
#ifndef PERF_UNWIND_BYTES_H
#define PERF_UNWIND_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include "util/lib/types.h"

struct bytes {
	const u8 *at, *end;
	bool bad;
};

static inline size_t bytes__left(const struct bytes *b)
{
	return b->end - b->at;
}

/* The next size (1 to 8) bytes */
static inline u64 bytes__number(struct bytes *b, size_t size)
{
	u64 value = 0;

	if (bytes__left(b) < size) {
		b->bad = true;
		b->at = b->end;
		return 0;
	}
	memcpy(&value, b->at, size);
	b->at += size;
	return le64toh(value);
}

static inline u8 bytes__u8(struct bytes *b)
{
	if (b->at < b->end)
		return *b->at++;
	b->bad = true;
	return 0;
}

static inline s64 bytes__signed(struct bytes *b, size_t size)
{
	int shift = 64 - 8 * size;

	return (s64)(bytes__number(b, size) << shift) >> shift;
}

/* LEB128 (DWARF 5, section 7.6). Numbers of more than 64 bits lose the upper ones. */
static inline u64 bytes__leb(struct bytes *b, bool is_signed)
{
	unsigned int shift = 0;
	u64 value = 0;
	u8 byte;

	do {
		byte = bytes__u8(b);
		if (shift < 64)
			value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~0ULL << shift;
	return value;
}

static inline u64 bytes__uleb(struct bytes *b)
{
	return bytes__leb(b, false);
}

static inline s64 bytes__sleb(struct bytes *b)
{
	return bytes__leb(b, true);
}

/* Take the next size bytes as a block of their own. */
static inline struct bytes bytes__block(struct bytes *b, u64 size)
{
	struct bytes block = { b->at, b->at, false };

	if (bytes__left(b) < size) {
		b->bad = block.bad = true;
		size = bytes__left(b);
	}
	b->at += size;
	block.end = b->at;
	return block;
}

#endif
