// SPDX-License-Identifier: GPL-2.0
/* Compressed sections of programs that are compiled here, against what objcopy makes of them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/dwarf-file.h"
#include "util/symbol/elf-unpack.h"

static const char source[] = "#include <stdio.h>\n#include <stdlib.h>\nint variable;\nint main(int argc, char **argv) { return argc + variable; }\n";

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	write_text("prog.c", source);
	run("gcc -g -fno-eliminate-unused-debug-types -gz=none -o plain prog.c && objcopy --compress-debug-sections=zlib plain packed");
	run("objcopy --compress-debug-sections=zstd plain packed-zstd");
	return 0;
}

static void open_file(struct elf_file *file, const char *path)
{
	struct errmsg err = {};

	if (elf_file__open(file, path, &err))
		fail_msg("%s", err.text);
}

static bool is_compressed(Elf_Scn *scn)
{
	GElf_Shdr shdr;

	return gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_COMPRESSED;
}

static void check_data(const Elf_Data *got, const Elf_Data *want)
{
	assert_int_equal(got->d_size, want->d_size);
	assert_memory_equal(got->d_buf, want->d_buf, want->d_size);
}

static void check_contents(const char *path)
{
	struct elf_file plain, packed;
	Elf_Scn *scn = NULL;
	u32 nr = 0;

	open_file(&plain, "plain");
	open_file(&packed, path);
	while ((scn = elf_nextscn(packed.elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *want;

		if (!is_compressed(scn)) {
			assert_int_equal(elf_file__unpack(&packed, scn), -ENOTSUP);
			continue;
		}
		assert_int_equal(elf_file__unpack(&packed, scn), 0);
		assert_false(is_compressed(scn));
		assert_non_null(gelf_getshdr(scn, &shdr));
		want = elf_getdata(elf_file__section(&plain, elf_file__section_name(&packed, &shdr), &shdr), NULL);
		check_data(elf_getdata(scn, NULL), want);
		check_data(elf_rawdata(scn, NULL), want); /* which libdw reads since elfutils 0.190 */
		assert_int_equal(elf_file__unpack(&packed, scn), -ENOTSUP);
		nr++;
	}
	assert_true(nr >= 3); /* those that are large enough: .debug_info, .debug_abbrev, .debug_line ... */
	elf_file__close(&packed);
	elf_file__close(&plain);
}

static void contents_are_what_was_compressed(void **state)
{
	check_contents("packed");
	check_contents("packed-zstd");
}

/* Where in the file the section of that name is. */
static u64 section_offset(const char *path, const char *name)
{
	struct elf_file file;
	GElf_Shdr shdr;

	open_file(&file, path);
	assert_non_null(elf_file__section(&file, name, &shdr));
	elf_file__close(&file);
	return shdr.sh_offset;
}

static int unpack_changed(u64 offset, const void *bytes, size_t size)
{
	struct elf_file file;
	GElf_Shdr shdr;
	Elf_Scn *scn;
	int fd, ret;

	run("cp packed changed");
	fd = open("changed", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, bytes, size, offset), size);
	close(fd);
	open_file(&file, "changed");
	scn = elf_file__section(&file, ".debug_info", &shdr);
	ret = elf_file__unpack(&file, scn);
	assert_true(is_compressed(scn)); /* for libdw to judge */
	elf_file__close(&file);
	return ret;
}

static void damaged_ones_stay_as_they_are(void **state)
{
	u64 at = section_offset("packed", ".debug_info"), size = at + offsetof(Elf64_Chdr, ch_size);
	const u64 sizes[] = { 0, 1, 1 << 18, 1ULL << 40, UINT64_MAX, UINT64_MAX - 64 };
	const u32 zstd = 2, unknown = 3;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_int_equal(unpack_changed(size, &sizes[i], sizeof(sizes[i])), -EBADMSG);
	assert_int_equal(unpack_changed(at + sizeof(Elf64_Chdr) + 20, "\xff\xff\xff\xff", 4), -EBADMSG);
	assert_int_equal(unpack_changed(at, &zstd, sizeof(zstd)), -EBADMSG); /* zlib's data is none */
	assert_int_equal(unpack_changed(at, &unknown, sizeof(unknown)), -ENOTSUP);
}

/* However many sections a file has, only those that are asked for take memory. */
static void others_are_not_unpacked_with_the_debug_information(void **state)
{
	const struct dwarf_file_opts opts = {};
	struct dwarf_file file;
	struct errmsg err = {};
	GElf_Shdr shdr;

	run("head -c 100000 /dev/zero >zeros");
	run("objcopy --add-section .debug_more=zeros plain more && objcopy --compress-debug-sections=zlib more");
	if (dwarf_file__open(&file, in_scratch("more"), NULL, &opts, &err))
		fail_msg("%s", err.text);
	assert_non_null(file.dw);
	assert_true(is_compressed(elf_file__section(&file.runtime, ".debug_more", &shdr)));
	assert_false(is_compressed(elf_file__section(&file.runtime, ".debug_info", &shdr)));
	dwarf_file__close(&file);
}

static u32 type_of(const char *path, bool locations, const char *section)
{
	const struct dwarf_file_opts opts = { .locations = locations };
	struct dwarf_file file;
	struct errmsg err = {};
	GElf_Shdr shdr;

	if (dwarf_file__open(&file, in_scratch(path), NULL, &opts, &err))
		fail_msg("%s", err.text);
	assert_non_null(file.dw);
	assert_non_null(elf_file__section(&file.runtime, section, &shdr));
	dwarf_file__close(&file);
	return shdr.sh_type;
}

/* Only who looks for variables needs them. */
static void lists_of_locations_are_not_read_unasked(void **state)
{
	static const char *const section[] = { ".debug_loc", ".debug_loclists" };

	run("head -c 1000 /dev/zero >zeros");
	for (size_t i = 0; i < ARRAY_SIZE(section); i++) {
		run("objcopy -R .debug_loc -R .debug_loclists plain less && objcopy --add-section %s=zeros less lists", section[i]);
		run("objcopy --compress-debug-sections=zlib lists packed-lists");
		assert_int_equal(type_of("lists", false, section[i]), SHT_NOBITS);
		assert_int_equal(type_of("lists", true, section[i]), SHT_PROGBITS);
		assert_int_equal(type_of("packed-lists", false, section[i]), SHT_NOBITS);
		assert_int_equal(type_of("packed-lists", true, section[i]), SHT_PROGBITS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_are_what_was_compressed),
		cmocka_unit_test(damaged_ones_stay_as_they_are),
		cmocka_unit_test(others_are_not_unpacked_with_the_debug_information),
		cmocka_unit_test(lists_of_locations_are_not_read_unasked),
	};

	return cmocka_run_group_tests_name("symbol/elf-unpack", tests, setup, scratch_teardown);
}
