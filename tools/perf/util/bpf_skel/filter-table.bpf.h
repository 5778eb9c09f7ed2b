/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Runs a filter table over one sample: only the evaluation, without the source of the values. The includer defines FILTER_SLOTS and
 * struct filter_source with
 *	static __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index);
 * and may define FILTER_NOTE(src, i, taken), which is called for each entry that was run.
 *
 * The table is read-only data that is frozen before the program is loaded, so the verifier knows every byte of it. The run is
 * unrolled over the slots; on each path pc and the entry's term, cond, jt and jf are constants to the verifier, and it removes the
 * branches that this table does not take. Little more than load, shift, mask and compare is left of an entry.
 */
#ifndef PERF_BPF_FILTER_TABLE_BPF_H
#define PERF_BPF_FILTER_TABLE_BPF_H

const volatile struct filter_entry filter_table[FILTER_SLOTS];
const volatile struct filter_words filter_words;

#ifndef FILTER_NOTE
#define FILTER_NOTE(src, i, taken)
#endif

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

/*
 * A jump's target. The verifier removes a branch if its target instruction is never reached, but not if only this branch is never
 * taken. So each verdict of each jump gets its own instruction: the empty asm, which mark makes unique, stops clang from merging
 * them.
 */
static __always_inline __u32 filter_target(__u32 target, const int mark)
{
	if (target == FILTER_ACCEPT) {
		asm volatile("" : : "i"(mark));
		return FILTER_ACCEPT;
	}
	if (target == FILTER_REJECT) {
		asm volatile("" : : "i"(mark + 1));
		return FILTER_REJECT;
	}
	return target;
}

/* Run entry i. *field is the value that the previous entry has fetched. */
static __always_inline __u32 filter_entry__run(const int i, struct filter_source *src, __u64 *field)
{
	const volatile struct filter_entry *e = &filter_table[i];
	__u8 term, shift;
	bool taken;
	__u64 v;

	barrier_var(e); /* one register for the address; clang would compute one for each member */
	term = e->term;
	shift = e->shift;
	if (term != FILTER_TERM_KEEP)
		*field = filter_source__fetch(src, term, shift);
	v = *field;
	if (term < FILTER_TERM_INDEXED || term == FILTER_TERM_KEEP)
		v = (v >> shift) & e->mask;
	taken = filter_cond__holds(e->cond, v, e->value);
	FILTER_NOTE(src, i, taken);
	return taken ? filter_target(e->jt, 4 * i) : filter_target(e->jf, 4 * i + 2);
}

/* Macros, since an unrolled loop has one exit for all its rounds. */
#define FILTER_RUN_1(i)						\
	if (pc == (i))						\
		pc = filter_entry__run(i, src, &field);		\
	if (pc == FILTER_ACCEPT)				\
		return true;					\
	if (pc == FILTER_REJECT)				\
		return false;
#define FILTER_RUN_4(i) FILTER_RUN_1(i) FILTER_RUN_1((i) + 1) FILTER_RUN_1((i) + 2) FILTER_RUN_1((i) + 3)
#define FILTER_RUN_16(i) FILTER_RUN_4(i) FILTER_RUN_4((i) + 4) FILTER_RUN_4((i) + 8) FILTER_RUN_4((i) + 12)

/* Returns false for a table that ends without a verdict; user space never makes one. */
static __always_inline bool filter_table__accepts(struct filter_source *src)
{
	__u64 field = 0;
	__u32 pc = 0;

	FILTER_RUN_16(0)
#if FILTER_SLOTS > 16
	FILTER_RUN_16(16)
#endif
#if FILTER_SLOTS > 32
	FILTER_RUN_16(32)
	FILTER_RUN_16(48)
#endif
	return false;
}

#endif
