// SPDX-License-Identifier: GPL-2.0
/* Runs a table over a sample in user space: the oracle of the program in BPF. */
#include "util/filter/terms.h"

static bool glob_matches(const struct filter_glob *glob, u64 lo, u64 hi)
{
	u32 state = 1;
	unsigned int i;
	u8 c;

	for (i = 0; i < FILTER_COMM_LEN; i++) {
		c = (i < 8 ? lo : hi) >> (i % 8 * 8);
		if (!c)
			break;
		state = (state & glob->step[c]) << 1 | (state & glob->loop);
	}
	return state & glob->final;
}

static u64 load(const struct filter_table *table, const struct filter_entry *e, const struct filter_sample *sample)
{
	const struct filter_slot *slot = filter_slot__get(e->term);

	if (e->term == FILTER_TERM_COMM_GLOB)
		return glob_matches(&table->glob[e->shift], sample->value[FILTER_TERM_COMM_LO],
				    sample->value[FILTER_TERM_COMM_HI]);
	if (slot->guard && !(sample->sample_flags & slot->guard))
		return 0; /* 0 stays 0 when shifted and masked */
	return sample->value[e->term] >> e->shift & e->mask;
}

bool filter_table__eval(const struct filter_table *table, const struct filter_sample *sample)
{
	const struct filter_entry *e;
	unsigned int pc = 0, outcome;
	u64 v;

	while (pc < table->nr) {
		e = &table->entry[pc];
		v = load(table, e, sample);
		outcome = v < e->value ? FILTER_LT : v == e->value ? FILTER_EQ : FILTER_GT;
		pc = e->cond & outcome ? e->jt : e->jf;
	}
	return pc == FILTER_ACCEPT;
}
