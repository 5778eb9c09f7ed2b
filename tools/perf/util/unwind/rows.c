// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define FIRST_ROOM 1024

int rows__init(struct rows *rows, u64 begin, u64 end, struct elf_budget *budget)
{
	u64 first = begin >> UNWIND_PAGE_SHIFT, last = (end - 1) >> UNWIND_PAGE_SHIFT, nr = last - first + 1;

	*rows = (struct rows){ .first_page = first, .nr_pages = nr, .budget = budget };
	if (begin >= end || last > UINT32_MAX || nr >= UINT32_MAX / sizeof(*rows->index) ||
	    !elf_budget__take(budget, (nr + 1) * sizeof(*rows->index), "the index of its unwinding table"))
		return -E2BIG;
	rows->index = calloc(nr + 1, sizeof(*rows->index));
	if (!rows->index)
		return -ENOMEM;
	rows__add(rows, first << UNWIND_PAGE_SHIFT, UNWIND_RULE_NONE);
	return rows->err;
}

void rows__exit(struct rows *rows)
{
	free(rows->index);
	free(rows->row);
}

static bool grow(struct rows *rows)
{
	u32 room = rows->room ? 2 * rows->room : FIRST_ROOM;
	struct unwind_row *bigger;

	if (!elf_budget__take(rows->budget, (room - rows->room) * sizeof(*bigger), "its unwinding table") || room > UINT32_MAX / sizeof(*bigger)) {
		rows->err = -E2BIG;
		return false;
	}
	bigger = reallocarray(rows->row, room, sizeof(*bigger));
	if (!bigger) {
		rows->err = -ENOMEM;
		return false;
	}
	rows->row = bigger;
	rows->room = room;
	return true;
}

static void add(struct rows *rows, u32 page, u32 low, u32 rule)
{
	if (rows->nr == rows->room && !grow(rows))
		return;
	for (; rows->page < page; rows->page++)
		rows->index[rows->page + 1] = rows->nr;
	rows->row[rows->nr++] = (struct unwind_row){ .low = low, .rule = rule };
}

void rows__add(struct rows *rows, u64 offset, u32 rule)
{
	u32 page = (offset >> UNWIND_PAGE_SHIFT) - rows->first_page, low = offset & UNWIND_PAGE_MASK;

	if (rows->err || page >= rows->nr_pages)
		return;
	/* the same offset as the last row's */
	if (page == rows->page && rows->nr > rows->index[page] && rows->row[rows->nr - 1].low == low)
		rows->nr--;
	if (!rows->nr || rows->row[rows->nr - 1].rule != rule)
		add(rows, page, low, rule);
}

int rows__finish(struct rows *rows)
{
	struct unwind_row *fitting;

	if (rows->err)
		return rows->err;
	for (; rows->page < rows->nr_pages; rows->page++)
		rows->index[rows->page + 1] = rows->nr;
	fitting = reallocarray(rows->row, rows->nr, sizeof(*fitting));
	if (fitting)
		rows->row = fitting;
	return 0;
}
