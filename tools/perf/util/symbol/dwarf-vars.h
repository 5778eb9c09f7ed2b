/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which variable is where: what debug information says about registers, the stack and addresses at an instruction. Only exact
 * locations count: a register, a fixed offset from a register or from the frame, or an address.
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
	Dwarf_Die type; /* as written in the source, with typedefs */
	u64 offset;	/* of the requested byte in the object */
	bool is_global;
};

/*
 * units and dw (that of units) must outlive them; dw and units NULL: there is no debug information, and all is unknown. code: the
 * object itself, for the frames in its .eh_frame; NULL: it has none. Returns NULL for -ENOMEM.
 */
struct dwarf_vars *dwarf_vars__new(struct dwarf_units *units, Dwarf *dw, Elf *code);
void dwarf_vars__delete(struct dwarf_vars *vars);

/* Start a group of queries: together they look at no more variables than a sane file has. */
void dwarf_vars__begin(struct dwarf_vars *vars);

/* Get the address ranges of the function at vaddr, at most max; returns their number, 0: unknown. */
u32 dwarf_vars__function(struct dwarf_vars *vars, u64 vaddr, struct dwarf_code *range, u32 max);

enum dwarf_place_kind { PLACE_UNKNOWN, PLACE_REGISTER, PLACE_MEMORY, PLACE_VALUE, PLACE_ADDRESS };

struct dwarf_place { /* where a variable is */
	enum dwarf_place_kind kind;
	int reg;  /* DWARF number of the register, or of the base of the memory reg + disp, or of the value reg + disp */
	s64 disp;
	u64 addr; /* for PLACE_ADDRESS */
	bool in_own_frame; /* in memory that the function itself sets up: before that it holds something else */
};

struct dwarf_place dwarf_vars__place(struct dwarf_vars *vars, u64 vaddr, Dwarf_Die *variable);
/* Get the function at vaddr and the scopes in it there, outermost first; valid until the next query. Returns their number, 0: unknown. */
u32 dwarf_vars__scopes(struct dwarf_vars *vars, u64 vaddr, Dwarf_Die **scopes);

struct dwarf_pointer { /* a pointer: disp bytes after where the register points */
	int reg; /* DWARF number */
	s64 disp;
	bool is_old; /* the access happens later, when the memory may hold another variable */
};

/* Get what a pointer points to before the instruction at vaddr. false: unknown. The object contains offset. */
bool dwarf_vars__by_register(struct dwarf_vars *vars, u64 vaddr, const struct dwarf_pointer *pointer, struct dwarf_object *object);
/* Get what is at addr: a variable of the function at vaddr, or a global one. */
bool dwarf_vars__by_address(struct dwarf_vars *vars, u64 vaddr, u64 addr, struct dwarf_object *object);

struct dwarf_parameter {
	const char *name; /* NULL: it has none */
	Dwarf_Die *type;  /* NULL: unknown */
	enum { PARAMETER_UNKNOWN, PARAMETER_REGISTER, PARAMETER_MEMORY } kind; /* where it is at the instruction */
	int reg;	  /* DWARF number of the register, or of the base of its memory */
	s64 disp;	  /* to add to the base */
};

/* Call cb for the parameters of the function at vaddr, in order, until it returns non-zero. false: the function is not known. */
bool dwarf_vars__for_each_parameter(struct dwarf_vars *vars, u64 vaddr, int (*cb)(const struct dwarf_parameter *parameter, void *data),
				    void *data);
/* Get the type of what the function at vaddr returns. false: it is not known; *is_void: it returns nothing. */
bool dwarf_vars__returned(struct dwarf_vars *vars, u64 vaddr, Dwarf_Die *type, bool *is_void);

bool dwarf_vars__lacked_memory(const struct dwarf_vars *vars);

#endif
