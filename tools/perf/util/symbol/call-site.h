/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return addresses and their calls. A frame of a callchain is mostly a return address: the call is just before it, and belongs to another
 * function or inlined part if it is the last instruction there. What was interrupted is no return address.
 */
#ifndef PERF_SYMBOL_CALL_SITE_H
#define PERF_SYMBOL_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include "util/machine/machine.h"
#include "util/symbol/symtab.h"

#define CALL_SITE_BEFORE 16 /* bytes before the address that are looked at */
#define CALL_SITE_BYTES 32

struct call_site_bytes { /* of an x86-64 file, around an address */
	u8 byte[CALL_SITE_BYTES]; /* byte[CALL_SITE_BEFORE] is at the address */
	bool known;
};

/* Does a call end at the address? */
bool call_site__ends_call(const struct call_site_bytes *code);
/* Is the address in code that returns from a signal: rt_sigreturn(2), and nothing else? */
bool call_site__is_sigreturn(const struct call_site_bytes *code);
/* Does the next frame of a callchain stand where a signal, an interrupt or an exception came, by the name of this function? */
bool call_site__interrupts(const struct dso *dso, const struct symbol *sym);

#endif
