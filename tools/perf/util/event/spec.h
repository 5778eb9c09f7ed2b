/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree that the grammar (event-spec.l, event-spec.y) makes of the text after -e; it contains only words and their places.
 * Private to util/event: resolve.c resolves the words.
 */
#ifndef PERF_EVENT_SPEC_H
#define PERF_EVENT_SPEC_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

/* Bytes [begin, end) of the text. */
struct spec_loc {
	unsigned int begin, end;
};

struct spec_word {
	char *text; /* owned; without quotes */
	struct spec_loc loc;
};

struct spec_term { /* name or name=value between slashes */
	struct spec_word name, value;
	bool has_value;
	struct spec_term *next;
};

/*
 * One of
 *	head				cycles
 *	head:tail[:modifier]		cycles:u or sched:sched_switch[:u]; only the names' meaning tells which
 *	head[:tail]			mem:0x1000/8:rw:u, where all up to rw is the head
 *	head[:tail]/terms/modifier	cpu/event=0x3c/u, sched:sched_switch/name=x/
 * or, if it has members, a group: head{member,member}:modifier
 * Words that are missing have text NULL.
 */
struct spec_event {
	struct spec_word head, tail, modifier;
	bool has_terms; /* "cpu//" has an empty list */
	struct spec_term *terms;
	struct spec_event *members; /* no groups themselves */
	struct spec_loc loc; /* all of it */
	struct spec_event *next;
};

/*
 * Parse an -e text, or a bare list of terms ("event=0x3c,umask=0x1", a PMU's events/NAME file). -EINVAL: syntax error, err shows the
 * place; -ENOMEM. Free the lists by spec_event__delete_list() and spec_term__delete_list().
 */
int spec__parse(const char *text, struct spec_event **events, struct errmsg *err);
int spec__parse_terms(const char *text, struct spec_term **terms, struct errmsg *err);
void spec_event__delete_list(struct spec_event *events);
void spec_term__delete_list(struct spec_term *terms);

/* Fill err with the message, the text and a mark under loc; returns -errnum. */
int spec__error(struct errmsg *err, int errnum, const char *text, struct spec_loc loc, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* What lexer and parser share. */
struct spec_parser {
	const char *text;
	int start;		/* the token that selects the grammar's start; 0 after it was returned */
	unsigned int pos;	/* of the next character */
	struct spec_event *events;
	struct spec_term *terms;
	struct errmsg *err;
	int ret;		/* 0 or -errno of the first error */
};

#endif
