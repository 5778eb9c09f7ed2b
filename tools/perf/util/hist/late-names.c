// SPDX-License-Identifier: GPL-2.0
#include "util/hist/late-names.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "util/hist/entry-cmp.h"

struct unnamed {
	struct hist_entry **entry;
	size_t nr, alloc;
	bool failed;
};

static bool is_named_late(const struct hist_entry *entry)
{
	const char *name = entry->thread->first_comm;

	return entry->unnamed && name && entry->comm != name;
}

static void collect(const void *node, VISIT visit, void *data)
{
	struct unnamed *found = data;

	if ((visit != postorder && visit != leaf) || !is_named_late(*(struct hist_entry *const *)node))
		return;
	if (found->nr == found->alloc) {
		size_t alloc = found->alloc ? 2 * found->alloc : 64;
		struct hist_entry **more = reallocarray(found->entry, alloc, sizeof(*more));

		if (!more) {
			found->failed = true;
			return;
		}
		found->entry = more;
		found->alloc = alloc;
	}
	found->entry[found->nr++] = *(struct hist_entry *const *)node;
}

static int rename_entry(struct hists *hists, struct hist_entry *entry)
{
	struct hist_entry **slot;

	tdelete(entry, &hists->tree, hist_entry__cmp_keys);
	entry->comm = entry->thread->first_comm;
	slot = tsearch(entry, &hists->tree, hist_entry__cmp_keys);
	if (slot && *slot == entry)
		return 0;
	entry->became = slot ? *slot : NULL;
	entry->next_kept = hists->kept;
	hists->kept = entry;
	if (!slot)
		return -ENOMEM;
	hist_entry__merge(entry->became, entry);
	return 0;
}

int hists__name_late(struct hists *hists)
{
	struct unnamed found = {};
	int ret;

	if (!hists->any_unnamed)
		return 0;
	twalk_r(hists->tree, collect, &found);
	ret = found.failed ? -ENOMEM : 0;
	for (size_t i = 0; i < found.nr && !ret; i++)
		ret = rename_entry(hists, found.entry[i]);
	free(found.entry);
	return ret;
}
