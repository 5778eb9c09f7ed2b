// SPDX-License-Identifier: GPL-2.0
#include "util/lib/tar.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_NAME "././@LongLink"
#define MAX_OCTAL (1ULL << 33) /* eleven digits */

struct block {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[8], user[32], group[32], rest[183];
};
_Static_assert(sizeof(struct block) == TAR_BLOCK, "a block of tar");

/* The checksum's own bytes count as blanks. */
static unsigned int checksum(const struct block *block)
{
	const unsigned char *bytes = (const void *)block;
	unsigned int sum = 0;

	for (size_t i = 0; i < sizeof(*block); i++)
		sum += i - offsetof(struct block, checksum) < sizeof(block->checksum) ? ' ' : bytes[i];
	return sum;
}

static void put_octal(char *field, size_t size, u64 value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%0*llo", (int)size - 1, (unsigned long long)value);
	memcpy(field, digits, size);
}

static void put_size(struct block *block, u64 size)
{
	if (size < MAX_OCTAL) {
		put_octal(block->size, sizeof(block->size), size);
		return;
	}
	block->size[0] = (char)0x80;
	for (int i = sizeof(block->size) - 1; i > 3; i--, size >>= 8)
		block->size[i] = (char)size;
}

/* A name of the field's full length has no NUL. */
static void put_name(char field[100], const char *name)
{
	memcpy(field, name, strnlen(name, 100));
}

static void put_block(struct block *block, const char *name, char type, u64 size, unsigned int mode, u64 mtime)
{
	memset(block, 0, sizeof(*block));
	put_name(block->name, name);
	put_octal(block->mode, sizeof(block->mode), mode);
	put_octal(block->uid, sizeof(block->uid), 0);
	put_octal(block->gid, sizeof(block->gid), 0);
	put_size(block, size);
	put_octal(block->mtime, sizeof(block->mtime), mtime);
	block->type = type;
	memcpy(block->magic, "ustar  ", sizeof(block->magic)); /* GNU's: other ones have no long names */
}

static void seal(struct block *block)
{
	put_octal(block->checksum, 7, checksum(block));
	block->checksum[7] = ' ';
}

/* How much a name takes before the member. */
static u64 long_size(const char *name)
{
	return strlen(name) > 100 ? TAR_BLOCK + tar__padded(strlen(name) + 1) : 0;
}

/* Returns what is behind it. */
static char *put_long(char *at, const char *name, char type)
{
	if (!long_size(name))
		return at;
	put_block((struct block *)at, LONG_NAME, type, strlen(name) + 1, 0, 0);
	seal((struct block *)at);
	strcpy(at + TAR_BLOCK, name);
	return at + long_size(name);
}

char *tar__encode(const struct tar_member *member, const char *target, unsigned int mode, u64 mtime, u64 *nr_bytes)
{
	const char *link = target ?: "";
	char *blocks, *at;

	*nr_bytes = long_size(member->name) + long_size(link) + TAR_BLOCK;
	blocks = calloc(1, *nr_bytes);
	if (!blocks)
		return NULL;
	at = put_long(put_long(blocks, link, 'K'), member->name, 'L');
	put_block((struct block *)at, member->name, member->type, member->size, mode, mtime);
	put_name(((struct block *)at)->link, link);
	seal((struct block *)at);
	return blocks;
}

bool tar__is_header(const void *header)
{
	const struct block *block = header;
	char digits[9] = "";

	memcpy(digits, block->checksum, sizeof(block->checksum));
	return !memcmp(block->magic, "ustar", 5) && strtoul(digits, NULL, 8) == checksum(block);
}

char tar__decode(const void *header, char *name, u64 *size)
{
	const struct block *block = header;
	char digits[13] = "";

	snprintf(name, sizeof(block->name) + 1, "%.*s", (int)sizeof(block->name), block->name);
	memcpy(digits, block->size, sizeof(block->size));
	*size = strtoull(digits, NULL, 8);
	if (!(block->size[0] & 0x80))
		return block->type;
	*size = 0;
	for (size_t i = 4; i < sizeof(block->size); i++)
		*size = *size << 8 | (unsigned char)block->size[i];
	return block->type;
}

static bool read_at(int fd, u64 offset, void *to, size_t size)
{
	return pread(fd, to, size, offset) == (ssize_t)size;
}

/* 1 with a block; 0: the end. */
static int read_header(int fd, u64 size, u64 pos, struct block *block)
{
	static const struct block empty;

	if (pos > size || size - pos < sizeof(*block) || !read_at(fd, pos, block, sizeof(*block)))
		return -EINVAL;
	if (!memcmp(block, &empty, sizeof(empty)))
		return 0;
	return tar__is_header(block) ? 1 : -EINVAL;
}

int tar__next(int fd, u64 size, u64 *pos, struct tar_member *member)
{
	char long_name[PATH_MAX] = "", name[101];
	struct block block;
	int ret;

	while ((ret = read_header(fd, size, *pos, &block)) > 0) {
		member->type = tar__decode(&block, name, &member->size);
		member->offset = *pos + sizeof(block);
		if (member->size > size - member->offset || tar__padded(member->size) > size - member->offset)
			return -EINVAL;
		*pos = member->offset + tar__padded(member->size);
		if (member->type == 'L' && (!member->size || member->size > sizeof(long_name) ||
					    !read_at(fd, member->offset, long_name, member->size) || long_name[member->size - 1]))
			return -EINVAL;
		if (member->type == 'L' || member->type == 'K')
			continue;
		strcpy(member->name, long_name[0] ? long_name : name);
		return 1;
	}
	return ret;
}
