/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The language of perf probe: what the user writes of one event.
 *	[[GROUP:]EVENT=]FUNCTION[@FILE][+OFFSET|:LINE|%return|;PATTERN] [ARGUMENT ...]
 *	[[GROUP:]EVENT=]FILE:LINE [ARGUMENT ...]	FILE;PATTERN
 *	%[sdt_PROVIDER:]NAME		sdt_PROVIDER:NAME
 *	ARGUMENT: [NAME=]VARIABLE[.FIELD|->FIELD|[N]]...[:TYPE][@user], $vars, $params, or what the kernel takes (%REG, $retval, +8(%sp), @SYMBOL, \N)
 */
#ifndef PERF_PROBE_DEFINITION_H
#define PERF_PROBE_DEFINITION_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct probe_member {
	char *name;	 /* NULL: an element of an array, or of what a pointer points to */
	bool by_pointer; /* "->" */
	u64 index;
};

enum probe_operand_kind {
	OPERAND_VARIABLE,
	OPERAND_RAW,	/* the kernel's own language; variable is the text */
	OPERAND_VARS,	/* $vars */
	OPERAND_PARAMS, /* $params */
};

struct probe_operand { /* an argument as written */
	enum probe_operand_kind kind;
	char *text;	/* all of it */
	char *name;	/* NULL: not given */
	char *variable;
	char *type;	/* NULL: not given */
	bool is_user;	/* "@user" */
	struct probe_member *member;
	unsigned int nr_members;
};

struct probe_definition {
	char *group, *event; /* NULL: not given */
	char *function;	     /* NULL: a line of a file, or an sdt mark; may be a glob */
	char *file;
	char *pattern;	     /* after ";" */
	char *provider, *mark; /* of an sdt event; the provider may be NULL */
	bool is_return, has_line, has_offset, is_address;
	u64 line;	     /* of the file; with a function: lines after its first one */
	u64 offset;	     /* bytes from the function's begin */
	u64 address;	     /* the function is 0xADDRESS */
	struct probe_operand *operand;
	unsigned int nr_operands;
};

/* -EINVAL, -ENOMEM. Exit it also after errors. */
int probe_definition__parse(struct probe_definition *def, const char *text, struct errmsg *err);
void probe_definition__exit(struct probe_definition *def);
bool probe_definition__needs_debug_info(const struct probe_definition *def); /* lines, files, patterns, or variables */
bool probe_definition__has_variables(const struct probe_definition *def);
/* "work:5", "@t.c:21", "%mark": the place, as lists show it; malloc'ed, NULL: no memory */
char *probe_definition__place(const struct probe_definition *def);
char *probe_definition__operands(const struct probe_definition *def); /* " n who:string", as written; the same */

/* A range of lines, for -L: FUNCTION[@FILE][:LINE[+NUMBER|-LINE]] or FILE[:LINE[+NUMBER|-LINE]] */
struct probe_line_range {
	char *function, *file;
	u64 first, last; /* last UINT64_MAX: to the end */
};
int probe_line_range__parse(struct probe_line_range *range, const char *text, struct errmsg *err);
void probe_line_range__exit(struct probe_line_range *range);

#endif
