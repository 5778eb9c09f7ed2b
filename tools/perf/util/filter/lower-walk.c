// SPDX-License-Identifier: GPL-2.0
/*
 * Lowers tests of the kernel's data. The first entry of each makes the walk, and the test is false if that leads to no value. Numbers
 * are then those of a field, and so are short texts at a fixed place: 8 bytes of them are a number. Other texts are copied for each test.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/lower.h"

static bool is_inverted(const struct filter_test *test)
{
	return test->op == FILTER_OP_NE || test->op == FILTER_OP_NOT_GLOB;
}

static unsigned int walk_index(struct lowering *l, const struct filter_walk *walk)
{
	unsigned int i;

	for (i = 0; i < l->nr_walks && i < FILTER_MAX_WALKS; i++) {
		if (!memcmp(&l->table->words.walk[i], walk, sizeof(*walk)))
			return i;
	}
	if (i < FILTER_MAX_WALKS)
		l->table->words.walk[i] = *walk;
	return l->nr_walks++;
}

/* The text that an operand is about; *whole: the value must end there. NULL: an automaton is needed. */
static const char *text_of(const struct filter_test *test, const struct filter_value *value, char buf[FILTER_STRING_LEN], bool *whole)
{
	struct glob glob;
	const char *why;

	*whole = true;
	if (test->op != FILTER_OP_GLOB && test->op != FILTER_OP_NOT_GLOB)
		return value->string;
	if (glob__parse(&value->lo, &glob, &why) || !glob__is_prefix(&glob)) /* already checked: can be parsed */
		return NULL;
	*whole = !glob.star[glob.nr];
	memset(buf, 0, FILTER_STRING_LEN);
	for (unsigned int i = 0; i < glob.nr; i++)
		buf[i] = glob.element[i].c;
	return buf;
}

/* Do all texts of the test fit into 8 bytes, as far as they are compared? */
static bool is_short(const struct filter_test *test)
{
	const struct filter_walk *walk = &test->walk.walk;
	const struct filter_value *value;
	char buf[FILTER_STRING_LEN];
	const char *text;
	bool whole;

	if (walk->kind != FILTER_WALK_CHARS || walk->size < 8)
		return false;
	DL_FOREACH(test->values, value) {
		text = text_of(test, value, buf, &whole);
		if (!text || strlen(text) + (whole && strlen(text) < walk->size) > 8)
			return false;
	}
	return true;
}

static int lower_short(struct lowering *l, unsigned int index, const char *text, bool whole, int jt, int jf)
{
	const unsigned int len = strlen(text) + (whole && strlen(text) < 8);
	u64 mask = 0, v = 0;

	for (unsigned int i = 0; i < len; i++) {
		mask |= 0xffULL << (8 * i);
		v |= (u64)(u8)text[i] << (8 * i);
	}
	return lowering__emit_part(l, FILTER_TERM_WALK + index, 0, FILTER_EQ, mask, v, jt, jf);
}

static int lower_copied(struct lowering *l, const struct filter_test *test, const struct filter_value *value, unsigned int index, int jt, int jf)
{
	char buf[FILTER_STRING_LEN];
	struct glob glob;
	const char *text, *why;
	bool whole;

	text = text_of(test, value, buf, &whole);
	if (text)
		return lowering__emit_indexed(l, FILTER_TERM_WALK_TEXT, index << FILTER_FIELD_SHIFT | lowering__text(l, text, strlen(text) + whole),
					      jt, jf);
	l->rc = glob__parse(&value->lo, &glob, &why);
	return l->rc ? jf : lowering__emit_indexed(l, FILTER_TERM_WALK_GLOB, index << FILTER_FIELD_SHIFT | lowering__glob(l, &glob), jt, jf);
}

/* Any of the texts; walks the list from its tail. */
static int lower_texts(struct lowering *l, const struct filter_test *test, unsigned int index, bool in_8_bytes, int jt, int jf)
{
	const struct filter_value *value;
	char buf[FILTER_STRING_LEN];
	int next = jf;
	bool whole;

	for (value = test->values->prev;; value = value->prev) {
		const char *text = in_8_bytes ? text_of(test, value, buf, &whole) : NULL;

		next = text ? lower_short(l, index, text, whole, jt, next) : lower_copied(l, test, value, index, jt, next);
		if (value == test->values)
			return next;
	}
}

static int lower_text(struct lowering *l, const struct filter_test *test, unsigned int *index, int jt, int jf)
{
	const int yes = is_inverted(test) ? jf : jt, no = is_inverted(test) ? jt : jf;
	struct filter_walk walk = test->walk.walk;
	const bool in_8_bytes = is_short(test);

	if (in_8_bytes) {
		walk.kind = FILTER_WALK_NUMBER;
		walk.size = 8;
	}
	*index = walk_index(l, &walk);
	return lower_texts(l, test, *index, in_8_bytes, yes, no);
}

static int lower_number(struct lowering *l, const struct filter_test *test, unsigned int *index, int jt, int jf)
{
	struct filter_term_desc term = *test->term;
	struct filter_test copy = *test;

	*index = walk_index(l, &test->walk.walk);
	term.slot = FILTER_TERM_WALK + *index;
	copy.term = &term;
	return lowering__field(l, &copy, jt, jf);
}

int lowering__walk(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	unsigned int index;
	int first;

	if (test->term->kind == FILTER_KIND_STRING)
		first = lower_text(l, test, &index, jt, jf);
	else
		first = lower_number(l, test, &index, jt, jf);
	return lowering__emit_indexed(l, FILTER_TERM_WALK_HAS, index, first, jf);
}
