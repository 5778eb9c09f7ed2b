/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Judging a sample by the filter that a program may have. Included behind filter-table.bpf.h and the source of the terms. */
#ifndef PERF_BPF_FILTER_KEEPS_BPF_H
#define PERF_BPF_FILTER_KEEPS_BPF_H

/* A sample that the filter cannot judge (filter_source__undecided) is kept, and also counted. */
static __always_inline bool filter_source__keeps(struct filter_source *src, bool filtered)
{
	bool accepts;

	if (!filtered)
		return true;
	accepts = filter_table__accepts(src);
	if (filter_source__undecided(src)) {
		src->counts->undecided++;
		return true;
	}
	return accepts;
}

#endif
