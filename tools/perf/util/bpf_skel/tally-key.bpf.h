/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The part of a key that consists of filter terms, from any source. Include it after tally.bpf.h and a header with filter_source. */
#ifndef PERF_BPF_TALLY_KEY_BPF_H
#define PERF_BPF_TALLY_KEY_BPF_H

#include "filter-own.bpf.h"

static __always_inline void tally_key__fill(struct tally_key *key, struct filter_source *src)
{
	const __u32 parts = tally_config.key;

	if (parts & TALLY_KEY_PID)
		key->pid = filter_source__fetch(src, own_term(src->words, FILTER_TERM_PID), 0);
	if (parts & TALLY_KEY_TID)
		key->tid = filter_source__fetch(src, own_term(src->words, FILTER_TERM_TID), 0);
	if (parts & TALLY_KEY_CPU)
		key->cpu = filter_source__fetch(src, FILTER_TERM_CPU, 0);
	if (parts & TALLY_KEY_UID)
		key->uid = filter_source__fetch(src, FILTER_TERM_UID, 0);
	if (parts & TALLY_KEY_CGROUP)
		key->cgroup = filter_source__fetch(src, FILTER_TERM_CGROUP, 0);
	if (parts & TALLY_KEY_COMM) {
		key->comm[0] = filter_source__fetch(src, FILTER_TERM_COMM_LO, 0);
		key->comm[1] = filter_source__fetch(src, FILTER_TERM_COMM_HI, 0);
	}
}

#endif
