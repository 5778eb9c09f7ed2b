// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/dwarf-expr.h"

#include <dwarf.h>

#define MAX_DEPTH 16

struct machine {
	const struct dwarf_expr_env *env;
	u64 stack[MAX_DEPTH];
	u32 depth;
	bool is_value;
};

static bool push(struct machine *m, u64 value)
{
	if (m->depth == MAX_DEPTH)
		return false;
	m->stack[m->depth++] = value;
	return true;
}

static bool pop(struct machine *m, u64 *value)
{
	if (!m->depth)
		return false;
	*value = m->stack[--m->depth];
	return true;
}

static bool push_register(struct machine *m, u64 number, u64 add)
{
	u64 value;

	return m->env->reg(m->env->context, number, &value) && push(m, value + add);
}

/* Of a location: the register has the value. */
static bool take_register(struct machine *m, u64 number)
{
	m->is_value = true;
	return push_register(m, number, 0);
}

static bool dereference(struct machine *m)
{
	u64 address, value;

	return pop(m, &address) && m->env->read(m->env->context, address, &value) && push(m, value);
}

static bool compute(u8 op, u64 a, u64 b, u64 *result)
{
	switch (op) {
	case DW_OP_plus: *result = a + b; return true;
	case DW_OP_minus: *result = a - b; return true;
	case DW_OP_mul: *result = a * b; return true;
	case DW_OP_and: *result = a & b; return true;
	case DW_OP_or: *result = a | b; return true;
	case DW_OP_xor: *result = a ^ b; return true;
	case DW_OP_shl: *result = b < 64 ? a << b : 0; return true;
	case DW_OP_shr: *result = b < 64 ? a >> b : 0; return true;
	case DW_OP_shra: *result = (s64)a >> (b < 64 ? b : 63); return true;
	case DW_OP_eq: *result = a == b; return true;
	case DW_OP_ne: *result = a != b; return true;
	case DW_OP_ge: *result = (s64)a >= (s64)b; return true;
	case DW_OP_gt: *result = (s64)a > (s64)b; return true;
	case DW_OP_le: *result = (s64)a <= (s64)b; return true;
	case DW_OP_lt: *result = (s64)a < (s64)b; return true;
	default: return false;
	}
}

static bool run_binary(struct machine *m, u8 op)
{
	u64 a, b, result;

	return pop(m, &b) && pop(m, &a) && compute(op, a, b, &result) && push(m, result);
}

static bool run_one(struct machine *m, const Dwarf_Op *op)
{
	u64 value;

	switch (op->atom) {
	case DW_OP_breg0 ... DW_OP_breg31:
		return push_register(m, op->atom - DW_OP_breg0, op->number);
	case DW_OP_bregx:
		return push_register(m, op->number, op->number2);
	case DW_OP_reg0 ... DW_OP_reg31:
		return take_register(m, op->atom - DW_OP_reg0);
	case DW_OP_regx:
		return take_register(m, op->number);
	case DW_OP_lit0 ... DW_OP_lit31:
		return push(m, op->atom - DW_OP_lit0);
	case DW_OP_const1u ... DW_OP_consts: /* libdw has extended their signs */
		return push(m, op->number);
	case DW_OP_call_frame_cfa:
		return push(m, m->env->cfa);
	case DW_OP_plus_uconst:
		return pop(m, &value) && push(m, value + op->number);
	case DW_OP_deref:
		return dereference(m);
	case DW_OP_dup:
		return pop(m, &value) && push(m, value) && push(m, value);
	case DW_OP_drop:
		return pop(m, &value);
	case DW_OP_stack_value:
		m->is_value = true;
		return true;
	case DW_OP_nop:
		return true;
	default:
		return run_binary(m, op->atom);
	}
}

bool dwarf_expr__run(const struct dwarf_expr_env *env, const Dwarf_Op *ops, size_t nr, u64 *result, bool *is_value)
{
	struct machine m = { .env = env };

	for (size_t i = 0; i < nr; i++) {
		if (!run_one(&m, &ops[i]))
			return false;
	}
	*is_value = m.is_value;
	return pop(&m, result);
}
