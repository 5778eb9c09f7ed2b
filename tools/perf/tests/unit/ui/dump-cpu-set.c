// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ui/dump/cpu-set.h"
#include "util/lib/types.h"

static void shows(const void *data, size_t size, const char *want)
{
	char *text;
	size_t len;
	FILE *fp = open_memstream(&text, &len);

	assert_non_null(fp);
	cpu_set__fprintf(fp, data, size);
	fclose(fp);
	assert_string_equal(text, want);
	free(text);
}

static void each_form_is_read(void **state)
{
	shows((u16[]){ 0, 4, 0, 1, 3, 0xffff }, 12, "0-1,3");
	shows((u16[]){ 1, 1, 8, 0, 0x8005, 0, 0, 0x8000 }, 16, "0,2,15,63");
	shows((u16[]){ 1, 2, 4, 0x0003, 0, 0x0001, 0 }, 14, "0-1,32");
	shows((u16[]){ 2, 0, 5, 7 }, 8, "5-7");
	shows((u16[]){ 9, 1, 1 }, 6, "");
}

static void what_does_not_fit_is_left_out(void **state)
{
	shows((u16[]){ 0, 9, 4, 5 }, 8, "4-5");
	shows((u16[]){ 1, 9, 8, 0, 3 }, 10, "0-1");
	shows((u16[]){ 1, 1, 8 }, 6, "");
	shows((u16[]){ 2, 0, 5 }, 6, "");
	shows((u16[]){ 0 }, 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read),
		cmocka_unit_test(what_does_not_fit_is_left_out),
	};

	return cmocka_run_group_tests_name("ui/cpu-set-stdio", tests, NULL, NULL);
}
