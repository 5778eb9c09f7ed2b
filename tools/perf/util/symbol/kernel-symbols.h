/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the symbols of the recorded kernel come from: files that the user names, what came with the recording, the build-id cache, or the
 * kernel that runs, if it is the same one.
 */
#ifndef PERF_SYMBOL_KERNEL_SYMBOLS_H
#define PERF_SYMBOL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/machine/machine.h"
#include "util/symbol/symtab.h"

struct kernel_symbols {
	struct machine *machine;
	const struct symtab_opts *opts;
	const char *vmlinux, *kallsyms; /* set once they are looked up; both NULL: /proc/kallsyms */
	char *cached; /* owns one of these if it is from the cache or the bundle; otherwise NULL */
	int bundled; /* descriptor of the latter; -1: none */
	char *core_copy; /* of /proc/kallsyms: right for the core kernel, not for modules; NULL: none */
	bool looked_up;
};

/* vmlinux, kallsyms: the user's, or NULL. What the pointers point to must outlive k. */
void kernel_symbols__init(struct kernel_symbols *k, struct machine *machine, const struct symtab_opts *opts, const char *vmlinux, const char *kallsyms);
void kernel_symbols__exit(struct kernel_symbols *k);

/* 0: there is a kallsyms of the recorded kernel. -ESTALE: another kernel runs. */
int kernel_symbols__check_kallsyms(struct kernel_symbols *k, struct errmsg *err);
/* What to add to addresses in a kallsyms (NULL: /proc/kallsyms) to get those of the recording. 0 also if it cannot be told. */
s64 kernel_symbols__shift(const struct kernel_symbols *k, const char *kallsyms);

/* Load a table of the core kernel, or of one of its modules. *shift: of the file's addresses, set for a vmlinux. 0 or -errno. */
int kernel_symbols__load(struct kernel_symbols *k, const struct dso *dso, struct symtab **tab, s64 *shift, struct errmsg *err);
int kernel_symbols__load_module(struct kernel_symbols *k, const struct dso *dso, struct symtab **tab, struct errmsg *err);
/* Load the core kernel's from a kallsyms that was checked. Other threads may call it. */
int kernel_symbols__load_core(const struct kernel_symbols *k, s64 shift, struct symtab **tab, struct errmsg *err);

#endif
