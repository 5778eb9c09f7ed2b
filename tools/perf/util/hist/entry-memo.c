// SPDX-License-Identifier: GPL-2.0
#include "util/hist/entry-memo.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

/* Then it begins anew: a file of short records must not take many times its size. */
#define MAX_SLOTS (1 << 16)
#define MAX_WORDS (1 << 18)

struct slot {
	struct hist_entry *entry; /* NULL: not yet known */
	const struct hists *hists; /* the hists of entry */
	size_t words; /* index of the first word; how many there are, hists tells */
};

struct entry_memo {
	struct hash_index index; /* of slot */
	struct slot *slot;
	u64 *word;
	u32 nr, alloc;
	size_t nr_words, alloc_words;
};

struct entry_memo *entry_memo__new(void)
{
	return calloc(1, sizeof(struct entry_memo));
}

static void empty(struct entry_memo *memo)
{
	hash_index__empty(&memo->index);
	memo->nr = 0;
	memo->nr_words = 0;
}

void entry_memo__delete(struct entry_memo *memo)
{
	if (!memo)
		return;
	hash_index__exit(&memo->index);
	pages__delete(memo->slot, memo->alloc * sizeof(*memo->slot));
	pages__delete(memo->word, memo->alloc_words * sizeof(*memo->word));
	free(memo);
}

static bool reserve(struct entry_memo *memo, size_t nr_words)
{
	if (memo->nr == MAX_SLOTS || memo->nr_words + nr_words > MAX_WORDS)
		empty(memo);
	if (memo->nr == memo->alloc) {
		u32 alloc = memo->alloc ? 2 * memo->alloc : 512;
		struct slot *more = pages__grow(memo->slot, memo->alloc * sizeof(*more), alloc * sizeof(*more));

		if (!more)
			return false;
		memo->slot = more;
		memo->alloc = alloc;
	}
	if (memo->nr_words + nr_words > memo->alloc_words) {
		size_t alloc = memo->alloc_words ? 2 * memo->alloc_words : 2048;
		u64 *more = pages__grow(memo->word, memo->alloc_words * sizeof(*more), alloc * sizeof(*more));

		if (!more)
			return false;
		memo->word = more;
		memo->alloc_words = alloc;
	}
	return true;
}

static struct slot *add(struct entry_memo *memo, const struct hists *hists, u32 hash, const u64 *words, size_t nr)
{
	struct slot *slot;

	if (!reserve(memo, nr) || hash_index__add(&memo->index, hash, memo->nr))
		return NULL;
	slot = &memo->slot[memo->nr++];
	*slot = (struct slot){ .hists = hists, .words = memo->nr_words };
	memcpy(memo->word + memo->nr_words, words, nr * sizeof(*words));
	memo->nr_words += nr;
	return slot;
}

struct hist_entry **entry_memo__place(struct entry_memo *memo, const struct hist_entry *key)
{
	u64 words[HIST_KEY_WORDS], hash = (uintptr_t)key->hists;
	int nr = hist_entry__key_words(key, words);
	const struct hash_slot *found;
	struct slot *slot;
	u32 i;

	if (nr < 0)
		return NULL;
	for (int w = 0; w < nr; w++)
		hash = hash_mix(hash, words[w]);
	i = hash;
	while ((found = hash_index__next(&memo->index, hash, &i))) {
		slot = &memo->slot[found->place - 1];
		if (slot->hists == key->hists && !memcmp(memo->word + slot->words, words, nr * sizeof(*words)))
			return &slot->entry;
	}
	slot = add(memo, key->hists, hash, words, nr);
	return slot ? &slot->entry : NULL;
}
