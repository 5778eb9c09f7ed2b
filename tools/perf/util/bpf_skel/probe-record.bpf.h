/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Makes the record of a uprobe from the registers of its hit, in the layout of its format. The kernel runs programs before it makes
 * its own record (kernel/trace/trace_uprobe.c). Memory that is not present reads as 0: programs cannot wait for it.
 *
 * Preemptible kernels may switch to another task while a program runs on a uprobe; so claim per-CPU data first. A hit in the
 * meantime is not seen, and counted as missed.
 */
#ifndef PERF_BPF_PROBE_RECORD_BPF_H
#define PERF_BPF_PROBE_RECORD_BPF_H

#include "tp-hit.bpf.h"

#define PROBE_RECORD_WORDS FILTER_RECORD_WORDS

static __always_inline __u64 probe_register(const void *regs, __u32 offset)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), regs + offset);
	return value;
}

static __always_inline __u64 probe_arg__value(const volatile struct probe_arg *arg, const void *regs)
{
	__u64 value = arg->reg == PROBE_CONSTANT ? (__u64)arg->constant : probe_register(regs, arg->reg), next;

	for (int i = 0; i < PROBE_MAX_STEPS; i++) {
		if (i >= arg->nr_steps)
			break;
		next = 0;
		if (bpf_probe_read_user(&next, i + 1 < arg->nr_steps ? sizeof(next) : arg->size, (const void *)(value + arg->step[i])))
			return 0;
		value = next;
	}
	return value;
}

static __always_inline void probe_arg__put(__u64 *record, const volatile struct probe_arg *arg, __u64 value)
{
	if (arg->size < sizeof(value))
		value &= (1ULL << arg->size * 8 % 64) - 1;
	if (arg->offset < 8 || arg->offset > FILTER_RECORD_LEN - 8 || arg->copy > FILTER_RECORD_LEN - 8)
		return;
	bpf_probe_read_kernel((char *)record + arg->offset, arg->size, &value);
	if (arg->copy)
		bpf_probe_read_kernel((char *)record + arg->copy, sizeof(value), &value);
}

/* Without its first word, the header. */
static __always_inline void probe_record__fill(__u64 *record, const volatile struct probe_config *config, void *regs)
{
	record[1] = config->is_return ? bpf_get_func_ip(regs) : probe_register(regs, config->ip);
	if (config->is_return)
		record[2] = probe_register(regs, config->ip);
	for (int i = 0; i < PROBE_MAX_ARGS; i++) {
		if (i >= config->nr_args)
			break;
		probe_arg__put(record, &config->arg[i], probe_arg__value(&config->arg[i], regs));
	}
}

static __always_inline bool tp_counts__claim(struct tp_counts *counts)
{
	if (!__sync_val_compare_and_swap(&counts->busy, 0, 1))
		return true;
	__sync_fetch_and_add(&counts->missed, 1);
	return false;
}

static __always_inline void tp_counts__release(struct tp_counts *counts)
{
	*(volatile __u64 *)&counts->busy = 0;
}

#endif
