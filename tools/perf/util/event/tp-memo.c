// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-memo.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"

#define NR_SLOTS 4096
#define MAX_SIZE 1024 /* bytes of record and text together: longer ones seldom repeat */

struct slot { /* by the hash of the record; a new record replaces the old one */
	u32 hash, size, len;
	char *bytes; /* record, text and NUL; NULL: empty */
};

struct tp_memo {
	struct slot slot[NR_SLOTS];
};

struct tp_memo *tp_memo__new(void)
{
	return calloc(1, sizeof(struct tp_memo));
}

void tp_memo__empty(struct tp_memo *memo)
{
	for (size_t i = 0; i < NR_SLOTS; i++)
		free(memo->slot[i].bytes);
	memset(memo, 0, sizeof(*memo));
}

void tp_memo__delete(struct tp_memo *memo)
{
	if (memo)
		tp_memo__empty(memo);
	free(memo);
}

static u32 hash_of(const char *raw, u32 size)
{
	u64 hash = size, word;

	for (; size >= sizeof(word); size -= sizeof(word), raw += sizeof(word)) {
		memcpy(&word, raw, sizeof(word));
		hash = hash_mix(hash, word);
	}
	word = 0;
	if (size) /* raw may be NULL */
		memcpy(&word, raw, size);
	return hash_mix(hash, word);
}

const char *tp_memo__find(const struct tp_memo *memo, const void *raw, u32 size, size_t *len)
{
	u32 hash = hash_of(raw, size);
	const struct slot *slot = &memo->slot[hash % NR_SLOTS];

	if (!slot->bytes || slot->hash != hash || slot->size != size || memcmp(slot->bytes, raw, size))
		return NULL;
	*len = slot->len;
	return slot->bytes + size;
}

void tp_memo__put(struct tp_memo *memo, const void *raw, u32 size, const char *text, size_t len)
{
	u32 hash = hash_of(raw, size);
	struct slot *slot = &memo->slot[hash % NR_SLOTS];
	char *bytes = size + len < MAX_SIZE ? malloc(size + len + 1) : NULL;

	if (!bytes)
		return;
	memcpy(bytes, raw, size);
	memcpy(bytes + size, text, len);
	bytes[size + len] = '\0';
	free(slot->bytes);
	*slot = (struct slot){ hash, size, len, bytes };
}
