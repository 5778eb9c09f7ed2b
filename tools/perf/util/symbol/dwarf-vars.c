// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-vars.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/symbol/dwarf-type.h"

#define MAX_SCOPES 64
#define MAX_STEPS 1000000 /* limit of variables to check between two calls of dwarf_vars__begin() */

struct global {
	u64 start, size;
	Dwarf_Die type;
};

struct scopes { /* of one address */
	u64 vaddr;
	bool known;
	u32 nr;
	Dwarf_Die scope[MAX_SCOPES]; /* outermost first */
	bool frame_known; /* frame_reg and frame_disp are valid */
	bool frame_is_cfa;
	int frame_reg;	  /* the base of DW_OP_fbreg: a register and an offset from it */
	s64 frame_disp;
};

struct dwarf_vars {
	struct dwarf_units *units;
	Dwarf *dw;
	Dwarf_CFI *cfi; /* from .eh_frame, NULL: none */
	u32 steps;	  /* steps left */
	struct scopes at; /* cache of the last lookup */
	struct global *global; /* sorted after all units were added */
	size_t nr, alloc;
	bool globals_read, lacked_memory;
};

struct dwarf_vars *dwarf_vars__new(struct dwarf_units *units, Dwarf *dw, Elf *code)
{
	struct dwarf_vars *vars = calloc(1, sizeof(*vars));

	if (!vars)
		return NULL;
	vars->units = units;
	dwarf_vars__begin(vars);
	vars->dw = dw;
	if (dw && code)
		vars->cfi = dwarf_getcfi_elf(code);
	return vars;
}

void dwarf_vars__begin(struct dwarf_vars *vars)
{
	vars->steps = MAX_STEPS;
}

void dwarf_vars__delete(struct dwarf_vars *vars)
{
	if (!vars)
		return;
	dwarf_cfi_end(vars->cfi);
	free(vars->global);
	free(vars);
}

bool dwarf_vars__lacked_memory(const struct dwarf_vars *vars)
{
	return vars->lacked_memory;
}

/* Read an operation that names a register; false: it is another operation. */
static bool register_op(const Dwarf_Op *op, struct dwarf_place *place)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*place = (struct dwarf_place){ .kind = PLACE_REGISTER, .reg = op->atom - DW_OP_reg0 };
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		*place = (struct dwarf_place){ .kind = PLACE_MEMORY, .reg = op->atom - DW_OP_breg0, .disp = op->number };
	else if (op->atom == DW_OP_regx)
		*place = (struct dwarf_place){ .kind = PLACE_REGISTER, .reg = op->number };
	else if (op->atom == DW_OP_bregx)
		*place = (struct dwarf_place){ .kind = PLACE_MEMORY, .reg = op->number, .disp = op->number2 };
	else
		return false;
	return true;
}

/* The canonical frame address at the instruction. */
static bool find_cfa(Dwarf_CFI *cfi, u64 vaddr, struct dwarf_place *place)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr;
	bool found;

	if (!cfi || dwarf_cfi_addrframe(cfi, vaddr, &frame))
		return false;
	found = !dwarf_frame_cfa(frame, &ops, &nr) && nr == 1 && register_op(ops, place) && place->kind == PLACE_MEMORY;
	free(frame);
	return found;
}

/* .debug_frame of the debug file is written by the compiler, and may be the only one. */
static bool vars__cfa(struct dwarf_vars *vars, u64 vaddr, struct dwarf_place *place)
{
	return find_cfa(vars->cfi, vaddr, place) || find_cfa(dwarf_getcfi(vars->dw), vaddr, place);
}

static bool scopes__find_frame(struct scopes *at, struct dwarf_vars *vars)
{
	struct dwarf_place place;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_getlocation_addr(dwarf_attr_integrate(&at->scope[0], DW_AT_frame_base, &attr), at->vaddr, &ops, &nr, 1) != 1 || nr != 1)
		return false;
	if (ops->atom == DW_OP_call_frame_cfa) {
		if (!vars__cfa(vars, at->vaddr, &place))
			return false;
	} else if (!register_op(ops, &place)) {
		return false;
	}
	at->frame_is_cfa = ops->atom == DW_OP_call_frame_cfa;
	at->frame_reg = place.reg;
	at->frame_disp = place.disp;
	return true;
}

/* A function that is nested in another one has a frame of its own. */
static void scopes__drop_outer(struct scopes *at)
{
	u32 first = 0;

	for (u32 i = 1; i < at->nr; i++) {
		if (dwarf_tag(&at->scope[i]) == DW_TAG_subprogram)
			first = i;
	}
	at->nr -= first;
	memmove(at->scope, at->scope + first, at->nr * sizeof(at->scope[0]));
}

/* NULL: that address has no debug information. */
static struct scopes *vars__scopes(struct dwarf_vars *vars, u64 vaddr)
{
	struct scopes *at = &vars->at;
	struct dwarf_unit *unit;

	if (at->known && at->vaddr == vaddr)
		return at->nr ? at : NULL;
	at->known = true;
	at->vaddr = vaddr;
	at->nr = 0;
	unit = vars->units ? dwarf_units__find(vars->units, vaddr) : NULL;
	if (!unit)
		return NULL;
	errno = 0;
	at->nr = dwarf_units__scopes(vars->units, unit, vaddr, at->scope, MAX_SCOPES);
	vars->lacked_memory |= errno == ENOMEM;
	scopes__drop_outer(at);
	at->frame_known = at->nr && scopes__find_frame(at, vars);
	return at->nr ? at : NULL;
}

static void set_address(Dwarf_Attribute *attr, const Dwarf_Op *op, struct dwarf_place *place)
{
	Dwarf_Attribute of_addr;
	Dwarf_Addr addr = op->number;

	if (op->atom != DW_OP_addr && (dwarf_getlocation_attr(attr, op, &of_addr) || dwarf_formaddr(&of_addr, &addr)))
		return;
	place->kind = PLACE_ADDRESS;
	place->addr = addr;
}

static bool is_address_op(int atom)
{
	return atom == DW_OP_addr || atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index;
}

/* The location of a variable at vaddr; at NULL: only if it is always at the same address. */
static struct dwarf_place place_of(Dwarf_Die *variable, const struct scopes *at)
{
	struct dwarf_place place = { .kind = PLACE_UNKNOWN };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return place;
	if (dwarf_getlocation_addr(&attr, at ? at->vaddr : 0, &ops, &nr, 1) != 1 || !nr)
		return place;
	if (nr == 1 && is_address_op(ops->atom)) {
		set_address(&attr, ops, &place);
		return place;
	}
	if (!at || nr > 2 || (nr == 2 && ops[1].atom != DW_OP_stack_value))
		return place;
	if (ops->atom == DW_OP_fbreg && at->frame_known)
		place = (struct dwarf_place){
			.kind = PLACE_MEMORY,
			.reg = at->frame_reg,
			.disp = at->frame_disp + ops->number,
			.in_own_frame = !at->frame_is_cfa || (s64)ops->number < 0,
		};
	else
		register_op(ops, &place);
	if (nr == 2) /* the computed value is the variable itself */
		place.kind = place.kind == PLACE_MEMORY ? PLACE_VALUE : PLACE_UNKNOWN;
	return place;
}

/* Does the variable show what is at reg + disp? */
static bool tells_memory(Dwarf_Die *variable, const struct scopes *at, const struct dwarf_pointer *pointer, struct dwarf_object *object)
{
	struct dwarf_place place = place_of(variable, at);
	Dwarf_Die type;
	s64 offset;

	if (place.kind == PLACE_UNKNOWN || place.kind == PLACE_ADDRESS || place.reg != pointer->reg || !dwarf_type__of(variable, &type))
		return false;
	if (place.kind == PLACE_MEMORY ? pointer->is_old : !dwarf_type__target(&type, &type))
		return false;
	if (__builtin_sub_overflow(pointer->disp, place.disp, &offset) || !dwarf_type__holds(&type, offset))
		return false;
	*object = (struct dwarf_object){ .type = type, .offset = offset };
	return true;
}

struct dwarf_place dwarf_vars__place(struct dwarf_vars *vars, u64 vaddr, Dwarf_Die *variable)
{
	return place_of(variable, vars__scopes(vars, vaddr));
}

u32 dwarf_vars__scopes(struct dwarf_vars *vars, u64 vaddr, Dwarf_Die **scopes)
{
	struct scopes *at = vars__scopes(vars, vaddr);

	*scopes = at ? at->scope : NULL;
	return at ? at->nr : 0;
}

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/*
 * Several variables may point there: one to bytes and one to the object made of them, or one to a member and one to the whole.
 * Prefer a type with members, then the larger one; otherwise the innermost variable.
 */
static bool says_more(struct dwarf_object *object, struct dwarf_object *than)
{
	u64 size, other;

	if (!dwarf_type__has_members(&object->type))
		return false;
	return !dwarf_type__has_members(&than->type) ||
	       (dwarf_type__size(&object->type, &size) && dwarf_type__size(&than->type, &other) && size > other);
}

bool dwarf_vars__by_register(struct dwarf_vars *vars, u64 vaddr, const struct dwarf_pointer *pointer, struct dwarf_object *object)
{
	struct scopes *at = vars__scopes(vars, vaddr);
	struct dwarf_object other;
	bool found = false;

	for (u32 i = at ? at->nr : 0; i > 0; i--) {
		Dwarf_Die die;
		bool more = !dwarf_child(&at->scope[i - 1], &die);

		for (; more && vars->steps; vars->steps--, more = !dwarf_siblingof(&die, &die)) {
			if (!is_variable(dwarf_tag(&die)) || !tells_memory(&die, at, pointer, &other))
				continue;
			if (!found || says_more(&other, object))
				*object = other;
			found = true;
		}
	}
	return found;
}

static int add_global(Dwarf_Die *variable, void *data)
{
	struct dwarf_vars *vars = data;
	struct dwarf_place place = place_of(variable, NULL);
	struct global new;

	if (place.kind != PLACE_ADDRESS || !dwarf_type__of(variable, &new.type) || !dwarf_type__size(&new.type, &new.size))
		return 0;
	new.start = place.addr;
	if (array__grow(vars->global, vars->nr, vars->alloc))
		return -ENOMEM;
	vars->global[vars->nr++] = new;
	return 0;
}

static int cmp_global(const void *a, const void *b)
{
	const struct global *l = a, *r = b;

	return (l->start > r->start) - (l->start < r->start) ?: (l->size > r->size) - (l->size < r->size);
}

/* A variable may be used far away from the unit that contains it. */
static void vars__read_globals(struct dwarf_vars *vars)
{
	struct dwarf_unit *unit;

	vars->globals_read = true;
	for (size_t i = 0; vars->units && (unit = dwarf_units__at(vars->units, i)); i++) {
		if (dwarf_units__for_each_global(vars->units, unit, add_global, vars)) {
			vars->lacked_memory = true;
			break;
		}
	}
	if (vars->nr)
		qsort(vars->global, vars->nr, sizeof(*vars->global), cmp_global);
}

static bool vars__global(struct dwarf_vars *vars, u64 addr, struct dwarf_object *object)
{
	size_t lo = 0, hi;

	if (!vars->globals_read)
		vars__read_globals(vars);
	hi = vars->nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (vars->global[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - vars->global[lo - 1].start >= vars->global[lo - 1].size)
		return false;
	*object = (struct dwarf_object){ vars->global[lo - 1].type, addr - vars->global[lo - 1].start, true };
	return true;
}

static bool is_at(Dwarf_Die *variable, const struct scopes *at, u64 addr, struct dwarf_object *object)
{
	struct dwarf_place place = place_of(variable, at);
	Dwarf_Die type;

	if (place.kind != PLACE_ADDRESS || !dwarf_type__of(variable, &type) || addr < place.addr || !dwarf_type__holds(&type, addr - place.addr))
		return false;
	*object = (struct dwarf_object){ type, addr - place.addr, true };
	return true;
}

/* Static variables of functions are found where they are in scope. */
bool dwarf_vars__by_address(struct dwarf_vars *vars, u64 vaddr, u64 addr, struct dwarf_object *object)
{
	struct scopes *at = vars__scopes(vars, vaddr);

	for (u32 i = at ? at->nr : 0; i > 0; i--) {
		Dwarf_Die die;
		bool more = !dwarf_child(&at->scope[i - 1], &die);

		for (; more && vars->steps; vars->steps--, more = !dwarf_siblingof(&die, &die)) {
			if (dwarf_tag(&die) == DW_TAG_variable && is_at(&die, at, addr, object))
				return true;
		}
	}
	return vars__global(vars, addr, object);
}

u32 dwarf_vars__function(struct dwarf_vars *vars, u64 vaddr, struct dwarf_code *range, u32 max)
{
	struct scopes *at = vars__scopes(vars, vaddr);
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	u32 nr = 0;

	while (at && nr < max && (next = dwarf_ranges(&at->scope[0], next, &base, &start, &end)) > 0)
		range[nr++] = (struct dwarf_code){ start, end };
	return nr;
}

static struct dwarf_parameter parameter_of(Dwarf_Die *die, const struct scopes *at, Dwarf_Die *type)
{
	const struct dwarf_place place = place_of(die, at);
	struct dwarf_parameter parameter = { .name = dwarf_diename(die), .reg = place.reg, .disp = place.disp };

	parameter.type = dwarf_type__of(die, type) ? type : NULL;
	if (place.kind == PLACE_REGISTER)
		parameter.kind = PARAMETER_REGISTER;
	else if (place.kind == PLACE_MEMORY)
		parameter.kind = PARAMETER_MEMORY;
	return parameter;
}

bool dwarf_vars__for_each_parameter(struct dwarf_vars *vars, u64 vaddr, int (*cb)(const struct dwarf_parameter *parameter, void *data),
				    void *data)
{
	struct scopes *at = vars__scopes(vars, vaddr);
	Dwarf_Die die, type;
	bool more = at && !dwarf_child(&at->scope[0], &die);

	for (; more && vars->steps; vars->steps--, more = !dwarf_siblingof(&die, &die)) {
		struct dwarf_parameter parameter;

		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		parameter = parameter_of(&die, at, &type);
		if (cb(&parameter, data))
			break;
	}
	return at;
}

bool dwarf_vars__returned(struct dwarf_vars *vars, u64 vaddr, Dwarf_Die *type, bool *is_void)
{
	struct scopes *at = vars__scopes(vars, vaddr);

	if (!at)
		return false;
	*is_void = !dwarf_type__of(&at->scope[0], type);
	return true;
}
