/* SPDX-License-Identifier: GPL-2.0 */
/* Where the arguments of a function are when it begins, by its debug information, and otherwise by the rules for calls. */
#ifndef PERF_SYMBOL_PROBE_ARGS_H
#define PERF_SYMBOL_PROBE_ARGS_H

#include "util/event/probe.h"

struct probe_file;

struct probe_code { /* a function of a file */
	const struct probe_file *file;
	const char *name; /* as in the symbol table; clones of compilers have other registers */
	u64 vaddr;	  /* of the instruction */
	bool at_begin;	  /* it is the function's first one */
	bool is_return;
};

/* Add the arguments, or retval, to place. Debug information that cannot be read is as none. */
void probe_args__add(struct probe_place *place, const struct probe_code *code);
/*
 * Does the debug information know a function of that name? *vaddr: where its code begins, or that of one of its clones; 0: it is inlined
 * wherever it is called.
 */
bool probe_args__find(const struct probe_file *file, const char *name, u64 *vaddr);
/* The registers that have the first arguments of a call: arg1 and so on. */
void probe_args__add_registers(struct probe_place *place);
/* What a function returns: of that size; is_hex: a pointer. */
void probe_args__add_returned(struct probe_place *place, u8 size, bool is_signed, bool is_hex);
void probe_args__add_frame(struct probe_place *place); /* the field PROBE_FRAME, at a function's begin or return */
/* Name of the register with argument nr, from 0 on ("%di"); NULL: it is none, or it is unknown for this machine. */
const char *probe_args__register(unsigned int nr);
/* The same for DWARF's number of a register; written to buf. */
const char *probe_args__dwarf_register(int nr, char buf[8]);

#endif
