// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "util/lib/text.h"

static void assert_text(struct text *t, const char *want)
{
	assert_int_equal(t->len, strlen(want));
	assert_memory_equal(t->buf, want, t->len);
	t->len = 0;
}

/* The forms are those of printf(3). */
static void numbers_are_as_printf_has_them(void **state)
{
	static const u64 numbers[] = { 0, 7, 9, 10, 15, 16, 99, 100, 12345, 0xfffff, UINT32_MAX, 1ULL << 63, UINT64_MAX };
	struct text t = {};
	char want[64];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (int width = 0; width < 25; width += 6) {
			text__unsigned(&t, numbers[i], width, ' ');
			snprintf(want, sizeof(want), "%*" PRIu64, width, numbers[i]);
			assert_text(&t, want);
			text__unsigned(&t, numbers[i], width, '0');
			snprintf(want, sizeof(want), "%.*" PRIu64, width ?: 1, numbers[i]);
			assert_text(&t, want);
			text__signed(&t, numbers[i], width);
			snprintf(want, sizeof(want), "%*" PRId64, width, (s64)numbers[i]);
			assert_text(&t, want);
			text__hex(&t, numbers[i], width);
			snprintf(want, sizeof(want), "%*" PRIx64, width, numbers[i]);
			assert_text(&t, want);
		}
	}
	text__exit(&t);
}

static void decimals_are_as_printf_prints_them(void **state)
{
	char text[24], want[24];

	for (u64 n = 0; n < EIGHT_DIGITS; n += n / 100 + 1) {
		decimal__put_right(text, n, 10);
		snprintf(want, sizeof(want), "%10u", (unsigned int)n);
		assert_memory_equal(text, want, 10);
		decimal__put(text, n, 8);
		snprintf(want, sizeof(want), "%08u", (unsigned int)n);
		assert_memory_equal(text, want, 8);
		decimal__put(text, n, 3);
		assert_memory_equal(text, want + 5, 3);
	}
}

static void digits_have_zeros_before(void **state)
{
	struct text t = {};

	text__digits(&t, 0, 6);
	text__digits(&t, 7, 1);
	text__digits(&t, 40302, 9);
	text__digits(&t, 123456789, 9);
	assert_text(&t, "0000007000040302123456789");
	text__exit(&t);
}

/* Each length, between other text. */
static void hex_numbers_are_put_to_the_right(void **state)
{
	char expected[17], to[18];

	for (u32 nr = 0; nr <= 16; nr++) {
		u64 n = nr == 16 ? 0xfedcba9876543210 : 0x123456789abcdef & ((1ULL << 4 * nr) - 1);

		memset(to, '.', sizeof(to));
		hex__put_right(to, n);
		snprintf(expected, sizeof(expected), "%16llx", (unsigned long long)n);
		assert_memory_equal(to, expected, 16);
		assert_int_equal(to[16], '.');
	}
}

static void hex_numbers_overwrite_nothing(void **state)
{
	char want[256] = "";
	struct text t = {};

	for (u32 nr = 0; nr < 16; nr++) {
		u64 n = 0xfedcba9876543210 >> 4 * nr;

		text__hex(&t, n, nr);
		text__char(&t, '/');
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "%*" PRIx64 "/", (int)nr, n);
	}
	assert_text(&t, want);
	text__exit(&t);
}

static void strings_are_put_behind_each_other(void **state)
{
	struct text t = {};

	text__str(&t, "ab");
	text__char(&t, '-');
	text__str_right(&t, "c", 3);
	text__str_right(&t, "long", 3);
	text__printf(&t, "%d|%s", 5, "x");
	assert_text(&t, "ab-  clong5|x");
	text__exit(&t);
}

static void it_grows(void **state)
{
	static char line[3000];
	struct text t = {};

	memset(line, 'x', sizeof(line) - 1);
	for (int i = 0; i < 100; i++)
		text__printf(&t, "%s\n", line);
	assert_int_equal(t.len, 100 * sizeof(line));
	for (size_t i = 0; i < t.len; i++)
		assert_int_equal(t.buf[i], i % sizeof(line) == sizeof(line) - 1 ? '\n' : 'x');
	assert_false(t.failed);
	text__exit(&t);
}

static void assert_percent(double percent, int width)
{
	char made[64], wanted[64];

	snprintf(wanted, sizeof(wanted), "%*.2f%%", width ? width - 1 : 0, percent);
	assert_int_equal(text__format_percent(made, sizeof(made), percent, width), strlen(wanted));
	assert_string_equal(made, wanted);
}

static void percentages_are_as_printf_has_them(void **state)
{
	static const double special[] = { 0, 0.005, 0.015, 0.025, 0.125, 0.375, 99.995, 99.994999, 100, 9.995, 9999.994, 10000, 1e9, -1, -0.001,
					  0.00499999999, 0.00500000001, 1.0 / 0.0, 0.0 / 0.0 };

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		for (int width = 0; width < 40; width++)
			assert_percent(special[i], width);
	}
	for (u64 total = 1; total < 3000; total++) {
		for (u64 part = 0; part <= total; part += 1 + total / 97)
			assert_percent(part * 100.0 / total, 8);
	}
}

static void copies_are_cut(void **state)
{
	char buf[4] = "xxx";

	assert_int_equal(text__copy(buf, sizeof(buf), "ab"), 2);
	assert_string_equal(buf, "ab");
	assert_int_equal(text__copy(buf, sizeof(buf), "abcdef"), 6);
	assert_string_equal(buf, "abc");
}

static void times_are_cut_to_microseconds(void **state)
{
	char buf[32];

	assert_string_equal(text__format_time(buf, sizeof(buf), 0), "0.000000");
	assert_string_equal(text__format_time(buf, sizeof(buf), 12000345999), "12.000345");
	assert_string_equal(text__format_time(buf, sizeof(buf), UINT64_MAX), "18446744073.709551");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_printf_has_them),
		cmocka_unit_test(digits_have_zeros_before),
		cmocka_unit_test(decimals_are_as_printf_prints_them),
		cmocka_unit_test(hex_numbers_overwrite_nothing),
		cmocka_unit_test(hex_numbers_are_put_to_the_right),
		cmocka_unit_test(strings_are_put_behind_each_other),
		cmocka_unit_test(it_grows),
		cmocka_unit_test(percentages_are_as_printf_has_them),
		cmocka_unit_test(copies_are_cut),
		cmocka_unit_test(times_are_cut_to_microseconds),
	};

	return cmocka_run_group_tests_name("lib/text", tests, NULL, NULL);
}
