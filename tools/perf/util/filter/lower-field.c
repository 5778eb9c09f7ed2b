// SPDX-License-Identifier: GPL-2.0
/*
 * Lowers tests of a tracepoint's fields. A number is a part of a word of the record. So is each piece of a string at a fixed offset
 * in the record; a dynamic string, or one that is matched with a pattern, is copied first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/field-number.h"
#include "util/filter/lower.h"

static bool is_inverted(const struct filter_test *test)
{
	return test->op == FILTER_OP_NE || test->op == FILTER_OP_NOT_GLOB;
}

/* The values that match the operator, as one range; first > last: none. */
static struct filter_range range_of(const struct filter_test *test, const struct filter_value *value)
{
	const struct filter_range never = { 1, 0 };
	u64 v = value->first, max = filter_term__max(test->term);

	switch (test->op) {
	case FILTER_OP_LT:
		return v ? (struct filter_range){ 0, v - 1 } : never;
	case FILTER_OP_LE:
		return (struct filter_range){ 0, v };
	case FILTER_OP_GT:
		return v < max ? (struct filter_range){ v + 1, max } : never;
	case FILTER_OP_GE:
		return (struct filter_range){ v, max };
	default:
		return (struct filter_range){ value->first, value->last };
	}
}

/* As bits, negative numbers are greater than all others: a signed range may become two. Returns their number. */
static unsigned int split_range(const struct filter_field_desc *field, struct filter_range r, struct filter_range out[2])
{
	u64 zero = filter_field__invert_sign(field, 0);
	unsigned int nr = 0;

	if (r.first > r.last)
		return 0;
	if (r.first < zero)
		out[nr++] = (struct filter_range){ r.first + zero, (r.last < zero ? r.last : zero - 1) + zero };
	if (r.last >= zero)
		out[nr++] = (struct filter_range){ (r.first < zero ? zero : r.first) - zero, r.last - zero };
	return nr;
}

/* The field's bits that match: at most two ranges, as only an unsigned field has two forms of a number. */
static unsigned int ranges_of(const struct filter_test *test, const struct filter_value *value, struct filter_range out[2])
{
	struct filter_range r = range_of(test, value);
	unsigned int nr = split_range(&test->field, r, out);
	u64 other;

	if (r.first != r.last || !field_number__other_form(&test->field, r.first, &other))
		return nr;
	out[nr++] = (struct filter_range){ other, other };
	return nr;
}

static int lower_ranges(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct slot_part part = { test->term->slot, test->term->shift, filter_term__mask(test->term) };
	const struct filter_value *value;
	struct filter_range *ranges;
	unsigned int nr = 0;
	int first;

	DL_COUNT(test->values, value, nr);
	ranges = calloc(nr, 2 * sizeof(*ranges));
	if (!ranges) {
		l->rc = errmsg__set(l->err, ENOMEM, "filter: out of memory");
		return jf;
	}
	nr = 0;
	DL_FOREACH(test->values, value)
		nr += ranges_of(test, value, &ranges[nr]);
	nr = filter_ranges__merge(ranges, nr);
	if (nr)
		first = lowering__ranges(l, &part, ranges, nr, jt, jf);
	else /* below the minimum: the table must have an entry */
		first = lowering__emit_part(l, part.slot, part.shift, FILTER_LT, part.mask, 0, jt, jf);
	free(ranges);
	return first;
}

/* A test of a field that a hit lacks is false: it is not run. */
static int guard(struct lowering *l, const struct filter_field_desc *field, int first, int jf)
{
	return field->guard ? lowering__emit_part(l, FILTER_TERM_RECORD, field->guard - 1, FILTER_EQ, 1, 1, first, jf) : first;
}

static int lower_field(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct filter_term_desc *term = test->term;
	u64 bits, narrow;

	if (test->op == FILTER_OP_ANY) {
		bits = filter_field__invert_sign(&test->field, test->values->first);
		if (field_number__other_form(&test->field, bits, &narrow))
			bits = narrow;
		return lowering__emit_part(l, term->slot, term->shift, FILTER_GT, bits, 0, jt, jf);
	}
	return is_inverted(test) ? lower_ranges(l, test, jf, jt) : lower_ranges(l, test, jt, jf);
}

int lowering__field(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	return guard(l, &test->field, lower_field(l, test, jt, jf), jf);
}

/* Compare the first len bytes of the field with text: one entry for each word of the record that contains them. */
static int lower_bytes(struct lowering *l, const struct filter_field_desc *field, const char *text, unsigned int len, int jt, int jf)
{
	unsigned int begin = field->offset, end = begin + len, word = len ? (end - 1) / 8 : begin / 8, at;
	u64 mask, value;

	for (;; word--) {
		mask = value = 0;
		for (at = word * 8; at < word * 8 + 8; at++) {
			if (at < begin || at >= end)
				continue;
			mask |= 0xffULL << (at % 8 * 8);
			value |= (u64)(u8)text[at - begin] << (at % 8 * 8);
		}
		jt = lowering__emit_part(l, FILTER_TERM_RECORD + word, 0, FILTER_EQ, mask, value, jt, jf);
		if (word == begin / 8)
			return jt;
	}
}

static unsigned int field_index(struct lowering *l, const struct filter_field_desc *field)
{
	unsigned int i;

	for (i = 0; i < l->nr_fields && i < FILTER_MAX_FIELDS; i++) {
		if (l->table->words.field[i].offset == field->offset)
			return i;
	}
	if (i < FILTER_MAX_FIELDS)
		l->table->words.field[i] = *field;
	return l->nr_fields++;
}

static int lower_copied(struct lowering *l, enum filter_term slot, const struct filter_field_desc *field, unsigned int which, int jt,
			int jf)
{
	return lowering__emit_indexed(l, slot, field_index(l, field) << FILTER_FIELD_SHIFT | which, jt, jf);
}

/* Does the string begin with text? whole: it must also end there. */
static int lower_text(struct lowering *l, const struct filter_field_desc *field, const char *text, bool whole, int jt, int jf)
{
	unsigned int len = strlen(text) + whole;

	if (field->kind != FILTER_FIELD_CHARS)
		return lower_copied(l, FILTER_TERM_FIELD_TEXT, field, lowering__text(l, text, len), jt, jf);
	/* a string that fills the array has no NUL */
	return lower_bytes(l, field, text, len > field->size ? field->size : len, jt, jf);
}

static int lower_pattern(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	char text[FILTER_STRING_LEN] = "";
	struct glob glob;
	const char *why;
	unsigned int i;

	l->rc = glob__parse(&test->values->lo, &glob, &why); /* already checked: cannot fail */
	if (l->rc)
		return jf;
	if (!glob__is_prefix(&glob))
		return lower_copied(l, FILTER_TERM_FIELD_GLOB, &test->field, lowering__glob(l, &glob), jt, jf);
	for (i = 0; i < glob.nr; i++)
		text[i] = glob.element[i].c;
	return lower_text(l, &test->field, text, !glob.star[glob.nr], jt, jf);
}

/* Any of the strings; walks the list from its tail. */
static int lower_strings(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct filter_value *value;
	int next = jf;

	for (value = test->values->prev;; value = value->prev) {
		next = lower_text(l, &test->field, value->string, true, jt, next);
		if (value == test->values)
			return next;
	}
}

int lowering__string(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	int yes = is_inverted(test) ? jf : jt, no = is_inverted(test) ? jt : jf;
	const bool by_pattern = test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB;

	return guard(l, &test->field, by_pattern ? lower_pattern(l, test, yes, no) : lower_strings(l, test, yes, no), jf);
}

bool filter_test__copies_string(const struct filter_test *test)
{
	return test->term->kind == FILTER_KIND_STRING &&
	       (test->field.kind != FILTER_FIELD_CHARS || test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB);
}

u32 filter_table__record_len(const struct filter_table *table)
{
	u32 len = 0, end;
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		if (table->entry[i].term < FILTER_TERM_RECORD || table->entry[i].term > FILTER_TERM_RECORD_LAST)
			continue;
		end = (table->entry[i].term - FILTER_TERM_RECORD + 1) * 8;
		len = end > len ? end : len;
	}
	for (i = 0; i < table->nr_fields; i++) {
		end = (table->words.field[i].offset + table->words.field[i].size + 7) / 8 * 8;
		len = end > len ? end : len;
	}
	return len;
}
