// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi-state.h"

#include <dwarf.h>
#include <elf.h>

static const struct cfi_machine x86_64 = { .sp = UNWIND_X86_SP, .bp = UNWIND_X86_BP, .bx = UNWIND_X86_BX, .ra = 16 };
static const struct cfi_machine arm64 = { .sp = UNWIND_ARM64_SP, .bp = UNWIND_ARM64_BP, .bx = UINT32_MAX, .ra = UNWIND_ARM64_LR };

const struct cfi_machine *cfi_machine__of_elf(unsigned int elf_machine)
{
	return elf_machine == EM_X86_64 ? &x86_64 : elf_machine == EM_AARCH64 ? &arm64 : NULL;
}

void cfi_state__init(struct cfi_state *state, const struct cfi_machine *machine)
{
	*state = (struct cfi_state){ .cfa = { .kind = UNWIND_CFA_REG, .reg = machine->sp } };
	if (machine == &x86_64) {
		state->cfa.off = 8;
		state->place[CFI_RA] = (struct cfi_place){ .where = CFI_CFA, .off = -8 };
	}
}

/* DW_OP_breg0 to DW_OP_breg31, or DW_OP_bregx */
static bool take_register(struct bytes *expression, u32 *reg, s64 *off)
{
	u8 op = bytes__u8(expression);

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		*reg = op - DW_OP_breg0;
	else if (op == DW_OP_bregx)
		*reg = bytes__uleb(expression);
	else
		return false;
	*off = bytes__sleb(expression);
	return !expression->bad;
}

/*
 * What linkers write for lazy PLT entries of x86-64, with the position behind the push as literal:
 * breg7 8; breg16 0; lit15; and; lit<position>; ge; lit3; shl; plus
 */
static bool is_plt(struct bytes expression, s64 *position)
{
	static const u8 before[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const u8 after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const u8 *op = expression.at;
	u8 literal;

	if (bytes__left(&expression) != sizeof(before) + 1 + sizeof(after) || memcmp(op, before, sizeof(before)) ||
	    memcmp(op + sizeof(before) + 1, after, sizeof(after)))
		return false;
	literal = op[sizeof(before)];
	*position = literal - DW_OP_lit0;
	return literal >= DW_OP_lit0 && literal <= DW_OP_lit15;
}

void cfi_state__cfa_expression(struct cfi_state *state, struct bytes expression, const struct cfi_machine *machine)
{
	struct cfi_cfa *cfa = &state->cfa;
	s64 position;

	if (machine == &x86_64 && is_plt(expression, &position)) {
		*cfa = (struct cfi_cfa){ .kind = UNWIND_CFA_PLT, .reg = machine->sp, .off = position };
		return;
	}
	*cfa = (struct cfi_cfa){ .kind = UNWIND_CFA_REG };
	if (!take_register(&expression, &cfa->reg, &cfa->off))
		cfa->kind = UNWIND_CFA_HARD;
	if (bytes__left(&expression) && *expression.at == DW_OP_deref) {
		cfa->kind = UNWIND_CFA_DEREF;
		expression.at++;
		if (bytes__left(&expression) && *expression.at == DW_OP_plus_uconst) {
			expression.at++;
			cfa->add = bytes__uleb(&expression);
		}
	}
	if (bytes__left(&expression) || expression.bad)
		cfa->kind = UNWIND_CFA_HARD;
}

struct cfi_place cfi_place__expression(struct bytes expression)
{
	struct cfi_place place = { .where = CFI_BASE };

	if (!take_register(&expression, &place.reg, &place.off) || bytes__left(&expression))
		place.where = CFI_OTHER;
	return place;
}

static bool set_cfa(struct unwind_rule *rule, const struct cfi_cfa *cfa, const struct cfi_machine *machine)
{
	rule->cfa = cfa->kind;
	rule->cfa_off = cfa->off;
	switch (cfa->kind) {
	case UNWIND_CFA_REG:
		if (cfa->reg == machine->sp || cfa->reg == machine->bp)
			rule->cfa = cfa->reg == machine->sp ? UNWIND_CFA_SP : UNWIND_CFA_BP;
		else
			rule->reg = cfa->reg;
		return cfa->reg < 32 && rule->cfa_off == cfa->off;
	case UNWIND_CFA_DEREF:
		rule->reg = cfa->reg;
		rule->cfa_off = (s64)((u64)cfa->off << 8 | (cfa->add & 0xff));
		return cfa->reg < 32 && unwind_rule__at(rule) == cfa->off && unwind_rule__add(rule) == cfa->add;
	default:
		return cfa->kind == UNWIND_CFA_PLT;
	}
}

/* An offset in units of 8 bytes */
static bool in_units(s64 off, s64 *units)
{
	*units = off >> 3;
	return !(off & 7);
}

/* A frame pointer that no rule can find is lost: whoever needs it later unwinds in user space. */
static void set_bp(struct unwind_rule *rule, const struct cfi_state *state)
{
	const struct cfi_place *bp = &state->place[CFI_BP];
	s64 units;

	rule->bp = UNWIND_BP_LOST;
	if (bp->where == CFI_SAME) {
		rule->bp = UNWIND_BP_SAME;
	} else if (bp->where == CFI_CFA || (bp->where == CFI_BASE && bp->reg == state->cfa.reg)) {
		if (!in_units(bp->off, &units) || units < INT16_MIN || units > INT16_MAX)
			return;
		rule->bp = bp->where == CFI_CFA ? UNWIND_BP_CFA : UNWIND_BP_BASE;
		rule->bp_off = units;
	}
}

static void set_bx(struct unwind_rule *rule, const struct cfi_place *bx)
{
	s64 units;

	rule->bx = UNWIND_BX_LOST;
	if (bx->where == CFI_SAME)
		rule->bx = UNWIND_BX_SAME;
	else if (bx->where == CFI_CFA && in_units(bx->off, &units) && units < -1 && -units - 1 < UNWIND_BX_LOST)
		rule->bx = -units - 1;
}

static bool set_ra(struct unwind_rule *rule, const struct cfi_state *state, const struct cfi_machine *machine)
{
	const struct cfi_place *ra = &state->place[CFI_RA], *bp = &state->place[CFI_BP];
	s64 units;

	if (ra->where == CFI_REGISTER || (ra->where == CFI_SAME && machine != &x86_64)) {
		rule->ra = UNWIND_RA_REG;
		rule->ra_off = ra->where == CFI_SAME ? machine->ra : ra->reg;
		return ra->where == CFI_SAME || ra->reg < 32;
	}
	if (ra->where != CFI_CFA && (ra->where != CFI_BASE || ra->reg != state->cfa.reg))
		return false;
	if (!in_units(ra->off, &units))
		return false;
	rule->ra = ra->where == CFI_CFA ? UNWIND_RA_CFA : UNWIND_RA_BASE;
	rule->ra_off = units;
	if (rule->ra_off == units)
		return true;
	rule->ra = UNWIND_RA_PAIR;
	rule->ra_off = 0;
	return (rule->bp == UNWIND_BP_CFA || rule->bp == UNWIND_BP_BASE) && ra->where == bp->where && ra->off == bp->off + 8;
}

/* Rules take the CFA for the caller's stack pointer. */
static bool sp_is_cfa(const struct cfi_state *state)
{
	const struct cfi_cfa *cfa = &state->cfa;
	const struct cfi_place *sp = &state->place[CFI_SP];

	if (sp->where == CFI_BASE)
		return cfa->kind == UNWIND_CFA_DEREF && sp->reg == cfa->reg && sp->off == cfa->off && !cfa->add;
	return sp->where == CFI_SAME || (sp->where == CFI_CFA_IS && !sp->off);
}

struct unwind_rule cfi_state__rule(const struct cfi_state *state, const struct cfi_machine *machine, bool is_signal)
{
	struct unwind_rule rule = { .signal = is_signal };

	if (state->place[CFI_RA].where == CFI_LOST)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_END };
	if (!sp_is_cfa(state) || !set_cfa(&rule, &state->cfa, machine))
		return (struct unwind_rule){ .cfa = UNWIND_CFA_HARD };
	set_bp(&rule, state);
	set_bx(&rule, &state->place[CFI_BX]);
	if (!set_ra(&rule, state, machine))
		return (struct unwind_rule){ .cfa = UNWIND_CFA_HARD };
	return rule;
}
