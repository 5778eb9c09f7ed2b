// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/symtab.h"

/* A note with size bytes 1, 2, 3, ... as description; returns the end. */
static char *put_note(char *p, u32 type, const char *name, u32 name_size, u32 size)
{
	Elf64_Nhdr note = { .n_namesz = name_size, .n_descsz = size, .n_type = type };

	memcpy(p, &note, sizeof(note));
	p += sizeof(note);
	memset(p, 0, ALIGN_UP(name_size, 4));
	memcpy(p, name, name_size);
	p += ALIGN_UP(name_size, 4);
	for (u32 i = 0; i < ALIGN_UP(size, 4); i++)
		p[i] = i < size ? i + 1 : 0;
	return p + ALIGN_UP(size, 4);
}

static int parse(const char *notes, size_t size, struct build_id *id)
{
	char *exact = malloc(size); /* so that a sanitizer sees any read beyond */
	int rc;

	memcpy(exact, notes, size);
	rc = build_id__from_notes(exact, size, id);
	free(exact);
	return rc;
}

static void test_notes(void **state)
{
	struct build_id id;
	char notes[256], *end;

	end = put_note(notes, 7, "Linux", 6, 3);
	end = put_note(end, NT_GNU_BUILD_ID, "Xen", 4, 20);
	end = put_note(end, 1, "GNU", 4, 20);
	assert_int_equal(parse(notes, end - notes, &id), -ENOENT);
	end = put_note(end, NT_GNU_BUILD_ID, "GNU", 4, 20);
	for (char *p = notes; p < end; p++)
		assert_int_equal(parse(notes, p - notes, &id), -ENOENT);
	assert_int_equal(parse(notes, end - notes, &id), 0);
	assert_int_equal(id.size, 20);
	assert_int_equal(id.data[0], 1);
	assert_int_equal(id.data[19], 20);

	put_note(notes, NT_GNU_BUILD_ID, "GNU", 4, 8);
	assert_int_equal(parse(notes, 24, &id), 0);
	assert_int_equal(id.size, 8);
	assert_int_equal(id.data[8], 0);
	end = put_note(notes, NT_GNU_BUILD_ID, "GNU", 4, 21); /* longer than any that the format knows */
	assert_int_equal(parse(notes, end - notes, &id), -ENOENT);
	end = put_note(notes, NT_GNU_BUILD_ID, "GNU", 4, 0);
	assert_int_equal(parse(notes, end - notes, &id), -ENOENT);
}

static void test_absurd_sizes(void **state)
{
	static const u32 sizes[] = { 0xffffffff, 0xfffffffd, 0x80000000, 0x7fffffff, 200 };
	struct build_id id;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char notes[64];
		Elf64_Nhdr name = { .n_namesz = sizes[i], .n_descsz = 20, .n_type = NT_GNU_BUILD_ID };
		Elf64_Nhdr desc = { .n_namesz = 4, .n_descsz = sizes[i], .n_type = NT_GNU_BUILD_ID };

		memset(notes, 0, sizeof(notes));
		memcpy(notes, &name, sizeof(name));
		assert_int_equal(parse(notes, sizeof(notes), &id), -ENOENT);
		put_note(notes, 0, "GNU", 4, 20);
		memcpy(notes, &desc, sizeof(desc));
		assert_int_equal(parse(notes, sizeof(notes), &id), -ENOENT);
	}
}

static void test_like_readelf(void **state)
{
	char hex[41], told[64] = "";
	struct build_id id;
	FILE *f;

	write_text("prog.c", "int main(void) { return 0; }\n");
	run("gcc -Wl,--build-id -o prog prog.c");
	f = popen("readelf -n prog | sed -n 's/.*Build ID: //p'", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%63s", told), 1);
	pclose(f);
	assert_int_equal(build_id__read("prog", &id), 0);
	assert_string_equal(build_id__str(&id, hex), told);
	assert_int_equal(build_id__read("prog.c", &id), -ENOEXEC);
	assert_int_equal(build_id__read("missing", &id), -ENOENT);
	run("gcc -Wl,--build-id=none -o prog prog.c");
	assert_int_equal(build_id__read("prog", &id), -ENOENT);
}

/* Without section headers the program headers still lead to the note. */
static void test_without_sections(void **state)
{
	struct build_id id, id2;
	Elf64_Ehdr ehdr;
	FILE *f;

	run("gcc -Wl,--build-id -o prog prog.c");
	assert_int_equal(build_id__read("prog", &id), 0);
	f = fopen("prog", "r+");
	assert_int_equal(fread(&ehdr, sizeof(ehdr), 1, f), 1);
	ehdr.e_shoff = ehdr.e_shnum = ehdr.e_shstrndx = 0;
	rewind(f);
	assert_int_equal(fwrite(&ehdr, sizeof(ehdr), 1, f), 1);
	fclose(f);
	assert_int_equal(build_id__read("prog", &id2), 0);
	assert_true(build_id__equal(&id, &id2));
}

static void test_kernel(void **state)
{
	struct build_id id;

	assert_int_equal(build_id__read(NULL, &id), 0);
	assert_in_range(id.size, 8, 20);
}

static void test_equal(void **state)
{
	struct build_id none = {}, zeros = { .size = 20 }, a = { 16, { 1, 2 } }, padded = { 20, { 1, 2 } };
	struct build_id other = { 20, { 1, 3 } }, longer = { 20, { 1, 2, [18] = 1 } };

	assert_true(build_id__equal(&none, &none));
	assert_true(build_id__equal(&a, &padded));
	assert_true(build_id__equal(&padded, &a));
	assert_false(build_id__equal(&a, &other));
	assert_false(build_id__equal(&a, &longer));
	assert_false(build_id__equal(&longer, &a));
	assert_false(build_id__equal(&none, &a));
	assert_false(build_id__equal(&none, &zeros));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_absurd_sizes),
		cmocka_unit_test(test_like_readelf),
		cmocka_unit_test(test_without_sections),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests_name("symbol/build-id", tests, scratch_setup, scratch_teardown);
}
