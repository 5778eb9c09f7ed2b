// SPDX-License-Identifier: GPL-2.0
#include "util/hist/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-chains.h"
#include "util/hist/late-names.h"
#include "util/hist/put-chains.h"

struct joining {
	struct hists *const *hists;
	u32 nr;
	u32 member;		/* whose entries are being walked */
	struct hist_entry *key; /* space for one */
};

/* Position of the member with this index, or where to insert it. */
static u32 find_place(const struct hist_members *others, u32 index)
{
	u32 low = 0, high = others ? others->nr : 0;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (others->at[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct hist_entry *hist_entry__member(const struct hist_entry *entry, u32 i)
{
	const struct hist_members *others = entry->others;
	u32 place;

	if (!i)
		return entry;
	place = find_place(others, i);
	return others && place < others->nr && others->at[place].index == i ? others->at[place].entry : entry->hists->group[i]->none;
}

u32 hist_entry__next_member(const struct hist_entry *entry, u32 i)
{
	u32 place = find_place(entry->others, i);

	return entry->others && place < entry->others->nr ? entry->others->at[place].index : 0;
}

struct hist_entry **hist_entry__member_place(struct hist_entry *entry, u32 i)
{
	struct hist_members *others = entry->others;
	u32 place = find_place(others, i), alloc = others ? others->alloc : 0;

	if (others && place < others->nr && others->at[place].index == i)
		return &others->at[place].entry;
	if (!others || others->nr == alloc) {
		others = realloc(others, sizeof(*others) + (2 * (size_t)alloc + 1) * sizeof(others->at[0]));
		if (!others)
			return NULL;
		others->nr = entry->others ? others->nr : 0;
		others->alloc = 2 * alloc + 1;
		entry->others = others;
	}
	memmove(&others->at[place + 1], &others->at[place], (others->nr - place) * sizeof(others->at[0]));
	others->at[place] = (struct hist_member){ i, NULL };
	others->nr++;
	return &others->at[place].entry;
}

static int join(const struct joining *j, struct hist_entry *entry)
{
	struct hists *leader = j->hists[0];
	struct hist_entry *found, **place;

	memcpy(j->key, entry, hist_entry__size(leader));
	j->key->hists = leader;
	j->key->made_by = j->member;
	hist_entry__clear_sums(j->key);
	found = hists__entry(leader, j->key);
	place = found ? hist_entry__member_place(found, j->member) : NULL;
	if (!place)
		return -ENOMEM;
	*place = entry;
	entry->became = found;
	return 0;
}

static int prepare(struct hists *hists, u32 member)
{
	hists->none = calloc(1, hist_entry__size(hists));
	if (!hists->none)
		return -ENOMEM;
	hists->none->hists = hists;
	hists->member = member;
	return 0;
}

/* Add the sampled entries of a member, then those of the callers in its chains. */
static int join_member(struct joining *j)
{
	struct hists *hists = j->hists[j->member];

	hists->settled = true;
	if (hists__name_late(hists))
		return -ENOMEM;
	entry_table__sort(&hists->all);
	for (u32 i = 0; i < hists->all.nr; i++) {
		if (join(j, hists->all.entry[i]))
			return -ENOMEM;
	}
	return hists__put_chains(hists, j->hists[0]);
}

int hists__group(struct hists *const *hists, u32 nr, u32 sort)
{
	struct joining j = { .hists = hists, .nr = nr, .key = malloc(hist_entry__size(hists[0])) };
	int ret = j.key ? 0 : -ENOMEM;

	hists[0]->group = calloc(nr, sizeof(struct hists *));
	if (!hists[0]->group)
		ret = -ENOMEM;
	for (u32 i = 0; i < nr && !ret; i++) {
		hists[0]->group[i] = hists[i];
		ret = prepare(hists[i], i);
	}
	hists[0]->nr_group = nr;
	hists[0]->group_sort = sort;
	ret = ret ?: hists__settle(hists[0]);
	for (j.member = 1; j.member < nr && !ret; j.member++)
		ret = join_member(&j);
	if (hists[0]->entry_chains)
		entry_chains__seal(hists[0]->entry_chains);
	free(j.key);
	return ret;
}
