// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/annotate/kernel-code.h"

#define FIRST 0xffffffff81000000ull
#define SECOND 0xffffffffc0000000ull

static char path[64];

/* Two segments of 16 and 8 bytes */
static int make_core(u16 type)
{
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr[3];
		char bytes[24];
	} file = {
		.ehdr = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
			  .e_type = type, .e_machine = EM_X86_64, .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 },
		.phdr = { { .p_type = PT_NOTE, .p_vaddr = FIRST, .p_filesz = 24, .p_memsz = 24 },
			  { .p_type = PT_LOAD, .p_vaddr = FIRST, .p_filesz = 16, .p_memsz = 16 },
			  { .p_type = PT_LOAD, .p_vaddr = SECOND, .p_filesz = 8, .p_memsz = 4096 } },
		.bytes = "abcdefghijklmnopABCDEFG",
	};
	int fd = memfd_create("core", MFD_CLOEXEC);

	assert_true(fd >= 0);
	file.phdr[1].p_offset = (char *)file.bytes - (char *)&file;
	file.phdr[2].p_offset = file.phdr[1].p_offset + 16;
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fd;
}

static void expect_code(u64 addr, u64 size, const char *bytes)
{
	struct kernel_code code;
	struct errmsg err;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	char found[32] = "";

	assert_int_equal(kernel_code__open(&code, path, addr, size, &err), 0);
	assert_int_equal(code.machine, EM_X86_64);
	assert_int_equal(pread(code.fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	assert_int_equal(ehdr.e_phnum, 1);
	assert_int_equal(pread(code.fd, &phdr, sizeof(phdr), ehdr.e_phoff), sizeof(phdr));
	assert_true(phdr.p_vaddr == addr && phdr.p_filesz == size && (phdr.p_flags & PF_X));
	assert_int_equal(pread(code.fd, found, sizeof(found), phdr.p_offset), size); /* and no more */
	assert_memory_equal(found, bytes, size);
	kernel_code__close(&code);
	kernel_code__close(&code);
}

static void expect_error(u64 addr, u64 size, int error, const char *why)
{
	struct kernel_code code;
	struct errmsg err;

	assert_int_equal(kernel_code__open(&code, path, addr, size, &err), -error);
	assert_non_null(strstr(err.text, why));
	assert_int_equal(code.fd, -1);
}

static void test_copies_what_was_asked_for(void **state)
{
	int fd = make_core(ET_CORE);

	expect_code(FIRST, 16, "abcdefghijklmnop");
	expect_code(FIRST + 3, 2, "de");
	expect_code(SECOND + 1, 7, "BCDEFG");
	expect_error(FIRST + 3, 14, ENOENT, "has no memory at 0xffffffff81000003");
	expect_error(FIRST - 1, 4, ENOENT, "has no memory");
	expect_error(SECOND + 6, 8, ENOENT, "has no memory"); /* in memory, but not in the file */
	expect_error(UINT64_MAX, 8, ENOENT, "has no memory");
	expect_error(FIRST, 0, EFBIG, "size is not known");
	expect_error(FIRST, UINT64_MAX, EFBIG, "size is not known");
	close(fd);
	expect_error(FIRST, 4, ENOENT, "name its vmlinux by -k");
}

static void test_refuses_what_is_no_core(void **state)
{
	int fd = make_core(ET_EXEC);

	expect_error(FIRST, 4, ENOEXEC, "is no ELF core file");
	assert_int_equal(ftruncate(fd, 20), 0);
	expect_error(FIRST, 4, ENODATA, path);
	close(fd);
	fd = make_core(ET_CORE);
	assert_int_equal(ftruncate(fd, sizeof(Elf64_Ehdr) + 10), 0);
	expect_error(FIRST, 4, ENODATA, path);
	close(fd);
}

static bool name(u64 addr, char *buf, size_t size, void *data)
{
	if (addr == FIRST)
		snprintf(buf, size, "first");
	else if (addr == FIRST + 0x10)
		snprintf(buf, size, "first+0x10");
	return addr == FIRST || addr == FIRST + 0x10;
}

static void test_names_addresses(void **state)
{
	static const char *const rows[][2] = {
		{ "call   0xffffffff81000000", "call   ffffffff81000000 <first>" },
		{ "jne    0xffffffff81000010", "jne    ffffffff81000010 <first+0x10>" },
		{ "mov    0x10(%rip),%rax        # 0xffffffff81000010", "mov    0x10(%rip),%rax        # ffffffff81000010 <first+0x10>" },
		{ "b.ne   0xffffffff81000010  // b.any", "b.ne   ffffffff81000010 <first+0x10>  // b.any" },
		{ "call   0xffffffff82000000", "call   0xffffffff82000000" },
		{ "what   0x5 0xffffffff81000000", "what   0x5 ffffffff81000000 <first>" },
		{ "mov    $0xffffffff81000000,%rax", "mov    $0xffffffff81000000,%rax" },
		{ "ret", "ret" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = kernel_code__name_addresses(strdup(rows[i][0]), name, NULL);

		assert_string_equal(text, rows[i][1]);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_what_was_asked_for),
		cmocka_unit_test(test_refuses_what_is_no_core),
		cmocka_unit_test(test_names_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
