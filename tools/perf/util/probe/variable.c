// SPDX-License-Identifier: GPL-2.0
#include "util/probe/variable.h"

#include <dwarf.h>
#include <string.h>

static bool is_variable(int tag, enum probe_scope scope)
{
	return tag == DW_TAG_formal_parameter || (tag == DW_TAG_variable && scope != SCOPE_PARAMETERS);
}

struct seeing {
	enum probe_scope scope;
	int (*cb)(Dwarf_Die *variable, void *data);
	void *data;
	Dwarf_Die *scopes; /* at the address, outermost first; valid while no other address is looked up */
	u32 nr, first, end; /* those from first on and before end are the point's own function */
	Dwarf_Die away;	    /* it, if it is not at the address, which its debug information names as its begin nevertheless */
	bool is_away;
};

static bool is_function(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Without a scope the innermost function is meant. */
static void find_own(struct seeing *s, struct probe_debug *debug, const struct probe_point *point)
{
	bool found = false;

	s->end = s->nr;
	for (u32 i = 0; i < s->nr; i++) {
		if (!is_function(&s->scopes[i]))
			continue;
		if (found) {
			s->end = i;
			return;
		}
		s->first = i;
		found = dwarf_dieoffset(&s->scopes[i]) == point->scope;
	}
	s->is_away = !found && point->scope && dwarf_offdie(debug->file.dw, point->scope, &s->away);
}

/* Has a scope that is looked up before this one another variable of the name? */
static bool is_hidden(const struct seeing *s, u32 scope, const char *name)
{
	const bool is_outer = scope < s->end;

	for (u32 i = is_outer ? scope + 1 : 0; i < (is_outer ? s->end : scope); i++) {
		Dwarf_Die die;
		bool more = !dwarf_child(&s->scopes[i], &die);

		for (; more; more = !dwarf_siblingof(&die, &die)) {
			const char *other = is_variable(dwarf_tag(&die), SCOPE_LOCAL) ? dwarf_diename(&die) : NULL;

			if (other && !strcmp(other, name))
				return true;
		}
	}
	return false;
}

static int see_away(struct seeing *s)
{
	Dwarf_Die die;
	bool more = !dwarf_child(&s->away, &die);
	int ret = 0;

	for (; more && !ret; more = !dwarf_siblingof(&die, &die)) {
		const char *name = is_variable(dwarf_tag(&die), s->scope) ? dwarf_diename(&die) : NULL;

		if (name && *name)
			ret = s->cb(&die, s->data);
	}
	return ret;
}

static int see_scope(const struct seeing *s, u32 scope)
{
	Dwarf_Die die;
	bool more = !dwarf_child(&s->scopes[scope], &die);
	int ret = 0;

	for (; more && !ret; more = !dwarf_siblingof(&die, &die)) {
		const char *name = is_variable(dwarf_tag(&die), s->scope) ? dwarf_diename(&die) : NULL;

		if (name && *name && !is_hidden(s, scope, name))
			ret = s->cb(&die, s->data);
	}
	return ret;
}

static int see_global(Dwarf_Die *variable, void *data)
{
	const struct seeing *s = data;
	const char *name = dwarf_diename(variable);

	return name && *name ? s->cb(variable, s->data) : 0;
}

int probe_variables__for_each_global(struct probe_debug *debug, u64 vaddr, int (*cb)(Dwarf_Die *variable, void *data), void *data)
{
	struct seeing s = { .cb = cb, .data = data };
	struct dwarf_unit *unit = dwarf_units__find(debug->units, vaddr);

	return unit ? dwarf_units__for_each_global(debug->units, unit, see_global, &s) : 0;
}

int probe_variables__for_each(struct probe_debug *debug, const struct probe_point *point, enum probe_scope scope,
			      int (*cb)(Dwarf_Die *variable, void *data), void *data)
{
	struct seeing s = { .scope = scope, .cb = cb, .data = data };
	int ret = 0;

	s.nr = dwarf_vars__scopes(debug->vars, point->vaddr, &s.scopes);
	find_own(&s, debug, point);
	if (s.is_away)
		ret = see_away(&s);
	if (scope < SCOPE_SEEN)
		s.nr = s.is_away ? 0 : s.end;
	for (u32 i = scope < SCOPE_SEEN ? s.first : 0; i < s.nr && !ret; i++)
		ret = see_scope(&s, i);
	return ret ?: scope == SCOPE_ALL ? probe_variables__for_each_global(debug, point->vaddr, cb, data) : 0;
}

struct naming {
	const char *name;
	Dwarf_Die *found;
	bool declared; /* elsewhere is the variable itself */
};

static int try_name(Dwarf_Die *variable, void *data)
{
	struct naming *n = data;
	const char *name = dwarf_diename(variable);
	Dwarf_Attribute attr;

	if (!name || strcmp(name, n->name))
		return 0;
	n->declared = dwarf_attr(variable, DW_AT_declaration, &attr);
	if (n->declared)
		return 0;
	*n->found = *variable;
	return 1;
}

bool probe_variable__find(struct probe_debug *debug, const struct probe_point *point, const char *name,
			  Dwarf_Die *variable)
{
	struct naming n = { .name = name, .found = variable };
	struct dwarf_unit *unit;

	if (probe_variables__for_each(debug, point, SCOPE_ALL, try_name, &n))
		return true;
	for (size_t i = 0; n.declared && (unit = dwarf_units__at(debug->units, i)); i++) {
		if (dwarf_units__for_each_global(debug->units, unit, try_name, &n))
			return true;
		n.declared = true;
	}
	return false;
}

bool probe_variable__constant(Dwarf_Die *variable, s64 *value)
{
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	Dwarf_Word word;
	unsigned int form;

	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &attr))
		return false;
	form = dwarf_whatform(&attr);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attr, &number))
			return false;
		*value = number;
		return true;
	}
	if (dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

bool probe_variable__has_place(struct probe_debug *debug, u64 vaddr, Dwarf_Die *variable)
{
	s64 value;

	return dwarf_vars__place(debug->vars, vaddr, variable).kind != PLACE_UNKNOWN || probe_variable__constant(variable, &value);
}

struct needing {
	struct probe_debug *debug;
	u64 vaddr;
};

static int needs_frame(Dwarf_Die *variable, void *data)
{
	const struct needing *n = data;

	return dwarf_vars__place(n->debug->vars, n->vaddr, variable).in_own_frame;
}

bool probe_variables__need_frame(struct probe_debug *debug, const struct probe_point *point,
				 const struct probe_definition *def)
{
	struct needing n = { debug, point->vaddr };
	Dwarf_Die variable;

	for (unsigned int i = 0; i < def->nr_operands; i++) {
		switch (def->operand[i].kind) {
		case OPERAND_RAW:
			break;
		case OPERAND_VARIABLE: /* of a block further inside, if it is not found */
			if (!probe_variable__find(debug, point, def->operand[i].variable, &variable) ||
			    needs_frame(&variable, &n))
				return true;
			break;
		case OPERAND_VARS:
		case OPERAND_PARAMS:
			if (probe_variables__for_each(debug, point, SCOPE_LOCAL, needs_frame, &n))
				return true;
		}
	}
	return false;
}
