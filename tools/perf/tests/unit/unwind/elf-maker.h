/* SPDX-License-Identifier: GPL-2.0 */
/* Makes ELF files in memory, with call frame information written by hand. */
#ifndef TESTS_UNIT_UNWIND_ELF_MAKER_H
#define TESTS_UNIT_UNWIND_ELF_MAKER_H

#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/lib/types.h"
#include "util/unwind/table.h"

#define BASE 0x400000 /* address of the file's begin */
#define FRAMES 0x400  /* offset of .eh_frame */
#define TEXT 0x1000   /* offset of the code */
#define TEXT_SIZE 0x3000
#define NAMES 0x4000 /* offset of the sections' names */
#define SHDRS 0x4100
#define MAX_SECTIONS 8
#define IMAGE_SIZE (SHDRS + MAX_SECTIONS * sizeof(Elf64_Shdr))

struct maker {
	_Alignas(16) u8 image[IMAGE_SIZE];
	size_t at;  /* where .eh_frame goes on */
	size_t cie; /* the last one */
	bool is_debug;
};

static inline Elf64_Ehdr *maker__ehdr(struct maker *m)
{
	return (Elf64_Ehdr *)m->image;
}

static inline Elf64_Phdr *maker__phdr(struct maker *m, int i)
{
	return (Elf64_Phdr *)(m->image + sizeof(Elf64_Ehdr)) + i;
}

static inline Elf64_Shdr *maker__shdr(struct maker *m, int i)
{
	return (Elf64_Shdr *)(m->image + SHDRS) + i;
}

static inline void maker__add_phdr(struct maker *m, u32 type, u32 flags, u64 offset, u64 size)
{
	*maker__phdr(m, maker__ehdr(m)->e_phnum++) = (Elf64_Phdr){
		.p_type = type, .p_flags = flags, .p_offset = offset, .p_vaddr = BASE + offset, .p_filesz = size, .p_memsz = size,
	};
}

static inline void maker__add_section(struct maker *m, const char *name, u32 type, u64 flags, u64 offset, u64 size)
{
	char *names = (char *)m->image + NAMES;
	Elf64_Shdr *strings = maker__shdr(m, 1);
	int i = maker__ehdr(m)->e_shnum++;

	assert_true(i < MAX_SECTIONS);
	strcpy(names + strings->sh_size, name);
	*maker__shdr(m, i) = (Elf64_Shdr){
		.sh_name = strings->sh_size, .sh_type = type, .sh_flags = flags, .sh_addr = flags & SHF_ALLOC ? BASE + offset : 0,
		.sh_offset = offset, .sh_size = size, .sh_addralign = 1,
	};
	strings->sh_size += strlen(name) + 1;
}

/* A file with code and no sections but their names */
static inline void maker__init(struct maker *m, u16 machine)
{
	*m = (struct maker){ .at = FRAMES };
	*maker__ehdr(m) = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN, .e_machine = machine,
		.e_version = EV_CURRENT, .e_phoff = sizeof(Elf64_Ehdr), .e_shoff = SHDRS, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 2, .e_shstrndx = 1,
	};
	*maker__shdr(m, 1) = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = 1, .sh_addralign = 1 };
	maker__add_phdr(m, PT_LOAD, PF_R, 0, TEXT);
	maker__add_phdr(m, PT_LOAD, PF_R | PF_X, TEXT, TEXT_SIZE);
}

static inline void maker__put(struct maker *m, const void *data, size_t size)
{
	assert_true(m->at + size <= TEXT);
	memcpy(m->image + m->at, data, size);
	m->at += size;
}

static inline void maker__put32(struct maker *m, u32 value)
{
	maker__put(m, &value, sizeof(value));
}

/* Fill in the length of an entry, with the padding that assemblers add. */
static inline void maker__end_entry(struct maker *m, size_t begin)
{
	u32 length;

	while ((m->at - begin) % 8)
		m->image[m->at++] = 0; /* DW_CFA_nop */
	length = m->at - begin - 4;
	memcpy(m->image + begin, &length, sizeof(length));
}

static inline size_t maker__begin_entry(struct maker *m, u32 id)
{
	size_t begin = m->at;

	maker__put32(m, 0);
	maker__put32(m, id);
	return begin;
}

/* letters: the augmentation, "zR" or "zRS", or "" with addresses of 8 bytes; the factors are 1 and -8. */
static inline void maker__cie(struct maker *m, const char *letters, u8 ra, const void *program, size_t size)
{
	static const u8 factors[] = { 1, 0x78 }, encoding[] = { 1, 0x1b }; /* relative to itself, 4 bytes */
	size_t begin = maker__begin_entry(m, m->is_debug ? UINT32_MAX : 0);

	m->cie = begin;
	maker__put(m, "\1", 1);
	maker__put(m, letters, strlen(letters) + 1);
	maker__put(m, factors, sizeof(factors));
	maker__put(m, &ra, 1);
	if (*letters)
		maker__put(m, encoding, sizeof(encoding));
	maker__put(m, program, size);
	maker__end_entry(m, begin);
}

/* Of code at an offset of the file, after a CIE "zR" */
static inline void maker__fde(struct maker *m, u32 offset, u32 code_size, const void *program, size_t size)
{
	size_t begin = maker__begin_entry(m, m->at + 4 - m->cie);

	maker__put32(m, offset - m->at);
	maker__put32(m, code_size);
	maker__put(m, "", 1); /* no augmentation data */
	maker__put(m, program, size);
	maker__end_entry(m, begin);
}

#define PUT_CIE(m, letters, ra, ...) maker__cie(m, letters, ra, (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))
#define PUT_FDE(m, offset, size, ...) maker__fde(m, offset, size, (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))

/* def_cfa rsp+8; the return address at CFA-8 */
#define X86_CIE(m) PUT_CIE(m, "zR", 16, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1)
/* def_cfa sp+0 */
#define ARM64_CIE(m) PUT_CIE(m, "zR", 30, DW_CFA_def_cfa, 31, 0)

static inline int maker__load(struct maker *m, struct unwind_rules *rules, struct unwind_table **table, struct errmsg *err)
{
	return unwind_table__load_memory(m->image, sizeof(m->image), "made", rules, table, err);
}

/* Add what was written so far as .eh_frame, and make the table, which must succeed. */
static inline struct unwind_table *maker__table(struct maker *m, struct unwind_rules *rules)
{
	struct unwind_table *table;
	struct errmsg err = {};

	maker__add_section(m, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, m->at - FRAMES);
	if (maker__load(m, rules, &table, &err))
		fail_msg("%s", err.text);
	return table;
}

#endif
