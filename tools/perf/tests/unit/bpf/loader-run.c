// SPDX-License-Identifier: GPL-2.0
/* Loaders of our own, by hand; those of light skeletons are run by tests/cmd/token.sh */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf/loader-run.h"
#include "util/bpf/skeleton-run.h"
#include "util/lib/types.h"

#define MOV(reg, value) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) }
#define MOVE(reg, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (reg), .src_reg = (from) }
#define OP(op, reg, value) { .code = BPF_ALU64 | (op) | BPF_K, .dst_reg = (reg), .imm = (value) }
#define JUMP(op, reg, value, slots) { .code = BPF_JMP | (op) | BPF_K, .dst_reg = (reg), .imm = (value), .off = (slots) }
#define LOAD(size, reg, from, at) { .code = BPF_LDX | BPF_MEM | (size), .dst_reg = (reg), .src_reg = (from), .off = (at) }
#define STORE(size, reg, at, from) { .code = BPF_STX | BPF_MEM | (size), .dst_reg = (reg), .src_reg = (from), .off = (at) }
#define STORE_K(size, reg, at, value) { .code = BPF_ST | BPF_MEM | (size), .dst_reg = (reg), .off = (at), .imm = (value) }
#define DATA(reg, at) { .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = (reg), .src_reg = BPF_PSEUDO_MAP_IDX_VALUE }, { .imm = (at) }
#define CONSTANT(reg, low, high) { .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = (reg), .imm = (low) }, { .imm = (high) }
#define CALL(helper) { .code = BPF_JMP | BPF_CALL, .imm = (helper) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }

/* What a program finds in r1: a skeleton of the size that bpf_load_and_run() is told */
struct context {
	struct bpf_loader_ctx head;
	u64 result;
};
#define RESULT offsetof(struct context, result)

static int run(const struct bpf_insn *insns, size_t size, struct context *ctx)
{
	static const char data[16] = "0123456789abcde";
	struct bpf_load_and_run_opts opts = { .ctx = &ctx->head, .data = data, .data_sz = sizeof(data), .insns = insns, .insns_sz = size };

	memset(ctx, 0, sizeof(*ctx));
	ctx->head.sz = sizeof(*ctx);
	return loader__run(&opts);
}

#define RUN(ctx, ...) ({ const struct bpf_insn insns_[] = { __VA_ARGS__ }; run(insns_, sizeof(insns_), ctx); })

static void numbers(void **state)
{
	struct context ctx;

	(void)state;
	assert_int_equal(RUN(&ctx, MOV(2, -1), OP(BPF_RSH, 2, 32), OP(BPF_ADD, 2, 1), STORE(BPF_DW, 1, RESULT, 2), MOV(0, 0), EXIT), 0);
	assert_int_equal(ctx.result, 1ULL << 32);
	assert_int_equal(RUN(&ctx, CONSTANT(2, -2, 7), STORE(BPF_DW, 1, RESULT, 2), MOV(0, 3), EXIT), 0);
	assert_int_equal(ctx.result, 0x7fffffffe);
	assert_int_equal(RUN(&ctx, MOV(0, -EBUSY), EXIT), -EBUSY);
}

static void memory(void **state)
{
	struct context ctx;

	(void)state;
	/* Of the data there is a copy for each run. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(RUN(&ctx, DATA(3, 4), LOAD(BPF_W, 4, 3, 0), STORE(BPF_DW, 1, RESULT, 4), STORE_K(BPF_H, 3, 0, 0), MOV(0, 0),
				     EXIT), 0);
		assert_memory_equal(&ctx.result, "4567\0\0\0\0", 8);
	}
	/* The stack is below r10; reading from 0 clears. */
	assert_int_equal(RUN(&ctx, MOVE(6, 1), STORE_K(BPF_DW, 10, -8, -1), MOVE(1, 10), OP(BPF_ADD, 1, -8), MOV(2, 4), MOV(3, 0),
			     CALL(BPF_FUNC_probe_read_kernel), LOAD(BPF_DW, 4, 10, -8), STORE(BPF_DW, 6, RESULT, 4), MOV(0, 0), EXIT), 0);
	assert_int_equal(ctx.result, 0xffffffff00000000);
}

static void jumps(void **state)
{
	struct context ctx;

	(void)state;
	/* Back once, to a place near the begin, as loaders do when something fails */
	assert_int_equal(RUN(&ctx, JUMP(BPF_JA, 0, 0, 2), MOV(0, -ENOENT), EXIT, MOV(7, -1), JUMP(BPF_JSLT, 7, 0, -4), MOV(0, 0), EXIT), -ENOENT);
	assert_int_equal(RUN(&ctx, MOV(7, 5), JUMP(BPF_JSLE, 7, 4, 3), JUMP(BPF_JNE, 7, 5, 2), JUMP(BPF_JSET, 7, 4, 2), MOV(0, -1), EXIT,
			     MOV(0, 0), EXIT), 0);
	assert_int_equal(RUN(&ctx, JUMP(BPF_JA, 0, 0, -1)), -ENOTSUP); /* for ever */
	assert_int_equal(RUN(&ctx, JUMP(BPF_JA, 0, 0, -9), EXIT), -ENOTSUP);
	assert_int_equal(RUN(&ctx, MOV(0, 0)), -ENOTSUP); /* no end */
}

static void calls(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct context ctx;

	(void)state;
	assert_true(fd > 0);
	assert_int_equal(RUN(&ctx, MOV(1, fd), CALL(BPF_FUNC_sys_close), EXIT), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(RUN(&ctx, MOV(1, fd), CALL(BPF_FUNC_sys_close), EXIT), -EBADF);
	assert_int_equal(RUN(&ctx, MOV(1, -1), DATA(2, 0), MOV(3, 8), CALL(BPF_FUNC_sys_bpf), EXIT), -EINVAL);
	assert_int_equal(RUN(&ctx, MOV(1, 0), DATA(2, 0), MOV(3, 5000), CALL(BPF_FUNC_sys_bpf), EXIT), -E2BIG);
}

static void unknown(void **state)
{
	struct context ctx;

	(void)state;
	assert_int_equal(RUN(&ctx, CALL(BPF_FUNC_ktime_get_ns), EXIT), -ENOTSUP);
	assert_int_equal(RUN(&ctx, OP(BPF_MUL, 0, 1), EXIT), -ENOTSUP);
	assert_int_equal(RUN(&ctx, JUMP(BPF_JLT, 0, 1, 0), EXIT), -ENOTSUP);
	assert_int_equal(RUN(&ctx, { .code = BPF_ALU | BPF_MOV | BPF_K }, EXIT), -ENOTSUP);
	assert_int_equal(RUN(&ctx, { .code = BPF_STX | BPF_ATOMIC | BPF_W, .dst_reg = 1 }, EXIT), -ENOTSUP);
	assert_int_equal(RUN(&ctx, { .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_MAP_FD }, { 0 }, EXIT), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(memory),
		cmocka_unit_test(jumps),
		cmocka_unit_test(calls),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
