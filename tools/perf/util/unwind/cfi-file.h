/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwinding rules of an ELF file, made one by one when an instruction is asked for: for readers of recordings, which meet few
 * instructions of large files. Only .eh_frame counts, found by the sorted table of .eh_frame_hdr, as in libdw: what the file does not
 * say there has no rule, and no guess is made.
 */
#ifndef PERF_UNWIND_CFI_FILE_H
#define PERF_UNWIND_CFI_FILE_H

#include "util/symbol/elf-file.h"
#include "util/unwind/rules.h"

struct cfi_file;

/*
 * Takes over file, which is open, also if that fails; its contents are closed, and its descriptor, too, unless .eh_frame is large. -ENOTSUP: it is for another machine than the
 * rules. -ENODATA: it lacks one of the sections, or they have an unusual form. -E2BIG or -ENOMEM.
 */
int cfi_file__new(struct elf_file *file, struct unwind_rules *rules, struct cfi_file **cfi);
void cfi_file__delete(struct cfi_file *cfi); /* NULL is fine */

/* Has it .debug_frame, too, which these rules leave out? */
bool cfi_file__has_more(const struct cfi_file *cfi);

/* The id of the rule for the instruction at that offset of the file. UNWIND_RULE_NONE: the file does not say, or memory is short. */
u32 cfi_file__rule(struct cfi_file *cfi, u64 offset);

#endif
