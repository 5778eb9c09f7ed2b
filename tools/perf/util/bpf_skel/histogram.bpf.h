/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The arithmetic of histograms. Does not need BPF, so that tests can run it; bpf_skel/histogram.h explains the buckets. */
#ifndef PERF_BPF_HISTOGRAM_BPF_H
#define PERF_BPF_HISTOGRAM_BPF_H

#include "histogram.h"

/* slot: the value that the table's fetch of number->term returns */
static __always_inline __u64 histogram_number__read(const volatile struct histogram_number *number, __u64 slot)
{
	__u32 unused = (64 - number->bits) & 63;

	slot = slot >> (number->shift & 63) << unused;
	slot = number->is_signed ? (__u64)((__s64)slot >> unused) : slot >> unused;
	return slot + number->offset;
}

/* Number of bits that v needs; BPF has no instruction for that. */
static __always_inline __s32 histogram__bits(__u64 v)
{
	__s32 bits = 0;

	for (int half = 32; half; half /= 2) {
		if (v >> half) {
			v >>= half;
			bits += half;
		}
	}
	return bits + (v != 0);
}

/* A u64 that sorts like the value; the rank of a rank is the value. */
static __always_inline __u64 histogram__rank(const volatile struct histogram_config *histogram, __u64 value)
{
	return histogram->is_signed ? value ^ 1ULL << 63 : value;
}

static __always_inline __s32 histogram__bucket(const volatile struct histogram_config *histogram, __u64 value)
{
	const __u64 step = histogram->step ?: 1;
	__u64 steps;

	if (histogram->is_signed && (__s64)value < 0) {
		if (histogram->kind == HISTOGRAM_LOG2)
			return -histogram__bits(-value / step);
		steps = ~value / step; /* of -value - 1, so that -1 is in the first bucket below 0 */
		return steps < HISTOGRAM_MAX_LINEAR ? -1 - (__s32)steps : HISTOGRAM_UNDER;
	}
	if (histogram->origin && value < histogram->origin)
		return HISTOGRAM_UNDER;
	steps = (value - histogram->origin) / step;
	if (histogram->kind == HISTOGRAM_LOG2)
		return histogram__bits(steps);
	return steps < HISTOGRAM_MAX_LINEAR ? (__s32)steps : HISTOGRAM_OVER;
}

#endif
