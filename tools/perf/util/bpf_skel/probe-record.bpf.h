/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Makes the record of a uprobe or a kprobe from the registers of its hit, in the layout of its format. The kernel runs programs before it makes
 * its own record (kernel/trace/trace_uprobe.c). Memory that is not present reads as 0: programs cannot wait for it.
 *
 * Preemptible kernels may switch to another task while a program runs on a uprobe; so claim per-CPU data first. A hit in the
 * meantime is not seen, and counted as missed.
 */
#ifndef PERF_BPF_PROBE_RECORD_BPF_H
#define PERF_BPF_PROBE_RECORD_BPF_H

#include "tp-hit.bpf.h"

/*
 * offset: a constant for the verifier, which then keeps one case only. Contexts are to be read at offsets in the instruction; the compiler
 * would make one instruction of all cases, with a computed offset. A helper would cost as much as all else that a hit needs.
 */
static __always_inline __u64 probe_register(const void *regs, __u32 offset)
{
	__u64 value = 0;

#define WORD(nr) case 8 * (nr): asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(value) : "r"(regs), "i"(8 * (nr))); break
	switch (offset) {
	WORD(0); WORD(1); WORD(2); WORD(3); WORD(4); WORD(5); WORD(6); WORD(7); WORD(8); WORD(9); WORD(10); WORD(11); WORD(12); WORD(13);
	WORD(14); WORD(15); WORD(16); WORD(17); WORD(18); WORD(19); WORD(20);
#if defined(__TARGET_ARCH_arm64)
	WORD(21); WORD(22); WORD(23); WORD(24); WORD(25); WORD(26); WORD(27); WORD(28); WORD(29); WORD(30); WORD(31); WORD(32); WORD(33);
#endif
	}
#undef WORD
	return value;
}

static __always_inline __u64 probe_arg__value(const volatile struct probe_arg *arg, const void *regs)
{
	__u64 value = arg->constant, next;

	if (arg->reg != PROBE_CONSTANT)
		value += probe_register(regs, arg->reg);
	for (int i = 0; i < PROBE_MAX_STEPS; i++) {
		if (i >= arg->nr_steps)
			break;
		next = 0;
		if (bpf_probe_read_user(&next, i + 1 < arg->nr_steps ? sizeof(next) : arg->from ?: arg->size, (const void *)(value + arg->step[i])))
			return 0;
		value = next;
	}
	return value;
}

/* To 64 bits */
static __always_inline __u64 probe_arg__extend(const volatile struct probe_arg *arg, __u64 value)
{
	switch (arg->from) {
	case 1:
		return arg->is_signed ? (__u64)(__s8)value : (__u8)value;
	case 2:
		return arg->is_signed ? (__u64)(__s16)value : (__u16)value;
	case 4:
		return arg->is_signed ? (__u64)(__s32)value : (__u32)value;
	default:
		return value;
	}
}

static __always_inline void probe_arg__put(__u64 *record, const volatile struct probe_arg *arg, __u64 value)
{
	char *to = (char *)record + arg->offset;

	if (arg->offset < 8 || arg->offset > FILTER_RECORD_LEN - 8 || arg->copy > FILTER_RECORD_LEN - 8)
		return;
	switch (arg->size) {
	case 1:
		value = (__u8)value;
		*(__u8 *)to = value;
		break;
	case 2:
		value = (__u16)value;
		*(__u16 *)to = value;
		break;
	case 4:
		value = (__u32)value;
		*(__u32 *)to = value;
		break;
	default:
		*(__u64 *)to = value;
	}
	if (arg->copy)
		*(__u64 *)((char *)record + arg->copy) = value;
}

/* Without its first word, the header. Arguments from len on may be left out. */
static __always_inline void probe_record__fill(__u64 *record, const volatile struct probe_config *config, __u32 len, void *regs)
{
	const __u64 place = config->by_place ? bpf_get_attach_cookie(regs) : 0;

	record[1] = config->is_return ? bpf_get_func_ip(regs) : probe_register(regs, config->ip);
	if (config->is_return)
		record[2] = probe_register(regs, config->ip);
	for (int i = 0; i < PROBE_MAX_ARGS; i++) {
		if (i >= config->nr_args)
			break;
		if (config->arg[i].offset >= len || config->arg[i].copy >= len)
			continue;
		if (config->by_place && !(config->arg[i].places >> (place & 63) & 1))
			continue;
		probe_arg__put(record, &config->arg[i], probe_arg__extend(&config->arg[i], probe_arg__value(&config->arg[i], regs)));
	}
}

/*
 * What its program returns: 0 hides the hit from other users of the probe, and if there are none saves the kernel the making of a record for
 * nobody.
 */
static __always_inline int probe_result(const volatile struct probe_config *config)
{
	return !config->is_own;
}

/* FILTER_MODE_* of its hits */
static __always_inline __u64 probe_mode(const volatile struct probe_config *config)
{
	return config->in_kernel ? FILTER_MODE_KERNEL : FILTER_MODE_USER;
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
