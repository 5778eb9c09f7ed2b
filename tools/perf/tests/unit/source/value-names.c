// SPDX-License-Identifier: GPL-2.0
#include "util/source/value-names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static bool is_len(void *data, const char *name)
{
	return !strcmp(name, data);
}

static void each_has_a_name_of_its_own(void **state)
{
	static const char *const text[] = {
		"skb->dev->name", "skb->len", "task->comm", "skb->dev->name", "dev->dev->name", "skb->dev->name", "((struct sock *)skb->sk)->a[3]", "skb",
	};
	static const char *const names[] = {
		"dev_name", "skb_len", "task_comm", "skb_dev_name", "dev_dev_name", "skb_dev_name_2", "sk_a_3", "skb",
	};
	char name[8][VALUE_NAME_LEN];

	value_names__fill(name, text, 8, is_len, "len");
	for (unsigned int i = 0; i < 8; i++)
		assert_string_equal(name[i], names[i]);
	value_names__fill(name, text, 2, NULL, NULL);
	assert_string_equal(name[1], "len");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
