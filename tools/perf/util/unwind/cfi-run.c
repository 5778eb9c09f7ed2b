// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi-run.h"

#include <dwarf.h>

/* Compilers remember one state at a time. */
#define MAX_REMEMBERED 16
#define HIGH_BITS 0xc0 /* of the instructions that have their operand in the other bits */

/* Not in every <dwarf.h> */
#define ADVANCE_LOC8 0x1d		  /* MIPS: advance by 8 bytes of delta */
#define NEGATE_RA_STATE_WITH_PC 0x2c	  /* AArch64 */
#define NEGATE_RA_STATE 0x2d		  /* AArch64 */
#define NEGATIVE_OFFSET_EXTENDED 0x2f	  /* GNU */

struct runner { /* that runs a program */
	const struct cfi_run *run;
	struct cfi_state *state;
	struct bytes program;
	u64 at;
	bool changed; /* since .changed was called */
	bool ended;   /* at is beyond the code */
	u32 nr_remembered;
	struct cfi_state remembered[MAX_REMEMBERED];
};

static bool advance(struct runner *m, u64 to)
{
	const struct cfi_run *run = m->run;

	if (to < m->at)
		return false;
	if (m->changed && run->changed && to > m->at) {
		run->changed(run->context, m->at, m->state);
		m->changed = false;
	}
	m->at = to;
	m->ended = to >= run->end;
	return true;
}

static bool advance_by(struct runner *m, u64 delta)
{
	u64 bytes, to;

	if (__builtin_mul_overflow(delta, m->run->cie->code_factor, &bytes) || __builtin_add_overflow(m->at, bytes, &to))
		return false;
	return advance(m, to);
}

/* CFI_NR_PLACES: not one that unwinding needs */
static enum cfi_register which(const struct cfi_machine *machine, u64 reg)
{
	return reg == machine->ra ? CFI_RA : reg == machine->bp ? CFI_BP : reg == machine->sp ? CFI_SP : reg == machine->bx ? CFI_BX : CFI_NR_PLACES;
}

static bool set_place(struct runner *m, u64 reg, struct cfi_place place)
{
	enum cfi_register of = which(m->run->machine, reg);

	if (of != CFI_NR_PLACES) {
		m->state->place[of] = place;
		m->changed = true;
	}
	return true;
}

static bool set_offset(struct runner *m, u64 reg, enum cfi_where where, u64 factored)
{
	return set_place(m, reg, (struct cfi_place){ .where = where, .off = (s64)(factored * (u64)m->run->cie->data_factor) });
}

static bool restore(struct runner *m, u64 reg)
{
	enum cfi_register of = which(m->run->machine, reg);

	return of == CFI_NR_PLACES || set_place(m, reg, m->run->cie->initial.place[of]);
}

static bool set_cfa(struct runner *m, u64 reg, u64 off)
{
	m->state->cfa = (struct cfi_cfa){ .kind = UNWIND_CFA_REG, .reg = reg > UINT32_MAX ? UINT32_MAX : reg, .off = off };
	m->changed = true;
	return true;
}

/* Change one half of a CFA that is a register and an offset. */
static bool set_cfa_half(struct runner *m, bool is_reg, u64 value)
{
	const struct cfi_cfa *cfa = &m->state->cfa;

	if (cfa->kind != UNWIND_CFA_REG)
		return false;
	return is_reg ? set_cfa(m, value, cfa->off) : set_cfa(m, cfa->reg, value);
}

static bool remember(struct runner *m)
{
	if (m->nr_remembered == MAX_REMEMBERED)
		return false;
	m->remembered[m->nr_remembered++] = *m->state;
	return true;
}

static bool restore_state(struct runner *m)
{
	if (!m->nr_remembered)
		return false;
	*m->state = m->remembered[--m->nr_remembered];
	m->changed = true;
	return true;
}

static bool run_cfa(struct runner *m, u8 op)
{
	struct bytes *p = &m->program;
	u64 factor = m->run->cie->data_factor, reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = bytes__uleb(p);
		return set_cfa(m, reg, bytes__uleb(p));
	case DW_CFA_def_cfa_sf:
		reg = bytes__uleb(p);
		return set_cfa(m, reg, (u64)bytes__sleb(p) * factor);
	case DW_CFA_def_cfa_register:
		return set_cfa_half(m, true, bytes__uleb(p));
	case DW_CFA_def_cfa_offset:
		return set_cfa_half(m, false, bytes__uleb(p));
	case DW_CFA_def_cfa_offset_sf:
		return set_cfa_half(m, false, (u64)bytes__sleb(p) * factor);
	default: /* DW_CFA_def_cfa_expression */
		cfi_state__cfa_expression(m->state, bytes__block(p, bytes__uleb(p)), m->run->machine);
		m->changed = true;
		return true;
	}
}

static bool run_register(struct runner *m, u8 op)
{
	struct bytes *p = &m->program;
	u64 reg = bytes__uleb(p);

	switch (op) {
	case DW_CFA_offset_extended:
		return set_offset(m, reg, CFI_CFA, bytes__uleb(p));
	case DW_CFA_offset_extended_sf:
		return set_offset(m, reg, CFI_CFA, bytes__sleb(p));
	case NEGATIVE_OFFSET_EXTENDED:
		return set_offset(m, reg, CFI_CFA, -bytes__uleb(p));
	case DW_CFA_val_offset:
		return set_offset(m, reg, CFI_CFA_IS, bytes__uleb(p));
	case DW_CFA_val_offset_sf:
		return set_offset(m, reg, CFI_CFA_IS, bytes__sleb(p));
	case DW_CFA_restore_extended:
		return restore(m, reg);
	case DW_CFA_undefined:
		return set_place(m, reg, (struct cfi_place){ .where = CFI_LOST });
	case DW_CFA_same_value:
		return set_place(m, reg, (struct cfi_place){ .where = CFI_SAME });
	case DW_CFA_register:
		return set_place(m, reg, (struct cfi_place){ .where = CFI_REGISTER, .reg = bytes__uleb(p) });
	case DW_CFA_expression:
		return set_place(m, reg, cfi_place__expression(bytes__block(p, bytes__uleb(p))));
	default: /* DW_CFA_val_expression */
		bytes__block(p, bytes__uleb(p));
		return set_place(m, reg, (struct cfi_place){ .where = CFI_OTHER });
	}
}

static bool run_set_loc(struct runner *m)
{
	u64 to;

	return m->run->address && m->run->address(m->run->context, &m->program, &to) && advance(m, to);
}

static bool run_extended(struct runner *m, u8 op)
{
	struct bytes *p = &m->program;

	switch (op) {
	case DW_CFA_nop:
	case NEGATE_RA_STATE:
	case NEGATE_RA_STATE_WITH_PC:
		return true;
	case DW_CFA_set_loc:
		return run_set_loc(m);
	case DW_CFA_advance_loc1:
		return advance_by(m, bytes__u8(p));
	case DW_CFA_advance_loc2:
		return advance_by(m, bytes__number(p, 2));
	case DW_CFA_advance_loc4:
		return advance_by(m, bytes__number(p, 4));
	case ADVANCE_LOC8:
		return advance_by(m, bytes__number(p, 8));
	case DW_CFA_remember_state:
		return remember(m);
	case DW_CFA_restore_state:
		return restore_state(m);
	case DW_CFA_GNU_args_size:
		bytes__uleb(p);
		return true;
	case DW_CFA_def_cfa ... DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		return run_cfa(m, op);
	case DW_CFA_offset_extended ... DW_CFA_register:
	case DW_CFA_expression:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset ... DW_CFA_val_expression:
	case NEGATIVE_OFFSET_EXTENDED:
		return run_register(m, op);
	default:
		return false;
	}
}

static bool run_one(struct runner *m)
{
	u8 op = bytes__u8(&m->program), low = op & ~HIGH_BITS;

	switch (op & HIGH_BITS) {
	case DW_CFA_advance_loc:
		return advance_by(m, low);
	case DW_CFA_offset:
		return set_offset(m, low, CFI_CFA, bytes__uleb(&m->program));
	case DW_CFA_restore:
		return restore(m, low);
	default:
		return run_extended(m, op);
	}
}

bool cfi_run__program(const struct cfi_run *run, struct bytes program, struct cfi_state *state)
{
	struct runner m; /* without the remembered states: they are set when used */

	m.run = run;
	m.state = state;
	m.program = program;
	m.at = run->at;
	m.changed = true;
	m.ended = false;
	m.nr_remembered = 0;
	while (!m.ended && bytes__left(&m.program)) {
		if (run_one(&m) && !m.program.bad)
			continue;
		if (run->unknown && m.at < run->end)
			run->unknown(run->context, m.at);
		return false;
	}
	if (!m.ended)
		advance(&m, run->end);
	return true;
}
