/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol tables of special ELF images. */
#ifndef PERF_SYMBOL_SYMTAB_ELF_H
#define PERF_SYMBOL_SYMTAB_ELF_H

#include "util/symbol/symtab.h"

/* An image in memory, such as the vdso; as symtab__load_elf() otherwise. */
int symtab__load_elf_image(const void *image, size_t size, const struct build_id *want, struct symtab **tab);

/*
 * A kernel's vmlinux: absolute addresses, moved so that ref_name (NULL: not moved) is at ref_addr. *shift is how far. opts->symfs and
 * ->cache are not used.
 */
int symtab__load_vmlinux(const char *path, const struct build_id *want, const char *ref_name, u64 ref_addr,
			 const struct symtab_opts *opts, struct symtab **tab, s64 *shift, struct errmsg *err);

#endif
