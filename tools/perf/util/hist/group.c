// SPDX-License-Identifier: GPL-2.0
#include "util/hist/group.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct joining {
	struct hists *const *hists;
	u32 nr;
	u32 member;		/* whose entries are walked through */
	struct hist_entry *key; /* room for one */
	bool failed;
};

/* At first no other member has an entry with these keys. */
static int make_room(const struct joining *j, struct hist_entry *entry)
{
	if (entry->member)
		return 0;
	entry->member = calloc(j->nr, sizeof(*entry->member));
	if (!entry->member)
		return -ENOMEM;
	entry->member[0] = entry;
	for (u32 i = 1; i < j->nr; i++)
		entry->member[i] = j->hists[i]->none;
	return 0;
}

static int join(const struct joining *j, struct hist_entry *entry)
{
	struct hists *leader = j->hists[0];
	struct hist_entry *found = entry;

	if (j->member) {
		memcpy(j->key, entry, hist_entry__size(leader));
		j->key->hists = leader;
		hist_entry__clear_sums(j->key);
		found = hists__entry(leader, j->key);
	}
	if (!found || make_room(j, found))
		return -ENOMEM;
	found->member[j->member] = entry;
	return 0;
}

static void join_node(const void *node, VISIT visit, void *data)
{
	struct joining *j = data;

	if ((visit == postorder || visit == leaf) && !j->failed)
		j->failed = join(j, *(struct hist_entry *const *)node);
}

static int prepare(struct hists *hists)
{
	hists->none = calloc(1, hist_entry__size(hists));
	if (!hists->none)
		return -ENOMEM;
	hists->none->hists = hists;
	return hists__settle(hists);
}

int hists__group(struct hists *const *hists, u32 nr, u32 sort)
{
	struct joining j = { .hists = hists, .nr = nr, .key = malloc(hist_entry__size(hists[0])) };
	int ret = j.key ? 0 : -ENOMEM;

	for (u32 i = 0; i < nr && !ret; i++)
		ret = prepare(hists[i]);
	for (; j.member < nr && !ret; j.member++) {
		twalk_r(hists[j.member]->tree, join_node, &j);
		ret = j.failed ? -ENOMEM : 0;
	}
	free(j.key);
	hists[0]->nr_group = nr;
	hists[0]->group_sort = sort;
	return ret;
}
