/* SPDX-License-Identifier: GPL-2.0 */
/* What call frame information says at one instruction, of the registers that unwinding needs; and the rule that is made of it. */
#ifndef PERF_UNWIND_CFI_STATE_H
#define PERF_UNWIND_CFI_STATE_H

#include "util/bpf_skel/unwind.h"
#include "util/unwind/bytes.h"

struct cfi_machine { /* registers by DWARF number */
	u32 sp, bp;
	u32 bx; /* x86: rbx; arm64 has none */
	u32 ra; /* column of the return address */
};

enum cfi_where {
	CFI_SAME,     /* where it is in this frame */
	CFI_CFA,      /* memory at CFA + off */
	CFI_BASE,     /* memory at register reg + off */
	CFI_CFA_IS,   /* its value is CFA + off */
	CFI_REGISTER, /* in register reg */
	CFI_LOST,     /* undefined */
	CFI_OTHER,    /* elsewhere: another expression */
};

struct cfi_place { /* where the caller's register is */
	u8 where;
	u32 reg;
	s64 off;
};

struct cfi_cfa {
	u8 kind; /* UNWIND_CFA_REG, UNWIND_CFA_DEREF, UNWIND_CFA_PLT or UNWIND_CFA_HARD */
	u32 reg;
	s64 off;  /* PLT: the position in an entry behind its push */
	s64 add;  /* of UNWIND_CFA_DEREF */
};

enum cfi_register { CFI_SP, CFI_BP, CFI_RA, CFI_BX, CFI_NR_PLACES };

struct cfi_state {
	struct cfi_cfa cfa;
	struct cfi_place place[CFI_NR_PLACES];
};

/* NULL: not one of ours */
const struct cfi_machine *cfi_machine__of_elf(unsigned int elf_machine);
/* What holds where the file says nothing: the ABI of the machine */
void cfi_state__init(struct cfi_state *state, const struct cfi_machine *machine);
/* DW_CFA_def_cfa_expression */
void cfi_state__cfa_expression(struct cfi_state *state, struct bytes expression, const struct cfi_machine *machine);
/* DW_CFA_expression: the address of a register */
struct cfi_place cfi_place__expression(struct bytes expression);

/* is_signal: in a signal frame. What no rule can express becomes UNWIND_CFA_HARD. */
struct unwind_rule cfi_state__rule(const struct cfi_state *state, const struct cfi_machine *machine, bool is_signal);

#endif
