/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The print format of a tracepoint, parsed: what C the kernel's macros leave in it. libtraceevent parses the fields; its own evaluation of
 * print formats (1.7) knows no signs of small numbers, no %c, and no arrays of probes.
 */
#ifndef PERF_EVENT_TP_EXPR_H
#define PERF_EVENT_TP_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

struct tep_event;
struct tep_format_field;

struct tp_type {
	u8 size; /* in bytes; 0: unknown, a value keeps its own type */
	bool is_signed;
	bool is_pointer; /* size and sign are those of what it points to */
};

enum tp_expr_kind {
	TP_EXPR_NUMBER, TP_EXPR_TEXT, TP_EXPR_FIELD, TP_EXPR_INDEX, TP_EXPR_CAST, TP_EXPR_UNARY, TP_EXPR_BINARY, TP_EXPR_CONDITION, TP_EXPR_CALL,
};

/* What the kernel's stage3 macros may call (include/trace/stages/stage3_trace_output.h) */
enum tp_function {
	TP_FLAGS, TP_SYMBOLIC, TP_HEX, TP_HEX_STR, TP_ARRAY, TP_DYNAMIC_ARRAY_TEXT, TP_STR, TP_BITMASK, TP_DATA, TP_DATA_LEN, TP_SECONDS, TP_NANOSECONDS,
	TP_EXPECT,
};

struct tp_symbol {
	u64 value;
	bool is_known; /* the kernel's headers are needed for some */
	const char *text;
};

#define TP_EXPR_ARGS 3

struct tp_expr {
	enum tp_expr_kind kind;
	int op; /* a character, or two: '<' << 8 | '<'; of a call: the function */
	unsigned int depth, cost; /* cost: of an evaluation, in nodes */
	bool is_unknown; /* it needs a name that only the kernel knows */
	struct tp_type type;  /* of a cast, a number or a field */
	u64 number;
	const char *text;
	const struct tep_format_field *field;
	struct tp_expr *arg[TP_EXPR_ARGS]; /* of a condition: what is tested, and both results */
	struct tp_symbol *symbols; /* of __print_flags and __print_symbolic, whose delimiter is the text */
	u32 nr_symbols;
	struct tp_expr *owned; /* the next node of the same print format */
};

struct tp_conversion {
	const char *before; /* text before it; of the last one, without kind: the rest */
	size_t before_len;
	char kind;	/* 'd', 'x', 's', 'p' ...; 0: the end */
	char flags[6];	/* "-+ #0" */
	int width, precision; /* -1: none */
	struct tp_expr *width_arg, *precision_arg; /* of a '*' */
	u8 size;	/* of a number */
	char pointer[5]; /* the letters of %pI6c */
	struct tp_expr *arg;
};

struct tp_print {
	struct tp_conversion *conversion;
	u32 nr;
	struct tp_expr *nodes; /* all of them */
	char *texts;
	bool has_unknown; /* it contains a name of the kernel whose value is not known */
};

struct tp_name { /* a part of a format */
	const char *at;
	size_t len;
};

bool tp_name__is(struct tp_name name, const char *s);
bool tp_name__has(char c); /* may a name contain it? */
bool tp_name__is_type(struct tp_name name);	/* a word for a type of known size */
bool tp_name__qualifies(struct tp_name name); /* unsigned, struct, const ...: a type with other words */

/* The words of a type, as they come */
struct tp_type_words {
	bool is_unsigned, is_enum, some;
	u8 longs, size;
	bool is_signed;
	struct tp_name last;
};

void tp_type_words__add(struct tp_type_words *words, struct tp_name name, int long_size);
struct tp_type tp_type_words__type(const struct tp_type_words *words);

/* The bits of a number as this type has them */
u64 tp_type__fit(struct tp_type type, u64 number);

/* The size and sign of a field's elements; of no array: of the field */
struct tp_type tp_type__of_field(const struct tep_format_field *field);

#endif
