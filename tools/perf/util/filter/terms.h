/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terms of the language, as one const table: a new term is a row (and, if it is a new piece of a sample, a slot).
 * Private to util/filter.
 */
#ifndef PERF_FILTER_TERMS_H
#define PERF_FILTER_TERMS_H

#include <stddef.h>
#include "util/filter/ast.h"

/* What the values of a term are, and so how check.c reads them. */
enum filter_kind {
	FILTER_KIND_NUMBER,
	FILTER_KIND_TIME,     /* ns; units allowed */
	FILTER_KIND_CPU,      /* number, lists 0-3 in sets */
	FILTER_KIND_USER,
	FILTER_KIND_GROUP,
	FILTER_KIND_CGROUP,
	FILTER_KIND_CONSTANT, /* one of the term's own names; where bits are given, a number as well */
	FILTER_KIND_SIGNED,   /* min..max; the slot has the difference to min */
	FILTER_KIND_PERCENT,  /* a part of 2^32 */
	FILTER_KIND_COMM,
	FILTER_KIND_SYMBOL,   /* sym */
	FILTER_KIND_FILE,     /* dso */
	FILTER_KIND_FLAG,     /* stands alone */
	FILTER_KIND_EVERY,    /* stands with a number, without operator */
	FILTER_KIND_FIELD,    /* a tracepoint's own: a number */
	FILTER_KIND_STRING,   /* the same: a string */
	FILTER_KIND_MAX,
};

struct filter_constant {
	const char *name; /* NULL ends the list */
	u64 value;
};

struct filter_term_desc {
	const char *name;
	const char *aliases[2];
	enum filter_kind kind;
	unsigned int ops;	/* 1 << enum filter_op */
	enum filter_term slot;	/* for comm: FILTER_TERM_COMM_LO */
	unsigned int shift;	/* the part of the slot that is meant: bits [shift, shift + bits) */
	unsigned int bits;	/* 0: all */
	/* Of a value that is in two places of the slot: where its bits from bits on are, after the shift, and how many. */
	unsigned int high_at, high_bits;
	int min, max;		/* FILTER_KIND_SIGNED */
	const struct filter_constant *constants;
};

/* One field of a sample, as the table's entries name it. */
struct filter_slot {
	const char *name;
	u64 need;  /* PERF_SAMPLE_* bit that the event gets, or 0 */
	u64 guard; /* the field is there if sample_flags has one of these; 0: always, since a helper reads it */
	bool tracepoint; /* a tracepoint has it, too */
};

/* NULL if no term or alias is spelled like this. */
const struct filter_term_desc *filter_term__find(const struct filter_word *name);
u64 filter_term__mask(const struct filter_term_desc *term);
/* A number as it stands in the slot after the shift. */
u64 filter_term__spread(const struct filter_term_desc *term, u64 value);
/* The greatest number that the bits of the term hold. */
u64 filter_term__max(const struct filter_term_desc *term);
/* "a user name or number": what the term compares with */
const char *filter_term__values(const struct filter_term_desc *term);
/* "tid pid cpu ...": the terms that can be used, or those of them that a tracepoint has */
void filter_term__list(char *buf, size_t size, bool tracepoint);
/*
 * The name that is spelled most like word: offer each to filter_near__try(). near->name is NULL if none is near. Terms are
 * offered by filter_near__try_terms().
 */
struct filter_near {
	const struct filter_word *word;
	const char *name;
	unsigned int distance;
};
void filter_near__try(struct filter_near *near, const char *name);
void filter_near__try_terms(struct filter_near *near, bool tracepoint);
bool filter_term__has_tracepoint(const struct filter_term_desc *term);

/* A field as a term; FILTER_FIELD_OTHER cannot be one. name lives as long as term. */
void filter_term__init_field(struct filter_term_desc *term, const char *name, const struct filter_field_desc *field);
/* The common field that says which thread hit the tracepoint. BPF does not see it, but knows the thread. */
extern const struct filter_term_desc filter_term_common_pid;
/*
 * Numbers of a signed field are kept in filter_value.first and last with their sign bit inverted, so that they are ordered as
 * unsigned ones; this inverts it, there and back. Others stay.
 */
u64 filter_field__invert_sign(const struct filter_field_desc *field, u64 value);

/* As near__distance() */
unsigned int filter_word__distance(const struct filter_word *word, const char *name);

const struct filter_slot *filter_slot__get(enum filter_term slot);

#endif
