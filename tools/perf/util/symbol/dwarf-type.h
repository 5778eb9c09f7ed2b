/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of debug information: what a pointer points to, what is at an offset, and how it all is called. A type is the entry that
 * describes it. Entries may be hostile: whatever is nested or chained has an end.
 */
#ifndef PERF_SYMBOL_DWARF_TYPE_H
#define PERF_SYMBOL_DWARF_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/lib/types.h"

/* The type of a variable, member, typedef, pointer or array; false: it has none (void), or it is not to be found. */
bool dwarf_type__of(Dwarf_Die *die, Dwarf_Die *type);
/* Without typedefs and qualifiers. */
bool dwarf_type__peel(Dwarf_Die *type, Dwarf_Die *peeled);
bool dwarf_type__target(Dwarf_Die *type, Dwarf_Die *target); /* of a pointer or reference; false: it is none, or to void */
bool dwarf_type__has_members(Dwarf_Die *type);
/* In bytes; false: it is not known, or nothing. */
bool dwarf_type__size(Dwarf_Die *type, u64 *size);
bool dwarf_type__holds(Dwarf_Die *type, s64 offset); /* Is the byte at offset inside? */
/* What a pointer that lies at offset in an object of that type points to; false: there is none, or it may be another one. */
bool dwarf_type__pointer_at(Dwarf_Die *type, u64 offset, Dwarf_Die *target);

/* "struct node", "char*", "anon_t"; malloc'ed; NULL: no memory. */
char *dwarf_type__name(Dwarf_Die *type);
/* The same without typedefs, if it has a name then. */
char *dwarf_type__plain_name(Dwarf_Die *type);
/* The member at offset: "in.b", "[].hot" of an array; "no field"; malloc'ed; NULL: no memory. */
char *dwarf_type__member_name(Dwarf_Die *type, u64 offset);

#endif
