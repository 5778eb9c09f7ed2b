// SPDX-License-Identifier: GPL-2.0
/* Texts of records, by the conversions of a print format. */
#include "util/event/tp-print.h"

#include <inttypes.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/event/tp-pointer.h"
#include "util/event/tp-text.h"

/* Numbers */

static bool length_of(const struct tp_record *rec, const struct tp_expr *arg, int constant, s64 max, s64 *length)
{
	struct tp_result value;

	*length = constant;
	if (!arg)
		return true;
	if (!tp_eval__expr(rec, arg, &value) || value.kind != TP_VALUE_NUMBER || value.number > (u64)max)
		return false;
	*length = value.number;
	return true;
}

static void put_number(const struct tp_conversion *c, s64 width, s64 precision, u64 number, struct text *out)
{
	const struct tp_type type = { .size = c->size, .is_signed = c->kind == 'd' || c->kind == 'i' };
	char format[32] = "%", *to = format + 1, buf[2 * TP_TEXT_WIDTH + 64];
	bool is_zero;
	int len;

	for (const char *flag = c->flags; *flag; flag++)
		*to++ = *flag;
	if (width >= 0)
		to += sprintf(to, "%d", (int)width);
	if (precision >= 0)
		to += sprintf(to, ".%d", (int)precision);
	*to++ = 'l';
	*to++ = 'l';
	*to++ = c->kind;
	*to = '\0';
	number = tp_type__fit(type, number);
	is_zero = !number && precision && strchr(c->flags, '#') && strchr("xX", c->kind); /* "0x0" in the kernel, and "0" in libc */
	len = snprintf(buf, sizeof(buf), format, (unsigned long long)(number | is_zero));
	if (is_zero && strrchr(buf, '1'))
		*strrchr(buf, '1') = '0';
	text__put(out, buf, len < (int)sizeof(buf) ? (size_t)len : sizeof(buf) - 1);
}

/* Add text with blanks up to the width. */
static void put_padded(const struct tp_conversion *c, const char *s, size_t len, s64 width, struct text *out)
{
	const bool left = strchr(c->flags, '-');
	const size_t blanks = width > (s64)len ? width - len : 0;

	if (blanks && !left)
		text__str_right(out, "", blanks);
	text__put(out, s, len);
	if (blanks && left)
		text__str_right(out, "", blanks);
}

static bool put_formatted(const struct tp_record *rec, const struct tp_conversion *c, u64 number, struct text *out)
{
	char byte = number;
	s64 width, precision;

	if (!length_of(rec, c->width_arg, c->width, TP_TEXT_WIDTH, &width) ||
	    !length_of(rec, c->precision_arg, c->precision, TP_TEXT_WIDTH, &precision))
		return false;
	if (c->kind == 'c')
		put_padded(c, &byte, 1, width, out);
	else
		put_number(c, width, precision, number, out);
	return true;
}

/* Texts */

/* In the order of the table; each flag is shown once, and what has no name at the end. */
static bool put_flags(const struct tp_record *rec, const struct tp_expr *e, struct text *out)
{
	const size_t begin = out->len;
	struct tp_result value;
	u64 left;

	if (!tp_eval__expr(rec, e->arg[0], &value) || value.kind != TP_VALUE_NUMBER)
		return false;
	left = value.type.size == 8 ? value.number : tp_type__fit((struct tp_type){ .size = rec->long_size }, value.number);
	for (u32 i = 0; i < e->nr_symbols && left; i++) {
		const struct tp_symbol *symbol = &e->symbols[i];

		if (!symbol->is_known || (left & symbol->value) != symbol->value)
			continue;
		text__str(out, out->len > begin ? e->text : "");
		text__str(out, symbol->text);
		left &= ~symbol->value;
	}
	if (left) {
		text__str(out, out->len > begin ? e->text : "");
		text__str(out, "0x");
		text__hex(out, left, 0);
	}
	return true;
}

static bool put_symbol(const struct tp_record *rec, const struct tp_expr *e, struct text *out)
{
	struct tp_result value;
	u64 number;

	if (!tp_eval__expr(rec, e->arg[0], &value) || value.kind != TP_VALUE_NUMBER)
		return false;
	number = value.type.size == 8 ? value.number : tp_type__fit((struct tp_type){ .size = rec->long_size }, value.number);
	for (u32 i = 0; i < e->nr_symbols; i++) {
		if (e->symbols[i].is_known && e->symbols[i].value == number) {
			text__str(out, e->symbols[i].text);
			return true;
		}
	}
	text__str(out, "0x");
	text__hex(out, number, 0);
	return true;
}

static bool take_data(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *data)
{
	if (!tp_eval__expr(rec, e, data))
		return false;
	return data->kind == TP_VALUE_DATA;
}

static bool put_hex(const struct tp_record *rec, const struct tp_expr *e, struct text *out)
{
	struct tp_result data, len;

	if (!take_data(rec, e->arg[0], &data) || !tp_eval__expr(rec, e->arg[1], &len) || len.kind != TP_VALUE_NUMBER ||
	    len.number > (u64)(rec->data + rec->size - data.data))
		return false;
	for (u64 i = 0; i < len.number; i++)
		text__printf(out, "%s%02x", i && e->op == TP_HEX ? " " : "", data.data[i]);
	return true;
}

/* As include/trace/stages of Linux 6.18: {0x1,0x2} */
static bool put_array(const struct tp_record *rec, const struct tp_expr *e, struct text *out)
{
	const bool whole = e->op == TP_DYNAMIC_ARRAY_TEXT;
	struct tp_result data, count = {}, size;

	if (whole) {
		const struct tp_expr get = { .kind = TP_EXPR_CALL, .op = TP_DATA, .arg = { e->arg[0] } };

		if (!take_data(rec, &get, &data))
			return false;
	} else if (!take_data(rec, e->arg[0], &data) || !tp_eval__expr(rec, e->arg[1], &count) || count.kind != TP_VALUE_NUMBER) {
		return false;
	}
	if (!tp_eval__expr(rec, e->arg[whole ? 1 : 2], &size) || size.kind != TP_VALUE_NUMBER ||
	    (size.number != 1 && size.number != 2 && size.number != 4 && size.number != 8))
		return false;
	if (whole)
		count.number = data.len / size.number;
	if (count.number > (rec->data + rec->size - data.data) / size.number)
		return false;
	data.type = (struct tp_type){ .size = size.number };
	text__char(out, '{');
	for (u32 i = 0; i < count.number; i++) {
		text__str(out, i ? ",0x" : "0x");
		text__hex(out, tp_eval__element(rec, &data, i), 0);
	}
	text__char(out, '}');
	return true;
}

static bool put_call(const struct tp_record *rec, const struct tp_expr *e, struct text *out)
{
	struct tp_result data;

	switch (e->op) {
	case TP_FLAGS:
		return put_flags(rec, e, out);
	case TP_SYMBOLIC:
		return put_symbol(rec, e, out);
	case TP_HEX: case TP_HEX_STR:
		return put_hex(rec, e, out);
	case TP_ARRAY: case TP_DYNAMIC_ARRAY_TEXT:
		return put_array(rec, e, out);
	default: /* TP_BITMASK */
		if (!take_data(rec, &(struct tp_expr){ .kind = TP_EXPR_CALL, .op = TP_DATA, .arg = { e->arg[0] } }, &data))
			return false;
		tp_pointer__bitmap(rec, data.data, data.len, data.len * 8, false, out);
		return true;
	}
}

static void put_string_at(const struct tp_record *rec, u64 address, struct text *out)
{
	const char *s = rec->string ? rec->string(rec->names_data, address) : NULL;

	if (s)
		text__str(out, s);
	else
		text__hex(out, address, 0);
}

/* What %s prints of an argument */
static bool put_string(const struct tp_record *rec, const struct tp_expr *e, struct text *out)
{
	struct tp_result value;

	while (e && e->kind == TP_EXPR_CONDITION) {
		if (!tp_eval__expr(rec, e->arg[0], &value))
			return false;
		e = e->arg[value.kind != TP_VALUE_NUMBER || value.number ? 1 : 2];
	}
	if (e && e->kind == TP_EXPR_CALL && e->op != TP_STR && e->op != TP_DATA && e->op != TP_EXPECT)
		return e->op != TP_DATA_LEN && e->op != TP_SECONDS && e->op != TP_NANOSECONDS && put_call(rec, e, out);
	if (!tp_eval__expr(rec, e, &value))
		return false;
	if (value.kind == TP_VALUE_TEXT)
		text__str(out, value.text);
	else if (value.kind == TP_VALUE_DATA)
		text__put(out, (const char *)value.data, strnlen((const char *)value.data, value.len));
	else
		put_string_at(rec, value.number, out);
	return true;
}

static bool put_text(const struct tp_record *rec, const struct tp_conversion *c, struct text *out)
{
	const size_t begin = out->len;
	struct text whole = {};
	s64 width, precision;
	bool good = false;
	size_t len;

	if (!length_of(rec, c->width_arg, c->width, TP_TEXT_WIDTH, &width) || !length_of(rec, c->precision_arg, c->precision, INT16_MAX, &precision))
		return false;
	if (width < 0 && precision < 0)
		return put_string(rec, c->arg, out);
	if (put_string(rec, c->arg, &whole) && !whole.failed) {
		len = precision >= 0 && (size_t)precision < whole.len ? (size_t)precision : whole.len;
		out->len = begin;
		put_padded(c, whole.buf ?: "", len, width, out);
		good = true;
	}
	text__exit(&whole);
	return good;
}

/*
 * A string that the kernel could not read has no bytes, not even a NUL: the kernel prints (fault) instead of the quotes. Where it could not read the
 * pointers of an array, it leaves the places of all but the first string as they were: they may lead out of the record.
 */
static bool is_fault(const struct tp_record *rec, const struct tp_conversion *c)
{
	struct tp_result value;

	return rec->is_probe && c->kind == 's' && c->arg && c->arg->kind == TP_EXPR_CALL && c->arg->op == TP_STR &&
	       (!tp_eval__expr(rec, c->arg, &value) || !value.len);
}

/* Addresses that need a base that only the kernel knows are shown without it, as by other perfs: the kernel prints a hash. */
static bool put_pointer(const struct tp_record *rec, const struct tp_conversion *c, struct text *out)
{
	struct tp_record without_base = *rec;
	struct tp_result value;
	s64 width;

	without_base.unknown_is_zero = true;
	return tp_eval__expr(&without_base, c->arg, &value) && length_of(rec, c->width_arg, c->width, TP_TEXT_MASK, &width) &&
	       tp_pointer__print(rec, c, &value, width, out);
}

static bool put_value(const struct tp_record *rec, const struct tp_conversion *c, struct text *out)
{
	struct tp_result value;

	switch (c->kind) {
	case 's':
		return put_text(rec, c, out);
	case 'p':
		return put_pointer(rec, c, out);
	default:
		return tp_eval__expr(rec, c->arg, &value) && value.kind == TP_VALUE_NUMBER && put_formatted(rec, c, value.number, out);
	}
}

bool tp_print__conversion(const struct tp_record *rec, const struct tp_conversion *c, struct text *out)
{
	const size_t begin = out->len;

	if (!c->kind || c->kind == '%' || put_value(rec, c, out))
		return true;
	if (!c->arg->is_unknown)
		return false;
	out->len = begin;
	text__char(out, '?');
	return true;
}

bool tp_print__record(const struct tp_print *print, const struct tp_record *rec, struct text *out)
{
	const size_t limit = TP_TEXT_FIXED + TP_TEXT_PER_BYTE * (size_t)rec->size;
	bool after_fault = false;

	for (u32 i = 0; i < print->nr; i++) {
		const struct tp_conversion *c = &print->conversion[i];

		text__put(out, c->before + after_fault, c->before_len - after_fault);
		after_fault = is_fault(rec, c) && out->len && out->buf[out->len - 1] == '"' && i + 1 < print->nr && c[1].before[0] == '"' && c[1].before_len;
		if (after_fault) {
			out->len--;
			text__str(out, "(fault)");
		} else if (!tp_print__conversion(rec, c, out)) {
			return false;
		}
		if (out->len > limit || out->failed)
			return false;
	}
	return true;
}

const struct tp_conversion *tp_print__of_field(const struct tp_print *print, const struct tep_format_field *field)
{
	for (u32 i = 0; i < print->nr; i++) {
		const struct tp_expr *arg = print->conversion[i].arg;

		if (arg && arg->kind == TP_EXPR_FIELD && arg->field == field)
			return &print->conversion[i];
	}
	return NULL;
}

/* REC->field, REC->array[1], __get_str(field), __get_str(array[1]) */
static bool is_about(const struct tp_expr *arg, const struct tep_format_field *field)
{
	if (arg && (arg->kind == TP_EXPR_INDEX || (arg->kind == TP_EXPR_CALL && arg->op == TP_STR)))
		arg = arg->arg[0];
	return arg && arg->kind == TP_EXPR_FIELD && arg->field == field;
}

char tp_print__kind(const struct tp_print *print, const struct tep_format_field *field)
{
	for (u32 i = 0; i < print->nr; i++) {
		if (is_about(print->conversion[i].arg, field))
			return print->conversion[i].kind;
	}
	return 0;
}
