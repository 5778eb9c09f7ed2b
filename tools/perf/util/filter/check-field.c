// SPDX-License-Identifier: GPL-2.0
/* Resolves names and values as fields of a tracepoint. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/check.h"
#include "util/filter/field-number.h"
#include "util/filter/glob.h"
#include "util/filter/number.h"

/*
 * Only FILTER_STRING_LEN bytes of a string are compared, including its NUL. One more byte distinguishes a string that ends there
 * from one that was cut.
 */
#define STRING_MAX (FILTER_STRING_LEN - 2)
#define COMMON "common_"

bool check__is_tracepoint(const struct check *c)
{
	return c->env && c->env->find_field;
}

/* The header of the record is written after BPF has run; before that a pointer is in its place. */
static int check_common_field(struct check *c, struct filter_test *test, const char *name)
{
	if (strcmp(name, filter_term_common_pid.name))
		return word_error(c, &test->name, "is in the header of the record, which BPF cannot see; leave it out, or use nothing but "
				  "fields, cpu and comm in the filter, so that the kernel's own filter can judge it");
	test->term = &filter_term_common_pid;
	return 0;
}

static int check_placement(struct check *c, const struct filter_test *test)
{
	const struct filter_field_desc *field = &test->field;

	if (field->kind == FILTER_FIELD_OTHER)
		return word_error(c, &test->name, "is a field that is neither a number nor a string; there are no tests of it");
	if (field->offset + field->size > FILTER_RECORD_LEN)
		return word_error(c, &test->name, "lies behind the first %u bytes of the record, where BPF does not look",
				  FILTER_RECORD_LEN);
	return 0;
}

static bool asks_for_text(const struct filter_test *test)
{
	const struct filter_value *value;
	u64 address;

	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return true;
	if (test->op != FILTER_OP_EQ && test->op != FILTER_OP_NE && test->op != FILTER_OP_IN)
		return false;
	DL_FOREACH(test->values, value) {
		if (value->range || number__parse(&value->lo, NUMBER_SIZES, &address) != NUMBER_NONE)
			return false;
	}
	return true;
}

/* A test of a pointer compares its address, or the text at that address. */
static void look_behind_pointer(struct check *c, struct filter_test *test, const char *name)
{
	if (test->field.kind == FILTER_FIELD_NUMBER && test->field.size == 8 && c->env->points_to_user_text &&
	    c->env->points_to_user_text(c->env->data, name) && asks_for_text(test))
		test->field.kind = FILTER_FIELD_USER_TEXT;
}

int check__field(struct check *c, struct filter_test *test)
{
	struct filter_term_desc *term = filter__alloc(c->filter, sizeof(*term));
	char *name = filter__alloc(c->filter, test->name.len + 1);
	const char *why;
	int rc;

	if (!term || !name)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	memcpy(name, test->name.text, test->name.len);
	rc = c->env->find_field(c->env->data, name, &test->field);
	if (rc == -ENOENT)
		return c->env->why_missing && (why = c->env->why_missing(c->env->data, name)) ?
			       word_error(c, &test->name, "is missing: %s", why) : 0;
	if (rc)
		return filter__error(c->filter, test->name.loc, c->err, -rc, "'%s' cannot be looked up: %s", name, strerror(-rc));
	if (!strncmp(name, COMMON, strlen(COMMON)))
		return check_common_field(c, test, name);
	rc = check_placement(c, test);
	if (rc)
		return rc;
	look_behind_pointer(c, test, name);
	filter_term__init_field(term, name, &test->field);
	test->term = term;
	return 0;
}

#define MORE " ..."

struct field_names {
	struct filter_near near;
	char list[256]; /* names that do not fit are left out */
	size_t len;
	bool full;
};

static int note_name(void *arg, const char *name)
{
	struct field_names *names = arg;
	size_t room = sizeof(names->list) - names->len;

	filter_near__try(&names->near, name);
	if (!strncmp(name, COMMON, strlen(COMMON)) || names->full)
		return 0;
	names->full = strlen(name) + sizeof(" " MORE) > room;
	names->len += snprintf(names->list + names->len, room, "%s%s", names->len && !names->full ? " " : "",
			       names->full ? MORE : name);
	return 0;
}

int check__unknown_field(struct check *c, const struct filter_test *test)
{
	struct field_names names = { .near = { .word = &test->name } };
	const struct filter_word *word = &test->name;
	char terms[128];

	filter_near__try_terms(&names.near, true);
	if (c->env->for_each_field)
		c->env->for_each_field(c->env->data, note_name, &names);
	filter_term__list(terms, sizeof(terms), true);
	if (test->term)
		return word_error(c, word, "is a term that a tracepoint does not have. Its fields are: %s; its terms are: %s",
				  names.list, terms);
	if (names.near.name)
		return word_error(c, word, "is neither a field of this tracepoint nor a term; did you mean '%s'? The fields are: %s; "
				  "the terms are: %s", names.near.name, names.list, terms);
	return word_error(c, word, "is neither a field of this tracepoint nor a term. The fields are: %s; the terms are: %s",
			  names.list, terms);
}

int check__field_number(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	const bool is_time = test->field.is_time;
	enum number_result result = number__parse(word, is_time ? NUMBER_TIMES_AND_SIZES : NUMBER_SIZES, value);
	int rc;

	if (result == NUMBER_TOO_FINE)
		return word_error(c, word, "is finer than a nanosecond");

	if (result != NUMBER_OK && result != NUMBER_NEGATIVE && result != NUMBER_TOO_BIG)
		return filter__error(c->filter, word->loc, c->err, EINVAL, "%s takes %s, not '%.*s'", test->term->name,
				     is_time ? FILTER_TIME_VALUES : filter_term__values(test->term), WORD_ARGS(word));
	rc = field_number__bits(c->filter, test, &test->field, word, result, value, c->err);
	if (!rc)
		*value = filter_field__invert_sign(&test->field, *value);
	return rc;
}

static unsigned int longest(const struct filter_test *test)
{
	const unsigned int max = test->is_walk ? FILTER_WALK_TEXT_LEN - 2 : STRING_MAX;

	return test->field.kind == FILTER_FIELD_CHARS && test->field.size < max ? test->field.size : max;
}

static int check_field_pattern(struct check *c, const struct filter_test *test, const struct filter_word *word)
{
	struct glob glob;
	const char *why;

	if (glob__parse(word, &glob, &why))
		return filter__error(c->filter, word->loc, c->err, EINVAL, "%s", why);
	if (glob.nr > longest(test))
		return word_error(c, word, "can never match: of %s %u bytes are compared", test->term->name, longest(test));
	if (glob.nr > FILTER_GLOB_MAX_ELEMENTS && !glob__is_prefix(&glob))
		return word_error(c, word, "is too long: a pattern of a field has at most %u characters besides '*', unless it is a plain "
				  "beginning with one '*' at its end", FILTER_GLOB_MAX_ELEMENTS);
	return 0;
}

int check__field_string(struct check *c, const struct filter_test *test, struct filter_value *value)
{
	const struct filter_word *word = &value->lo;
	char *text;
	int rc;

	if (value->range)
		return filter__error(c->filter, value->loc, c->err, EINVAL, "there are no ranges of strings; '~' takes a pattern");
	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return check_field_pattern(c, test, word);
	rc = check__literal(c, word);
	if (rc)
		return rc;
	text = filter_word__unescape(word);
	value->string = text ? filter__alloc(c->filter, strlen(text) + 1) : NULL;
	if (value->string)
		strcpy(value->string, text);
	free(text);
	if (!value->string)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	if (strlen(value->string) > longest(test))
		return word_error(c, word, "can never match: of %s %u bytes are compared", test->term->name, longest(test));
	return 0;
}
