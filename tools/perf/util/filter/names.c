// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/ast.h"
#include "util/filter/check.h"
#include "util/filter/terms.h"

struct show {
	int (*cb)(void *arg, const struct filter_name *name);
	void *arg;
};

static bool has_wildcard(const struct filter_word *word)
{
	for (unsigned int i = 0; i < word->len; i++) {
		if (word->text[i] == '\\')
			i++;
		else if (word->text[i] == '*' || word->text[i] == '?')
			return true;
	}
	return false;
}

static int show_value(const struct show *show, const struct filter_test *test, const struct filter_value *value, bool inverted)
{
	bool is_glob = test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB;
	struct filter_name name = { .is_glob = is_glob, .seems_glob = !is_glob && has_wildcard(&value->lo) };
	char *text;
	int ret;

	name.inverted = inverted != (test->op == FILTER_OP_NE || test->op == FILTER_OP_NOT_GLOB);
	snprintf(name.term, sizeof(name.term), "%.*s", WORD_ARGS(&test->name));
	text = is_glob ? strndup(value->lo.text, value->lo.len) : filter_word__unescape(&value->lo);
	if (!text)
		return -ENOMEM;
	name.text = text;
	ret = show->cb(show->arg, &name);
	free(text);
	return ret;
}

static int show_test(const struct show *show, const struct filter_test *test, bool inverted)
{
	const struct filter_value *value;
	int ret = 0;

	if (test->op >= FILTER_OP_GT && test->op <= FILTER_OP_ANY)
		return 0;
	DL_FOREACH(test->values, value) {
		if (!ret && test->op != FILTER_OP_NONE && !value->range)
			ret = show_value(show, test, value, inverted);
	}
	return ret;
}

static int show_node(const struct show *show, const struct filter_node *node, bool inverted)
{
	const struct filter_node *child;
	int ret = 0;

	if (node->kind == FILTER_TEST)
		return show_test(show, &node->test, inverted);
	DL_FOREACH(node->children, child) {
		ret = ret ? ret : show_node(show, child, inverted != (node->kind == FILTER_NOT));
	}
	return ret;
}

int filter__for_each_name(const struct filter *filter, int (*cb)(void *arg, const struct filter_name *name), void *arg)
{
	const struct show show = { cb, arg };

	return show_node(&show, filter->root, false);
}

static int show_tests(const struct filter_node *node, int (*cb)(void *arg, const char *name, unsigned int len), void *arg)
{
	const struct filter_node *child;
	int ret = 0;

	if (node->kind == FILTER_TEST)
		return cb(arg, node->test.name.text, node->test.name.len);
	DL_FOREACH(node->children, child) {
		ret = ret ?: show_tests(child, cb, arg);
	}
	return ret;
}

int filter__for_each_test(const struct filter *filter, int (*cb)(void *arg, const char *name, unsigned int len), void *arg)
{
	return show_tests(filter->root, cb, arg);
}

bool filter__has_task_term(const char *name)
{
	const struct filter_word word = { .text = name, .len = strlen(name) };
	const struct filter_term_desc *term = filter_term__find(&word);

	return term && filter_term__has_tracepoint(term);
}
