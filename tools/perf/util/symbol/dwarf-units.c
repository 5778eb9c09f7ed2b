// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-units.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/lib/array.h"
#include "util/symbol/dwarf-cost.h"
#include "util/symbol/dwarf-link.h"

#define MAX_DEPTH 512		/* limit of nested namespaces and types, and of blocks in a function */
#define MAX_LOOKUP_STEPS 1000000 /* limit of DIEs and ranges to check for one address in one function */
#define MAX_ALL_LOOKUP_STEPS 1000000000 /* limit for all addresses of a file: a minute */

struct range {
	u64 start, end;
	union {
		size_t unit;   /* index into dwarf_units->unit */
		Dwarf_Die die; /* of a function */
	};
};

struct ranges { /* sorted when complete */
	struct range *range;
	size_t nr, alloc;
};

struct dwarf_unit {
	Dwarf_Die cu;	     /* in the file itself: has the line table */
	Dwarf_Die functions; /* cu, or the unit in the .dwo file */
	bool indexed, nested_indexed, abbrevs_read, lines_tried, has_lines;
	bool has_inlined; /* any function is inlined; valid once the abbreviations are read */
	struct ranges by_function;
};

struct dwarf_units {
	Dwarf *dw;
	struct elf_file *file;
	u64 steps; /* steps left */
	u64 lookup_steps; /* steps left for looking up addresses */
	struct dwarf_unit *unit;
	size_t nr, alloc;
	struct ranges by_unit;
};

static int ranges__add(struct ranges *r, const struct range *new)
{
	if (new->start >= new->end || !new->start) /* the linker moved removed code to 0 */
		return 0;
	if (array__grow(r->range, r->nr, r->alloc))
		return -ENOMEM;
	r->range[r->nr++] = *new;
	return 0;
}

static int cmp_range(const void *a, const void *b)
{
	const struct range *l = a, *r = b;

	return (l->start > r->start) - (l->start < r->start) ?: (l->end < r->end) - (l->end > r->end);
}

/* Ranges should not overlap; if they do, use the one that starts last. NULL: none. */
static const struct range *ranges__find(const struct ranges *r, u64 addr)
{
	size_t lo = 0, hi = r->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->range[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < r->range[lo - 1].end ? &r->range[lo - 1] : NULL;
}

/* Add all ranges of the DIE, each a copy of range with other addresses. */
static int ranges__add_all(struct ranges *r, Dwarf_Die *die, struct range *range, u64 *steps)
{
	Dwarf_Addr base;
	ptrdiff_t next = 0;

	while (*steps && (next = dwarf_ranges(die, next, &base, &range->start, &range->end)) > 0) {
		--*steps;
		if (ranges__add(r, range))
			return -ENOMEM;
	}
	return 0;
}

static void ranges__sort(struct ranges *r)
{
	if (r->nr)
		qsort(r->range, r->nr, sizeof(*r->range), cmp_range);
}

static int units__add(struct dwarf_units *units, Dwarf_Die *cu, Dwarf_Die *functions)
{
	struct range range;

	if (array__grow(units->unit, units->nr, units->alloc))
		return -ENOMEM;
	range.unit = units->nr++;
	units->unit[range.unit] = (struct dwarf_unit){ .cu = *cu, .functions = functions->addr ? *functions : *cu };
	return ranges__add_all(&units->by_unit, cu, &range, &units->steps);
}

static int units__read(struct dwarf_units *units)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;

	while (units->steps) {
		Dwarf_Die die, split = {};

		errno = 0;
		if (dwarf_get_units(units->dw, cu, &cu, NULL, &type, &die, NULL)) {
			if (errno == ENOMEM) /* otherwise it was the last one, or the rest is damaged */
				return -ENOMEM;
			break;
		}
		units->steps--;
		if (type == DW_UT_skeleton && dwarf_link__unit_is_safe(units->file->fd, &die, &units->file->budget) &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL))
			split = (Dwarf_Die){};
		if ((type == DW_UT_compile || type == DW_UT_skeleton) && units__add(units, &die, &split))
			return -ENOMEM;
	}
	ranges__sort(&units->by_unit);
	return 0;
}

struct dwarf_units *dwarf_units__new(Dwarf *dw, struct elf_file *file, u64 max_steps)
{
	struct dwarf_units *units = calloc(1, sizeof(*units));

	if (!units)
		return NULL;
	units->dw = dw;
	units->file = file;
	units->steps = max_steps;
	units->lookup_steps = MAX_ALL_LOOKUP_STEPS;
	if (units__read(units)) {
		dwarf_units__delete(units);
		return NULL;
	}
	return units;
}

void dwarf_units__delete(struct dwarf_units *units)
{
	if (!units)
		return;
	for (size_t i = 0; i < units->nr; i++)
		free(units->unit[i].by_function.range);
	free(units->unit);
	free(units->by_unit.range);
	free(units);
}

/* Also search these for functions: clang puts those of a namespace there. */
static bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	}
	return false;
}

/* These contain what is inlined. */
static bool is_code(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	}
	return false;
}

/* Call cb for all DIEs of the unit, in the order of the file, until it returns non-zero. */
static int unit__walk(struct dwarf_unit *unit, u64 *steps, bool into_functions, int (*cb)(Dwarf_Die *die, void *data), void *data)
{
	Dwarf_Die above[MAX_DEPTH], *die = above, child;
	bool more = !dwarf_child(&unit->functions, die);
	int ret;

	while (more && *steps) {
		--*steps;
		ret = cb(die, data);
		if (ret)
			return ret;
		if ((is_container(dwarf_tag(die)) || (into_functions && is_code(dwarf_tag(die)))) && die + 1 < above + MAX_DEPTH && !dwarf_child(die, &child)) {
			*++die = child;
			continue;
		}
		while (!(more = !dwarf_siblingof(die, die)) && die > above)
			die--;
	}
	return 0;
}

struct indexing {
	struct dwarf_unit *unit;
	u64 *steps;
};

static int index_function(Dwarf_Die *die, void *data)
{
	struct indexing *i = data;
	struct range range = { .die = *die };

	return dwarf_tag(die) == DW_TAG_subprogram ? ranges__add_all(&i->unit->by_function, die, &range, i->steps) : 0;
}

/* Add all functions with code; lookups search inside them. */
static int unit__index(struct dwarf_unit *unit, u64 *steps)
{
	struct indexing indexing = { unit, steps };
	int ret = unit__walk(unit, steps, false, index_function, &indexing);

	if (ret)
		return ret;
	ranges__sort(&unit->by_function);
	unit->indexed = true;
	return 0;
}

/* Lambdas of C++ are in other functions. Indexing them reads what is in all functions, so do it only when they are needed. */
static const struct range *unit__find_function(struct dwarf_unit *unit, u64 vaddr, u64 *steps)
{
	const struct range *range = ranges__find(&unit->by_function, vaddr);
	struct indexing indexing = { unit, steps };

	if (range || unit->nested_indexed)
		return range;
	unit->nested_indexed = true;
	if (unit__walk(unit, steps, true, index_function, &indexing))
		return NULL;
	ranges__sort(&unit->by_function);
	return ranges__find(&unit->by_function, vaddr);
}

struct globals {
	int (*cb)(Dwarf_Die *variable, void *data);
	void *data;
};

static int show_global(Dwarf_Die *die, void *data)
{
	struct globals *globals = data;

	return dwarf_tag(die) == DW_TAG_variable ? globals->cb(die, globals->data) : 0;
}

int dwarf_units__for_each_global(struct dwarf_units *units, struct dwarf_unit *unit, int (*cb)(Dwarf_Die *variable, void *data),
				 void *data)
{
	struct globals globals = { cb, data };

	return unit__walk(unit, &units->steps, false, show_global, &globals);
}

int dwarf_units__for_each(struct dwarf_units *units, struct dwarf_unit *unit, bool into_functions, int (*cb)(Dwarf_Die *die, void *data),
			  void *data)
{
	return unit__walk(unit, &units->steps, into_functions, cb, data);
}

struct dwarf_unit *dwarf_units__at(struct dwarf_units *units, size_t nr)
{
	return nr < units->nr ? &units->unit[nr] : NULL;
}

struct dwarf_unit *dwarf_units__find(struct dwarf_units *units, u64 vaddr)
{
	const struct range *range = ranges__find(&units->by_unit, vaddr);

	return range ? &units->unit[range->unit] : NULL;
}

Dwarf_Die *dwarf_unit__die(struct dwarf_unit *unit)
{
	return &unit->cu;
}

static bool take_lines(Dwarf_Die *cu, struct elf_budget *budget)
{
	u64 lines;

	if (!dwarf_cost__take_lines(cu, budget, &lines))
		return false;
	dwarf_cost__settle_lines(budget, lines, cu);
	return true;
}

bool dwarf_units__has_lines(struct dwarf_units *units, struct dwarf_unit *unit)
{
	if (!unit->lines_tried)
		unit->has_lines = take_lines(&unit->cu, &units->file->budget) &&
				  (unit->functions.addr == unit->cu.addr || take_lines(&unit->functions, &units->file->budget));
	unit->lines_tried = true;
	return unit->has_lines;
}

static bool has_address(Dwarf_Die *die, u64 vaddr, u32 *steps)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while (*steps && (next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		--*steps;
		if (vaddr >= start && vaddr < end)
			return true;
	}
	return false;
}

/* Find the direct child with the address: a block, a function or an inlined function. Returns its tag, 0: none. */
static int inner(Dwarf_Die *die, u64 vaddr, Dwarf_Die *found, u32 *steps)
{
	bool more = !dwarf_child(die, found);

	for (; more && *steps; more = !dwarf_siblingof(found, found)) {
		int tag = dwarf_tag(found);

		--*steps;
		switch (tag) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_subprogram:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (has_address(found, vaddr, steps))
				return tag;
		}
	}
	return 0;
}

static void reverse(Dwarf_Die *die, u32 nr)
{
	for (u32 i = 0; i < nr / 2; i++) {
		Dwarf_Die other = die[i];

		die[i] = die[nr - 1 - i];
		die[nr - 1 - i] = other;
	}
}

u32 dwarf_units__scopes(struct dwarf_units *units, struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max)
{
	u32 nr = 1, max_steps = units->lookup_steps < MAX_LOOKUP_STEPS ? units->lookup_steps : MAX_LOOKUP_STEPS, steps = max_steps;
	const struct range *range;

	if (!unit->indexed && unit__index(unit, &units->steps))
		return 0;
	range = unit__find_function(unit, vaddr, &units->steps);
	if (!range || !max)
		return 0;
	die[0] = range->die;
	while (nr < max && inner(&die[nr - 1], vaddr, &die[nr], &steps))
		nr++;
	units->lookup_steps -= max_steps - steps;
	if (!units->lookup_steps)
		elf_budget__note(&units->file->budget, "what is inlined takes too long to find");
	return nr;
}

/*
 * Is any function inlined in the unit? Its few abbreviations answer this without reading its DIEs; most units of a C library have
 * none.
 */
static bool unit__has_inlined(struct dwarf_unit *unit, u64 *steps)
{
	Dwarf_Off offset = 0;
	Dwarf_Abbrev *abbrev;
	size_t size;

	for (; !unit->abbrevs_read; offset += size) {
		abbrev = *steps ? dwarf_getabbrev(&unit->functions, offset, &size) : NULL;
		unit->abbrevs_read = !abbrev || abbrev == DWARF_END_ABBREV;
		if (unit->abbrevs_read)
			break;
		--*steps;
		if (dwarf_getabbrevtag(abbrev) == DW_TAG_inlined_subroutine)
			unit->has_inlined = unit->abbrevs_read = true;
	}
	return unit->has_inlined;
}

u32 dwarf_units__inlined(struct dwarf_units *units, struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max)
{
	Dwarf_Die scope[MAX_DEPTH];
	u32 nr_scopes, nr = 0;

	if (!unit__has_inlined(unit, &units->steps))
		return 0;
	nr_scopes = dwarf_units__scopes(units, unit, vaddr, scope, MAX_DEPTH);
	for (u32 i = 1; i < nr_scopes && nr < max; i++) {
		int tag = dwarf_tag(&scope[i]);

		if (tag == DW_TAG_inlined_subroutine)
			die[nr++] = scope[i];
		else if (tag == DW_TAG_subprogram) /* a function that is defined inside this one */
			nr = 0;
	}
	reverse(die, nr);
	return nr;
}
