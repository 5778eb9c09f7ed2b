/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of a program by their names in its symbol table. */
#ifndef PERF_PROBE_SYMBOLS_H
#define PERF_PROBE_SYMBOLS_H

#include "util/symbol/symtab.h"

struct probe_wanted_symbol {
	const char *path, *opened, *symfs; /* as in symtab_opts */
	const char *name;	  /* as perf prints it, of C++ with or without parameters; or a glob */
};

/*
 * Call cb for each function with that name until it returns non-zero; returns that value. If none has the name, it is
 * taken as a glob. -ENOENT: there is none; errors of reading the table, with err set.
 */
int probe_symbols__for_each(const struct probe_wanted_symbol *wanted, int (*cb)(const struct symbol *sym, void *data),
			    void *data, struct errmsg *err);

#endif
