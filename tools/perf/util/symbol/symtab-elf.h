/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol tables of special ELF images. */
#ifndef PERF_SYMBOL_SYMTAB_ELF_H
#define PERF_SYMBOL_SYMTAB_ELF_H

#include "util/symbol/symtab.h"

/* Load an image in memory, such as the vdso; otherwise as symtab__load_elf(). */
int symtab__load_elf_image(const void *image, size_t size, const struct build_id *want, struct symtab **tab);

/*
 * Load a kernel's vmlinux: absolute addresses, shifted so that ref_name (NULL: not shifted) is at ref_addr. *shift is the offset.
 * Does not use opts->symfs and ->cache.
 */
int symtab__load_vmlinux(const char *path, const struct build_id *want, const char *ref_name, u64 ref_addr,
			 const struct symtab_opts *opts, struct symtab **tab, s64 *shift, struct errmsg *err);

#endif
