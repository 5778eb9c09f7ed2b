/* SPDX-License-Identifier: GPL-2.0 */
/* Builds nodes only: what names and values mean is the business of check.c and kernel.c. */
%define api.pure full
%define api.prefix {filter_yy}
%define api.location.type {struct filter_loc}
%define parse.error custom
%define parse.lac full
%expect 0
%locations
%lex-param {void *scanner}
%parse-param {void *scanner} {struct filter_parser *p}

%code requires {
#include "util/filter/ast.h"
}

/* flex's header uses the names without the prefix */
%code provides {
#define YYSTYPE FILTER_YYSTYPE
#define YYLTYPE FILTER_YYLTYPE
}

%code {
#include <errno.h>
#include <stdio.h>
#include "util/filter/filter.tab.h"
#include "util/filter/filter.lex.h"

#define YYLLOC_DEFAULT(cur, rhs, n) \
	((cur) = (n) ? (struct filter_loc){ YYRHSLOC(rhs, 1).begin, YYRHSLOC(rhs, n).end } : \
		       (struct filter_loc){ YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end })

/* bison 3.8 prints locations by their four classic members, in traces only */
#define YYLOCATION_PRINT(file, loc) fprintf(file, "%u-%u", (loc)->begin, (loc)->end)

static void filter_yyerror(const struct filter_loc *loc, void *scanner, struct filter_parser *p, const char *text);
static int enter(struct filter_parser *p, struct filter_loc loc);

/* The constructors return NULL when memory runs out. */
#define MUST(node) do { if (!(node)) YYNOMEM; } while (0)
}

%union {
	enum filter_op op;
	bool braces;
	struct filter_word word;
	struct filter_value *value;
	struct filter_node *node;
}

%token T_END 0
%token T_AND T_OR T_NOT T_IN T_OPEN T_CLOSE T_SET_OPEN T_SET_CLOSE T_COMMA T_RANGE
%token <op> T_CMP T_GLOB
%token <word> T_WORD T_STRING

%type <node> filter or and not test
%type <value> argument value range items set
%type <word> text

%%

start:	  filter			{ MUST(p->filter->root = filter__and(p->filter, $filter)); }

filter:	  or
	| filter T_COMMA or		{ MUST($$ = filter__join(p->filter, FILTER_AND, $1, $3)); }

or:	  and
	| or T_OR and			{ MUST($$ = filter__join(p->filter, FILTER_OR, $1, $3)); }

and:	  not
	| and T_AND not			{ MUST($$ = filter__join(p->filter, FILTER_AND, $1, $3)); }

not:	  test
	| bang not			{ p->depth--; MUST($$ = filter__new_not(p->filter, $2, @$)); }
	| open filter T_CLOSE		{ p->depth--; $$ = $2; }

bang:	  T_NOT				{ if (enter(p, @1)) YYABORT; }
open:	  T_OPEN			{ if (enter(p, @1)) YYABORT; }

test:	  T_WORD			{ MUST($$ = filter__new_test(p->filter, $1, FILTER_OP_NONE, @1, NULL, false)); }
	| T_WORD argument		{ MUST($$ = filter__new_test(p->filter, $1, FILTER_OP_NONE, @2, $2, false)); }
	| T_WORD T_CMP value		{ MUST($$ = filter__new_test(p->filter, $1, $2, @2, $3, false)); }
	| T_WORD T_GLOB value		{ MUST($$ = filter__new_test(p->filter, $1, $2, @2, $3, false)); }
	| T_WORD T_IN set		{ MUST($$ = filter__new_test(p->filter, $1, FILTER_OP_IN, @2, $3, false)); }
	| T_WORD T_IN T_SET_OPEN items T_SET_CLOSE
					{
						MUST($$ = filter__new_test(p->filter, $1, FILTER_OP_IN, @2, $4, true));
						$$->loc.end = @5.end;
					}

	| T_WORD T_NOT T_IN set		{
						struct filter_node *in = filter__new_test(p->filter, $1, FILTER_OP_IN, @3, $4, false);

						MUST($$ = filter__new_not(p->filter, in, @$));
					}
	| T_WORD T_NOT T_IN T_SET_OPEN items T_SET_CLOSE
					{
						struct filter_node *in = filter__new_test(p->filter, $1, FILTER_OP_IN, @3, $5, true);

						MUST($$ = filter__new_not(p->filter, in, @$));
						in->loc.end = @6.end;
					}

set:	  value
	| range

items:	  set
	| items T_COMMA set		{ MUST($$ = filter__append_value($1, $3)); }

argument: T_WORD			{ MUST($$ = filter__new_value(p->filter, $1, NULL)); }

value:	  text				{ MUST($$ = filter__new_value(p->filter, $1, NULL)); }

range:	  text T_RANGE text		{ MUST($$ = filter__new_value(p->filter, $1, &$3)); }

text:	  T_WORD
	| T_STRING

%%

/* bison calls this for one reason only: its stack could not grow (syntax errors go to yyreport_syntax_error) */
static void filter_yyerror(const struct filter_loc *loc, void *scanner, struct filter_parser *p, const char *text)
{
	if (!p->rc)
		p->rc = filter__error(p->filter, *loc, p->err, ENOMEM, "out of memory while reading the filter");
}

static int enter(struct filter_parser *p, struct filter_loc loc)
{
	if (++p->depth <= FILTER_MAX_DEPTH)
		return 0;
	p->rc = filter__error(p->filter, loc, p->err, EINVAL, "more than %d levels of '(' and '!' inside each other",
			      FILTER_MAX_DEPTH);
	return -1;
}

static bool expected(const yypcontext_t *ctx, yysymbol_kind_t kind)
{
	yysymbol_kind_t kinds[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, kinds, YYNTOKENS);

	while (n-- > 0) {
		if (kinds[n] == kind)
			return true;
	}
	return false;
}

/* What could stand at the place of the error, in words. */
static const char *wanted(const yypcontext_t *ctx)
{
	if (expected(ctx, YYSYMBOL_T_CMP))
		return "an operator (== != < <= > >= & in ~ !~)";
	if (expected(ctx, YYSYMBOL_T_NOT))
		return "a test such as 'tid == 1'";
	if (expected(ctx, YYSYMBOL_T_SET_OPEN))
		return "a set such as {1,2}, a range such as 1..5 or a value";
	if (expected(ctx, YYSYMBOL_T_WORD))
		return "a value";
	if (expected(ctx, YYSYMBOL_T_SET_CLOSE))
		return "',' or '}'";
	if (expected(ctx, YYSYMBOL_T_CLOSE))
		return "'&&', '||', ',' or ')'";
	return "'&&', '||', ',' or the end";
}

/* A remedy for mistakes that are easily made, else "". */
static const char *hint(const yypcontext_t *ctx, const char *token)
{
	bool value = expected(ctx, YYSYMBOL_T_STRING);

	switch (yypcontext_token(ctx)) {
	case YYSYMBOL_T_RANGE:
		return value ? "" : "; a range goes after 'in', as in: tid in 10..20";
	case YYSYMBOL_T_SET_OPEN:
		return value ? "; a set goes after 'in', as in: cpu in {0,2}" : "";
	case YYSYMBOL_T_AND:
	case YYSYMBOL_T_OR:
	case YYSYMBOL_T_NOT:
	case YYSYMBOL_T_IN:
		return value && token[0] >= 'a' ? "; a value that is spelled like this goes in quotes" : "";
	case YYSYMBOL_T_STRING:
		return expected(ctx, YYSYMBOL_T_NOT) && !expected(ctx, YYSYMBOL_T_CMP) ? "; the term comes first, without quotes" : "";
	default:
		return "";
	}
}

static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct filter_parser *p)
{
	const struct filter_loc *at = yypcontext_location(ctx);
	struct filter_word prev = filter__word(p->filter, p->prev, false);
	const char *what = wanted(ctx), *remedy = hint(ctx, p->filter->text + at->begin);

	if (prev.len)
		p->rc = filter__error(p->filter, *at, p->err, EINVAL, "expected %s after '%.*s'%s", what, WORD_ARGS(&prev),
				      remedy);
	else
		p->rc = filter__error(p->filter, *at, p->err, EINVAL, "expected %s%s", what, remedy);
	return 0;
}
