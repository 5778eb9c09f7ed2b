/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that become known while they are looked at: those of interpreters, which views of a running recording show. They are in one file
 * that is nowhere, and are never forgotten, as symbols of tables. All calls may be made from any thread.
 */
#ifndef PERF_SYMBOL_LIVE_FUNCTIONS_H
#define PERF_SYMBOL_LIVE_FUNCTIONS_H

#include "util/machine/machine.h"
#include "util/symbol/symtab.h"

struct live_functions;

struct live_functions *live_functions__new(void); /* NULL: no memory */
void live_functions__delete(struct live_functions *functions); /* NULL is fine */

/* The build-id of their file. Without this call it is none. */
void live_functions__set_id(struct live_functions *functions, const struct build_id *id);
/*
 * What to call when an address is in no function: it may add some. It belongs to who makes the functions, who calls this with NULL before it ends:
 * afterwards fetch is not called any more.
 */
void live_functions__set_fetch(struct live_functions *functions, void (*fetch)(void *data), void *data);
/* Offsets in the file; no other function has bytes there. The name is copied. 0 or -ENOMEM */
int live_functions__add(struct live_functions *functions, u64 start, u64 size, const char *name, size_t len);

/* Is this their file? Also without functions (NULL) */
bool live_functions__are_of(struct live_functions *functions, const struct dso *dso);
/* NULL: none covers that offset. The symbol lives as long as functions. */
const struct symbol *live_functions__find(struct live_functions *functions, u64 offset);

#endif
