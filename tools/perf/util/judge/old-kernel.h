/* SPDX-License-Identifier: GPL-2.0 */
/* Which filters kernels before Linux 6.3 can judge, by the programs of util/bpf_skel/filter-*old.bpf.c. */
#ifndef PERF_JUDGE_OLD_KERNEL_H
#define PERF_JUDGE_OLD_KERNEL_H

#include "util/bpf/kernel-table.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/* Whether this kernel is one. To be asked after the program for newer ones did not load, as the answer takes 20 ms. */
bool old_kernel__is(void);

struct old_kernel_refusal {
	unsigned int entry;	/* of the table: the first one whose term cannot be had */
	enum kernel_offer lacks; /* why */
	const char *remedy;	/* other than a newer kernel; "" if there is none */
};
bool old_kernel__refuses(const struct filter_table *table, struct old_kernel_refusal *refusal);
/* Tell so; returns -EOPNOTSUPP. */
int old_kernel__explain(const struct old_kernel_refusal *refusal, struct errmsg *err);

#endif
