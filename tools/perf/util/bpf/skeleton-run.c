// SPDX-License-Identifier: GPL-2.0
/*
 * A light skeleton is a BPF program, the loader, that calls bpf(2) with attributes in the skeleton's data. The libbpf that generated
 * it makes the loader pass CO-RE relocations (Linux 5.17) for each program, even without any, and older kernels return E2BIG for an
 * unknown attribute unless it is 0.
 */
#include "util/bpf/skeleton-run.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/types.h"

#define TRIES 100 /* of loading; a signal seldom comes in one of them */

/* What libbpf's gen_loader.c emits for a call: command, address of the attributes in the data (two slots), their size, the call */
enum {
	CALL_COMMAND,
	CALL_ADDRESS,
	CALL_OFFSET,
	CALL_SIZE,
	CALL_CALL,
	CALL_LENGTH,
};

static bool is_move(const struct bpf_insn *insn, u8 reg)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->dst_reg == reg;
}

static bool loads_program(const struct bpf_insn *insn)
{
	return is_move(&insn[CALL_COMMAND], BPF_REG_1) && insn[CALL_COMMAND].imm == BPF_PROG_LOAD &&
	       insn[CALL_ADDRESS].code == (BPF_LD | BPF_IMM | BPF_DW) && insn[CALL_ADDRESS].dst_reg == BPF_REG_2 &&
	       is_move(&insn[CALL_SIZE], BPF_REG_3) && insn[CALL_CALL].code == (BPF_JMP | BPF_CALL) &&
	       insn[CALL_CALL].imm == BPF_FUNC_sys_bpf;
}

static bool has_relocations(const char *data, size_t data_size, u32 offset)
{
	const size_t end = offsetofend(union bpf_attr, core_relo_cnt);
	union bpf_attr attr;

	if (offset > data_size || end > data_size - offset)
		return true;
	memcpy(&attr, data + offset, end);
	return attr.core_relo_cnt;
}

bool skeleton__fit_old_kernel(const void *data, size_t data_size, void *insns, size_t insns_size)
{
	const size_t known = offsetofend(union bpf_attr, fd_array); /* what Linux 5.14 to 5.16 know */
	struct bpf_insn *insn = insns;
	size_t nr = insns_size / sizeof(*insn);
	bool fits = false;

	for (size_t i = 0; i + CALL_LENGTH <= nr; i++) {
		if (!loads_program(&insn[i]) || insn[i + CALL_SIZE].imm <= (s32)known)
			continue;
		if (has_relocations(data, data_size, insn[i + CALL_OFFSET].imm))
			return false;
		insn[i + CALL_SIZE].imm = known;
		fits = true;
	}
	return fits;
}

static int run_fitted(struct bpf_load_and_run_opts *opts)
{
	struct bpf_load_and_run_opts fitted = *opts;
	void *insns = malloc(opts->insns_sz);
	int ret = -E2BIG;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, opts->insns, opts->insns_sz);
	if (skeleton__fit_old_kernel(opts->data, opts->data_sz, insns, opts->insns_sz)) {
		fitted.insns = insns;
		ret = bpf_load_and_run(&fitted);
		opts->errstr = fitted.errstr;
	}
	free(insns);
	return ret;
}

/* The verifier also returns E2BIG for programs that are too long; trying those twice does no harm. */
static int run_once(struct bpf_load_and_run_opts *opts)
{
	int ret = bpf_load_and_run(opts);

	return ret == -E2BIG ? run_fitted(opts) : ret;
}

/* The verifier gives up with EAGAIN when a signal comes, also one that stops or continues the process: then it is called again. */
int skeleton__run(struct bpf_load_and_run_opts *opts)
{
	int ret;

	for (int i = 0; i < TRIES; i++) {
		ret = run_once(opts);
		if (ret != -EAGAIN)
			break;
	}
	return ret;
}
