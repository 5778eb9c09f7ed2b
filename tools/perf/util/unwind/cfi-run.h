/* SPDX-License-Identifier: GPL-2.0 */
/* Runs the instructions of call frame information (DWARF 5, section 6.4.2). */
#ifndef PERF_UNWIND_CFI_RUN_H
#define PERF_UNWIND_CFI_RUN_H

#include "util/unwind/cfi-state.h"

struct cfi_cie { /* what the FDEs of a function's kind share */
	u32 position; /* in its section */
	u64 code_factor;
	s64 data_factor;
	u8 encoding;	/* of addresses: DW_EH_PE_* */
	bool has_sizes;	/* of augmentation data: 'z' */
	bool is_signal;
	bool is_plain;	/* all that it says of its FDEs was understood: whoever else reads them finds the same */
	struct cfi_state initial;
};

struct cfi_run {
	const struct cfi_machine *machine;
	const struct cfi_cie *cie;
	u64 at, end;	   /* the code that is described: from at up to end; any unit that the factor of code counts in */
	/* Called with rising addresses that are below end, each time something has changed; not for a CIE (NULL). */
	void (*changed)(void *context, u64 at, const struct cfi_state *state);
	void (*unknown)(void *context, u64 at); /* nothing is known from here to the end */
	void *context;
	/* DW_CFA_set_loc: decode an address. false: cannot */
	bool (*address)(void *context, struct bytes *program, u64 *at);
};

/* Run the program on *state. false: it is damaged; .unknown was called for the rest of the code. */
bool cfi_run__program(const struct cfi_run *run, struct bytes program, struct cfi_state *state);

#endif
