// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a filter in the language of the kernel's event filter. Facts about that language are from
 * kernel/trace/trace_events_filter.c (4.17 and newer): numbers are read with base 0, strings are quoted without any escape, '!'
 * precedes a test or parenthesis, sets and ranges do not exist.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>
#include "util/filter/ast.h"
#include "util/filter/field-number.h"
#include "util/filter/glob.h"
#include "util/filter/number.h"
#include "util/lib/text.h"

#define KERNEL_STRING_MAX 255 /* MAX_FILTER_STR_VAL minus the NUL */

struct writer {
	const struct filter *filter;
	const struct filter_env *env;
	struct filter_field_desc field; /* field of the current test; kind FILTER_FIELD_OTHER: none, or one that is compared with no numbers */
	FILE *fp;
	struct errmsg *err;
};

/* Find the field of a test. Every tracepoint has the generic ones, though its format does not list them. */
enum subject { SUBJECT_NONE, SUBJECT_FIELD, SUBJECT_STRING, SUBJECT_USER_TEXT, GENERIC_CPU, GENERIC_COMM };

static enum subject generic_field(const struct filter_word *name)
{
	if (filter_word__is(name, "cpu") || filter_word__is(name, "CPU"))
		return GENERIC_CPU;
	if (filter_word__is(name, "comm") || filter_word__is(name, "COMM"))
		return GENERIC_COMM;
	return SUBJECT_NONE;
}

static enum subject own_field(const struct filter_env *env, const char *name, struct filter_field_desc *desc)
{
	if (!env || !env->find_field || env->find_field(env->data, name, desc))
		return SUBJECT_NONE;
	if (env->points_to_user_text && env->points_to_user_text(env->data, name))
		return SUBJECT_USER_TEXT;
	return desc->kind == FILTER_FIELD_OTHER || desc->kind == FILTER_FIELD_NUMBER ? SUBJECT_FIELD : SUBJECT_STRING;
}

static int find_subject(struct writer *w, const struct filter_word *name, enum subject *subject)
{
	char *copy = strndup(name->text, name->len);

	if (!copy)
		return errmsg__set(w->err, ENOMEM, "filter: out of memory");
	w->field = (struct filter_field_desc){ .kind = FILTER_FIELD_OTHER };
	*subject = own_field(w->env, copy, &w->field);
	if (*subject == SUBJECT_NONE)
		*subject = generic_field(name);
	free(copy);
	return 0;
}

static bool is_equality(enum filter_op op)
{
	return op == FILTER_OP_EQ || op == FILTER_OP_NE || op == FILTER_OP_IN;
}

/* The kernel accepts '&' on the generic cpu and then rejects every hit: refuse here what a generic field does not support. */
static int check_generic(struct writer *w, const struct filter_test *test, enum subject subject)
{
	bool pattern = test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB;

	if ((subject == GENERIC_CPU && (pattern || test->op == FILTER_OP_ANY)) ||
	    (subject == GENERIC_COMM && !pattern && !is_equality(test->op)))
		return filter__error(w->filter, test->op_loc, w->err, EOPNOTSUPP,
				     "'%s' cannot be used with %.*s in the kernel's own filter of a tracepoint",
				     filter_op__text(test->op), WORD_ARGS(&test->name));
	return 0;
}

/* Quote for the kernel, which has no escapes: use the quote that the string does not contain. */
static int write_quoted(struct writer *w, const struct filter_word *word, const char *text, size_t len)
{
	char quote = memchr(text, '"', len) ? '\'' : '"';

	if (memchr(text, quote, len))
		return filter__error(w->filter, word->loc, w->err, EOPNOTSUPP,
				     "the kernel's own filter cannot take a string with both kinds of quotes");
	if (len > KERNEL_STRING_MAX)
		return filter__error(w->filter, word->loc, w->err, EOPNOTSUPP,
				     "the kernel's own filter takes strings of at most %d bytes", KERNEL_STRING_MAX);
	fprintf(w->fp, "%c%.*s%c", quote, (int)len, text, quote);
	return 0;
}

static int write_string(struct writer *w, const struct filter_word *word)
{
	char text[KERNEL_STRING_MAX + 2];
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < word->len && len < sizeof(text); i++) {
		if (word->text[i] == '\\' && i + 1 < word->len)
			i++;
		text[len++] = word->text[i];
	}
	return write_quoted(w, word, text, len);
}

/*
 * Write a class, as spans. The kernel's glob_match() accepts ']' as a member only in front, '-' only in front or at the end, '!' not
 * in front. There is more than one member, or the element would be a literal (or inverted).
 */
static void write_class(FILE *fp, const struct glob_element *e)
{
	bool inverted = glob_element__has(e, 0x80); /* classes are ASCII: only inverted ones have high bytes */
	unsigned int c, last;

#define MEMBER(c) (glob_element__has(e, c) != inverted)
	fputs(inverted ? "[!" : "[", fp);
	if (MEMBER(']'))
		fputc(']', fp);
	else if (MEMBER('-'))
		fputc('-', fp);
	for (c = 1; c < 0x80; c = last + 1) {
		last = c;
		if (!MEMBER(c) || c == ']' || c == '-' || c == '!')
			continue;
		while (last + 1 < 0x80 && MEMBER(last + 1) && last + 1 != ']' && last + 1 != '-')
			last++;
		fprintf(fp, last > c ? "%c-%c" : "%c", c, last);
	}
	if (MEMBER('!'))
		fputc('!', fp);
	if (MEMBER(']') && MEMBER('-'))
		fputc('-', fp);
	fputc(']', fp);
#undef MEMBER
}

static void write_element(FILE *fp, const struct glob_element *e, bool first)
{
	if (e->any)
		fputc('?', fp);
	else if (!e->literal)
		write_class(fp, e);
	else if (first && isdigit(e->c))
		fprintf(fp, "[%c]", e->c); /* after a leading digit the kernel compares literally */
	else if (strchr("*?[\\", e->c) || (first && e->c == '!')) /* a leading '!' would invert the match */
		fprintf(fp, "\\%c", e->c);
	else
		fputc(e->c, fp);
}

static int write_pattern(struct writer *w, const struct filter_word *word)
{
	struct glob glob;
	const char *why;
	char *text = NULL;
	size_t len = 0;
	unsigned int i;
	FILE *fp;
	int rc;

	if (glob__parse(word, &glob, &why))
		return filter__error(w->filter, word->loc, w->err, EINVAL, "%s", why);
	fp = open_memstream(&text, &len);
	if (!fp)
		return errmsg__set(w->err, ENOMEM, "filter: out of memory");
	for (i = 0; i <= glob.nr; i++) {
		if (glob.star[i])
			fputc('*', fp);
		if (i < glob.nr)
			write_element(fp, &glob.element[i], i == 0 && !glob.star[0]);
	}
	if (text__close_stream(fp, &text))
		rc = errmsg__set(w->err, ENOMEM, "filter: out of memory");
	else
		rc = write_quoted(w, word, text, len);
	free(text);
	return rc;
}

/* A field that is no number in the format. */
static int write_number(struct writer *w, const struct filter_word *word, enum number_result result, u64 value)
{
	if (result == NUMBER_TOO_BIG || (result == NUMBER_NEGATIVE && value > (u64)INT64_MAX + 1))
		return filter__error(w->filter, word->loc, w->err, EINVAL, "'%.*s' does not fit in 64 bits", WORD_ARGS(word));
	fprintf(w->fp, "%s%" PRIu64, result == NUMBER_NEGATIVE ? "-" : "", value);
	return 0;
}

static int write_word(struct writer *w, const struct filter_test *test, const struct filter_word *word, bool equality,
		      enum subject subject)
{
	enum number_result result;
	u64 value = 0;

	result = subject == GENERIC_COMM || subject == SUBJECT_STRING ? NUMBER_NONE : number__parse(word, NUMBER_SIZES, &value);
	if (result != NUMBER_NONE)
		return write_number(w, word, result, value);
	if (!equality || subject == GENERIC_CPU)
		return filter__error(w->filter, word->loc, w->err, EINVAL,
				     "'%.*s' is not a number, which '%.*s %s' needs here", WORD_ARGS(word),
				     WORD_ARGS(&test->name), filter_op__text(test->op));
	return write_string(w, word);
}

/* Without the suffix (Linux 5.18) the kernel treats the pointer as one to its own memory, and nothing ever matches. */
static void write_name(struct writer *w, const struct filter_test *test, bool of_user_text)
{
	fprintf(w->fp, "%.*s%s", (int)test->name.len, test->name.text, of_user_text ? ".ustring" : "");
}

/*
 * For fields of less than 8 bytes, the kernel compares only the lower part of a number that is too large: refuse it here. The kernel
 * accepts negative numbers only for signed fields; write the bits for others.
 */
static int write_field_number(struct writer *w, const struct filter_test *test, const char *op, const struct filter_word *word,
			      enum number_result result, u64 value)
{
	int rc = field_number__bits(w->filter, test, &w->field, word, result, &value, w->err), unused = 64 - 8 * w->field.size;
	u64 other;

	if (rc)
		return rc;
	if (field_number__other_form(&w->field, value, &other)) {
		if (test->op != FILTER_OP_ANY) {
			fprintf(w->fp, "(%.*s %s %" PRIu64 " %s %.*s %s %" PRIu64 ")", (int)test->name.len, test->name.text, op, value,
				test->op == FILTER_OP_NE ? "&&" : "||", (int)test->name.len, test->name.text, op, other);
			return 0;
		}
		value = other;
	}
	write_name(w, test, false);
	if (w->field.is_signed)
		fprintf(w->fp, " %s %" PRId64, op, (s64)(value << unused) >> unused);
	else
		fprintf(w->fp, " %s %" PRIu64, op, value);
	return 0;
}

static int write_comparison(struct writer *w, const struct filter_test *test, const char *op,
			    const struct filter_word *word, bool equality, enum subject subject)
{
	enum number_result result;
	u64 value;

	result = number__parse(word, NUMBER_SIZES, &value);
	if (w->field.kind == FILTER_FIELD_NUMBER && result != NUMBER_NONE)
		return write_field_number(w, test, op, word, result, value);
	write_name(w, test, subject == SUBJECT_USER_TEXT && result == NUMBER_NONE);
	fprintf(w->fp, " %s ", op);
	return write_word(w, test, word, equality, subject);
}

static int write_member(struct writer *w, const struct filter_test *test, const struct filter_value *member,
			enum subject subject)
{
	struct filter_value split = *member, *value = &split;
	int rc;

	if (subject == GENERIC_CPU)
		filter_value__split_cpu_list(w->filter, value);
	if (!value->range)
		return write_comparison(w, test, "==", &value->lo, true, subject);
	fputc('(', w->fp);
	rc = write_comparison(w, test, ">=", &value->lo, false, subject);
	if (rc)
		return rc;
	fputs(" && ", w->fp);
	rc = write_comparison(w, test, "<=", &value->hi, false, subject);
	fputc(')', w->fp);
	return rc;
}

static int write_set(struct writer *w, const struct filter_test *test, enum subject subject)
{
	const struct filter_value *value;
	int rc;

	if (test->values->next)
		fputc('(', w->fp);
	DL_FOREACH(test->values, value) {
		rc = write_member(w, test, value, subject);
		if (rc)
			return rc;
		if (value->next)
			fputs(" || ", w->fp);
	}
	if (test->values->next)
		fputc(')', w->fp);
	return 0;
}

static int write_glob(struct writer *w, const struct filter_test *test, enum subject subject)
{
	bool inverted = test->op == FILTER_OP_NOT_GLOB;
	int rc;

	fputs(inverted ? "!(" : "", w->fp);
	write_name(w, test, subject == SUBJECT_USER_TEXT);
	fputs(" ~ ", w->fp);
	rc = write_pattern(w, &test->values->lo);
	if (inverted)
		fputc(')', w->fp);
	return rc;
}

static int write_test(struct writer *w, const struct filter_test *test)
{
	enum subject subject = SUBJECT_NONE;
	int rc;

	rc = find_subject(w, &test->name, &subject);
	if (!rc && subject == SUBJECT_NONE)
		rc = filter__error(w->filter, test->name.loc, w->err, EOPNOTSUPP,
				   "'%.*s' is not a field of this tracepoint; its filter takes only fields, cpu and comm",
				   WORD_ARGS(&test->name));
	if (!rc)
		rc = check_generic(w, test, subject);
	if (rc)
		return rc;
	if (test->op == FILTER_OP_NONE)
		return filter__error(w->filter, test->op_loc, w->err, EINVAL,
				     "'%.*s' is a field, which needs an operator and a value (== != < <= > >= & in ~ !~)",
				     WORD_ARGS(&test->name));
	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return write_glob(w, test, subject);
	if (test->op == FILTER_OP_IN)
		return write_set(w, test, subject);
	return write_comparison(w, test, filter_op__text(test->op), &test->values->lo, is_equality(test->op), subject);
}

static int write_node(struct writer *w, const struct filter_node *node);

/* In parentheses unless node is the whole filter. */
static int write_inner(struct writer *w, const struct filter_node *node)
{
	bool open = node->kind == FILTER_AND || node->kind == FILTER_OR;
	int rc;

	if (open)
		fputc('(', w->fp);
	rc = write_node(w, node);
	if (open)
		fputc(')', w->fp);
	return rc;
}

static int write_node(struct writer *w, const struct filter_node *node)
{
	const struct filter_node *child;
	int rc;

	if (node->kind == FILTER_TEST)
		return write_test(w, &node->test);
	if (node->kind == FILTER_NOT) {
		fputs("!(", w->fp);
		rc = write_node(w, node->children);
		fputc(')', w->fp);
		return rc;
	}
	DL_FOREACH(node->children, child) {
		rc = write_inner(w, child);
		if (rc)
			return rc;
		if (child->next)
			fputs(node->kind == FILTER_AND ? " && " : " || ", w->fp);
	}
	return 0;
}

int filter__to_kernel(const struct filter *filter, const struct filter_env *env, char **out, struct errmsg *err)
{
	struct writer w = { .filter = filter, .env = env, .err = err };
	long page = sysconf(_SC_PAGESIZE);
	size_t size = 0;
	int rc;

	*out = NULL;
	w.fp = open_memstream(out, &size);
	if (!w.fp)
		return errmsg__set(err, ENOMEM, "filter: out of memory");
	rc = write_node(&w, filter->root);
	if (text__close_stream(w.fp, out) && !rc)
		rc = errmsg__set(err, ENOMEM, "filter: out of memory");
	/* PERF_EVENT_IOC_SET_FILTER accepts one page, including the NUL */
	if (!rc && size >= (size_t)page)
		rc = errmsg__set(err, EOPNOTSUPP,
				 "filter: the kernel's own filter takes at most %ld bytes, and this one needs %zu",
				 page - 1, size);
	if (rc) {
		free(*out);
		*out = NULL;
	}
	return rc;
}
