// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/code-table.h"

#include "util/lib/pages.h"

#define FIRST_CODES 1024
#define MAX_CODES (1 << 16)
#define LAST_NUMBER (UINT32_MAX - 2 * MAX_CODES)

void code_table__release(struct code_table *table)
{
	hash_index__exit(&table->index);
	pages__delete(table->code, (size_t)table->alloc * sizeof(*table->code));
	*table = (struct code_table){ .base = table->base + table->nr };
}

void code_table__exit(struct code_table *table)
{
	code_table__release(table);
	table->base = 0;
}

static bool reserve(struct code_table *table)
{
	size_t size = sizeof(*table->code);
	u32 alloc = table->alloc ? 2 * table->alloc : FIRST_CODES;
	struct code *more;

	if (table->nr < table->alloc)
		return true;
	more = alloc <= 2 * MAX_CODES ? pages__grow(table->code, table->alloc * size, alloc * size) : NULL;
	if (!more)
		return false;
	table->code = more;
	table->alloc = alloc;
	return true;
}

struct code *code_table__add(struct code_table *table, const struct dso *dso, u64 addr, u32 hash)
{
	struct code *code;

	if (table->base > LAST_NUMBER || !reserve(table) || hash_index__add(&table->index, hash, table->nr))
		return NULL;
	code = &table->code[table->nr++];
	*code = (struct code){ .dso = dso, .addr = addr };
	return code;
}

bool code_table__is_full(const struct code_table *table)
{
	return table->nr >= MAX_CODES;
}

void code_table__empty(struct code_table *table)
{
	hash_index__empty(&table->index);
	table->base += table->nr;
	table->nr = 0;
}
