// SPDX-License-Identifier: GPL-2.0
#include "util/probe/ranges.h"

#include <dwarf.h>
#include <inttypes.h>

#define MAX_RANGES 4096

static void put_range(struct text *t, const struct probe_point *point, u64 start, u64 end, bool first)
{
	text__printf(t, "%s%" PRId64 "-%" PRId64, first ? "" : ",", start - point->entry, end - point->entry);
}

static bool is_always_there(Dwarf_Addr start, Dwarf_Addr end)
{
	return !start && end == (Dwarf_Addr)-1;
}

/* A single expression counts in the whole function. */
static void put_function(struct text *t, struct probe_debug *debug, const struct probe_point *point)
{
	struct probe_function function;
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	if (!probe_debug__outer_function_at(debug, point->vaddr, &function))
		return;
	for (int nr = 0; nr < MAX_RANGES && (next = dwarf_ranges(&function.die, next, &base, &start, &end)) > 0; nr++)
		put_range(t, point, start, end, !nr);
}

void probe_ranges__put(struct text *t, struct probe_debug *debug, const struct probe_point *point, Dwarf_Die *variable)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, start, end;
	Dwarf_Op *op;
	size_t nr_ops;
	ptrdiff_t next = 0;

	if (dwarf_vars__place(debug->vars, point->vaddr, variable).kind == PLACE_ADDRESS || !dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return;
	text__printf(t, "\t@<%s+[", point->outer ?: "?");
	for (int nr = 0; nr < MAX_RANGES && (next = dwarf_getlocations(&attr, next, &base, &start, &end, &op, &nr_ops)) > 0; nr++) {
		if (is_always_there(start, end))
			put_function(t, debug, point);
		else
			put_range(t, point, start, end, !nr);
	}
	text__str(t, "]>");
}
