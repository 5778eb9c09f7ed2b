// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/printable.h"
#include "util/perfdata/section.h"
#include "util/perfdata/swap.h"

#define STRING_ALIGN 64 /* strings are padded to this, including their NUL */

int section__bytes(struct section *s, void *dst, size_t size)
{
	if (size > s->left)
		return -EINVAL;
	memcpy(dst, s->p, size);
	s->p += size;
	s->left -= size;
	return 0;
}

int section__u32(struct section *s, u32 *value)
{
	int err = section__bytes(s, value, sizeof(*value));

	if (!err && s->swap)
		swap_u32(value);
	return err;
}

int section__u64s(struct section *s, u64 *value, u64 nr)
{
	int err = nr > s->left / sizeof(*value) ? -EINVAL : section__bytes(s, value, nr * sizeof(*value));

	for (u64 i = 0; !err && s->swap && i < nr; i++)
		swap_u64(&value[i]);
	return err;
}

int section__u64(struct section *s, u64 *value)
{
	return section__u64s(s, value, 1);
}

int section__text(struct section *s, u64 size, char **text)
{
	if (size > s->left)
		return -EINVAL;
	*text = malloc(size + 1);
	if (!*text)
		return -ENOMEM;
	(*text)[size] = '\0';
	return section__bytes(s, *text, size);
}

int section__string(struct section *s, char **string)
{
	u32 size;
	int err = section__u32(s, &size);

	if (err)
		return err;
	if (size > s->left || !memchr(s->p, '\0', size))
		return -EINVAL;
	*string = strdup((const char *)s->p);
	s->p += size;
	s->left -= size;
	if (!*string)
		return -ENOMEM;
	printable__clean(*string);
	return 0;
}

int section__cstring(struct section *s, char **string)
{
	size_t len = strnlen((const char *)s->p, s->left);

	if (len == s->left)
		return -EINVAL;
	return section__text(s, len + 1, string);
}

int section__array(struct section *s, u64 nr, size_t least, size_t member_size, void *array)
{
	void *p;

	if (nr > s->left / least)
		return -EINVAL;
	p = calloc(nr ?: 1, member_size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof(p));
	return 0;
}

void put_u32(FILE *out, u32 value)
{
	fwrite(&value, sizeof(value), 1, out);
}

void put_u64(FILE *out, u64 value)
{
	fwrite(&value, sizeof(value), 1, out);
}

void put_string(FILE *out, const char *string)
{
	static const char padding[STRING_ALIGN];
	size_t size, padded;

	string = string ?: "";
	size = strlen(string) + 1;
	padded = ALIGN_UP(size, STRING_ALIGN);
	put_u32(out, padded);
	fwrite(string, size, 1, out);
	fwrite(padding, padded - size, 1, out);
}
