// SPDX-License-Identifier: GPL-2.0
/* Single steps with made-up tables and memory, and walks of this process's own stack, which the compiler's unwinder walks, too. */
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>
#include "util/unwind/walk.h"

#define STACK 0x7000 /* address of memory[0] */
#define CODE 0x100   /* address, and offset in the file, of the code with the rule */

static u64 memory[32];
static u64 registers[32];
static const struct unwind_table *table;

static enum unwind_end find(void *context, u64 ip, u32 *rule)
{
	*rule = table ? unwind_table__rule(table, ip) : UNWIND_RULE_FP;
	return ip < 0x10000 ? UNWIND_GOES_ON : UNWIND_NO_MAPPING;
}

static bool read_memory(void *context, u64 address, u64 *value)
{
	if (address - STACK >= sizeof(memory) || address % 8)
		return false;
	*value = memory[(address - STACK) / 8];
	return true;
}

static bool read_register(void *context, u32 number, u64 *value)
{
	*value = number < 32 ? registers[number] : 0;
	return *value;
}

static const struct unwind_walk_ops ops = { .find = find, .read = read_memory, .reg = read_register };

#define RULE(...) ((struct unwind_rule){ __VA_ARGS__ })
static const struct unwind_frame sampled = { .ip = CODE, .sp = STACK, .bp = STACK + 0x40, .bp_known = 1, .exact = 1, .sampled = 1 };
#define LAST_BYTE (CODE + 0xf) /* that the rule is for */

/* Each word of memory holds its index and one more, times 0x101; the last one holds 0. One step with the rule at CODE, and UNWIND_RULE_NONE elsewhere. */
static enum unwind_end step(u16 machine, struct unwind_rule rule, u64 ra_mask, struct unwind_frame *frame)
{
	struct unwind_rules *rules = unwind_rules__new(machine);
	const u32 index[] = { 0, 3 };
	const struct unwind_row rows[] = { { 0, UNWIND_RULE_NONE }, { CODE, unwind_rules__id(rules, &rule) }, { LAST_BYTE + 1, UNWIND_RULE_NONE } };
	const struct unwind_table made = { .nr_pages = 1, .nr_rows = 3, .index = index, .rows = rows };
	const struct unwind_walk walk = { .rules = rules, .ops = &ops, .ra_mask = ra_mask };
	enum unwind_end end;

	for (size_t i = 0; i < ARRAY_SIZE(memory); i++)
		memory[i] = (i + 1) % ARRAY_SIZE(memory) * 0x101;
	table = &made;
	end = unwind_walk__step(&walk, frame);
	table = NULL;
	unwind_rules__delete(rules);
	return end;
}

static void assert_step(u16 machine, struct unwind_rule rule, struct unwind_frame frame, u64 ip, u64 sp, u64 bp)
{
	assert_int_equal(step(machine, rule, 0, &frame), UNWIND_GOES_ON);
	assert_int_equal(frame.ip, ip);
	assert_int_equal(frame.sp, sp);
	assert_int_equal(frame.bp, bp);
	assert_int_equal(frame.exact, rule.signal);
	assert_false(frame.sampled);
}

#define WORD(i) (((i) + 1) * 0x101)
#define X86_SP(off, ...) RULE(.cfa = UNWIND_CFA_SP, .cfa_off = off, .ra_off = -1, __VA_ARGS__)

static void test_steps(void **state)
{
	struct unwind_frame frame = sampled, in_plt = sampled;

	in_plt.ip += 11;
	assert_step(EM_X86_64, X86_SP(16), frame, WORD(1), STACK + 16, STACK + 0x40);
	assert_step(EM_X86_64, X86_SP(32, .bp = UNWIND_BP_CFA, .bp_off = -2), frame, WORD(3), STACK + 32, WORD(2));
	assert_step(EM_X86_64, RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .bp = UNWIND_BP_CFA, .bp_off = -2, .ra_off = -1), frame, WORD(9), STACK + 0x50,
		    WORD(8));
	assert_step(EM_X86_64, RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 11, .ra_off = -1), frame, WORD(0), STACK + 8, STACK + 0x40);
	assert_step(EM_X86_64, RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 11, .ra_off = -1), in_plt, WORD(1), STACK + 16, STACK + 0x40);
	/* a signal frame: CFA = *(sp + 40), bp at sp + 24, ip at sp + 48 */
	assert_step(EM_X86_64, RULE(.cfa = UNWIND_CFA_DEREF, .reg = 7, .cfa_off = 40 * 256, .bp = UNWIND_BP_BASE, .bp_off = 3, .ra = UNWIND_RA_BASE,
				    .ra_off = 6, .signal = 1), frame, WORD(6), WORD(5), WORD(3));
	registers[10] = STACK + 0x80;
	registers[5] = 0x1234;
	assert_step(EM_X86_64, RULE(.cfa = UNWIND_CFA_REG, .reg = 10, .cfa_off = 8, .ra_off = -1), frame, WORD(16), STACK + 0x88, STACK + 0x40);
	assert_step(EM_X86_64, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_RA_REG, .ra_off = 5), frame, 0x1234, STACK + 8, STACK + 0x40);
}

static void assert_bx_at(struct unwind_frame *frame, struct unwind_rule rule, u64 bx_at)
{
	frame->ip = CODE;
	frame->exact = 1;
	assert_int_equal(step(EM_X86_64, rule, 0, frame), UNWIND_GOES_ON);
	assert_int_equal(frame->bx_at, bx_at);
}

/* A rule of Go's tables: valid in a function without a frame, and in one that has none yet or no more. */
static void test_pointers(void **state)
{
	const struct unwind_rule go = X86_SP(24, .reg = UNWIND_X86_BP, .bx = UNWIND_BX_LOST);
	struct unwind_frame of_caller = sampled, own = sampled, outermost = sampled, far = sampled, before = sampled, call = sampled;

	of_caller.bp = STACK + 24;
	assert_step(EM_X86_64, go, of_caller, WORD(2), STACK + 24, STACK + 24);
	outermost.bp = 0;
	assert_step(EM_X86_64, go, outermost, WORD(2), STACK + 24, 0);
	own.bp = STACK + 8;
	assert_step(EM_X86_64, go, own, WORD(2), STACK + 24, WORD(1));
	before.bp = STACK;
	assert_step(EM_X86_64, go, before, WORD(1), STACK + 16, WORD(0));
	far.sp -= UNWIND_MAX_GO_FRAME;
	far.bp = STACK + 24;
	assert_step(EM_X86_64, go, far, WORD(4), STACK + 40, WORD(3));
	call.exact = call.sampled = 0;
	call.ip = CODE + 1;
	call.bp = STACK + 32;
	assert_step(EM_X86_64, go, call, WORD(5), STACK + 48, WORD(4));
}

/* Functions find their CFA by rbx, which callees have saved, or not. */
static void test_rbx(void **state)
{
	const struct unwind_rule by_bx = { .cfa = UNWIND_CFA_REG, .reg = UNWIND_X86_BX, .cfa_off = 16, .ra_off = -1 };
	struct unwind_frame frame = sampled, kept = sampled, lost = sampled, arm64 = sampled;

	kept.sampled = arm64.sampled = 0;
	registers[UNWIND_X86_BX] = STACK + 0x20;
	assert_step(EM_X86_64, by_bx, kept, WORD(5), STACK + 0x30, STACK + 0x40);

	assert_bx_at(&frame, X86_SP(64, .bx = 6), STACK + 64 - 56);
	assert_bx_at(&frame, X86_SP(8), STACK + 64 - 56);
	assert_bx_at(&frame, X86_SP(24, .bx = 1), STACK + 64 + 8 + 24 - 16);
	assert_int_equal(frame.sp, STACK + 64 + 8 + 24);
	frame.ip = CODE;
	frame.exact = 1;
	assert_int_equal(step(EM_X86_64, RULE(.cfa = UNWIND_CFA_REG, .reg = UNWIND_X86_BX, .cfa_off = 8, .ra = UNWIND_RA_REG, .ra_off = UNWIND_X86_SP), 0,
			      &frame), UNWIND_GOES_ON);
	assert_int_equal(frame.sp, WORD((64 + 8 + 24 - 16) / 8) + 8);

	assert_bx_at(&lost, X86_SP(16, .bx = UNWIND_BX_LOST), UNWIND_BX_NOWHERE);
	lost.ip = CODE;
	lost.exact = 1;
	assert_int_equal(step(EM_X86_64, by_bx, 0, &lost), UNWIND_HARD);
	/* of arm64 it is another register */
	assert_int_equal(step(EM_AARCH64, by_bx, 0, &arm64), UNWIND_HARD);
}

static void test_arm64_steps(void **state)
{
	struct unwind_frame leaf = sampled, signed_lr, interrupted = sampled;
	const struct unwind_rule lr = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_RA_REG, .ra_off = 30 };

	leaf.lr_known = 1;
	signed_lr = leaf;
	leaf.lr = 0x8888;
	signed_lr.lr = 0xabff000000001234;
	assert_step(EM_AARCH64, lr, leaf, 0x8888, STACK, STACK + 0x40);
	assert_int_equal(step(EM_AARCH64, lr, 0xffff000000000000, &signed_lr), UNWIND_GOES_ON);
	assert_int_equal(signed_lr.ip, 0x1234);
	assert_int_equal(step(EM_AARCH64, lr, 0, &interrupted), UNWIND_HARD);
	interrupted = sampled;
	assert_step(EM_AARCH64, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 64, .bp = UNWIND_BP_CFA, .bp_off = -4, .ra = UNWIND_RA_PAIR), leaf, WORD(5),
		    STACK + 64, WORD(4));
	/* behind a signal frame lr is what the context says: two words before pc */
	assert_int_equal(step(EM_AARCH64, RULE(.cfa = UNWIND_CFA_DEREF, .reg = 31, .cfa_off = 5 * 8 * 256, .bp = UNWIND_BP_BASE, .bp_off = 3,
					       .ra = UNWIND_RA_BASE, .ra_off = 6, .signal = 1), 0, &interrupted), UNWIND_GOES_ON);
	assert_int_equal(interrupted.ip, WORD(6));
	assert_int_equal(interrupted.lr, WORD(4));
	assert_true(interrupted.lr_known);
}

static enum unwind_end end_of(struct unwind_rule rule, struct unwind_frame frame)
{
	return step(EM_X86_64, rule, 0, &frame);
}

static void test_ends(void **state)
{
	struct unwind_frame after_call = sampled, behind = sampled, nowhere = sampled, no_bp = sampled, caller = sampled, at_end = sampled, lost = sampled;
	struct unwind_frame outermost = sampled, of_number = sampled;
	const struct unwind_rule by_reg = { .cfa = UNWIND_CFA_REG, .reg = 10, .cfa_off = 16, .ra_off = -1 };

	after_call.ip = behind.ip = LAST_BYTE + 1;
	after_call.exact = 0;
	nowhere.ip = 0x10000;
	no_bp.bp_known = 0;
	caller.sampled = 0;
	at_end.sp = STACK + sizeof(memory) - 8;
	outermost.sampled = outermost.bp = of_number.bp = 0;
	registers[10] = STACK;
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_END), sampled), UNWIND_COMPLETE);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_NONE), sampled), UNWIND_NO_CFI);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_HARD), sampled), UNWIND_HARD);
	assert_int_equal(end_of(X86_SP(16), after_call), UNWIND_GOES_ON);
	assert_int_equal(end_of(X86_SP(16), behind), UNWIND_NO_CFI);
	assert_int_equal(end_of(X86_SP(16), nowhere), UNWIND_NO_MAPPING);
	assert_int_equal(end_of(X86_SP(8), at_end), UNWIND_ZERO);
	assert_int_equal(end_of(X86_SP(24), at_end), UNWIND_MEMORY);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .ra_off = -1), no_bp), UNWIND_HARD);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .ra_off = -1), outermost), UNWIND_ZERO);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .ra_off = -1), of_number), UNWIND_MEMORY);
	assert_int_equal(end_of(X86_SP(16), outermost), UNWIND_GOES_ON);
	assert_int_equal(end_of(by_reg, sampled), UNWIND_GOES_ON);
	assert_int_equal(end_of(by_reg, caller), UNWIND_HARD);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_DEREF, .reg = 7, .cfa_off = -8 * 256, .ra_off = -1), sampled), UNWIND_MEMORY);
	assert_int_equal(step(EM_X86_64, X86_SP(16, .bp = UNWIND_BP_LOST), 0, &lost), UNWIND_GOES_ON);
	assert_false(lost.bp_known);
	registers[10] = UNWIND_NO_ADDRESS; /* of the kernel */
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_RA_REG, .ra_off = 10), sampled), UNWIND_NO_MAPPING);
	/* the caller is the frame itself, or only its code again */
	registers[10] = CODE;
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_SP, .ra = UNWIND_RA_REG, .ra_off = 10), sampled), UNWIND_LOOP);
	assert_int_equal(end_of(RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_RA_REG, .ra_off = 10), sampled), UNWIND_GOES_ON);
}

/* Code without a table: by frame pointers. Each frame record is 16 bytes; the last one's return address is 0. */
static void test_frame_pointers(void **state)
{
	struct unwind_rules *rules = unwind_rules__new(EM_X86_64);
	const struct unwind_walk walk = { .rules = rules, .ops = &ops };
	const struct unwind_frame frame = { .ip = 0x500, .sp = STACK - 64, .bp = STACK, .bp_known = 1, .exact = 1 };
	u64 ips[8];
	u32 nr;

	table = NULL;
	for (u64 i = 0; i < 4; i++) {
		memory[4 * i] = STACK + 32 * (i + 1);
		memory[4 * i + 1] = i < 3 ? 0x600 + i : 0;
	}
	assert_int_equal(unwind_walk__run(&walk, frame, ips, 8, &nr), UNWIND_ZERO);
	assert_int_equal(nr, 4);
	assert_int_equal(ips[0], 0x500);
	assert_int_equal(ips[3], 0x602);
	assert_int_equal(unwind_walk__run(&walk, frame, ips, 3, &nr), UNWIND_DEPTH);
	assert_int_equal(nr, 3);
	assert_int_equal(ips[2], 0x601);
	unwind_rules__delete(rules);
}

/* This process */
#define MAX_FRAMES 64
#define MAX_MAPPINGS 64

struct mapping {
	u64 begin, end, offset;
	char path[256];
	struct unwind_table *table;
};

static struct {
	struct mapping mapping[MAX_MAPPINGS];
	u32 nr;
	struct unwind_rules *rules;
	u64 ours[MAX_FRAMES], theirs[MAX_FRAMES];
	u32 nr_ours, nr_theirs;
	enum unwind_end end;
} self;

#ifdef __x86_64__
#define MACHINE EM_X86_64
static const u8 reg_numbers[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12,
				  REG_R13, REG_R14, REG_R15 };
#else
#define MACHINE EM_AARCH64
#endif

static void load_mapping(struct mapping *m)
{
	struct errmsg err;

	int rc = 0;

	if (!strcmp(m->path, "[vdso]"))
		rc = unwind_table__load_memory((const void *)m->begin, m->end - m->begin, m->path, self.rules, &m->table, &err);
	else if (m->path[0] == '/')
		rc = unwind_table__load(m->path, self.rules, &m->table, &err);
	if (rc)
		fail_msg("%s", err.text);
}

static void load_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], perms[8];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		struct mapping *m = &self.mapping[self.nr];

		m->path[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255s", &m->begin, &m->end, perms, &m->offset, m->path) < 4 || perms[2] != 'x')
			continue;
		load_mapping(m);
		assert_true(++self.nr < MAX_MAPPINGS);
	}
	fclose(maps);
}

static enum unwind_end find_own(void *context, u64 ip, u32 *rule)
{
	for (u32 i = 0; i < self.nr; i++) {
		const struct mapping *m = &self.mapping[i];

		if (ip >= m->begin && ip < m->end) {
			if (!m->table)
				return UNWIND_NO_TABLE;
			*rule = unwind_table__rule(m->table, ip - m->begin + m->offset);
			return UNWIND_GOES_ON;
		}
	}
	return UNWIND_NO_MAPPING;
}

/* The bytes that the sanitizers guard are part of a stack, too. */
__attribute__((no_sanitize("address"))) static bool read_own(void *context, u64 address, u64 *value)
{
	*value = *(const volatile u64 *)address;
	return true;
}

static u64 own_register(const ucontext_t *uc, u32 number)
{
#ifdef __x86_64__
	return uc->uc_mcontext.gregs[reg_numbers[number]];
#else
	return number == 31 ? uc->uc_mcontext.sp : uc->uc_mcontext.regs[number];
#endif
}

static bool read_own_register(void *context, u32 number, u64 *value)
{
	if (number > 15)
		return false;
	*value = own_register(context, number);
	return true;
}

static struct unwind_frame own_frame(const ucontext_t *uc)
{
#ifdef __x86_64__
	return (struct unwind_frame){ .ip = uc->uc_mcontext.gregs[REG_RIP], .sp = own_register(uc, UNWIND_X86_SP), .bp = own_register(uc, UNWIND_X86_BP),
				      .exact = 1, .sampled = 1, .bp_known = 1 };
#else
	return (struct unwind_frame){ .ip = uc->uc_mcontext.pc, .sp = own_register(uc, 31), .bp = own_register(uc, 29), .lr = own_register(uc, 30),
				      .exact = 1, .sampled = 1, .bp_known = 1, .lr_known = 1 };
#endif
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *unused)
{
	/* it may tell of one more, at 0, behind the outermost frame */
	if (self.nr_theirs < MAX_FRAMES && _Unwind_GetIP(context))
		self.theirs[self.nr_theirs++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* Walk from the second signal's place on; libgcc's unwinder begins in this function, and passes the same place. */
static void walk_own(int sig, siginfo_t *info, void *context)
{
	const struct unwind_walk_ops own = { .find = find_own, .read = read_own, .reg = read_own_register };
	const struct unwind_walk walk = { .rules = self.rules, .ops = &own, .context = context };

	self.end = unwind_walk__run(&walk, own_frame(context), self.ours, MAX_FRAMES, &self.nr_ours);
	_Unwind_Backtrace(count_frame, NULL);
}

static void raise_second(int sig)
{
	raise(SIGUSR2);
}

static int compare(const void *a, const void *b)
{
	if (!self.nr_ours)
		raise(SIGUSR1);
	return *(const char *)a - *(const char *)b;
}

static void deep(int depth)
{
	char text[] = "qsort";
	volatile int keep = depth;

	if (depth)
		deep(depth - 1);
	else
		qsort(text, sizeof(text) - 1, 1, compare);
	assert_int_equal(keep, depth);
}

/* Signal handlers, callbacks and recursion, through the C library and this test's: both unwinders reach the program's begin. */
static void test_own_stack(void **state)
{
	struct sigaction second = { .sa_sigaction = walk_own, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	static char alternate[65536];
	u32 skipped = 0;

	self.rules = unwind_rules__new(MACHINE);
	load_mappings();
	assert_int_equal(sigaltstack(&(stack_t){ .ss_sp = alternate, .ss_size = sizeof(alternate) }, NULL), 0);
	assert_int_equal(sigaction(SIGUSR2, &second, NULL), 0);
	assert_ptr_not_equal(signal(SIGUSR1, raise_second), SIG_ERR);
	deep(10);
	while (skipped < self.nr_theirs && self.theirs[skipped] != self.ours[0])
		skipped++;
	assert_true(skipped < self.nr_theirs);
	assert_int_equal(self.end, UNWIND_COMPLETE);
	assert_true(self.nr_ours > 20);
	assert_int_equal(self.nr_theirs - skipped, self.nr_ours);
	for (u32 i = 0; i < self.nr_ours; i++)
		assert_int_equal(self.ours[i], self.theirs[i + skipped]);
	sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
	for (u32 i = 0; i < self.nr; i++)
		unwind_table__delete(self.mapping[i].table);
	unwind_rules__delete(self.rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_rbx), cmocka_unit_test(test_arm64_steps), cmocka_unit_test(test_ends), cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_own_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
