/* SPDX-License-Identifier: GPL-2.0 */
/* The terms of the language, as one const table made from bpf_skel/filter-terms.h. Private to util/filter. */
#ifndef PERF_FILTER_TERMS_H
#define PERF_FILTER_TERMS_H

#include <stddef.h>
#include "util/filter/ast.h"

/* The kind of a term's values, which decides how check.c reads them. */
enum filter_kind {
	FILTER_KIND_NUMBER,
	FILTER_KIND_TIME,     /* ns; units allowed */
	FILTER_KIND_CPU,      /* number; sets may have lists, 0-3 */
	FILTER_KIND_USER,
	FILTER_KIND_GROUP,
	FILTER_KIND_CGROUP,
	FILTER_KIND_CONSTANT, /* one of the term's constants; if bits is set, a number as well */
	FILTER_KIND_SIGNED,   /* min..max; the slot has the value minus min */
	FILTER_KIND_PERCENT,  /* a part of 2^32 */
	FILTER_KIND_COMM,
	FILTER_KIND_SYMBOL,   /* sym */
	FILTER_KIND_FILE,     /* dso */
	FILTER_KIND_FLAG,     /* without operator and value */
	FILTER_KIND_EVERY,    /* with a number, without operator */
	FILTER_KIND_FIELD,    /* a tracepoint's field: a number */
	FILTER_KIND_STRING,   /* a tracepoint's field: a string */
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
	unsigned int shift;	/* the part of the slot: bits [shift, shift + bits) */
	unsigned int bits;	/* 0: all */
	/* For a value in two parts of the slot: position, after the shift, and number of its bits from bits on. */
	unsigned int high_at, high_bits;
	int min, max;		/* FILTER_KIND_SIGNED */
	const struct filter_constant *constants;
};

/* A field of a sample, which entries of the table refer to. */
struct filter_slot {
	const char *name;
	u64 need;  /* PERF_SAMPLE_* bit to set in the event's attr, or 0 */
	u64 guard; /* the sample has the field if sample_flags has one of these bits; 0: always, since a helper reads it */
	bool tracepoint; /* tracepoints have it, too */
};

/* NULL if no term or alias has this name. */
const struct filter_term_desc *filter_term__find(const struct filter_word *name);
u64 filter_term__mask(const struct filter_term_desc *term);
/* A number's bits in the slot, after the shift. */
u64 filter_term__spread(const struct filter_term_desc *term, u64 value);
/* The greatest number that the bits of the term hold. */
u64 filter_term__max(const struct filter_term_desc *term);
#define FILTER_TIME_VALUES "a number of nanoseconds, or a time with ns, us, ms or s"
/* "a user name or number": the values of the term, for messages */
const char *filter_term__values(const struct filter_term_desc *term);
/* "tid pid cpu ...": all terms, or only those that tracepoints have */
void filter_term__list(char *buf, size_t size, bool tracepoint);
/*
 * Finds the name that is spelled most like word: offer each to filter_near__try(), and terms by filter_near__try_terms(). near->name
 * is NULL if none is near.
 */
struct filter_near {
	const struct filter_word *word;
	const char *name;
	unsigned int distance;
};
void filter_near__try(struct filter_near *near, const char *name);
void filter_near__try_terms(struct filter_near *near, bool tracepoint);
bool filter_term__has_tracepoint(const struct filter_term_desc *term);

/* Make a term of a field; not for FILTER_FIELD_OTHER. name must live as long as term. */
void filter_term__init_field(struct filter_term_desc *term, const char *name, const struct filter_field_desc *field);
/* The common field with the thread that hit the tracepoint. BPF does not see it, but knows the thread. */
extern const struct filter_term_desc filter_term_common_pid;
/*
 * Invert the sign bit of a signed field's number, there and back; others stay unchanged. filter_value.first and last have it
 * inverted, so that they sort as unsigned numbers.
 */
u64 filter_field__invert_sign(const struct filter_field_desc *field, u64 value);

/* As near__distance() */
unsigned int filter_word__distance(const struct filter_word *word, const char *name);

const struct filter_slot *filter_slot__get(enum filter_term slot);

#endif
