// SPDX-License-Identifier: GPL-2.0
/*
 * Where instructions begin: a breakpoint inside one would make another one of it, which may end the program. They are counted from the
 * begin of the function, or from the next place before the address where one certainly begins.
 */
#include "util/symbol/probe-finder.h"

#include <errno.h>
#include <inttypes.h>
#include "util/symbol/code-file.h"
#include "util/symbol/eh-frame-hdr.h"

/* The one that has the byte at offset begins *before bytes behind begin, and ends at *behind. false: unknown, or one begins there */
static bool is_inside(const char *path, u64 begin, u64 offset, u64 *before, u64 *behind)
{
	const struct file_places places = { 0 };
	u8 code[INSN_MAX_SIZE];
	struct code_file *file;
	u64 pos = 0;
	u32 size = 0;

	if (!offset || code_file__open(path, NULL, &places, &file))
		return false;
	while (pos < offset && (size = code_file__insn(file, begin + pos, code)))
		pos += size;
	code_file__delete(file);
	*before = pos - size;
	*behind = pos;
	return size && pos != offset;
}

/* Unknown instructions, and machines without a disassembler, say nothing. */
int probe_finder__check_instruction(const struct probe_file *file, u64 begin, u64 offset, struct errmsg *err)
{
	u64 before, behind;

	if (!is_inside(file->opened, begin, offset, &before, &behind))
		return 0;
	return errmsg__set(err, EINVAL, "+%" PRIu64 " is inside an instruction of %s: take +%" PRIu64 " or +%" PRIu64, offset, file->path, before,
			   behind);
}

/* The last place up to vaddr where an instruction begins. */
struct beginning {
	u64 vaddr, found;
	bool any, is_function;
	u64 end; /* of the function; 0: unknown */
};

static void beginning__try(struct beginning *b, u64 at, u64 size, bool is_function)
{
	if (at > b->vaddr || (b->any && (at < b->found || (at == b->found && b->is_function))))
		return;
	b->any = true;
	b->found = at;
	b->is_function = is_function;
	b->end = size ? at + size : 0;
}

static void try_symbols(struct beginning *b, const struct elf_file *file, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, section, &shdr);
	Elf_Data *data = scn && (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM) ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const int type = GELF_ST_TYPE(sym.st_info);

		if (sym.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
			beginning__try(b, sym.st_value, sym.st_size, true);
	}
}

static void try_frames(struct beginning *b, struct elf_file *file)
{
	struct eh_frame_hdr hdr;
	u32 nr;

	if (eh_frame_hdr__read(&hdr, file))
		return;
	nr = eh_frame_hdr__nr_before(&hdr, b->vaddr);
	if (nr)
		beginning__try(b, eh_frame_hdr__code(&hdr, nr - 1), 0, false);
	eh_frame_hdr__exit(&hdr);
}

/* What was found before the section is in another one. */
static void try_sections(struct beginning *b, const struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR && b->vaddr >= shdr.sh_addr &&
		    b->vaddr - shdr.sh_addr < shdr.sh_size)
			beginning__try(b, shdr.sh_addr, 0, false);
	}
}

static struct beginning find_beginning(struct elf_file *file, u64 vaddr)
{
	struct beginning b = { .vaddr = vaddr };

	try_symbols(&b, file, ".symtab");
	try_symbols(&b, file, ".dynsym");
	try_frames(&b, file);
	try_sections(&b, file);
	return b;
}

int probe_finder__check_address(struct elf_file *elf, const struct probe_file *file, u64 vaddr, bool is_return, struct errmsg *err)
{
	const struct beginning b = find_beginning(elf, vaddr);
	u64 begin, at, before, behind;

	if (!b.any || !elf_file__offset(elf, b.found, &begin) || !elf_file__offset(elf, vaddr, &at) || at - begin != vaddr - b.found)
		return errmsg__set(err, EINVAL, "0x%" PRIx64 ": %s does not tell where instructions begin there: it has no sections, symbols or "
				   "unwinding tables of this code", vaddr, file->path);
	if (is_inside(file->opened, begin, vaddr - b.found, &before, &behind))
		return errmsg__set(err, EINVAL, "0x%" PRIx64 " is inside an instruction of %s: take 0x%" PRIx64 " or 0x%" PRIx64, vaddr, file->path,
				   b.found + before, b.found + behind);
	if (is_return && b.is_function && vaddr != b.found && vaddr < b.end)
		return errmsg__set(err, EINVAL, "0x%" PRIx64 " is inside a function of %s: a return is probed at its begin, 0x%" PRIx64, vaddr,
				   file->path, b.found);
	return 0;
}
