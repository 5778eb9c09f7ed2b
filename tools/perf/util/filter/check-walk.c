// SPDX-License-Identifier: GPL-2.0
/* Resolves names as walks through the kernel's data. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/check.h"
#include "util/filter/number.h"

static bool looks_like_walk(const struct filter_word *word)
{
	return memmem(word->text, word->len, "->", 2) != NULL;
}

/* Bytes [at, at + len) of the word, where the error is */
static int explain(struct check *c, const struct filter_word *word, const struct walk_error *error)
{
	const struct filter_loc loc = { word->loc.begin + error->at, word->loc.begin + error->at + error->len };
	const struct filter_word part = filter__word(c->filter, loc, false);

	if (!part.len)
		return filter__error(c->filter, loc, c->err, EINVAL, "%s", error->why);
	return filter__error(c->filter, loc, c->err, EINVAL, "'%.*s' %s", WORD_ARGS(&part), error->why);
}

/* Numbers, and operators that texts do not have, compare an address. Without an operator, as in a key, it is the text. */
static bool compares_address(const struct filter_test *test)
{
	const struct filter_value *value;
	u64 number;

	if (test->op == FILTER_OP_NONE)
		return false;
	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return false;
	if (test->op != FILTER_OP_EQ && test->op != FILTER_OP_NE && test->op != FILTER_OP_IN)
		return true;
	DL_FOREACH(test->values, value) {
		if (value->lo.quoted || number__parse(&value->lo, NUMBER_SIZES, &number) == NUMBER_NONE)
			return false;
	}
	return true;
}

static struct filter_field_desc field_of(const struct type_walk *walk)
{
	const struct filter_walk *w = &walk->walk;

	if (type_walk__is_number(walk))
		return (struct filter_field_desc){ .size = w->size, .kind = FILTER_FIELD_NUMBER, .is_signed = walk->is_signed };
	if (w->kind == FILTER_WALK_CHARS && w->size < FILTER_WALK_TEXT_LEN)
		return (struct filter_field_desc){ .size = w->size, .kind = FILTER_FIELD_CHARS };
	return (struct filter_field_desc){ .kind = FILTER_FIELD_DATA_LOC };
}

static int set_term(struct check *c, struct filter_test *test)
{
	struct filter_term_desc *term = filter__alloc(c->filter, sizeof(*term));
	char *name = filter__alloc(c->filter, test->name.len + 1);

	if (!term || !name)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	memcpy(name, test->name.text, test->name.len);
	if (test->walk.walk.kind == FILTER_WALK_STRING && compares_address(test))
		test->walk.walk.kind = FILTER_WALK_NUMBER;
	test->field = field_of(&test->walk);
	filter_term__init_field(term, name, &test->field);
	term->slot = FILTER_TERM_WALK;
	if (test->walk.bits) {
		term->shift = test->walk.shift;
		term->bits = test->walk.bits;
	}
	test->term = term;
	test->is_walk = true;
	return 0;
}

int check__walk(struct check *c, struct filter_test *test)
{
	struct walk_error error;
	int rc;

	if (!c->env || !c->env->find_walk)
		return looks_like_walk(&test->name) ? word_error(c, &test->name, "is data of the kernel, which cannot be tested here") : 0;
	if (test->name.quoted)
		return 0;
	rc = c->env->find_walk(c->env->data, test->name.text, test->name.len, &test->walk, &error);
	if (rc == -ENOENT && !looks_like_walk(&test->name))
		return 0;
	return rc ? explain(c, &test->name, &error) : set_term(c, test);
}

static int check_bits(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 value)
{
	const u64 max = filter_term__max(test->term);

	if (test->walk.bits && value > max)
		return word_error(c, word, "is no value of %s, which is at most %llu", test->term->name, (unsigned long long)max);
	return 0;
}

int check__walk_name(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	char why[256];
	s64 number;
	int rc;

	if (number__parse(word, NUMBER_SIZES, value) != NUMBER_NONE || !c->env->walk_value)
		return check__field_number(c, test, word, value) ?: check_bits(c, test, word, *value);
	rc = c->env->walk_value(c->env->data, test->walk.type, word->text, word->len, &number, why, sizeof(why));
	if (rc == -EINVAL) /* its values have no names */
		return check__field_number(c, test, word, value);
	if (rc)
		return word_error(c, word, "%s", why);
	*value = filter_field__invert_sign(&test->field, test->field.size < 8 ? (u64)number & ((1ULL << test->field.size * 8) - 1) : (u64)number);
	return 0;
}
