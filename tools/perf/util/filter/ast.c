// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/ast.h"

#define WORD_SHOWN_MAX 48

struct filter_block {
	struct filter_block *next;
	max_align_t data[];
};

void *filter__alloc(struct filter *f, size_t size)
{
	struct filter_block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	LL_PREPEND(f->blocks, block);
	return block->data;
}

void filter__delete(struct filter *f)
{
	struct filter_block *block, *tmp;

	if (!f)
		return;
	LL_FOREACH_SAFE(f->blocks, block, tmp)
		free(block);
	free(f->part);
	free(f->text);
	free(f);
}

static struct filter_node *new_node(struct filter *f, enum filter_node_kind kind, struct filter_loc loc)
{
	struct filter_node *node = filter__alloc(f, sizeof(*node));

	if (node) {
		node->kind = kind;
		node->loc = loc;
	}
	return node;
}

struct filter_node *filter__new_test(struct filter *f, struct filter_word name, enum filter_op op,
				     struct filter_loc op_loc, struct filter_value *values, bool braces)
{
	struct filter_node *node;

	if (!values && op != FILTER_OP_NONE)
		return NULL;
	node = new_node(f, FILTER_TEST, (struct filter_loc){ name.loc.begin, values ? values->prev->loc.end : name.loc.end });
	if (node)
		node->test = (struct filter_test){
			.name = name, .op = op, .op_loc = op_loc, .values = values, .braces = braces,
			.index = f->nr_tests++,
		};
	return node;
}

struct filter_node *filter__new_not(struct filter *f, struct filter_node *child, struct filter_loc loc)
{
	struct filter_node *node = child ? new_node(f, FILTER_NOT, loc) : NULL;

	if (node)
		DL_APPEND(node->children, child);
	return node;
}

struct filter_node *filter__join(struct filter *f, enum filter_node_kind kind, struct filter_node *left,
				 struct filter_node *right)
{
	struct filter_node *node = left;

	if (!left || !right)
		return NULL;
	if (left->kind != kind) {
		node = new_node(f, kind, left->loc);
		if (!node)
			return NULL;
		DL_APPEND(node->children, left);
	}
	DL_APPEND(node->children, right);
	node->loc.end = right->loc.end;
	return node;
}

struct filter_node *filter__and(struct filter *f, struct filter_node *node)
{
	return f->root ? filter__join(f, FILTER_AND, f->root, node) : node;
}

struct filter_value *filter__new_value(struct filter *f, struct filter_word lo, const struct filter_word *hi)
{
	struct filter_value *value = filter__alloc(f, sizeof(*value));

	if (!value)
		return NULL;
	value->lo = lo;
	value->loc = lo.loc;
	value->prev = value; /* a utlist of one */
	if (hi) {
		value->hi = *hi;
		value->loc.end = hi->loc.end;
		value->range = true;
	}
	return value;
}

struct filter_value *filter__append_value(struct filter_value *list, struct filter_value *value)
{
	if (!list || !value)
		return NULL;
	DL_APPEND(list, value);
	return list;
}

void filter_value__split_cpu_list(const struct filter *f, struct filter_value *value)
{
	const struct filter_word *word = &value->lo;
	const char *dash = word->quoted || value->range ? NULL : memchr(word->text, '-', word->len);
	struct filter_loc lo = word->loc, hi = word->loc;

	if (!dash || dash == word->text || dash + 1 == word->text + word->len)
		return;
	lo.end = dash - f->text;
	hi.begin = lo.end + 1;
	value->lo = filter__word(f, lo, false);
	value->hi = filter__word(f, hi, false);
	value->range = true;
}

struct filter_word filter__word(const struct filter *f, struct filter_loc loc, bool quoted)
{
	unsigned int quote = quoted ? 1 : 0;

	return (struct filter_word){
		.loc = loc,
		.text = f->text + loc.begin + quote,
		.len = loc.end - loc.begin - 2 * quote,
		.quoted = quoted,
	};
}

bool filter_word__is(const struct filter_word *word, const char *name)
{
	return strlen(name) == word->len && !memcmp(name, word->text, word->len);
}

int filter_word__shown(const struct filter_word *word)
{
	unsigned int len = word->len;

	if (len > WORD_SHOWN_MAX) {
		len = WORD_SHOWN_MAX;
		while (len && ((unsigned char)word->text[len] & 0xc0) == 0x80)
			len--;
	}
	return len;
}

const char *filter_op__text(enum filter_op op)
{
	static const char *const text[FILTER_OP_MAX] = {
		[FILTER_OP_EQ] = "==", [FILTER_OP_NE] = "!=", [FILTER_OP_GT] = ">",	  [FILTER_OP_GE] = ">=",
		[FILTER_OP_LT] = "<",  [FILTER_OP_LE] = "<=", [FILTER_OP_ANY] = "&",	  [FILTER_OP_IN] = "in",
		[FILTER_OP_GLOB] = "~", [FILTER_OP_NOT_GLOB] = "!~",  [FILTER_OP_NONE] = "",
	};

	return text[op];
}
