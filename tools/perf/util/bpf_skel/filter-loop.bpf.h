/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Runs a filter table over one sample if the table is unchecked data that may change while the program runs; filter-table.bpf.h is
 * the other way to evaluate. The includer defines struct filter_source with
 *	static __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index);
 * which accepts every index, and FILTER_BOUNDED_LOOP if the program is for kernels before 6.9.
 *
 * A table may hold anything: a jump that leads backwards or out of the table, and an unknown term, reject the sample. So every run
 * ends after at most FILTER_MAX_ENTRIES steps. Each byte is read once and then checked, except for the term: it may have changed
 * between the check and the fetch, and an unknown one fetches 0. (With the value of the first reading, its range would send the
 * verifier through the loop again and again: 118 ms to load instead of 7.)
 */
#ifndef PERF_BPF_FILTER_LOOP_BPF_H
#define PERF_BPF_FILTER_LOOP_BPF_H

/*
 * With may_goto (6.9) the verifier checks the loop's body once; it walks through a counted loop round by round. The kernel takes
 * this jump when a run has made millions of rounds; as jumps lead forward only, a run ends long before. The bytes are the
 * instruction, which clang does not know: opcode, registers, a little-endian 16-bit offset, 0 in the rest.
 */
#ifdef FILTER_BOUNDED_LOOP
#define FILTER_LOOP for (int step = 0; step < FILTER_MAX_ENTRIES; step++)
#define filter_may_go_on() true
#else
#define FILTER_LOOP for (;;)
#define filter_may_go_on()						\
	({								\
		__label__ out_of_rounds, checked;			\
		bool ret_ = true;					\
									\
		asm volatile goto("1: .byte 0xe5, 0; .long (%l[out_of_rounds] - 1b - 8) / 8 & 0xffff; .short 0" \
				  : : : : out_of_rounds);		\
		goto checked;						\
out_of_rounds:								\
		ret_ = false;						\
checked:								\
		ret_;							\
	})
#endif

static __always_inline bool filter_entry__holds(struct filter_source *src, const volatile struct filter_entry *e, __u64 *field)
{
	__u8 term = e->term, shift = e->shift;
	__u64 v, value;

	if (term != FILTER_TERM_KEEP)
		*field = filter_source__fetch(src, term, shift);
	v = *field;
	if (term < FILTER_TERM_INDEXED || term == FILTER_TERM_KEEP)
		v = (v >> (shift & 63)) & e->mask;
	value = e->value;
	return e->cond & (v < value ? FILTER_LT : v == value ? FILTER_EQ : FILTER_GT);
}

static __always_inline bool filter_entries__accept(struct filter_source *src, const volatile struct filter_entry *entries)
{
	__u64 field = 0;
	__u32 pc = 0;

	FILTER_LOOP {
		const volatile struct filter_entry *e = &entries[pc & (FILTER_MAX_ENTRIES - 1)];
		__u32 next;

		if (!filter_may_go_on() || e->term > FILTER_TERM_KEEP)
			break;
		next = filter_entry__holds(src, e, &field) ? e->jt : e->jf;
		if (next == FILTER_ACCEPT)
			return true;
		if (next <= pc || next >= FILTER_MAX_ENTRIES)
			break;
		pc = next;
	}
	return false;
}

#endif
