// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-eval.h"

#include <inttypes.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/event/tp-text.h"

static const struct tp_type int_type = { .size = 4, .is_signed = true };

static struct tp_result number_of(struct tp_type type, u64 number)
{
	return (struct tp_result){ .kind = TP_VALUE_NUMBER, .type = type, .number = tp_type__fit(type, number) };
}

/* Fields */

static u64 read_number(const struct tp_record *rec, const u8 *at, u32 size)
{
	return tep_read_number(rec->tep, at, size);
}

/* tp_check__fields() has checked the target of a dynamic field. */
static struct tp_result dynamic_data(const struct tp_record *rec, const struct tep_format_field *field, struct tp_type type, u32 index)
{
	const u32 at = field->offset + index * sizeof(u32), where = read_number(rec, rec->data + at, sizeof(where));
	const u32 offset = (where & 0xffff) + (field->flags & TEP_FIELD_IS_RELATIVE ? at + sizeof(where) : 0);

	return (struct tp_result){ .kind = TP_VALUE_DATA, .type = type, .data = rec->data + offset, .len = where >> 16 };
}

static struct tp_result eval_field(const struct tp_record *rec, const struct tep_format_field *field, struct tp_type type)
{
	const bool is_rest = !field->size; /* char buf[] of ftrace:print */

	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		return dynamic_data(rec, field, type, 0);
	if (field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING) || (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
		return (struct tp_result){ .kind = TP_VALUE_DATA, .type = type, .data = rec->data + field->offset,
					   .len = is_rest ? rec->size - field->offset : (u32)field->size };
	return number_of(type, read_number(rec, rec->data + field->offset, field->size));
}

struct tp_result tp_eval__field(const struct tp_record *rec, const struct tep_format_field *field)
{
	const bool is_data = field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC);

	return eval_field(rec, field, is_data ? (struct tp_type){} : tp_type__of_field(field));
}

u64 tp_eval__element(const struct tp_record *rec, const struct tp_result *data, u32 i)
{
	return tp_type__fit(data->type, read_number(rec, data->data + i * data->type.size, data->type.size));
}

static bool has_elements(const struct tp_result *data)
{
	return data->type.size == 1 || data->type.size == 2 || data->type.size == 4 || data->type.size == 8;
}

static bool take_element(const struct tp_record *rec, const struct tp_result *from, u64 i, struct tp_result *result)
{
	if (from->kind == TP_VALUE_TEXT) {
		if (i > strlen(from->text))
			return false;
		*result = number_of((struct tp_type){ .size = 1, .is_signed = true }, from->text[i]);
		return true;
	}
	if (from->kind != TP_VALUE_DATA || !has_elements(from))
		return false;
	if (i == 0 && from->type.size == 1 && !from->len) { /* the NUL of a text that the record lacks */
		*result = number_of(from->type, 0);
		return true;
	}
	if (i >= from->len / from->type.size)
		return false;
	*result = number_of(from->type, tp_eval__element(rec, from, i));
	return true;
}

/* Operators */

static bool is_true(const struct tp_result *value)
{
	return value->kind != TP_VALUE_NUMBER || value->number;
}

static struct tp_type promoted(struct tp_type type)
{
	return type.size && type.size < 4 ? int_type : type;
}

/* The usual arithmetic conversions of C */
static struct tp_type common_type(struct tp_type left, struct tp_type right)
{
	left = promoted(left);
	right = promoted(right);
	if (left.size != right.size)
		return left.size > right.size ? left : right;
	left.is_signed &= right.is_signed;
	return left;
}

static bool divide(int op, struct tp_type type, u64 left, u64 right, u64 *value)
{
	if (!right)
		return false;
	if (!type.is_signed)
		*value = op == '/' ? left / right : left % right;
	else if (right == ~0ULL) /* the smallest number has no opposite */
		*value = op == '/' ? -left : 0;
	else
		*value = op == '/' ? (s64)left / (s64)right : (s64)left % (s64)right;
	return true;
}

static bool shift(int op, struct tp_type type, u64 left, u64 by, struct tp_result *result)
{
	if (by >= 64)
		return false;
	if (op == ('<' << 8 | '<'))
		left <<= by;
	else
		left = type.is_signed ? (u64)((s64)left >> by) : left >> by;
	*result = number_of(type, left);
	return true;
}

static bool calculate(int op, struct tp_type type, u64 left, u64 right, u64 *value)
{
	switch (op) {
	case '+':
		*value = left + right;
		return true;
	case '-':
		*value = left - right;
		return true;
	case '*':
		*value = left * right;
		return true;
	case '&':
		*value = left & right;
		return true;
	case '|':
		*value = left | right;
		return true;
	case '^':
		*value = left ^ right;
		return true;
	case '/': case '%':
		return divide(op, type, left, right, value);
	default:
		return false;
	}
}

static bool compare(int op, struct tp_type type, u64 left, u64 right, bool *value)
{
	const bool is_less = type.is_signed ? (s64)left < (s64)right : left < right;

	switch (op) {
	case '<':
		*value = is_less;
		return true;
	case '>':
		*value = !is_less && left != right;
		return true;
	case '<' << 8 | '=':
		*value = is_less || left == right;
		return true;
	case '>' << 8 | '=':
		*value = !is_less;
		return true;
	case '=' << 8 | '=':
		*value = left == right;
		return true;
	case '!' << 8 | '=':
		*value = left != right;
		return true;
	default:
		return false;
	}
}

static bool eval_binary(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	struct tp_result left, right;
	struct tp_type type;
	u64 value;
	bool truth;

	if (!tp_eval__expr(rec, e->arg[0], &left))
		return false;
	if (e->op == ('&' << 8 | '&') || e->op == ('|' << 8 | '|')) {
		truth = is_true(&left);
		if (truth == (e->op == ('&' << 8 | '&'))) {
			if (!tp_eval__expr(rec, e->arg[1], &right))
				return false;
			truth = is_true(&right);
		}
		*result = number_of(int_type, truth);
		return true;
	}
	if (!tp_eval__expr(rec, e->arg[1], &right) || left.kind != TP_VALUE_NUMBER || right.kind != TP_VALUE_NUMBER)
		return false;
	if (e->op == ('<' << 8 | '<') || e->op == ('>' << 8 | '>'))
		return shift(e->op, promoted(left.type), left.number, right.number, result);
	type = common_type(left.type, right.type);
	left.number = tp_type__fit(type, left.number);
	right.number = tp_type__fit(type, right.number);
	if (compare(e->op, type, left.number, right.number, &truth)) {
		*result = number_of(int_type, truth);
		return true;
	}
	if (!calculate(e->op, type, left.number, right.number, &value))
		return false;
	*result = number_of(type, value);
	return true;
}

/* *(u32 *)DATA, &REC->field: data is its own address */
static bool eval_unary(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	struct tp_result value;

	if (!e->arg[0])
		return false;
	if (e->op == '&' && e->arg[0]->kind == TP_EXPR_FIELD) {
		const struct tep_format_field *field = e->arg[0]->field;

		if (!rec->data)
			return false;
		*result = eval_field(rec, field, e->arg[0]->type);
		if (result->kind == TP_VALUE_NUMBER)
			*result = (struct tp_result){ .kind = TP_VALUE_DATA, .type = result->type, .data = rec->data + field->offset, .len = field->size };
		return true;
	}
	if (!tp_eval__expr(rec, e->arg[0], &value))
		return false;
	if (e->op == '*')
		return take_element(rec, &value, 0, result);
	if (e->op == '&' && e->arg[0]->kind == TP_EXPR_CALL) {
		*result = value;
		return true;
	}
	if (e->op == '!') {
		*result = number_of(int_type, !is_true(&value));
		return true;
	}
	if (value.kind != TP_VALUE_NUMBER || !strchr("+-~", e->op))
		return false;
	*result = number_of(promoted(value.type), e->op == '-' ? -value.number : e->op == '~' ? ~value.number : value.number);
	return true;
}

static bool eval_cast(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	if (!tp_eval__expr(rec, e->arg[0], result))
		return false;
	if (result->kind == TP_VALUE_NUMBER && e->type.is_pointer)
		*result = number_of((struct tp_type){ .size = rec->long_size }, result->number);
	else if (result->kind == TP_VALUE_NUMBER && e->type.size)
		*result = number_of(e->type, result->number);
	else if (result->kind == TP_VALUE_DATA && e->type.is_pointer)
		result->type = (struct tp_type){ .size = e->type.size, .is_signed = e->type.is_signed };
	return true;
}

static bool eval_data(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	const struct tep_format_field *field = e->arg[0] ? e->arg[0]->field : NULL;
	struct tp_result index = {};

	if (!rec->data || !field || (e->arg[1] && !tp_eval__expr(rec, e->arg[1], &index)))
		return false;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		*result = dynamic_data(rec, field, e->arg[0]->type, 0);
		return !index.number || e->op != TP_STR;
	}
	if (!(field->flags & TEP_FIELD_IS_ARRAY) || e->op != TP_STR || index.kind != TP_VALUE_NUMBER || index.number >= (u64)field->size / sizeof(u32))
		return false;
	*result = dynamic_data(rec, field, e->arg[0]->type, index.number); /* strings of a probe: see tp-rewrite.h */
	result->type = (struct tp_type){ .size = 1, .is_signed = true };
	return result->data >= rec->data && result->data - rec->data <= rec->size && result->len <= rec->size - (result->data - rec->data);
}

/* do_div(ns, 1000000000), and (u32)(ns % 1000000000) */
static bool eval_time(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	if (!tp_eval__expr(rec, e->arg[0], result) || result->kind != TP_VALUE_NUMBER)
		return false;
	*result = e->op == TP_SECONDS ? number_of((struct tp_type){ .size = 8 }, result->number / 1000000000) :
					number_of((struct tp_type){ .size = 4 }, result->number % 1000000000);
	return true;
}

static bool eval_call(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	switch (e->op) {
	case TP_STR: case TP_DATA:
		return eval_data(rec, e, result);
	case TP_DATA_LEN:
		if (!eval_data(rec, e, result))
			return false;
		*result = number_of(int_type, result->len);
		return true;
	case TP_SECONDS: case TP_NANOSECONDS:
		return eval_time(rec, e, result);
	case TP_EXPECT:
		return tp_eval__expr(rec, e->arg[0], result);
	default: /* texts, which only %s takes */
		return false;
	}
}

bool tp_eval__expr(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result)
{
	struct tp_result index;

	if (!e)
		return false;
	switch (e->kind) {
	case TP_EXPR_NUMBER:
		*result = number_of(e->type, e->number);
		return !e->is_unknown || rec->unknown_is_zero;
	case TP_EXPR_TEXT:
		*result = (struct tp_result){ .kind = TP_VALUE_TEXT, .text = e->text };
		return true;
	case TP_EXPR_FIELD:
		if (!rec->data)
			return false;
		*result = eval_field(rec, e->field, e->type);
		return true;
	case TP_EXPR_INDEX:
		return tp_eval__expr(rec, e->arg[0], result) && tp_eval__expr(rec, e->arg[1], &index) && index.kind == TP_VALUE_NUMBER &&
		       take_element(rec, &(struct tp_result){ result->kind, result->type, result->number, result->data, result->len, result->text },
				    index.number, result);
	case TP_EXPR_CAST:
		return eval_cast(rec, e, result);
	case TP_EXPR_UNARY:
		return eval_unary(rec, e, result);
	case TP_EXPR_BINARY:
		return eval_binary(rec, e, result);
	case TP_EXPR_CONDITION:
		return tp_eval__expr(rec, e->arg[0], &index) && tp_eval__expr(rec, e->arg[is_true(&index) ? 1 : 2], result);
	case TP_EXPR_CALL:
		return eval_call(rec, e, result);
	}
	return false;
}

bool tp_eval__constant(const struct tp_expr *e, int long_size, u64 *number)
{
	const struct tp_record none = { .long_size = long_size };
	struct tp_result result;

	if (!tp_eval__expr(&none, e, &result) || result.kind != TP_VALUE_NUMBER)
		return false;
	*number = tp_type__fit((struct tp_type){ .size = long_size }, result.number);
	if (result.type.size == 8)
		*number = result.number;
	return true;
}
