// SPDX-License-Identifier: GPL-2.0
/* A loader that is fitted to a kernel before Linux 5.17: of its calls, those that load programs without relocations. */
#include "util/bpf/skeleton-run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/bpf.h>
#include <string.h>
#include "util/lib/types.h"

#define KNOWN	 offsetofend(union bpf_attr, fd_array)
#define ALL	 offsetofend(union bpf_attr, core_relo_rec_size)
#define CALL	 5 /* instructions */
#define SIZE_AT	 3
#define NR_ATTRS 2

struct loader {
	union bpf_attr attr[NR_ATTRS];
	struct bpf_insn insn[NR_ATTRS * CALL];
};

static void add_call(struct loader *loader, unsigned int i, int command, int size)
{
	const struct bpf_insn call[CALL] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = command },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_PSEUDO_MAP_IDX_VALUE },
		{ .imm = i * sizeof(loader->attr[0]) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = size },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_sys_bpf },
	};

	memcpy(&loader->insn[i * CALL], call, sizeof(call));
}

static int size_of(const struct loader *loader, unsigned int i)
{
	return loader->insn[i * CALL + SIZE_AT].imm;
}

static bool fit(struct loader *loader)
{
	return skeleton__fit_old_kernel(loader->attr, sizeof(loader->attr), loader->insn, sizeof(loader->insn));
}

static void only_programs_are_fitted(void **state)
{
	struct loader loader = { 0 };

	add_call(&loader, 0, BPF_MAP_CREATE, ALL);
	add_call(&loader, 1, BPF_PROG_LOAD, ALL);
	assert_true(fit(&loader));
	assert_int_equal(size_of(&loader, 0), ALL);
	assert_int_equal(size_of(&loader, 1), KNOWN);
	assert_false(fit(&loader)); /* there is nothing more to do */
}

static void relocations_are_not_given_up(void **state)
{
	struct loader loader = { 0 };

	add_call(&loader, 0, BPF_PROG_LOAD, ALL);
	loader.attr[0].core_relo_cnt = 1;
	assert_false(fit(&loader));
	assert_int_equal(size_of(&loader, 0), ALL);
}

static void attributes_lie_in_the_data(void **state)
{
	struct loader loader = { 0 };

	for (int offset = -8; offset < 0; offset += 4) {
		add_call(&loader, 0, BPF_PROG_LOAD, ALL);
		loader.insn[2].imm = offset;
		assert_false(fit(&loader));
	}
	loader.insn[2].imm = sizeof(loader.attr) - 8;
	assert_false(fit(&loader));
	/* a call that is cut off by the end */
	add_call(&loader, 0, BPF_PROG_LOAD, ALL);
	assert_false(skeleton__fit_old_kernel(loader.attr, sizeof(loader.attr), loader.insn,
					      (CALL - 1) * sizeof(loader.insn[0])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_programs_are_fitted),
		cmocka_unit_test(relocations_are_not_given_up),
		cmocka_unit_test(attributes_lie_in_the_data),
	};

	return cmocka_run_group_tests_name("bpf/skeleton-run", tests, NULL, NULL);
}
