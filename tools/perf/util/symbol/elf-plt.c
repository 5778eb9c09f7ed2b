// SPDX-License-Identifier: GPL-2.0
/*
 * A PLT entry jumps through a slot of the global offset table, and a dynamic relocation says whose address goes into that slot. So
 * the entry's own instructions lead to its name, whatever the order of entries and relocations and the kind of the section.
 */
#include "util/symbol/elf-plt.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

struct slot { /* what a relocation puts into the global offset table */
	u64 vaddr;
	const char *name; /* in the file's string table; NULL: an IFUNC with its resolver at addend */
	u64 addend;
};

struct plt_arch {
	u16 machine;
	u32 irelative; /* relocation type of an IFUNC without a symbol */
	size_t step;   /* alignment of PLT entries from the section's start */
	/* Decode the PLT entry at code[0..size): returns its size and the address of its slot; 0: there is none. */
	size_t (*decode)(const u8 *code, size_t size, u64 vaddr, u64 *slot);
};

struct plt_reader {
	struct symtab_builder *b;
	const struct elf_file *file;
	const struct plt_arch *arch;
	struct slot *slot;
	size_t nr_slots, alloc_slots;
};

static u32 read_le32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* [endbr64] [bnd] jmp *disp32(%rip) [push $n]; with endbr64 or push the entry takes 16 bytes, otherwise 8 */
static size_t decode_x86_64(const u8 *code, size_t size, u64 vaddr, u64 *slot)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	bool ibt = size >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64));
	size_t at = ibt ? sizeof(endbr64) : 0;

	if (at < size && code[at] == 0xf2)
		at++;
	if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	*slot = vaddr + at + 6 + (u64)(s64)(s32)read_le32(code + at + 2);
	return ibt || (at + 6 < size && code[at + 6] == 0x68) ? 16 : 8;
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; add x16, ...; br x17 [padding, with bti c] */
static size_t decode_aarch64(const u8 *code, size_t size, u64 vaddr, u64 *slot)
{
	size_t at = size >= 4 && read_le32(code) == 0xd503245f ? 4 : 0;
	u32 adrp, ldr;
	s64 pages;

	if (at + 16 > size)
		return 0;
	adrp = read_le32(code + at);
	ldr = read_le32(code + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	pages = (s64)((u64)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 43) >> 43;
	*slot = ((vaddr + at) & ~0xfffull) + ((u64)pages << 12) + (ldr >> 10 & 0xfff) * 8;
	return at ? 24 : 16;
}

static const struct plt_arch archs[] = {
	{ EM_X86_64, R_X86_64_IRELATIVE, 8, decode_x86_64 },
	{ EM_AARCH64, R_AARCH64_IRELATIVE, 4, decode_aarch64 },
};

static int by_vaddr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

static int plt_reader__add_slot(struct plt_reader *r, const struct slot *slot)
{
	if (array__grow(r->slot, r->nr_slots, r->alloc_slots))
		return -ENOMEM;
	r->slot[r->nr_slots++] = *slot;
	return 0;
}

/* The symbols that a relocation section links to */
struct linked {
	Elf_Data *symbols; /* NULL: none */
	struct elf_strings names;
};

static struct linked linked_symbols(const struct elf_file *file, size_t section)
{
	Elf_Scn *symtab = elf_getscn(file->elf, section);
	struct linked linked = { .symbols = symtab ? elf_getdata(symtab, NULL) : NULL };
	GElf_Shdr shdr;

	if (linked.symbols && gelf_getshdr(symtab, &shdr))
		linked.names = elf_file__strings(file, shdr.sh_link);
	return linked;
}

static const char *symbol_name(const struct linked *linked, size_t index)
{
	const char *name;
	GElf_Sym sym;

	if (!linked->symbols || !gelf_getsym(linked->symbols, index, &sym))
		return NULL;
	name = elf_strings__at(&linked->names, sym.st_name);
	return name && *name ? name : NULL;
}

static int plt_reader__read_relocs(struct plt_reader *r, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(r->file, section, &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
	struct linked linked = {};
	GElf_Rela rela;
	int err = 0;

	if (data)
		linked = linked_symbols(r->file, shdr.sh_link);
	for (int i = 0; data && !err && gelf_getrela(data, i, &rela); i++) {
		struct slot slot = { .vaddr = rela.r_offset, .addend = rela.r_addend };

		if (GELF_R_SYM(rela.r_info))
			slot.name = symbol_name(&linked, GELF_R_SYM(rela.r_info));
		if (slot.name || GELF_R_TYPE(rela.r_info) == r->arch->irelative)
			err = plt_reader__add_slot(r, &slot);
	}
	return err;
}

static int plt_reader__add_stub(struct plt_reader *r, u64 offset, size_t size, const struct slot *slot)
{
	const char *resolver_name = NULL;
	char *name;
	u64 resolver;
	int n, err;

	if (slot->name)
		return symtab_builder__add_stub(r->b, offset, size, slot->name);
	if (elf_file__offset(r->file, slot->addend, &resolver))
		resolver_name = symtab_builder__name_at(r->b, resolver);
	if (resolver_name)
		n = asprintf(&name, "%s", resolver_name);
	else
		n = asprintf(&name, "offset_%#llx", (unsigned long long)offset);
	if (n < 0)
		return -ENOMEM;
	err = symtab_builder__add_stub(r->b, offset, size, name);
	free(name);
	return err;
}

static const struct slot *plt_reader__find_slot(const struct plt_reader *r, u64 vaddr)
{
	struct slot key = { .vaddr = vaddr };

	return r->nr_slots ? bsearch(&key, r->slot, r->nr_slots, sizeof(key), by_vaddr) : NULL;
}

struct plt_walk {
	/* called for each stub whose slot is known; NULL: none */
	int (*stub)(struct plt_reader *r, u64 offset, size_t size, const struct slot *slot);
	bool any_unknown; /* result: there are stubs whose slots are not known */
};

static int plt_reader__walk(struct plt_reader *r, const char *section, struct plt_walk *walk)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(r->file, section, &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_PROGBITS ? elf_rawdata(scn, NULL) : NULL;
	size_t at = 0, size;
	int err = 0;

	while (data && data->d_buf && !err && at < data->d_size) {
		const struct slot *slot;
		u64 vaddr;

		size = r->arch->decode((const u8 *)data->d_buf + at, data->d_size - at, shdr.sh_addr + at, &vaddr);
		slot = size ? plt_reader__find_slot(r, vaddr) : NULL;
		walk->any_unknown |= size && !slot;
		if (slot && walk->stub)
			err = walk->stub(r, shdr.sh_offset + at, size, slot);
		at += slot ? size : r->arch->step;
	}
	return err;
}

static int plt_reader__walk_all(struct plt_reader *r, struct plt_walk *walk)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sections) && !err; i++)
		err = plt_reader__walk(r, sections[i], walk);
	return err;
}

static void plt_reader__sort_slots(struct plt_reader *r)
{
	if (r->nr_slots)
		qsort(r->slot, r->nr_slots, sizeof(*r->slot), by_vaddr);
}

/* Most stubs have their relocation in .rela.plt. The other section may have hundreds of thousands: read it only if it is needed. */
static int plt_reader__read_slots(struct plt_reader *r)
{
	struct plt_walk walk = {};
	int err = plt_reader__read_relocs(r, ".rela.plt");

	plt_reader__sort_slots(r);
	err = err ?: plt_reader__walk_all(r, &walk);
	if (err || !walk.any_unknown)
		return err;
	err = plt_reader__read_relocs(r, ".rela.dyn");
	plt_reader__sort_slots(r);
	return err;
}

int elf_plt__add(struct symtab_builder *b, const struct elf_file *file)
{
	struct plt_walk walk = { .stub = plt_reader__add_stub };
	struct plt_reader r = { .b = b, .file = file };
	GElf_Shdr shdr;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		if (archs[i].machine == file->ehdr.e_machine)
			r.arch = &archs[i];
	}
	if (!r.arch || !elf_file__section(file, ".plt", &shdr) || shdr.sh_type != SHT_PROGBITS)
		return 0;
	err = symtab_builder__add(b, shdr.sh_offset, shdr.sh_size, STB_GLOBAL, STT_FUNC, ".plt");
	err = err ?: plt_reader__read_slots(&r) ?: plt_reader__walk_all(&r, &walk);
	free(r.slot);
	return err;
}
