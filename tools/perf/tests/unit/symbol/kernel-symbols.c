// SPDX-License-Identifier: GPL-2.0
/* Files with a kernel's symbols, written by hand. */
#include <errno.h>
#include <unistd.h>
#include "tests/unit/symbol/fixture.h"
#include "util/machine/dso.h"
#include "util/symbol/kernel-symbols.h"

#define TEXT 0xffffffff81000000ULL
#define MODULE 0xffffffffc0200000ULL

static struct machine *machine_with_kernel(u64 text)
{
	struct machine *m = machine__new(NULL);
	struct {
		struct record_mmap mmap;
		char rest[32];
	} rec = { .mmap = { .header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL, .size = sizeof(rec) },
			    .pid = -1, .start = text, .len = 0x800000, .pgoff = text } };

	assert_non_null(m);
	strcpy(rec.mmap.filename, "[kernel.kallsyms]_text");
	assert_int_equal(machine__process(m, (const union perf_record *)&rec), 0);
	return m;
}

/* Of a kernel whose text is at TEXT */
static void write_kallsyms(void)
{
	char text[256];

	snprintf(text, sizeof(text), "%016llx T _text\n%016llx T core\n%016llx t in_module\t[ext4]\n", TEXT, TEXT + 0x100, MODULE);
	write_text("kallsyms", text);
}

static void test_file_of_the_user(void **state)
{
	struct machine *m = machine_with_kernel(TEXT + 0x1000);
	struct symtab_opts opts = {};
	struct kernel_symbols k;
	struct errmsg err;
	struct symtab *tab;
	s64 shift;

	write_kallsyms();
	kernel_symbols__init(&k, m, &opts, NULL, "kallsyms");
	assert_int_equal(kernel_symbols__check_kallsyms(&k, &err), 0);
	assert_int_equal(kernel_symbols__shift(&k, "kallsyms"), 0x1000);
	assert_int_equal(kernel_symbols__load(&k, machine__kernel(m), &tab, &shift, &err), 0);
	assert_string_equal(symtab__find(tab, TEXT + 0x1104)->name, "core");
	symtab__delete(tab);
	kernel_symbols__exit(&k);
	machine__delete(m);
}

static void test_modules(void **state)
{
	const struct dso module = { .name = (char *)"[ext4]", .short_name = (char *)"[ext4]", .kind = DSO_MODULE };
	struct symtab_opts opts = {};

	write_kallsyms();
	for (int moved = 0; moved < 2; moved++) {
		struct machine *m = machine_with_kernel(TEXT + moved * 0x1000);
		struct kernel_symbols k;
		struct errmsg err;
		struct symtab *tab = NULL;

		kernel_symbols__init(&k, m, &opts, NULL, "kallsyms");
		assert_int_equal(kernel_symbols__load_module(&k, &module, &tab, &err), moved ? -ESTALE : 0);
		if (!moved)
			assert_string_equal(symtab__find(tab, MODULE)->name, "in_module");
		symtab__delete(tab);
		kernel_symbols__exit(&k);
		machine__delete(m);
	}
}

static void test_other_kernel(void **state)
{
	struct machine *m = machine_with_kernel(TEXT);
	struct build_id id = { .size = 20, .data = { 1 } };
	struct symtab_opts opts = { .cache = "no-cache" };
	struct kernel_symbols k;
	struct errmsg err;

	machine__set_build_id(m, KERNEL_DSO_NAME, &id);
	kernel_symbols__init(&k, m, &opts, NULL, NULL);
	assert_int_equal(kernel_symbols__check_kallsyms(&k, &err), -ESTALE);
	kernel_symbols__exit(&k);
	machine__delete(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_of_the_user),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_other_kernel),
	};

	return cmocka_run_group_tests_name("symbol/kernel-symbols", tests, scratch_setup, scratch_teardown);
}
