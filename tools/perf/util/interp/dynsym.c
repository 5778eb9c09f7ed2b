// SPDX-License-Identifier: GPL-2.0
#include "util/interp/dynsym.h"

#include <string.h>

#define MAX_NAME 64
#define MAX_CHAIN 4096 /* symbols that are looked at; a bucket has a few */
#define MAX_DYNAMIC 256

/* The sections of the dynamic linker, as offsets in the file */
struct tables {
	u64 hash, symbols, strings;
};

static u64 *member_of(struct tables *t, s64 tag)
{
	switch (tag) {
	case DT_GNU_HASH:
		return &t->hash;
	case DT_SYMTAB:
		return &t->symbols;
	case DT_STRTAB:
		return &t->strings;
	default:
		return NULL;
	}
}

static bool find_tables(const struct elf_file *elf, struct tables *t)
{
	GElf_Phdr phdr;
	Elf64_Dyn dyn;
	u64 *member;

	*t = (struct tables){ 0 };
	if (!elf_file__phdr(elf, PT_DYNAMIC, &phdr))
		return false;
	for (u32 i = 0; i < MAX_DYNAMIC; i++) {
		if (!elf_file__read(elf, phdr.p_offset + i * sizeof(dyn), &dyn, sizeof(dyn)) || dyn.d_tag == DT_NULL)
			break;
		member = member_of(t, dyn.d_tag);
		if (member && !elf_file__offset(elf, dyn.d_un.d_ptr, member))
			return false;
	}
	return t->hash && t->symbols && t->strings;
}

static u32 hash_of(const char *name)
{
	u32 hash = 5381;

	while (*name)
		hash = hash * 33 + (u8)*name++;
	return hash;
}

static bool has_name(const struct elf_file *elf, const struct tables *t, const Elf64_Sym *sym, const char *name)
{
	const size_t size = strlen(name) + 1;
	char found[MAX_NAME];

	return size <= sizeof(found) && elf_file__read(elf, t->strings + sym->st_name, found, size) && !memcmp(found, name, size);
}

/* The table: number of buckets, first symbol, words of the Bloom filter, its shift; the filter, buckets, and a hash for each symbol. */
static bool find_in(const struct elf_file *elf, const struct tables *t, const char *name, Elf64_Sym *sym)
{
	const u32 hash = hash_of(name);
	u64 buckets, chain;
	u32 head[4], at, of;

	if (!elf_file__read(elf, t->hash, head, sizeof(head)) || !head[0])
		return false;
	buckets = t->hash + sizeof(head) + head[2] * sizeof(u64);
	chain = buckets + head[0] * sizeof(u32);
	if (!elf_file__read(elf, buckets + hash % head[0] * sizeof(u32), &at, sizeof(at)) || at < head[1])
		return false;
	for (u32 i = 0; i < MAX_CHAIN; i++, at++) {
		if (!elf_file__read(elf, chain + (u64)(at - head[1]) * sizeof(of), &of, sizeof(of)))
			return false;
		if ((of | 1) == (hash | 1) && elf_file__read(elf, t->symbols + at * sizeof(*sym), sym, sizeof(*sym)) && has_name(elf, t, sym, name))
			return true;
		if (of & 1) /* the last one of the bucket */
			return false;
	}
	return false;
}

bool dynsym__find(const struct elf_file *elf, const char *name, GElf_Sym *sym)
{
	struct tables t;

	if (elf->ehdr.e_ident[EI_CLASS] != ELFCLASS64 || elf->ehdr.e_ident[EI_DATA] != (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return false;
	return find_tables(elf, &t) && find_in(elf, &t, name, sym) && sym->st_shndx != SHN_UNDEF;
}
