/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwinding table of an ELF file, made from its call frame information: .eh_frame, otherwise .debug_frame (DWARF 5, section 6.4;
 * LSB Core 5.0, chapter 10.6). Its shape is that of util/bpf_skel/unwind.h; its rule ids are those of the set that it was made with.
 *
 * Files may be hostile: what a table takes of time and memory is proportional to the file's data on disk (see elf-budget.h).
 */
#ifndef PERF_UNWIND_TABLE_H
#define PERF_UNWIND_TABLE_H

#include "util/lib/errmsg.h"
#include "util/unwind/rules.h"

struct unwind_table {
	u32 first_page; /* offset of the file's first code >> UNWIND_PAGE_SHIFT */
	u32 nr_pages;
	u32 nr_rows;
	const u32 *index;	       /* nr_pages + 1 words */
	const struct unwind_row *rows; /* nr_rows */
};

/*
 * Make the table of a file. 0, or -errno and a text:
 *   -ENOEXEC  no ELF file, or damaged
 *   -ENODATA  it has no call frame information: walk its code by UNWIND_RULE_FP
 *   -ENOTSUP  it is for another machine than the rules
 *   -E2BIG    too large for what it has on disk
 *   -ENOMEM   or what opening it returned
 * Damaged entries are left out: the table has UNWIND_RULE_NONE for their code.
 */
int unwind_table__load(const char *path, struct unwind_rules *rules, struct unwind_table **table, struct errmsg *err);
/* Takes over fd, which was opened by regular-file.h; path is for messages. */
int unwind_table__load_fd(int fd, const char *path, struct unwind_rules *rules, struct unwind_table **table, struct errmsg *err);
/* The vdso, or another image in memory; name is for messages. Its offsets count from the begin of the image. */
int unwind_table__load_memory(const void *image, size_t size, const char *name, struct unwind_rules *rules, struct unwind_table **table,
			      struct errmsg *err);
void unwind_table__delete(struct unwind_table *table);

/* The id of the rule at that offset of the file. */
u32 unwind_table__rule(const struct unwind_table *table, u64 offset);

static inline size_t unwind_table__index_size(const struct unwind_table *table) /* in bytes */
{
	return (table->nr_pages + 1) * sizeof(*table->index);
}

static inline size_t unwind_table__rows_size(const struct unwind_table *table) /* in bytes */
{
	return table->nr_rows * sizeof(*table->rows);
}

#endif
