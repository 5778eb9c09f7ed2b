// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/symbol/insn-vector.h"

/* As objdump shows them; behind each stands something else. */
static const struct {
	const char *text;
	u8 length, code[16];
} known[] = {
	{ "vzeroupper", 3, { 0xc5, 0xf8, 0x77, 0x90 } },
	{ "kmovd %k1,%eax", 4, { 0xc5, 0xfb, 0x93, 0xc1, 0x90 } },
	{ "vpcmpeqb (%rsi),%ymm16,%k1", 6, { 0x62, 0xf1, 0x7d, 0x20, 0x74, 0x0e, 0x90 } },
	{ "vptestnmb %ymm17,%ymm17,%k2", 6, { 0x62, 0xb2, 0x76, 0x20, 0x26, 0xd1, 0x90 } },
	{ "vmovdqu64 0x20(%rsi),%ymm17", 7, { 0x62, 0xe1, 0xfe, 0x28, 0x6f, 0x4e, 0x01, 0x90 } },
	{ "vmovdqu64 (%rsi,%rdx,1),%ymm17", 7, { 0x62, 0xe1, 0xfe, 0x28, 0x6f, 0x0c, 0x16, 0x90 } },
	{ "vmovdqu -0x20(%rsi,%rdx,1),%ymm5", 6, { 0xc5, 0xfe, 0x6f, 0x6c, 0x16, 0xe0, 0x90 } },
	{ "vmovdqa 0x1234(%rip),%ymm0", 8, { 0xc5, 0xfd, 0x6f, 0x05, 0x34, 0x12, 0x00, 0x00, 0x90 } },
	{ "vmovdqa 0x12345678(,%rax,8),%ymm0", 9, { 0xc5, 0xfd, 0x6f, 0x04, 0xc5, 0x78, 0x56, 0x34, 0x12, 0x90 } },
	{ "vpshufd $0x1b,%xmm0,%xmm0", 5, { 0xc5, 0xf9, 0x70, 0xc0, 0x1b, 0x90 } },
	{ "vpalignr $0x8,%ymm1,%ymm0,%ymm0", 6, { 0xc4, 0xe3, 0x7d, 0x0f, 0xc1, 0x08, 0x90 } },
	{ "vpermq $0x4e,0x100(%rax),%ymm1", 10, { 0xc4, 0xe3, 0xfd, 0x00, 0x88, 0x00, 0x01, 0x00, 0x00, 0x4e, 0x90 } },
};

static void lengths_are_known(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (vector_insn__length(known[i].code, sizeof(known[i].code)) != known[i].length)
			fail_msg("%s", known[i].text);
	}
}

static void half_of_one_is_none(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		for (size_t size = 0; size < known[i].length; size++)
			assert_int_equal(vector_insn__length(known[i].code, size), 0);
	}
}

static void others_are_none(void **state)
{
	static const u8 other[] = { 0x48, 0x89, 0xe5, 0x90, 0x90, 0x90, 0x90, 0x90 }, map_9[] = { 0xc4, 0xe9, 0x78, 0x10, 0xc0, 0x90, 0x90, 0x90 };

	assert_int_equal(vector_insn__length(other, sizeof(other)), 0);
	assert_int_equal(vector_insn__length(map_9, sizeof(map_9)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_known),
		cmocka_unit_test(half_of_one_is_none),
		cmocka_unit_test(others_are_none),
	};

	return cmocka_run_group_tests_name("symbol/insn-vector", tests, NULL, NULL);
}
