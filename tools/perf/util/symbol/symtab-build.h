/* SPDX-License-Identifier: GPL-2.0 */
/* Building a symbol table: add symbols in the order of their source, settle, finish. */
#ifndef PERF_SYMBOL_SYMTAB_BUILD_H
#define PERF_SYMBOL_SYMTAB_BUILD_H

#include "util/symbol/elf-budget.h"
#include "util/symbol/symtab.h"

struct raw_symbol {
	u64 start, end;
	u32 name; /* offset in names, where it is as in the file: neither demangled nor cleaned for printing */
	u8 binding, type; /* STB_*, STT_* of elf.h */
	bool mangled; /* name may have to be demangled */
	bool stub;    /* name is that of the function which a PLT entry jumps to */
};

struct symbol_place {
	u64 start, size; /* size 0: unknown */
	u8 binding, type;
};

struct symtab_builder { /* starts zeroed */
	bool demangle, short_names; /* see struct symtab_opts */
	struct raw_symbol *sym;
	size_t alloc;
	u32 nr, nr_settled;
	char *names; /* whole string tables, and single names */
	size_t names_size, names_alloc;
	struct elf_budget *budget; /* of the file that contains them; NULL: no limit */
	int error; /* of settling; __finish() returns it */
};

/* size 0: unknown. 0, -ENOMEM or -E2BIG (exceeds the budget, or 4 GiB of names). */
int symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, u8 binding, u8 type, const char *name);
/* For many symbols with names from one table: room for that, to be filled at b->names + *at. Errors as above. */
int symtab_builder__add_room(struct symtab_builder *b, size_t size, u32 *at);
int symtab_builder__add_at(struct symtab_builder *b, const struct symbol_place *place, u32 name); /* name: an offset in such texts */
/* Make room for nr symbols and for bytes of names that will most likely be added. It takes no memory until they are. */
void symtab_builder__expect(struct symtab_builder *b, size_t nr, size_t names);
/* A PLT entry, shown as NAME@plt */
int symtab_builder__add_stub(struct symtab_builder *b, u64 start, u64 size, const char *name);
/* Sort, give symbols without a size one, and leave one symbol per start. May be called again after more symbols were added. */
void symtab_builder__settle(struct symtab_builder *b);
/* The name of the settled symbol that starts there; NULL if none. Valid until the next add. */
const char *symtab_builder__name_at(struct symtab_builder *b, u64 start);
/* Add by to all addresses before the table is settled: overflows make symbols without a size. */
void symtab_builder__move(struct symtab_builder *b, u64 by);
/* Turn a settled builder into a table; leaves the builder empty. 0 or -ENOMEM. */
int symtab_builder__finish(struct symtab_builder *b, struct symtab **tab);
void symtab_builder__exit(struct symtab_builder *b);
void symtab__set_left_out(struct symtab *tab, const char *what); /* "": nothing; without memory nothing is stored */

#endif
