// SPDX-License-Identifier: GPL-2.0
/* Programs of call frame information, instruction by instruction. */
#include "util/unwind/cfi-run.h"

#include <dwarf.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define BEGIN 0x1000
#define END 0x1100

static struct {
	u64 changed[8], unknown;
	u32 nr_changed, nr_unknown;
} seen;

static void changed(void *context, u64 at, const struct cfi_state *state)
{
	assert_true(seen.nr_changed < ARRAY_SIZE(seen.changed));
	assert_true(at >= BEGIN && at < END);
	assert_true(!seen.nr_changed || at > seen.changed[seen.nr_changed - 1]); /* addresses rise */
	seen.changed[seen.nr_changed++] = at;
}

static void unknown(void *context, u64 at)
{
	seen.unknown = at;
	seen.nr_unknown++;
}

/* DW_CFA_set_loc with a byte from BEGIN on */
static bool address(void *context, struct bytes *program, u64 *at)
{
	*at = BEGIN + bytes__u8(program);
	return !program->bad;
}

static bool run(const u8 *program, size_t size)
{
	const struct cfi_cie cie = { .code_factor = 1, .data_factor = -8 };
	const struct cfi_run run = {
		.machine = cfi_machine__of_elf(EM_X86_64),
		.cie = &cie,
		.at = BEGIN,
		.end = END,
		.changed = changed,
		.unknown = unknown,
		.address = address,
	};
	struct cfi_state state = { 0 };

	seen.nr_changed = seen.nr_unknown = 0;
	return cfi_run__program(&run, (struct bytes){ .at = program, .end = program + size }, &state);
}
#define RUN(...)					\
	({						\
		static const u8 program_[] = { __VA_ARGS__ };	\
		run(program_, sizeof(program_));	\
	})

static void programs_go_forwards(void **state)
{
	assert_true(RUN(DW_CFA_def_cfa, 7, 8, DW_CFA_set_loc, 0x20, DW_CFA_undefined, 16,
			DW_CFA_advance_loc | 8, DW_CFA_undefined, 16));
	assert_int_equal(seen.nr_changed, 3);
	assert_int_equal(seen.changed[1], BEGIN + 0x20);
	assert_int_equal(seen.changed[2], BEGIN + 0x28);
	assert_int_equal(seen.nr_unknown, 0);
}

/* The rows of one that goes backwards would be in no order. */
static void one_that_goes_backwards_is_damaged(void **state)
{
	assert_false(RUN(DW_CFA_set_loc, 0x20, DW_CFA_undefined, 16, DW_CFA_set_loc, 0x1f, DW_CFA_undefined,
			 16, DW_CFA_advance_loc | 8));
	assert_int_equal(seen.nr_unknown, 1);
	assert_int_equal(seen.unknown, BEGIN + 0x20);
}

static void one_that_ends_early_is_damaged(void **state)
{
	assert_false(RUN(DW_CFA_set_loc, 0x20, DW_CFA_set_loc));
	assert_int_equal(seen.nr_unknown, 1);
	assert_false(RUN(DW_CFA_restore_state));
	assert_int_equal(seen.unknown, BEGIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_go_forwards),
		cmocka_unit_test(one_that_goes_backwards_is_damaged),
		cmocka_unit_test(one_that_ends_early_is_damaged),
	};

	return cmocka_run_group_tests_name("unwind/cfi-run", tests, NULL, NULL);
}
