/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Runs a filter table over one sample: the evaluation, apart from where the values come from. Who includes this has defined
 * FILTER_SLOTS and struct filter_source with
 *	static __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 glob);
 *
 * The table is read-only data that is frozen before the program is loaded, so the verifier knows every byte of it. The run
 * is unrolled over the slots; on each path pc and the entry's term, cond, jt and jf are constants to the verifier, and it
 * removes every branch on them that this table does not take. What is left of an entry is load, shift, mask, compare.
 */
#ifndef PERF_BPF_FILTER_TABLE_BPF_H
#define PERF_BPF_FILTER_TABLE_BPF_H

const volatile struct filter_entry filter_table[FILTER_SLOTS];

static __always_inline bool filter_cond__holds(__u8 cond, __u64 v, __u64 value)
{
	switch (cond) {
	case FILTER_LT:
		return v < value;
	case FILTER_EQ:
		return v == value;
	case FILTER_GT:
		return v > value;
	case FILTER_LT | FILTER_EQ:
		return v <= value;
	case FILTER_GT | FILTER_EQ:
		return v >= value;
	case FILTER_LT | FILTER_GT:
		return v != value;
	case FILTER_LT | FILTER_EQ | FILTER_GT:
		return true;
	default:
		return false;
	}
}

/* A table that ends without a verdict, which user space never makes, rejects. */
static __always_inline bool filter_table__accepts(struct filter_source *src)
{
	__u64 field = 0, v;
	__u32 pc = 0;

#pragma clang loop unroll(full)
	for (int i = 0; i < FILTER_SLOTS; i++) {
		const volatile struct filter_entry *e = &filter_table[i];
		__u8 term, shift;

		if (pc != i)
			continue;
		/* One register for the entry's address; clang would materialise the address of each member. */
		barrier_var(e);
		term = e->term;
		shift = e->shift;
		if (term != FILTER_TERM_KEEP)
			field = filter_source__fetch(src, term, shift);
		v = field;
		if (term != FILTER_TERM_COMM_GLOB)
			v = (field >> shift) & e->mask;
		pc = filter_cond__holds(e->cond, v, e->value) ? e->jt : e->jf;
		if (pc == FILTER_ACCEPT)
			return true;
		if (pc == FILTER_REJECT)
			return false;
	}
	return false;
}

#endif
