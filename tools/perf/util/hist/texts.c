// SPDX-License-Identifier: GPL-2.0
/* The interned texts of a hists. */
#include <stdlib.h>
#include <string.h>

#include "util/hist/hist-state.h"
#include "util/lib/hash-index.h"
#include "util/lib/hash.h"

struct hist_text {
	UT_hash_handle hh;
	char text[];
};

const char *hists__intern(struct hists *hists, const char *text)
{
	size_t len = strlen(text);
	u32 hash = hash_text(text);
	struct hist_text *found;

	HASH_FIND_BYHASHVALUE(hh, hists->texts, text, len, hash, found);
	if (found)
		return found->text;
	found = calloc(1, sizeof(*found) + len + 1);
	if (!found)
		return NULL;
	memcpy(found->text, text, len);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, hists->texts, found->text, len, hash, found);
	if (hash_added(found))
		return found->text;
	free(found);
	return NULL;
}

void hists__free_texts(struct hists *hists)
{
	struct hist_text *text, *next;

	HASH_ITER(hh, hists->texts, text, next) {
		HASH_DEL(hists->texts, text);
		free(text);
	}
}
