/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of a stripped file that no symbol names: the unwinding information tells where each one begins and ends. So they get a name from
 * the file and their address in it, "libz.so.1.2.13+0x4a00", as objdump and addr2line take it.
 */
#ifndef PERF_SYMBOL_UNNAMED_FUNCTIONS_H
#define PERF_SYMBOL_UNNAMED_FUNCTIONS_H

#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab.h"

struct unnamed_functions;

/* name: what functions are called by. -ENODATA: the file does not tell; else as recorded_file__open(), -E2BIG or -ENOMEM. */
int unnamed_functions__open(const char *path, const struct build_id *want, const struct file_places *places, const char *name,
			    struct unnamed_functions **functions);
void unnamed_functions__delete(struct unnamed_functions *functions); /* NULL is fine */

/* The function at that offset of the file, as a symbol; NULL: none is known, or no memory. It lives as long as functions. */
const struct symbol *unnamed_functions__find(struct unnamed_functions *functions, u64 offset);

#endif
