// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/symtab.h"

static const char text[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t local_one\n"
			   "ffffffff81000180 W weak_one\n"
			   "ffffffff81000200 r read_only\n"
			   "ffffffff81000280 d some_data\n"
			   "ffffffff81000300 t $x\n"
			   "ffffffff81000400 T last\n"
			   "ffffffffc0201000 t mod_fun\t[ext4]\n"
			   "ffffffffc0201080 t mod_other\t[ext4]\n"
			   "ffffffffc0301000 t ext4_like\t[ext4dev]\n"
			   "not a line of kallsyms\n"
			   "ffffffffc0401000 t bpf_prog_1\t[bpf]"; /* no newline */

static const char *name_at(const struct symtab *tab, u64 addr)
{
	const struct symbol *sym = symtab__find(tab, addr);

	return sym ? sym->name : "none";
}

static void test_core(void **state)
{
	struct symtab *tab;

	write_text("kallsyms", text);
	assert_int_equal(symtab__load_kallsyms("kallsyms", NULL, 0, &tab, NULL), 0);
	assert_string_equal(name_at(tab, 0xffffffff81000000), "_text"); /* as stock perf: the last one has a size */
	assert_string_equal(name_at(tab, 0xffffffff810000ff), "_text");
	assert_string_equal(name_at(tab, 0xffffffff81000100), "local_one");
	assert_int_equal(symtab__find(tab, 0xffffffff81000100)->binding, 'l');
	assert_string_equal(name_at(tab, 0xffffffff81000210), "weak_one");
	assert_int_equal(symtab__find(tab, 0xffffffff81000210)->binding, 'w');
	assert_string_equal(name_at(tab, 0xffffffff81000310), "some_data");
	assert_string_equal(name_at(tab, 0xffffffff81001fff), "last");
	assert_string_equal(name_at(tab, 0xffffffff81002000), "none");
	assert_string_equal(name_at(tab, 0xffffffffc0201000), "none");
	symtab__delete(tab);
}

static void test_module(void **state)
{
	struct errmsg err;
	struct symtab *tab;

	write_text("kallsyms", text);
	assert_int_equal(symtab__load_kallsyms("kallsyms", "ext4", 0, &tab, NULL), 0);
	assert_int_equal(symtab__nr(tab), 2);
	assert_string_equal(name_at(tab, 0xffffffffc0201000), "mod_fun");
	assert_string_equal(name_at(tab, 0xffffffffc02010ff), "mod_other");
	symtab__delete(tab);
	assert_int_equal(symtab__load_kallsyms("kallsyms", "bpf", 0, &tab, NULL), 0);
	assert_string_equal(name_at(tab, 0xffffffffc0401000), "bpf_prog_1");
	symtab__delete(tab);
	assert_int_equal(symtab__load_kallsyms("kallsyms", "none", 0, &tab, &err), -ENOENT);
	assert_non_null(strstr(err.text, "none"));
}

static void test_moved(void **state)
{
	struct symtab *tab;

	write_text("kallsyms", text);
	assert_int_equal(symtab__load_kallsyms("kallsyms", NULL, -0x1000000, &tab, NULL), 0);
	assert_string_equal(name_at(tab, 0xffffffff80000100), "local_one");
	assert_string_equal(name_at(tab, 0xffffffff81000100), "none");
	symtab__delete(tab);
	assert_int_equal(symtab__load_kallsyms("kallsyms", NULL, 0x2000000, &tab, NULL), 0);
	assert_string_equal(name_at(tab, 0xffffffff83000100), "local_one");
	symtab__delete(tab);
}

static void test_errors(void **state)
{
	struct errmsg err;
	struct symtab *tab;

	write_text("hidden", "0000000000000000 T _text\n0000000000000000 t local_one\n");
	assert_int_equal(symtab__load_kallsyms("hidden", NULL, 0, &tab, &err), -EPERM);
	assert_non_null(strstr(err.text, "kptr_restrict"));
	write_text("garbage", "this is\n\nnot\x01kallsyms\nffff\nffff T\nffff T \n");
	assert_int_equal(symtab__load_kallsyms("garbage", NULL, 0, &tab, &err), -ENOENT);
	write_text("empty", "");
	assert_int_equal(symtab__load_kallsyms("empty", NULL, 0, &tab, &err), -ENOENT);
	assert_int_equal(symtab__load_kallsyms("missing", NULL, 0, &tab, &err), -ENOENT);
	assert_non_null(strstr(err.text, strerror(ENOENT)));
}

static void test_lookup(void **state)
{
	static const char *const names[] = { "last", "mod_fun", "_stext", "no_such" };
	u64 addrs[4];
	FILE *f = fopen("long", "w");

	write_text("kallsyms", text);
	assert_int_equal(kallsyms__lookup("kallsyms", names, addrs, 4), 2);
	assert_int_equal(addrs[0], 0xffffffff81000400);
	assert_int_equal(addrs[1], 0);
	assert_int_equal(addrs[2], 0xffffffff81000000);
	assert_int_equal(addrs[3], 0);
	assert_int_equal(kallsyms__lookup("missing", names, addrs, 4), -ENOENT);

	/* lines across the borders of what one read brings */
	for (u64 i = 0; i < 20000; i++)
		fprintf(f, "%016llx t sym_%llu\n", 0xffff000000000000ull + i, (unsigned long long)i);
	fprintf(f, "ffffffff12345678 T last");
	fclose(f);
	for (int i = 0; i < 20000; i += 333) {
		char want[16], *const name = want;

		snprintf(want, sizeof(want), "sym_%d", i);
		assert_int_equal(kallsyms__lookup("long", (const char *const *)&name, addrs, 1), 1);
		assert_int_equal(addrs[0], 0xffff000000000000ull + i);
	}
	assert_int_equal(kallsyms__lookup("long", names, addrs, 1), 1);
	assert_int_equal(addrs[0], 0xffffffff12345678);
}

static void test_running_kernel(void **state)
{
	static const char *const names[] = { "_text", "schedule" };
	struct symtab *tab;
	u64 addrs[2];

	if (geteuid()) {
		print_message("only root sees the kernel's addresses\n");
		skip();
	}
	assert_int_equal(kallsyms__lookup(NULL, names, addrs, 2), 2);
	assert_int_equal(symtab__load_kallsyms(NULL, NULL, 0, &tab, NULL), 0);
	assert_string_equal(name_at(tab, addrs[1]), "schedule");
	assert_int_equal(symtab__find_name(tab, "schedule")->start, addrs[1]);
	assert_true(symtab__nr(tab) > 10000);
	symtab__delete(tab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_core),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_running_kernel),
	};

	return cmocka_run_group_tests_name("symbol/kallsyms", tests, scratch_setup, scratch_teardown);
}
