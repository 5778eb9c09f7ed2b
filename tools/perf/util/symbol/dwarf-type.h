/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types in debug information: what a pointer points to, what is at an offset, and their names. A type is the DIE that describes it.
 * DIEs may be hostile: nesting and chains are limited.
 */
#ifndef PERF_SYMBOL_DWARF_TYPE_H
#define PERF_SYMBOL_DWARF_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/symbol/data-type.h"

/* Get the type of a variable, member, typedef, pointer or array; false: it has none (void), or it is missing. */
bool dwarf_type__of(Dwarf_Die *die, Dwarf_Die *type);
/* Strip typedefs and qualifiers. */
bool dwarf_type__peel(Dwarf_Die *type, Dwarf_Die *peeled);
bool dwarf_type__target(Dwarf_Die *type, Dwarf_Die *target); /* of a pointer or reference; false: it is neither, or points to void */
bool dwarf_type__has_members(Dwarf_Die *type);
/* Size in bytes; false: unknown or 0. */
bool dwarf_type__size(Dwarf_Die *type, u64 *size);
bool dwarf_type__holds(Dwarf_Die *type, s64 offset); /* Is the byte at offset inside the type? */
/* Get the target of a pointer at offset in an object of that type; false: there is no pointer, or it is ambiguous. */
bool dwarf_type__pointer_at(Dwarf_Die *type, u64 offset, Dwarf_Die *target);

/* "struct node", "char*", "anon_t"; malloc'ed; NULL: no memory. */
char *dwarf_type__name(Dwarf_Die *type);
/* The same without typedefs, if a name is left. */
char *dwarf_type__plain_name(Dwarf_Die *type);
/*
 * Append the type, whose name is that, and its members, as far as they are no elements of arrays. 0, -E2BIG: they are too many, or nested too
 * deeply; -ENOMEM
 */
int dwarf_type__layout(Dwarf_Die *type, const char *name, struct data_layout *layout);
/* The member at offset: "in.b", "[].hot" of an array; "no field"; malloc'ed; NULL: no memory. */
char *dwarf_type__member_name(Dwarf_Die *type, u64 offset);

#endif
