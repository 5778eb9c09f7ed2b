/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a table and their index, while they are made: see util/bpf_skel/unwind.h. */
#ifndef PERF_UNWIND_ROWS_H
#define PERF_UNWIND_ROWS_H

#include "util/bpf_skel/unwind.h"
#include "util/lib/types.h"
#include "util/symbol/elf-budget.h"

struct rows {
	u32 first_page, nr_pages;
	u32 *index;
	u32 page; /* index is filled in up to this one */
	struct unwind_row *row;
	u32 nr, room;
	struct elf_budget *budget;
	int err; /* -ENOMEM or -E2BIG: rows are missing */
};

/* For code at offsets [begin, end); it starts with UNWIND_RULE_NONE. 0 or -errno. */
int rows__init(struct rows *rows, u64 begin, u64 end, struct elf_budget *budget);
void rows__exit(struct rows *rows);

/* From offset on rule holds, up to the next call's offset, which is not smaller. A second rule for the same offset replaces the first. */
void rows__add(struct rows *rows, u64 offset, u32 rule);

/* Complete the index and give back what is not used. 0 or rows->err. */
int rows__finish(struct rows *rows);

#endif
