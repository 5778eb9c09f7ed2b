/* SPDX-License-Identifier: GPL-2.0 */
/* Which filters can kernels before Linux 6.3 judge, by the programs of util/bpf_skel/filter-*old.bpf.c? */
#ifndef PERF_JUDGE_OLD_KERNEL_H
#define PERF_JUDGE_OLD_KERNEL_H

#include "util/bpf/kernel-table.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/* Is this kernel older? Call it only after the program for newer ones failed to load, as the answer takes 20 ms. */
bool old_kernel__is(void);

struct old_kernel_refusal {
	unsigned int entry;	/* index in the table of the first entry with an unsupported term */
	enum kernel_offer lacks; /* what the kernel lacks */
	const char *remedy;	/* another remedy than a newer kernel; "" if there is none */
};
bool old_kernel__refuses(const struct filter_table *table, struct old_kernel_refusal *refusal);
/* Set err to that; returns -EOPNOTSUPP. */
int old_kernel__explain(const struct old_kernel_refusal *refusal, struct errmsg *err);

#endif
