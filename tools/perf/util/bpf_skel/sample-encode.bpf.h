/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Writes the beginning of a PERF_RECORD_SAMPLE, as perf_output_sample() of kernel/events/core.c would: up to the period; callchain
 * and raw data follow it. sample_layout is frozen before the program is loaded, so that the verifier knows which members there are,
 * and where.
 */
#ifndef PERF_BPF_SAMPLE_ENCODE_BPF_H
#define PERF_BPF_SAMPLE_ENCODE_BPF_H

#include "sample-encode.h"

#define PERF_RECORD_SAMPLE 9
#define PERF_RECORD_MISC_KERNEL 1
#define PERF_RECORD_MISC_USER 2
#define PERF_CONTEXT_KERNEL ((__u64)-128)
#define PERF_CONTEXT_USER ((__u64)-512)

const volatile struct sample_layout sample_layout;

struct sample_head {
	__u64 ip;
	__u64 time; /* bpf_ktime_get_ns(): the time of CLOCK_MONOTONIC events */
	__u64 period;
	__u64 id;   /* of the event */
	__u32 pid, tid;
	__u32 cpu;
	__u16 misc;
};

#define sample_layout__has(bit) (sample_layout.sample_type & (bit))

/* Number of words that sample_head__put writes, including the perf_event_header. */
static __always_inline __u32 sample_head__words(void)
{
	return 1 + !!sample_layout__has(PERF_SAMPLE_IDENTIFIER) + !!sample_layout__has(PERF_SAMPLE_IP) +
	       !!sample_layout__has(PERF_SAMPLE_TID) + !!sample_layout__has(PERF_SAMPLE_TIME) + !!sample_layout__has(PERF_SAMPLE_ID) +
	       !!sample_layout__has(PERF_SAMPLE_CPU) + !!sample_layout__has(PERF_SAMPLE_PERIOD);
}

/* size: of the whole record in bytes. Returns the address after the head. */
static __always_inline __u64 *sample_head__put(__u64 *at, const struct sample_head *h, __u32 size)
{
	*at++ = PERF_RECORD_SAMPLE | (__u64)h->misc << 32 | (__u64)size << 48;
	if (sample_layout__has(PERF_SAMPLE_IDENTIFIER))
		*at++ = h->id;
	if (sample_layout__has(PERF_SAMPLE_IP))
		*at++ = h->ip;
	if (sample_layout__has(PERF_SAMPLE_TID))
		*at++ = h->pid | (__u64)h->tid << 32;
	if (sample_layout__has(PERF_SAMPLE_TIME))
		*at++ = h->time;
	if (sample_layout__has(PERF_SAMPLE_ID))
		*at++ = h->id;
	if (sample_layout__has(PERF_SAMPLE_CPU))
		*at++ = h->cpu;
	if (sample_layout__has(PERF_SAMPLE_PERIOD))
		*at++ = h->period;
	return at;
}

#endif
