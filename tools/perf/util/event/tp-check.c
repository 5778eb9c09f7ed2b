// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/event/tp-text.h"

struct record {
	struct tep_handle *tep;
	const char *data;
	u64 size;
};

static bool inside(const struct record *rec, u64 offset, u64 len)
{
	return offset <= rec->size && len <= rec->size - offset;
}

/* A dynamic field has its offset in the low and its length in the high 16 bits; a relative one counts from its own end. */
static void dynamic_range(const struct record *rec, const struct tep_format_field *field, u64 *offset, u64 *len)
{
	u64 loc = tep_read_number(rec->tep, rec->data + field->offset, field->size);

	*offset = loc & 0xffff;
	*len = loc >> 16 & 0xffff;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		*offset += field->offset + field->size;
}

static bool field_fits(const struct record *rec, const struct tep_format_field *field)
{
	u64 offset, len;

	if (field->offset < 0 || field->size < 0 || !inside(rec, field->offset, field->size))
		return false;
	if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
		return true;
	if (field->size != 4)
		return false;
	dynamic_range(rec, field, &offset, &len);
	return inside(rec, offset, len);
}

bool tp_check__fields(const struct tep_event *event, const void *data, u32 size)
{
	const struct record rec = { .tep = event->tep, .data = data, .size = size };
	const struct tep_format_field *field;

	for (field = event->format.common_fields; field; field = field->next) {
		if (!field_fits(&rec, field))
			return false;
	}
	for (field = event->format.fields; field; field = field->next) {
		if (!field_fits(&rec, field))
			return false;
	}
	return true;
}

/*
 * libtraceevent (1.7.1) crashes on the length of a relative field: it adds to an offset through a null pointer. That of a field that is not dynamic
 * may be 0 there and not here, as nobody has checked its range; and a format may divide by it.
 */
static bool length_is_safe(const struct tep_print_arg *arg)
{
	const struct tep_format_field *field = arg->dynarray.field;

	return field && field->flags & TEP_FIELD_IS_DYNAMIC && !(field->flags & TEP_FIELD_IS_RELATIVE);
}

static bool evaluate(const struct record *rec, const struct tep_print_arg *arg, u64 *value);

static bool evaluate_op(const struct record *rec, const struct tep_print_arg *arg, u64 *value)
{
	const char *op = arg->op.op;
	u64 left, right;

	if (!evaluate(rec, arg->op.left, &left) || !evaluate(rec, arg->op.right, &right))
		return false;
	if (!strcmp(op, "+"))
		*value = left + right;
	else if (!strcmp(op, "-"))
		*value = left - right;
	else if (!strcmp(op, "*"))
		*value = left * right;
	else if (!strcmp(op, "/") && right)
		*value = left / right;
	else if (!strcmp(op, "&"))
		*value = left & right;
	else if (!strcmp(op, "<<") && right < 64)
		*value = left << right;
	else if (!strcmp(op, ">>") && right < 64)
		*value = left >> right;
	else
		return false;
	return true;
}

static bool evaluate_field(const struct record *rec, const struct tep_print_arg *arg, u64 *value)
{
	const struct tep_format_field *field = arg->field.field;

	if (!field || field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return false;
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return false;
	*value = tep_read_number(rec->tep, rec->data + field->offset, field->size);
	return true;
}

/* libtraceevent truncates values for signed and unsigned types alike, and knows only these types. */
static u64 cast(u64 value, const char *type)
{
	static const struct {
		const char *name;
		u64 mask;
	} types[] = {
		{ "u8", UINT8_MAX },   { "s8", UINT8_MAX },   { "char", UINT8_MAX },   { "unsigned char", UINT8_MAX },
		{ "u16", UINT16_MAX }, { "s16", UINT16_MAX }, { "short", UINT16_MAX }, { "unsigned short", UINT16_MAX },
		{ "u32", UINT32_MAX }, { "s32", UINT32_MAX }, { "int", UINT32_MAX },   { "unsigned int", UINT32_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!strcmp(type, types[i].name))
			return value & types[i].mask;
	}
	return value;
}

/* The value of an argument; false for what is not parsed here, which then counts as unsafe. */
static bool evaluate(const struct record *rec, const struct tep_print_arg *arg, u64 *value)
{
	u64 offset;
	char *end;

	if (!arg)
		return false;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		errno = 0;
		*value = strtoull(arg->atom.atom, &end, 0);
		return !errno && end != arg->atom.atom && *end == '\0';
	case TEP_PRINT_FIELD:
		return evaluate_field(rec, arg, value);
	case TEP_PRINT_TYPE:
		if (!evaluate(rec, arg->typecast.item, value))
			return false;
		*value = cast(*value, arg->typecast.type);
		return true;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		if (!length_is_safe(arg))
			return false;
		dynamic_range(rec, arg->dynarray.field, &offset, value);
		return true;
	case TEP_PRINT_OP:
		return evaluate_op(rec, arg, value);
	default:
		return false;
	}
}

/* The start of the array that an argument names. */
static bool array_start(const struct record *rec, const struct tep_print_arg *arg, u64 *start)
{
	u64 len;

	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_FIELD && arg->field.field) {
		*start = arg->field.field->offset;
		return true;
	}
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY && arg->dynarray.field && arg->dynarray.field->flags & TEP_FIELD_IS_DYNAMIC && !arg->dynarray.index) {
		dynamic_range(rec, arg->dynarray.field, start, &len);
		return true;
	}
	return false;
}

static bool array_fits(const struct record *rec, const struct tep_print_arg *array, const struct tep_print_arg *count_arg,
		       u64 element_size)
{
	u64 start, count;

	return array_start(rec, array, &start) && evaluate(rec, count_arg, &count) && count <= rec->size &&
	       element_size && element_size <= 8 && inside(rec, start, count * element_size);
}

static u64 element_size_of(const struct tep_print_arg *array)
{
	while (array && array->type == TEP_PRINT_TYPE)
		array = array->typecast.item;
	if (array && array->type == TEP_PRINT_FIELD && array->field.field)
		return array->field.field->elementsize;
	if (array && array->type == TEP_PRINT_DYNAMIC_ARRAY && array->dynarray.field)
		return array->dynarray.field->elementsize;
	return ~0ull;
}

static bool arg_fits(const struct record *rec, const struct tep_print_arg *arg);

static bool op_fits(const struct record *rec, const struct tep_print_arg *arg)
{
	const char *op = arg->op.op;
	u64 right, start;

	if (!strcmp(op, "[")) {
		u64 size = element_size_of(arg->op.left);

		return size <= 8 && array_start(rec, arg->op.left, &start) && evaluate(rec, arg->op.right, &right) &&
		       right < rec->size && inside(rec, start, (right + 1) * size);
	}
	if ((*op == '/' || *op == '%') && (!evaluate(rec, arg->op.right, &right) || !right))
		return false;
	/* Operators with one operand have only a right one. */
	return (!arg->op.left || arg_fits(rec, arg->op.left)) && (!arg->op.right || arg_fits(rec, arg->op.right));
}

static bool func_fits(const struct record *rec, const struct tep_print_arg *arg)
{
	for (arg = arg->func.args; arg; arg = arg->next) {
		if (!arg_fits(rec, arg))
			return false;
	}
	return true;
}

static bool arg_fits(const struct record *rec, const struct tep_print_arg *arg)
{
	u64 size;

	if (!arg)
		return false;
	switch (arg->type) {
	case TEP_PRINT_TYPE:
		return arg_fits(rec, arg->typecast.item);
	case TEP_PRINT_FLAGS:
		return arg_fits(rec, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return arg_fits(rec, arg->symbol.field);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return array_fits(rec, arg->hex.field, arg->hex.size, 1);
	case TEP_PRINT_INT_ARRAY:
		return evaluate(rec, arg->int_array.el_size, &size) &&
		       array_fits(rec, arg->int_array.field, arg->int_array.count, size);
	case TEP_PRINT_DYNAMIC_ARRAY:
		return !arg->dynarray.index;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return length_is_safe(arg);
	case TEP_PRINT_OP:
		return op_fits(rec, arg);
	case TEP_PRINT_FUNC:
		return func_fits(rec, arg);
	default: /* numbers, fields and strings of checked fields */
		return true;
	}
}

/* libtraceevent ignores a negative one, and printf would use the next argument for it. */
static bool length_fits(const struct record *rec, const struct tp_length *length)
{
	u64 value;

	return evaluate(rec, length->arg, &value) && value <= length->max;
}

bool tp_check__print_format(const struct tep_event *event, const struct tp_length *lengths, u32 nr_lengths,
			    const void *data, u32 size)
{
	const struct record rec = { .tep = event->tep, .data = data, .size = size };
	const struct tep_print_arg *arg;

	/* trace_printk's binary form carries arguments without any bounds. */
	if (event->flags & TEP_EVENT_FL_ISBPRINT)
		return false;
	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		if (!arg_fits(&rec, arg))
			return false;
	}
	for (u32 i = 0; i < nr_lengths; i++) {
		if (!length_fits(&rec, &lengths[i]))
			return false;
	}
	return true;
}
