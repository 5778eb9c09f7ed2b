// SPDX-License-Identifier: GPL-2.0
/* Rules of single instructions: of real files beside their tables, and of files whose sections are written by hand. */
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include "tests/unit/unwind/elf-maker.h"
#include "util/unwind/cfi-file.h"

#define HDR 0xc00 /* offset of .eh_frame_hdr */

static struct maker m;
static struct unwind_rules *rules;
static struct cfi_file *cfi;

static int setup(void **state)
{
	maker__init(&m, EM_X86_64);
	rules = unwind_rules__new(EM_X86_64);
	cfi = NULL;
	return rules ? 0 : -1;
}

static int teardown(void **state)
{
	cfi_file__delete(cfi);
	unwind_rules__delete(rules);
	return 0;
}

/*
 * Each instruction, or what would be one, has the rule of the table, which also knows of code that the file says nothing about, and where
 * programs begin.
 */
static void compare_with_table(const char *path)
{
	struct unwind_table *table;
	struct elf_file file;
	u32 nr_known = 0;

	assert_int_equal(unwind_table__load(path, rules, &table, NULL), 0);
	assert_int_equal(elf_file__open(&file, path, NULL), 0);
	assert_int_equal(cfi_file__new(&file, rules, &cfi), 0);
	for (int again = 0; again < 2; again++) {
		for (u64 offset = (u64)table->first_page << UNWIND_PAGE_SHIFT, i = 0; i < 20000; i++, offset += 7) {
			u32 rule = cfi_file__rule(cfi, offset), wanted = unwind_table__rule(table, offset);

			if (rule != UNWIND_RULE_NONE && wanted != UNWIND_RULE_END)
				assert_int_equal(rule, wanted);
			nr_known += rule != UNWIND_RULE_NONE;
		}
	}
	assert_true(nr_known > 2000);
	unwind_table__delete(table);
}

static void test_own_program(void **state)
{
	compare_with_table("/proc/self/exe");
}

static void test_libc(void **state)
{
	char line[512], path[256] = "";
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps) && !strstr(path, "/libc.so"))
		sscanf(line, "%*s r-xp %*s %*s %*s %255s", path);
	fclose(maps);
	compare_with_table(path);
}

static void put_hdr(u32 at, u32 value)
{
	memcpy(m.image + HDR + at, &value, sizeof(value));
}

/* .eh_frame_hdr with two entries: code at TEXT + 0x100, with its FDE at that offset, and at TEXT + 0x200 */
static void end_file(size_t first, size_t second)
{
	maker__add_section(&m, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, m.at - FRAMES);
	maker__add_phdr(&m, PT_GNU_EH_FRAME, PF_R, HDR, 0x100);
	put_hdr(0, 0x3b031b01);
	put_hdr(4, FRAMES - HDR - 4);
	put_hdr(8, 2);
	put_hdr(12, TEXT + 0x100 - HDR);
	put_hdr(16, first - HDR);
	put_hdr(20, TEXT + 0x200 - HDR);
	put_hdr(24, second - HDR);
}

static void make_file(void)
{
	size_t first;

	X86_CIE(&m);
	first = m.at;
	PUT_FDE(&m, TEXT + 0x100, 0x80, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16);
	X86_CIE(&m);
	end_file(first, m.at);
	PUT_FDE(&m, TEXT + 0x200, 0x10, DW_CFA_advance_loc | 1, DW_CFA_undefined, 16);
	maker__shdr(&m, 2)->sh_size = m.at - FRAMES;
}

static int open_file(void)
{
	struct elf_file file;

	assert_int_equal(elf_file__open_memory(&file, m.image, sizeof(m.image)), 0);
	return cfi_file__new(&file, rules, &cfi);
}

static void assert_cfa(u64 offset, int wanted)
{
	struct unwind_rule rule = unwind_rules__array(rules)[cfi_file__rule(cfi, offset)];

	assert_int_equal(rule.cfa, UNWIND_CFA_SP);
	assert_int_equal(rule.cfa_off, wanted);
}

static void test_by_hand(void **state)
{
	make_file();
	assert_int_equal(open_file(), 0);
	assert_false(cfi_file__has_more(cfi));
	assert_cfa(TEXT + 0x103, 8);
	assert_cfa(TEXT + 0x104, 16);
	assert_cfa(TEXT + 0x17f, 16);
	assert_int_equal(cfi_file__rule(cfi, TEXT + 0x201), UNWIND_RULE_END);
	assert_cfa(TEXT + 0x200, 8); /* its CIE is not the one that came last */
	assert_int_equal(cfi_file__rule(cfi, TEXT + 0xff), UNWIND_RULE_NONE);
	assert_int_equal(cfi_file__rule(cfi, TEXT + 0x180), UNWIND_RULE_NONE);
	assert_int_equal(cfi_file__rule(cfi, TEXT + 0x210), UNWIND_RULE_NONE);
	assert_int_equal(cfi_file__rule(cfi, UINT64_MAX), UNWIND_RULE_NONE);
}

#define MAX_PROGRAM (1 << 16) /* see cfi-file.c */
#define LONG_FRAMES 0x5000   /* offset of .eh_frame in the larger file */

/* The file with one FDE, whose program has that many bytes; the first ones are all that the code needs. Caller: free() */
static u8 *make_long_program(u32 program, size_t *size)
{
	static const u8 used[] = { 0, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16 }; /* behind the size of the augmentation: none */
	size_t fde, id;
	u8 *image;

	X86_CIE(&m);
	fde = LONG_FRAMES + m.at - FRAMES;
	end_file(fde, fde);
	id = fde + 4;
	*size = id + 12 + 1 + program;
	image = calloc(1, *size);
	assert_non_null(image);
	maker__shdr(&m, 2)->sh_addr += LONG_FRAMES - FRAMES;
	maker__shdr(&m, 2)->sh_offset = LONG_FRAMES;
	maker__shdr(&m, 2)->sh_size = *size - LONG_FRAMES;
	memcpy(image, m.image, sizeof(m.image));
	memcpy(image + LONG_FRAMES, m.image + FRAMES, fde - LONG_FRAMES);
	memcpy(image + fde, &(u32){ *size - id }, 4);
	memcpy(image + id, &(u32){ id - LONG_FRAMES }, 4);
	memcpy(image + id + 4, &(u32){ TEXT + 0x100 - (id + 4) }, 4);
	memcpy(image + id + 8, &(u32){ 0x80 }, 4);
	memcpy(image + id + 12, used, sizeof(used));
	return image;
}

static u32 rule_of_long_program(u32 program)
{
	struct elf_file file;
	size_t size;
	u8 *image;
	u32 rule;

	maker__init(&m, EM_X86_64);
	image = make_long_program(program, &size);
	assert_int_equal(elf_file__open_memory(&file, image, size), 0);
	assert_int_equal(cfi_file__new(&file, rules, &cfi), 0);
	rule = cfi_file__rule(cfi, TEXT + 0x103);
	cfi_file__delete(cfi);
	cfi = NULL;
	free(image);
	return rule;
}

/* Each rule runs the program anew: with a forged one of megabytes that would take for ever. */
static void test_long_program(void **state)
{
	assert_int_equal(unwind_rules__array(rules)[rule_of_long_program(MAX_PROGRAM)].cfa_off, 8);
	assert_int_equal(rule_of_long_program(MAX_PROGRAM + 1), UNWIND_RULE_HARD);
}

static void test_more_in_debug_frame(void **state)
{
	make_file();
	maker__add_section(&m, ".debug_frame", SHT_PROGBITS, 0, FRAMES, 8);
	assert_int_equal(open_file(), 0);
	assert_true(cfi_file__has_more(cfi));
}

static void test_not_for_us(void **state)
{
	assert_int_equal(open_file(), -ENODATA); /* no sections */
	make_file();
	put_hdr(8, 0);
	assert_int_equal(open_file(), -ENODATA);
	put_hdr(8, UINT32_MAX); /* more entries than the header has room for */
	assert_int_equal(open_file(), -ENODATA);
	put_hdr(8, 2);
	put_hdr(0, 0x3b031b02);
	assert_int_equal(open_file(), -ENODATA);
	put_hdr(0, 0x3b031b01);
	maker__ehdr(&m)->e_machine = EM_AARCH64;
	assert_int_equal(open_file(), -ENOTSUP);
	assert_null(cfi);
}

/* Entries of the table lead anywhere. */
static void test_bad_positions(void **state)
{
	static const u32 at[] = { 0, 1, FRAMES, FRAMES + 1, TEXT - 4, INT32_MAX, INT32_MIN, UINT32_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		maker__init(&m, EM_X86_64);
		make_file();
		put_hdr(16, at[i] - HDR);
		assert_int_equal(open_file(), 0);
		assert_int_equal(cfi_file__rule(cfi, TEXT + 0x110), UNWIND_RULE_NONE);
		assert_cfa(TEXT + 0x200, 8);
		cfi_file__delete(cfi);
		cfi = NULL;
	}
}

/* A CIE's program is run whenever a function that names it is met: a long one is none. */
static void test_long_cie(void **state)
{
	static const u8 program[1500] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 }; /* and nops */

	for (int is_long = 0; is_long < 2; is_long++) {
		size_t first;

		maker__init(&m, EM_X86_64);
		maker__cie(&m, "zR", 16, program, is_long ? sizeof(program) : 900);
		first = m.at;
		PUT_FDE(&m, TEXT + 0x100, 0x80, DW_CFA_nop);
		end_file(first, first);
		assert_int_equal(open_file(), 0);
		if (is_long)
			assert_int_equal(cfi_file__rule(cfi, TEXT + 0x110), UNWIND_RULE_NONE);
		else
			assert_cfa(TEXT + 0x110, 8);
		cfi_file__delete(cfi);
		cfi = NULL;
	}
}

static void test_garbage(void **state)
{
	srand(1);
	for (int i = 0; i < 3000; i++) {
		maker__init(&m, EM_X86_64);
		make_file();
		for (int n = rand() % 8; n >= 0; n--)
			m.image[rand() % 2 ? FRAMES + rand() % 0x80 : HDR + rand() % 28] = rand();
		if (open_file())
			continue;
		for (u64 offset = TEXT + 0xf0; offset < TEXT + 0x220; offset++)
			assert_true(cfi_file__rule(cfi, offset) < unwind_rules__nr(rules));
		cfi_file__delete(cfi);
		cfi = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_program, setup, teardown),
		cmocka_unit_test_setup_teardown(test_libc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_by_hand, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_program, setup, teardown),
		cmocka_unit_test_setup_teardown(test_more_in_debug_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_for_us, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_positions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_cie, setup, teardown),
		cmocka_unit_test_setup_teardown(test_garbage, setup, teardown),
	};

	return cmocka_run_group_tests_name("unwind/cfi-file", tests, NULL, NULL);
}
