// SPDX-License-Identifier: GPL-2.0
/* The instructions are those that libbpf's gen_loader.c emits: see Documentation/bpf/standardization/instruction-set.rst of Linux. */
#include "util/bpf/loader-run.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf/kernel-btf.h"
#include "util/bpf/skeleton-run.h"
#include "util/bpf/token.h"
#include "util/lib/types.h"

#define STACK_SIZE 512
#define NR_REGS 11

struct loader_state {
	u64 reg[NR_REGS];
	char stack[STACK_SIZE] __attribute__((aligned(8)));
	char *data; /* the skeleton's blob, which the program sees as the value of a map */
};

static size_t access_size(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* Both architectures that perf runs on store the low bytes first. */
static void load(struct loader_state *s, const struct bpf_insn *insn)
{
	u64 value = 0;

	memcpy(&value, (const char *)(uintptr_t)s->reg[insn->src_reg] + insn->off, access_size(insn));
	s->reg[insn->dst_reg] = value;
}

static void store(struct loader_state *s, const struct bpf_insn *insn, u64 value)
{
	memcpy((char *)(uintptr_t)s->reg[insn->dst_reg] + insn->off, &value, access_size(insn));
}

static int calculate(u8 code, u64 *dst, u64 value)
{
	switch (BPF_OP(code)) {
	case BPF_MOV:
		*dst = value;
		return 0;
	case BPF_ADD:
		*dst += value;
		return 0;
	case BPF_AND:
		*dst &= value;
		return 0;
	case BPF_OR:
		*dst |= value;
		return 0;
	case BPF_LSH:
		*dst <<= value & 63;
		return 0;
	case BPF_RSH:
		*dst >>= value & 63;
		return 0;
	default:
		return -ENOTSUP;
	}
}

/* 1: the jump is taken */
static int compare(u8 code, u64 dst, u64 value)
{
	switch (BPF_OP(code)) {
	case BPF_JA:
		return 1;
	case BPF_JEQ:
		return dst == value;
	case BPF_JNE:
		return dst != value;
	case BPF_JSET:
		return (dst & value) != 0;
	case BPF_JSLT:
		return (s64)dst < (s64)value;
	case BPF_JSLE:
		return (s64)dst <= (s64)value;
	case BPF_JSGT:
		return (s64)dst > (s64)value;
	case BPF_JSGE:
		return (s64)dst >= (s64)value;
	default:
		return -ENOTSUP;
	}
}

/* Arguments: destination, size, source. Loaders clear memory by reading from 0, which leaves zeros and fails. */
static u64 copy(const u64 *arg)
{
	if (!arg[2]) {
		memset((void *)(uintptr_t)arg[0], 0, arg[1]);
		return (s64)-EFAULT;
	}
	memcpy((void *)(uintptr_t)arg[0], (const void *)(uintptr_t)arg[2], arg[1]);
	return 0;
}

static int call_helper(struct loader_state *s, s32 helper)
{
	const u64 *arg = &s->reg[BPF_REG_1];
	u64 *result = &s->reg[BPF_REG_0];

	switch (helper) {
	case BPF_FUNC_sys_bpf:
		*result = (s64)bpf_token__call(arg[0], (const void *)(uintptr_t)arg[1], arg[2]);
		return 0;
	case BPF_FUNC_btf_find_by_name_kind: /* types of the kernel itself have no descriptor, which would be in the upper half */
		*result = (s64)kernel_btf__find((const char *)(uintptr_t)arg[0], arg[2]);
		return 0;
	case BPF_FUNC_sys_close:
		*result = close(arg[0]) ? (u64)-errno : 0;
		return 0;
	case BPF_FUNC_copy_from_user:
	case BPF_FUNC_probe_read_kernel:
		*result = copy(arg);
		return 0;
	case BPF_FUNC_trace_printk: /* its own debug output */
		*result = 0;
		return 0;
	default:
		return -ENOTSUP;
	}
}

/* Two slots: a number, or an address in the blob */
static int load_constant(struct loader_state *s, const struct bpf_insn *insn)
{
	if (insn->code != (BPF_LD | BPF_IMM | BPF_DW) || (insn->src_reg && insn->src_reg != BPF_PSEUDO_MAP_IDX_VALUE))
		return -ENOTSUP;
	s->reg[insn->dst_reg] = insn->src_reg ? (uintptr_t)s->data + (u32)insn[1].imm : (u32)insn->imm | (u64)insn[1].imm << 32;
	return 0;
}

static int access_memory(struct loader_state *s, const struct bpf_insn *insn)
{
	if (BPF_MODE(insn->code) != BPF_MEM)
		return -ENOTSUP;
	if (BPF_CLASS(insn->code) == BPF_LDX)
		load(s, insn);
	else
		store(s, insn, BPF_CLASS(insn->code) == BPF_STX ? s->reg[insn->src_reg] : (u64)(s64)insn->imm);
	return 0;
}

/* *slots: to the next instruction */
static int jump(struct loader_state *s, const struct bpf_insn *insn, u64 value, long *slots)
{
	int ret;

	if (BPF_OP(insn->code) == BPF_CALL)
		return call_helper(s, insn->imm);
	ret = compare(insn->code, s->reg[insn->dst_reg], value);
	if (ret > 0)
		*slots += insn->off;
	return ret < 0 ? ret : 0;
}

static int step(struct loader_state *s, const struct bpf_insn *insn, long *slots)
{
	const u64 value = BPF_SRC(insn->code) == BPF_X ? s->reg[insn->src_reg] : (u64)(s64)insn->imm;

	*slots = 1;
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		*slots = 2;
		return load_constant(s, insn);
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		return access_memory(s, insn);
	case BPF_ALU64:
		return calculate(insn->code, &s->reg[insn->dst_reg], value);
	case BPF_JMP:
		return jump(s, insn, value, slots);
	default:
		return -ENOTSUP;
	}
}

/* A loader jumps back once at most: to close what it has opened, when something fails. */
static int run(struct loader_state *s, const struct bpf_insn *insn, long nr)
{
	long i = 0, slots;
	int ret = 0;

	for (long left = 2 * nr; left && i >= 0 && i < nr && !ret; left--, i += slots) {
		if (insn[i].code == (BPF_JMP | BPF_EXIT))
			return (s32)s->reg[BPF_REG_0];
		ret = step(s, &insn[i], &slots);
	}
	return ret ?: -ENOTSUP;
}

int loader__run(const struct bpf_load_and_run_opts *opts)
{
	struct loader_state s = { .data = malloc(opts->data_sz) };
	int ret;

	if (!s.data)
		return -ENOMEM;
	memcpy(s.data, opts->data, opts->data_sz);
	s.reg[BPF_REG_1] = (uintptr_t)opts->ctx;
	s.reg[BPF_REG_10] = (uintptr_t)(s.stack + STACK_SIZE);
	ret = run(&s, opts->insns, opts->insns_sz / sizeof(struct bpf_insn));
	free(s.data);
	return ret < 0 ? ret : 0;
}
