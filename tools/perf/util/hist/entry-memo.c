// SPDX-License-Identifier: GPL-2.0
#include "util/hist/entry-memo.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"

#define MEMO_SLOTS 16384

struct slot {
	struct hist_entry *entry; /* NULL: empty */
	const struct hists *hists; /* the hists of entry */
	u64 words[HIST_KEY_WORDS];
};

struct entry_memo {
	struct slot slot[MEMO_SLOTS]; /* by a hash; a new entry replaces the old one */
};

struct entry_memo *entry_memo__new(void)
{
	return calloc(1, sizeof(struct entry_memo));
}

void entry_memo__delete(struct entry_memo *memo)
{
	free(memo);
}

struct hist_entry **entry_memo__place(struct entry_memo *memo, const struct hist_entry *key)
{
	u64 words[HIST_KEY_WORDS], hash = (uintptr_t)key->hists;
	int nr = hist_entry__key_words(key, words);
	struct slot *slot;

	if (nr < 0)
		return NULL;
	for (int i = 0; i < nr; i++)
		hash = hash_mix(hash, words[i]);
	slot = &memo->slot[hash % MEMO_SLOTS];
	if (!slot->entry || slot->hists != key->hists || memcmp(slot->words, words, nr * sizeof(u64))) {
		slot->entry = NULL;
		slot->hists = key->hists;
		memcpy(slot->words, words, nr * sizeof(u64));
	}
	return &slot->entry;
}
