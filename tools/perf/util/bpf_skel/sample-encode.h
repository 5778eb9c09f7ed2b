/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What a BPF program needs to know to write samples. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_SAMPLE_ENCODE_DATA_H
#define PERF_BPF_SAMPLE_ENCODE_DATA_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* PERF_SAMPLE_* bits that sample-encode.bpf.h can write: IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN, RAW */
#define SAMPLE_ENCODE_TYPES (1U << 16 | 1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 1U << 8 | 1U << 5 | 1U << 10)

struct sample_layout {
	__u64 sample_type; /* that of the attr: the contents of samples */
	__u64 id; /* if all samples have the same; programs on perf events read it from the event */
};

#endif
