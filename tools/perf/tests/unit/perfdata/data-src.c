// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/perfdata/data-src.h"

static const char *level(union perf_mem_data_src src, const char *outcome)
{
	static char text[64];

	assert_string_equal(data_src__level(src, text, sizeof(text)), outcome);
	return text;
}

static void the_newer_form_of_levels_is_preferred(void **state)
{
	union perf_mem_data_src src = { .mem_lvl_num = PERF_MEM_LVLNUM_L3, .mem_remote = 1, .mem_hops = 2,
					.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1 };

	assert_string_equal(level(src, "hit"), "Remote node, same socket L3");
	src.mem_lvl_num = 0;
	assert_string_equal(level(src, "hit"), "L1");
	src.mem_lvl_num = 7;
	src.mem_hops = 7;
	assert_string_equal(level(src, "hit"), "Remote Unknown level 7");
}

static void bits_are_joined(void **state)
{
	union perf_mem_data_src src = { .mem_lvl = PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1 | PERF_MEM_LVL_L2,
					.mem_snoop = PERF_MEM_SNOOP_HIT, .mem_snoopx = PERF_MEM_SNOOPX_FWD,
					.mem_dtlb = PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2,
					.mem_blk = PERF_MEM_BLK_DATA | PERF_MEM_BLK_ADDR };
	char text[64];

	assert_string_equal(level(src, "miss"), "L1 or L2");
	data_src__snoop(src, text, sizeof(text));
	assert_string_equal(text, "Hit or Fwd");
	data_src__tlb(src, text, sizeof(text));
	assert_string_equal(text, "L1 or L2 hit");
	assert_string_equal(data_src__block(src), " Data Addr");
}

static void what_is_not_told_is_said(void **state)
{
	union perf_mem_data_src none = { .val = 0 }, na = { .mem_op = PERF_MEM_OP_NA, .mem_lock = PERF_MEM_LOCK_NA,
							    .mem_lvl_num = PERF_MEM_LVLNUM_NA, .mem_blk = PERF_MEM_BLK_NA };
	char text[8];

	assert_string_equal(data_src__op(none), "No");
	assert_string_equal(data_src__op(na), "N/A");
	assert_string_equal(level(none, ""), "N/A");
	assert_string_equal(level(na, ""), "N/A");
	assert_string_equal(data_src__lock(none), "No");
	assert_string_equal(data_src__lock(na), "N/A");
	assert_string_equal(data_src__block(none), " N/A");
	assert_string_equal(data_src__block(na), " N/A");
	data_src__tlb(none, text, sizeof(text));
	assert_string_equal(text, "N/A");
}

static void long_texts_are_cut(void **state)
{
	union perf_mem_data_src src = { .mem_lvl = 0x3ff8, .mem_dtlb = 0x7f, .mem_snoop = 0x1f };
	char text[12];

	data_src__level(src, text, sizeof(text));
	assert_string_equal(text, "L1 or LFB/M");
	data_src__snoop(src, text, sizeof(text));
	assert_string_equal(text, "N/A or None");
	data_src__tlb(src, text, sizeof(text));
	assert_string_equal(text, "N/A or L1 o");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newer_form_of_levels_is_preferred),
		cmocka_unit_test(bits_are_joined),
		cmocka_unit_test(what_is_not_told_is_said),
		cmocka_unit_test(long_texts_are_cut),
	};

	return cmocka_run_group_tests_name("perfdata/data-src", tests, NULL, NULL);
}
