// SPDX-License-Identifier: GPL-2.0
#include "util/hist/late-names.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hist/entry-cmp.h"

static bool is_named_late(const struct hist_entry *entry)
{
	const char *name = entry->thread->first_comm;

	return entry->unnamed && name && entry->comm != name;
}

/* Add the entry under its late name, or to the entry that has this name already. */
static int rename_entry(struct hists *hists, struct hist_entry *entry)
{
	entry->comm = entry->thread->first_comm;
	entry->became = entry_table__find(&hists->all, entry);
	if (!entry->became && !entry_table__add(&hists->all, entry))
		return 0;
	hists__keep(hists, entry);
	if (!entry->became)
		return -ENOMEM;
	hist_entry__merge(entry->became, entry);
	return 0;
}

static int add_or_keep(struct hists *hists, struct hist_entry *entry)
{
	if (!entry_table__add(&hists->all, entry))
		return 0;
	hists__keep(hists, entry);
	return -ENOMEM;
}

int hists__name_late(struct hists *hists)
{
	struct hist_entry **all;
	int ret = 0;
	u32 nr;

	if (!hists->any_unnamed)
		return 0;
	entry_table__sort(&hists->all);
	all = entry_table__take_all(&hists->all, &nr);
	for (u32 i = 0; i < nr; i++) {
		if (!is_named_late(all[i]))
			ret = add_or_keep(hists, all[i]) ?: ret;
	}
	for (u32 i = 0; i < nr; i++) {
		if (is_named_late(all[i]))
			ret = rename_entry(hists, all[i]) ?: ret;
	}
	free(all);
	return ret;
}
