/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree that the parser builds and the check annotates. Private to util/filter.
 *
 * Nodes, values and words are owned by their struct filter and end with it. A word is a slice of filter->text, so no name or string
 * is ever copied. AND and OR have a list of children: a long chain of tests is wide, not deep; FILTER_MAX_DEPTH limits the depth of
 * a tree, so that passes may recurse.
 */
#ifndef PERF_FILTER_AST_H
#define PERF_FILTER_AST_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/types/walk.h"

#define FILTER_MAX_DEPTH 64 /* of parentheses and '!' together */

struct filter_term_desc;

/* Bytes [begin, end) of filter->text, all in one of its parts. */
struct filter_loc {
	unsigned int begin;
	unsigned int end;
};

/* A name, number or string as written; a quoted one without its quotes, but with its backslashes. */
struct filter_word {
	struct filter_loc loc; /* including the quotes */
	const char *text;      /* not terminated */
	unsigned int len;
	bool quoted;
};

enum filter_op {
	FILTER_OP_EQ,
	FILTER_OP_NE,
	FILTER_OP_GT,
	FILTER_OP_GE,
	FILTER_OP_LT,
	FILTER_OP_LE,
	FILTER_OP_ANY, /* '&': any common bit */
	FILTER_OP_IN,
	FILTER_OP_GLOB,
	FILTER_OP_NOT_GLOB,
	FILTER_OP_NONE, /* a flag: idle; or with an argument: every 100 */
	FILTER_OP_MAX,
};

/* One value, or one range lo..hi. */
struct filter_value {
	struct filter_value *prev, *next; /* utlist */
	struct filter_loc loc;
	struct filter_word lo, hi;
	bool range; /* hi is set */
	/* set by the check: */
	u64 first, last;	    /* numbers as in the slot, a signed field's as s64; equal if this is no range */
	unsigned int level;	    /* of a cgroup, for 'in' */
	char text[FILTER_FILE_LEN]; /* for ==, != and in with a name of a command or file: NUL-padded */
	char *string;		    /* the same for a field */
};

/* Location of code: in the kernel, or in a mapped file. */
struct filter_place {
	struct filter_place *next; /* utlist */
	bool kernel;		   /* ranges are addresses; otherwise offsets in file */
	struct filter_file_id file;
	struct filter_range *range; /* ascending, neither touching nor overlapping */
	unsigned int nr;	    /* 0: the whole file */
};

struct filter_test {
	struct filter_word name;
	struct filter_loc op_loc;
	enum filter_op op;
	struct filter_value *values; /* one, or more with FILTER_OP_IN; NULL: a flag */
	bool braces;		     /* the set was written in {} */
	unsigned int index;	     /* number of the test in the filter, in the order of the text */
	/* set by the check: */
	const struct filter_term_desc *term;
	struct filter_place *places; /* for sym, and for dso unless names alone identify it */
	struct filter_field_desc field; /* if term is a field, or a walk: as if the walk's value were a field */
	bool is_walk;
	struct type_walk walk; /* if it is one */
};

enum filter_node_kind { FILTER_AND, FILTER_OR, FILTER_NOT, FILTER_TEST };

struct filter_node {
	struct filter_node *prev, *next; /* utlist: siblings */
	enum filter_node_kind kind;
	struct filter_loc loc;
	struct filter_node *children; /* AND, OR: two or more; NOT: one */
	struct filter_test test;      /* FILTER_TEST */
};

struct filter_block;

struct filter_part { /* one of the texts of the filter */
	const char *domain; /* prefix of messages about it */
	unsigned int begin; /* in filter->text; ends with a NUL */
};

struct filter {
	char *text; /* all parts, one after the other */
	struct filter_part *part;
	unsigned int nr_parts; /* so far: they are parsed in this order, and the tree is the AND of the parsed ones */
	unsigned int nr_tests;
	struct filter_node *root;
	struct filter_block *blocks; /* all memory of the tree */
	bool checked;
};

/* What the parser and the lexer share during one filter__parse(). */
struct filter_parser {
	struct filter *filter;
	struct errmsg *err;
	unsigned int pos;	/* bytes lexed */
	unsigned int depth;	/* open parentheses and pending '!' */
	struct filter_loc last; /* the latest token, which is the parser's look-ahead */
	struct filter_loc prev; /* the one before it */
	int rc;			/* 0, or -errno once err is filled */
};

/* Allocate zeroed memory that is freed with f; NULL: no memory. */
void *filter__alloc(struct filter *f, size_t size);

/* Constructors return NULL if memory runs out. values may be NULL with FILTER_OP_NONE only. */
struct filter_node *filter__new_test(struct filter *f, struct filter_word name, enum filter_op op,
				     struct filter_loc op_loc, struct filter_value *values, bool braces);
struct filter_node *filter__new_not(struct filter *f, struct filter_node *child, struct filter_loc loc);
/* Join left and right by kind (AND, OR); extends left if it already is such a node. NULL operands give NULL. */
struct filter_node *filter__join(struct filter *f, enum filter_node_kind kind, struct filter_node *left,
				 struct filter_node *right);
/* AND node with the tree so far; NULL as filter__join(). */
struct filter_node *filter__and(struct filter *f, struct filter_node *node);
struct filter_value *filter__new_value(struct filter *f, struct filter_word lo, const struct filter_word *hi);
struct filter_value *filter__append_value(struct filter_value *list, struct filter_value *value);

/* Turn a member of a set of CPUs in the kernel's form, 0-3, into the range 0..3; others stay unchanged. */
void filter_value__split_cpu_list(const struct filter *f, struct filter_value *value);

struct filter_word filter__word(const struct filter *f, struct filter_loc loc, bool quoted);
bool filter_word__is(const struct filter_word *word, const char *name);
/* For "%.*s" in messages: how many bytes of a word to show, cut between characters. */
int filter_word__shown(const struct filter_word *word);

const char *filter_op__text(enum filter_op op);

/* parse.c: filter__parse() for a text that is no filter, but has its syntax. domain must outlive the filter. */
int filter__parse_as(const char *domain, const char *text, struct filter **filter, struct errmsg *err);

/* error.c: set err (may be NULL) to "DOMAIN: <message>", the text and a caret under loc; returns -errnum. */
int filter__error(const struct filter *f, struct filter_loc loc, struct errmsg *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#define WORD_ARGS(word) filter_word__shown(word), (word)->text

#endif
