// SPDX-License-Identifier: GPL-2.0
#include "util/event/branch-types.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "util/lib/comma-list.h"

#define BRANCH_COUNTERS (1ULL << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

static const struct {
	const char *name;
	u64 bit;
} kinds[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
	{ "counter", BRANCH_COUNTERS },
};

static u64 find(struct list_word name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (list_word__is(name, kinds[i].name))
			return kinds[i].bit;
	}
	return 0;
}

static int unknown(struct list_word name, struct errmsg *err)
{
	char known[256];
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		n += snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "", kinds[i].name);
	return errmsg__set(err, EINVAL, "unknown kind of branches \"%.*s\"; those known: %s", (int)name.len, name.text, known);
}

int branch_types__parse(u64 *types, const char *list, struct errmsg *err)
{
	*types = 0;
	comma_list__for_each(list, name) {
		const u64 bit = find(name);

		if (!bit)
			return unknown(name, err);
		*types |= bit;
	}
	if (!(*types & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL))
		*types |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}
