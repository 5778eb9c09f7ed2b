/* SPDX-License-Identifier: GPL-2.0 */
/* The features of kernels that perf uses and that may be missing, as one table: for perf test to show, and for errors to name. */
#ifndef PERF_BPF_KERNEL_TABLE_H
#define PERF_BPF_KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum kernel_offer {
	KERNEL_BTF,
	KERNEL_PERF_EVENT_PROGRAMS,
	KERNEL_LOADER_PROGRAMS,
	KERNEL_FIND_VMA,
	KERNEL_KFUNC_CAST,
	KERNEL_PREPARED_SAMPLES,
	KERNEL_MAPLE_TREE,
	KERNEL_MAY_GOTO,
	KERNEL_READ_LOST,
	KERNEL_COMPARED_GROUPS,
	KERNEL_DEFER_CALLCHAIN,
	KERNEL_LOCK_TRACEPOINTS,
	KERNEL_KFUNC_TASK,
	KERNEL_KFUNC_CACHE,
	KERNEL_HARDWARE_EVENTS,
	KERNEL_TRACEFS,
	KERNEL_BPFFS,
	KERNEL_TOKENS,
	KERNEL_OFFER_MAX,
};

struct kernel_offer_desc {
	const char *name;
	const char *since; /* the first Linux with it; NULL: independent of the version */
	const char *use;   /* what perf does with it */
};

enum kernel_answer {
	KERNEL_LACKS,
	KERNEL_HAS,
	KERNEL_UNKNOWN, /* this process may not find out, or lacks memory or descriptors for it */
};

const struct kernel_offer_desc *kernel_offer__get(enum kernel_offer offer);

/* Each one is probed once per process. */
enum kernel_answer kernel_offer__probe(enum kernel_offer offer);

/* Is this Linux as new as the first one with it? Costs nothing, and is wrong for kernels with changes from newer ones. */
bool kernel_offer__is_of_version(enum kernel_offer offer);

/* "prepared samples, which Linux 6.3 and newer have; this is Linux 6.1.0-1-amd64", for messages */
const char *kernel_offer__explain(enum kernel_offer offer, char *buf, size_t size);

#endif
