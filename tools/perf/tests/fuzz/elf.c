// SPDX-License-Identifier: GPL-2.0
/* An ELF file: its symbols, build-id, code lines and inlined functions. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "util/lib/printable.h"
#include "util/symbol/data-type.h"
#include "util/symbol/srcline.h"
#include "util/symbol/symtab.h"

#define MAX_ASKED 64

/* Each symbol is found where it starts, and each name is text, whichever others were looked up. */
static void ask_symbols(const struct symtab *tab)
{
	u32 nr = tab ? symtab__nr(tab) : 0;

	for (u32 i = 0; i < nr && i < MAX_ASKED; i++) {
		const struct symbol *sym = symtab__at(tab, i);

		if (sym->end > sym->start && symtab__find(tab, sym->start) != sym)
			abort();
		symtab__find(tab, sym->end);
	}
	for (u32 i = 0; i < nr && i < MAX_ASKED; i++) {
		if (!printable__is_clean(symtab__at(tab, i)->name))
			abort();
	}
}

static void ask_lines(struct srclines *lines, const struct symtab *tab)
{
	u32 nr = tab ? symtab__nr(tab) : 0;

	for (u32 i = 0; i < nr && i < MAX_ASKED; i++) {
		const struct symbol *sym = symtab__at(tab, i);

		srclines__find(lines, sym->start, sym);
		srclines__find(lines, sym->end - 1, sym);
		srclines__vaddr(lines, sym->start);
	}
	for (u64 offset = 0; offset < 0x2000; offset += 0x108)
		srclines__find(lines, offset, NULL);
}

/* Every byte of the code may be what is there. */
static void ask_types(struct srclines *lines, const char *path, const struct symtab *tab)
{
	const struct file_places places = {};
	struct data_types *types;
	u32 nr = tab ? symtab__nr(tab) : 0;

	if (data_types__open(lines, path, NULL, &places, &types))
		return;
	for (u32 i = 0; i < nr && i < MAX_ASKED; i++) {
		const struct symbol *sym = symtab__at(tab, i);

		for (u64 offset = sym->start; offset < sym->end && offset < sym->start + MAX_ASKED; offset++)
			data_types__find(types, offset);
	}
	for (u64 offset = 0; offset < 0x2000; offset += 0x103)
		data_types__find(types, offset);
	data_types__delete(types);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct symtab_opts symtab_opts;
	static const struct dwarf_file_opts dwarf_opts = { .locations = true };
	struct symtab *tab = NULL;
	struct srclines *lines;
	struct build_id id;
	struct errmsg err;
	char path[32];
	int fd = fuzz__open_file(data, size, path);

	build_id__read(path, &id);
	build_id__from_notes(data, size, &id);
	if (symtab__load_elf(path, NULL, &symtab_opts, &tab, &err))
		tab = NULL;
	ask_symbols(tab);
	if (!srclines__open(path, NULL, &dwarf_opts, false, &lines, &err)) {
		ask_lines(lines, tab);
		ask_types(lines, path, tab);
		srclines__delete(lines);
	}
	symtab__delete(tab);
	close(fd);
	return 0;
}
