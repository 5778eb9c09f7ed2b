/* SPDX-License-Identifier: GPL-2.0 */
/* Making a symbol table: add symbols in the order of their source, settle, finish. */
#ifndef PERF_SYMBOL_SYMTAB_BUILD_H
#define PERF_SYMBOL_SYMTAB_BUILD_H

#include "util/symbol/elf-budget.h"
#include "util/symbol/symtab.h"

struct raw_symbol {
	u64 start, end;
	u32 name; /* offset in names */
	u8 binding, type; /* STB_*, STT_* of elf.h */
	bool mangled; /* name is as in the file, and not what is shown */
};

struct symtab_builder { /* starts zeroed */
	bool demangle, short_names; /* see struct symtab_opts */
	struct raw_symbol *sym;
	size_t alloc;
	u32 nr, nr_settled;
	char *names;
	size_t names_size, names_alloc;
	struct elf_budget *budget; /* of the file that they are in; NULL: there is no limit */
	int error; /* of settling, which __finish() returns */
};

/* size 0: unknown. 0, -ENOMEM or -E2BIG (more than the budget has room for, or 4 GiB of names). */
int symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, u8 binding, u8 type, const char *name);
/* Sort, give symbols without a size one, and leave one symbol per start. May be done again after more was added. */
void symtab_builder__settle(struct symtab_builder *b);
/* The name of the symbol that starts there, of those that are settled; NULL if none. Valid until the next add. */
const char *symtab_builder__name_at(struct symtab_builder *b, u64 start);
/* Add by to all addresses, before the table is settled: overflows make symbols without a size. */
void symtab_builder__move(struct symtab_builder *b, u64 by);
/* A settled builder becomes a table; nothing is left in the builder. 0 or -ENOMEM. */
int symtab_builder__finish(struct symtab_builder *b, struct symtab **tab);
void symtab_builder__exit(struct symtab_builder *b);
void symtab__set_left_out(struct symtab *tab, const char *what); /* "": nothing; without memory nothing, too */

#endif
