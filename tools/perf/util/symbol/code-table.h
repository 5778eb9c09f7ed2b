/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions at addresses of files, by dso and address in the dso's table. Each process maps a file at another address; this table finds the
 * function once for all of them. Each entry has a number, by which consumers may keep tables. The table is bounded: a full one is emptied,
 * and its numbers are not used again.
 */
#ifndef PERF_SYMBOL_CODE_TABLE_H
#define PERF_SYMBOL_CODE_TABLE_H

#include <stdbool.h>
#include "util/lib/hash-index.h"
#include "util/symbol/location.h"

struct code {
	const struct dso *dso;
	u64 addr;		    /* in the dso's table */
	const struct symbol *sym;   /* NULL: unknown */
	const struct srcline *inlined; /* if it is known; NULL: nothing */
	bool inlined_known;
	bool is_none; /* it is no part of the dso, though in its map */
	bool is_unnamed; /* no symbol table has the symbol */
	bool is_caller; /* the address was looked up as a return address */
	u8 back; /* see struct location */
	bool interrupts; /* the next frame of a callchain was interrupted, and is no return address */
};

struct code_table { /* starts zeroed */
	struct hash_index index;
	struct code *code; /* by number, from base + 1 on */
	u32 nr, alloc, base;
};

void code_table__exit(struct code_table *table);

/* Of what is in the table. */
static inline u32 code_table__number(const struct code_table *table, const struct code *code)
{
	return table->base + (code - table->code) + 1;
}

/* NULL: 0, or it was emptied since. Valid until the next one is added. */
static inline struct code *code_table__at(const struct code_table *table, u32 number)
{
	return number > table->base ? &table->code[number - table->base - 1] : NULL;
}

/* NULL: not known. Valid until the next one is added. */
static inline struct code *code_table__find(const struct code_table *table, const struct dso *dso, u64 addr, bool is_caller, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&table->index, hash, &i))) {
		struct code *code = &table->code[slot->place - 1];

		if (code->addr == addr && code->dso == dso && code->is_caller == is_caller)
			return code;
	}
	return NULL;
}

static inline u32 code_hash(const struct dso *dso, u64 addr)
{
	return hash_mix(hash_mix(0, dso->index), addr);
}

/* Add an entry for this address, which the caller fills in. NULL: no memory, or no number is left. */
struct code *code_table__add(struct code_table *table, const struct dso *dso, u64 addr, u32 hash);

/* Is it time to empty it? */
bool code_table__is_full(const struct code_table *table);
void code_table__empty(struct code_table *table);
/* Empty it, and free its memory until the next one is added. */
void code_table__release(struct code_table *table);

#endif
