/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variables that a place can see. Several functions may have code at one address, one inlined into the other. A name is
 * looked up in the function of the point first, then in the functions around it, innermost first, then in those that are
 * inlined into it there.
 */
#ifndef PERF_PROBE_VARIABLE_H
#define PERF_PROBE_VARIABLE_H

#include "util/probe/debug.h"
#include "util/probe/definition.h"
#include "util/probe/point.h"

enum probe_scope {
	SCOPE_PARAMETERS, /* those of the point's own function */
	SCOPE_LOCAL,	  /* its local variables, too */
	SCOPE_SEEN,	  /* those of the functions around it and inside it, too */
	SCOPE_ALL,	  /* global ones of the unit, too */
};

/* Call cb for each until it returns non-zero; returns that value. Of several with one name only the innermost one is seen. */
int probe_variables__for_each(struct probe_debug *debug, const struct probe_point *point, enum probe_scope scope,
			      int (*cb)(Dwarf_Die *variable, void *data), void *data);
int probe_variables__for_each_global(struct probe_debug *debug, u64 vaddr, int (*cb)(Dwarf_Die *variable, void *data), void *data); /* of the unit */
bool probe_variable__find(struct probe_debug *debug, const struct probe_point *point, const char *name,
			  Dwarf_Die *variable);
bool probe_variable__has_place(struct probe_debug *debug, u64 vaddr, Dwarf_Die *variable); /* or a constant value */
bool probe_variable__constant(Dwarf_Die *variable, s64 *value);
/* Are some of the variables of def in the function's frame, which is not there at its begin? */
bool probe_variables__need_frame(struct probe_debug *debug, const struct probe_point *point,
				 const struct probe_definition *def);

#endif
