/* SPDX-License-Identifier: GPL-2.0 */
/* Builds the tree of spec.h and gives no word a meaning. */
%define api.pure full
%define api.prefix {event_spec_}
%define api.location.type {struct spec_loc}
%define parse.error detailed
%define parse.lac full
%expect 0
%locations
%lex-param {void *scanner}
%parse-param {void *scanner} {struct spec_parser *p}

%code requires {
#include "util/event/spec.h"
}

%code {
#include <errno.h>
#include <stdlib.h>
#include <utlist.h>
#include "util/event/event-spec.tab.h"
#include "util/event/event-spec.lex.h"

#define YYLLOC_DEFAULT(cur, rhs, n) \
	((cur) = (n) ? (struct spec_loc){ YYRHSLOC(rhs, 1).begin, YYRHSLOC(rhs, n).end } : \
		       (struct spec_loc){ YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end })

/* bison 3.8 prints locations by their four classic members, in traces only */
#define YYLOCATION_PRINT(file, loc) fprintf(file, "%u-%u", (loc)->begin, (loc)->end)

static void event_spec_error(const struct spec_loc *loc, void *scanner, struct spec_parser *p, const char *text);
static struct spec_event *new_event(struct spec_word head, struct spec_word tail, struct spec_word modifier);
static struct spec_event *new_group(struct spec_word name, struct spec_event *members);
static struct spec_term *new_term(struct spec_word name, struct spec_word *value);

#define NONE ((struct spec_word){ 0 })
#define MUST(node) do { if (!(node)) YYNOMEM; } while (0)
}

%union {
	char *text;
	struct spec_word word;
	struct spec_event *event;
	struct spec_term *term;
}

%token START_EVENTS START_TERMS
%token YYEOF 0 "end of text"
%token <text> WORD "name"

%type <word> word
%type <event> items item group events event named plain
%type <term> terms term_list term

%destructor { free($$); } <text>
%destructor { free($$.text); } <word>
%destructor { spec_event__delete_list($$); } <event>
%destructor { spec_term__delete_list($$); } <term>

%%

start:
	START_EVENTS items		{ p->events = $2; }
|	START_TERMS terms		{ p->terms = $2; }
;

items:
	item
|	items ',' item			{ LL_CONCAT($1, $3); $$ = $1; }
;

item:
	event
|	group
|	group ':' word			{ $$ = $1; $$->modifier = $3; $$->loc = @$; }
;

group:
	'{' events '}'			{ MUST($$ = new_group(NONE, $2)); $$->loc = @$; }
|	word '{' events '}'		{ MUST($$ = new_group($1, $3)); $$->loc = @$; }
;

events:
	event
|	events ',' event		{ LL_CONCAT($1, $3); $$ = $1; }
;

event:
	named
|	plain '/' terms '/'		{ $$ = $1; $$->has_terms = true; $$->terms = $3; $$->loc = @$; }
|	plain '/' terms '/' word	{ $$ = $1; $$->has_terms = true; $$->terms = $3; $$->modifier = $5; $$->loc = @$; }
;

named:
	plain
|	word ':' word ':' word		{ MUST($$ = new_event($1, $3, $5)); $$->loc = @$; }
;

plain:
	word				{ MUST($$ = new_event($1, NONE, NONE)); $$->loc = @$; }
|	word ':' word			{ MUST($$ = new_event($1, $3, NONE)); $$->loc = @$; }
;

terms:
	%empty				{ $$ = NULL; }
|	term_list
;

term_list:
	term
|	term_list ',' term		{ LL_CONCAT($1, $3); $$ = $1; }
;

term:
	word				{ MUST($$ = new_term($1, NULL)); }
|	word '=' word			{ MUST($$ = new_term($1, &$3)); }
;

word:
	WORD				{ $$ = (struct spec_word){ $1, @1 }; }
;

%%

static struct spec_event *new_event(struct spec_word head, struct spec_word tail, struct spec_word modifier)
{
	struct spec_event *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	event->head = head;
	event->tail = tail;
	event->modifier = modifier;
	return event;
}

static struct spec_event *new_group(struct spec_word name, struct spec_event *members)
{
	struct spec_event *group = new_event(name, NONE, NONE);

	if (group)
		group->members = members;
	return group;
}

static struct spec_term *new_term(struct spec_word name, struct spec_word *value)
{
	struct spec_term *term = calloc(1, sizeof(*term));

	if (!term)
		return NULL;
	term->name = name;
	if (value) {
		term->value = *value;
		term->has_value = true;
	}
	return term;
}

static void event_spec_error(const struct spec_loc *loc, void *scanner, struct spec_parser *p, const char *text)
{
	if (!p->ret)
		p->ret = spec__error(p->err, EINVAL, p->text, *loc, "%s", text);
}

static int parse(struct spec_parser *p, int start)
{
	YY_BUFFER_STATE buffer;
	yyscan_t scanner;
	int ret;

	p->start = start;
	if (event_spec_lex_init_extra(p, &scanner))
		return errmsg__set(p->err, ENOMEM, "out of memory");
	buffer = event_spec__scan_string(p->text, scanner);
	ret = buffer ? event_spec_parse(scanner, p) : 2;
	event_spec_lex_destroy(scanner);
	if (ret == 2)
		return errmsg__set(p->err, ENOMEM, "out of memory");
	return p->ret;
}

int spec__parse(const char *text, struct spec_event **events, struct errmsg *err)
{
	struct spec_parser p = { .text = text, .err = err };
	int ret = parse(&p, START_EVENTS);

	if (!ret)
		*events = p.events;
	return ret;
}

int spec__parse_terms(const char *text, struct spec_term **terms, struct errmsg *err)
{
	struct spec_parser p = { .text = text, .err = err };
	int ret = parse(&p, START_TERMS);

	if (!ret)
		*terms = p.terms;
	return ret;
}
