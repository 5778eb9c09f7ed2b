// SPDX-License-Identifier: GPL-2.0
/* The entries of a hists: created from keys and found by them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-cmp.h"
#include "util/hist/hist-state.h"

char hist_level(u8 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	case PERF_RECORD_MISC_HYPERVISOR:
		return 'H';
	}
	return '.';
}

size_t hist_entry__size(const struct hists *hists)
{
	const struct hist_layout *layout = hists->opts.layout;

	return sizeof(struct hist_entry) + layout->nr_values * sizeof(struct hist_value) +
	       (layout->has_modes ? HIST_MODES * sizeof(u64) : 0);
}

static struct hist_entry *entry__new(const struct hist_entry *key)
{
	struct hist_entry *entry = malloc(hist_entry__size(key->hists));

	return entry ? memcpy(entry, key, hist_entry__size(key->hists)) : NULL;
}

struct hist_entry *hists__entry(struct hists *hists, struct hist_entry *key)
{
	struct hist_entry *entry = entry_table__find(&hists->all, key);

	if (entry)
		return entry;
	entry = entry__new(key);
	if (!entry || !entry_table__add(&hists->all, entry))
		return entry;
	free(entry);
	return NULL;
}

int hist_entry__read_values(struct hist_entry *key, struct hists *hists, const struct hist_sample *sample, const struct location *loc)
{
	const struct hist_column_list *list = &hists->opts.layout->sort;

	for (u32 i = 0; i < list->nr; i++) {
		const struct hist_column *column = &list->at[i];
		const struct hist_reading from = { hists, sample, loc, column };
		struct hist_value *value = &key->value[column->slot];

		if (column->key->kind != HIST_KEY_VALUE || (!sample && !(column->key->flags & HIST_KEY_PLACE)))
			continue;
		*value = (struct hist_value){};
		if (column->key->read(&from, value))
			return -ENOMEM;
	}
	return 0;
}
