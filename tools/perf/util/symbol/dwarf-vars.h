/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which variable is where: what debug information says of registers, of the stack and of addresses at an instruction. Only what is said
 * exactly counts: a variable that lies in a register, at a fixed distance from one or from the frame, or at an address.
 */
#ifndef PERF_SYMBOL_DWARF_VARS_H
#define PERF_SYMBOL_DWARF_VARS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/symbol/dwarf-units.h"

struct dwarf_vars; /* of one file */

struct dwarf_code { /* addresses, end excluded */
	u64 start, end;
};

struct dwarf_object { /* in memory */
	Dwarf_Die type; /* as it was written, with typedefs */
	u64 offset;	/* in it, of what is asked for */
	bool is_global;
};

/*
 * units and dw (that of units) must outlive them; dw and units NULL: there is no debug information, and all is unknown. code is the object
 * itself, whose .eh_frame tells of frames, NULL: it has none. Returns NULL for -ENOMEM.
 */
struct dwarf_vars *dwarf_vars__new(struct dwarf_units *units, Dwarf *dw, Elf *code);
void dwarf_vars__delete(struct dwarf_vars *vars);

/* Questions follow that belong together: all of them look at no more variables than an honest file has. */
void dwarf_vars__begin(struct dwarf_vars *vars);

/* The ranges of addresses of the function at vaddr, at most max; returns how many, 0: unknown. */
u32 dwarf_vars__function(struct dwarf_vars *vars, u64 vaddr, struct dwarf_code *range, u32 max);

struct dwarf_pointer { /* to disp behind where a register points */
	int reg; /* by its number in DWARF */
	s64 disp;
	bool is_old; /* it is only later that the memory is accessed, and by then it may be another variable's */
};

/* What a pointer points to before the instruction at vaddr. False: unknown. An object is so large that offset is in it. */
bool dwarf_vars__by_register(struct dwarf_vars *vars, u64 vaddr, const struct dwarf_pointer *pointer, struct dwarf_object *object);
/* What lies at addr, a variable of the function at vaddr or a global one. */
bool dwarf_vars__by_address(struct dwarf_vars *vars, u64 vaddr, u64 addr, struct dwarf_object *object);

bool dwarf_vars__lacked_memory(const struct dwarf_vars *vars);

#endif
