// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/event/tp-eval.h"
#include "util/event/tp-text.h"
#include "util/lib/array.h"

#define MAX_NESTING 150 /* the flags of GFP_TRANSHUGE have 60, by casts and parentheses */
#define MAX_DEPTH 400  /* of a tree: sums of many flags are chains */
#define MAX_COST 10000 /* nodes that are evaluated for an argument */
#define MAX_SPAN 32    /* characters of a name */
#define MAX_LOCALS 8

enum token { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_CHAR, TOKEN_OTHER };

struct parser {
	const char *at, *end; /* behind the current token */
	enum token token;
	int op;		   /* of TOKEN_OTHER: one or two characters; of TOKEN_CHAR: its value */
	struct tp_name name;  /* of TOKEN_NAME and TOKEN_NUMBER */
	const char *text;  /* of TOKEN_TEXT, owned by print */
	size_t texts_used;
	unsigned int nesting, conditions;
	int error;
	int long_size;
	tp_constant_fn constant; /* NULL: none is known */
	void *constant_data;
	const struct tep_event *event;
	struct tp_print *print;
	struct local { /* ({ int x = 1; ... }) */
		struct tp_name name;
		struct tp_expr *value;
	} local[MAX_LOCALS];
	unsigned int nr_locals;
};

static void fail(struct parser *p, int error)
{
	if (!p->error)
		p->error = error;
	p->at = p->end;
	p->token = TOKEN_END;
}

/* Tokens */

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
}

/* The character that follows a backslash */
static int read_escape(struct parser *p)
{
	static const char letters[] = "ntrabfve0", values[] = "\n\t\r\a\b\f\v\033";
	const char *letter = p->at < p->end && *p->at ? strchr(letters, *p->at) : NULL;
	int value = 0;

	if (p->at == p->end)
		return 0;
	if (*p->at == 'x') {
		for (p->at++; p->at < p->end && isxdigit((unsigned char)*p->at); p->at++)
			value = (value << 4 | (isdigit((unsigned char)*p->at) ? *p->at - '0' : (*p->at | 0x20) - 'a' + 10)) & 0xff;
		return value;
	}
	if (*p->at >= '0' && *p->at <= '7') {
		for (int i = 0; i < 3 && p->at < p->end && *p->at >= '0' && *p->at <= '7'; i++)
			value = (value << 3 | (*p->at++ - '0')) & 0xff;
		return value;
	}
	return letter ? (p->at++, values[letter - letters]) : *p->at++;
}

/* Texts that follow one another are one. */
static void read_text(struct parser *p)
{
	char *text = p->print->texts + p->texts_used; /* there is room: a text is shorter than its quotes */
	size_t len = 0;

	while (p->at < p->end && *p->at == '"') {
		p->at++;
		while (p->at < p->end && *p->at != '"') {
			char c = *p->at++;

			text[len++] = c == '\\' ? read_escape(p) : c;
		}
		if (p->at == p->end)
			return fail(p, EINVAL);
		p->at++;
		skip_blanks(p);
	}
	text[len++] = '\0';
	p->texts_used += len;
	p->text = text;
	p->token = TOKEN_TEXT;
}

static void read_char(struct parser *p)
{
	p->at++;
	p->op = p->at < p->end ? *p->at++ : 0;
	if (p->op == '\\')
		p->op = read_escape(p);
	if (p->at == p->end || *p->at != '\'')
		return fail(p, EINVAL);
	p->at++;
	p->token = TOKEN_CHAR;
}

static void read_operator(struct parser *p)
{
	static const char pairs[] = "<<>><=>===!=&&||->";

	p->op = *p->at++;
	p->token = TOKEN_OTHER;
	for (const char *pair = pairs; *pair && p->at < p->end; pair += 2) {
		if (pair[0] == p->op && pair[1] == *p->at) {
			p->op = pair[0] << 8 | pair[1];
			p->at++;
			return;
		}
	}
}

static void next(struct parser *p)
{
	skip_blanks(p);
	if (p->error || p->at == p->end) {
		p->token = TOKEN_END;
	} else if (tp_name__has(*p->at)) {
		p->token = isdigit((unsigned char)*p->at) ? TOKEN_NUMBER : TOKEN_NAME;
		p->name.at = p->at;
		while (p->at < p->end && tp_name__has(*p->at))
			p->at++;
		p->name.len = p->at - p->name.at;
	} else if (*p->at == '"') {
		read_text(p);
	} else if (*p->at == '\'') {
		read_char(p);
	} else {
		read_operator(p);
	}
}

static bool is_op(const struct parser *p, int op)
{
	return p->token == TOKEN_OTHER && p->op == op;
}

static bool accept(struct parser *p, int op)
{
	if (!is_op(p, op))
		return false;
	next(p);
	return true;
}

static void expect(struct parser *p, int op)
{
	if (!accept(p, op))
		fail(p, EINVAL);
}

static bool at_name(const struct parser *p, const char *s)
{
	return p->token == TOKEN_NAME && tp_name__is(p->name, s);
}

/* Nodes */

static struct tp_expr *new_node(struct parser *p, enum tp_expr_kind kind)
{
	struct tp_expr *e = calloc(1, sizeof(*e));

	if (!e) {
		fail(p, ENOMEM);
		return NULL;
	}
	e->kind = kind;
	e->cost = 1;
	e->owned = p->print->nodes;
	p->print->nodes = e;
	return e;
}

/* A child may have many parents: the value of a local variable. */
static void adopt(struct parser *p, struct tp_expr *parent, const struct tp_expr *child)
{
	if (!child)
		return;
	parent->depth = child->depth >= parent->depth ? child->depth + 1 : parent->depth;
	parent->cost += child->cost;
	parent->is_unknown |= child->is_unknown;
	if (parent->depth > MAX_DEPTH || parent->cost > MAX_COST)
		fail(p, EINVAL);
}

static struct tp_expr *new_parent(struct parser *p, enum tp_expr_kind kind, int op, struct tp_expr *left, struct tp_expr *right)
{
	struct tp_expr *e = p->error ? NULL : new_node(p, kind);

	if (!e)
		return NULL;
	e->op = op;
	e->arg[0] = left;
	e->arg[1] = right;
	adopt(p, e, left);
	adopt(p, e, right);
	return e;
}

static struct tp_expr *new_number(struct parser *p, u64 number, u8 size, bool is_signed)
{
	struct tp_expr *e = new_node(p, TP_EXPR_NUMBER);

	if (e) {
		e->number = number;
		e->type = (struct tp_type){ .size = size, .is_signed = is_signed };
	}
	return e;
}

/* Types */

/* A typedef whose size is known by a field */
static struct tp_type type_by_field(const struct parser *p, struct tp_name name)
{
	for (const struct tep_format_field *field = p->event->format.fields; field; field = field->next) {
		if (tp_name__is(name, field->type) && !(field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) && field->size <= 8)
			return (struct tp_type){ .size = field->size, .is_signed = field->flags & TEP_FIELD_IS_SIGNED };
	}
	return (struct tp_type){ 0 };
}

/* Behind '(' or at the begin of a declaration. false: it is none; the parser stays where it was. */
static bool take_type(struct parser *p, struct tp_type *type, bool declares)
{
	struct parser before = *p;
	struct tp_type_words words = {};

	while (p->token == TOKEN_NAME) {
		bool is_word = tp_name__qualifies(p->name) || tp_name__is_type(p->name);

		if (declares && words.some && !is_word)
			break;
		tp_type_words__add(&words, p->name, p->long_size);
		next(p);
	}
	*type = tp_type_words__type(&words);
	if (!type->size && words.some)
		*type = type_by_field(p, words.last);
	while (accept(p, '*'))
		type->is_pointer = true;
	if (words.some && (declares ? p->token == TOKEN_NAME : is_op(p, ')')))
		return true;
	before.error = p->error;
	*p = before;
	return false;
}

/* Expressions */

static struct tp_expr *parse_expr(struct parser *p);
static struct tp_expr *parse_unary(struct parser *p);

static const struct tep_format_field *find_field(const struct parser *p, struct tp_name name)
{
	char text[128];

	if (name.len >= sizeof(text))
		return NULL;
	memcpy(text, name.at, name.len);
	text[name.len] = '\0';
	return tep_find_any_field((struct tep_event *)p->event, text);
}

static struct tp_expr *parse_field(struct parser *p)
{
	struct tp_expr *e = p->token == TOKEN_NAME ? new_node(p, TP_EXPR_FIELD) : NULL;

	if (!e) {
		fail(p, EINVAL);
		return NULL;
	}
	e->field = find_field(p, p->name);
	if (e->field)
		e->type = tp_type__of_field(e->field);
	else
		fail(p, EINVAL);
	next(p);
	return e;
}

static struct tp_expr *parse_number(struct parser *p)
{
	char text[MAX_SPAN], *end;
	u8 size = 4, longs = 0;
	bool is_signed = true;
	u64 value;

	if (p->name.len >= sizeof(text)) {
		fail(p, EINVAL);
		return NULL;
	}
	memcpy(text, p->name.at, p->name.len);
	text[p->name.len] = '\0';
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text)
		fail(p, EINVAL);
	for (; *end; end++) {
		if ((*end | 0x20) == 'u')
			is_signed = false;
		else if ((*end | 0x20) == 'l')
			longs++;
		else
			fail(p, EINVAL);
	}
	size = longs == 2 ? 8 : longs ? p->long_size : 4;
	if (value > UINT32_MAX || (value > INT32_MAX && is_signed && text[0] != '0'))
		size = 8;
	if (value > (size == 8 ? INT64_MAX : (u64)INT32_MAX))
		is_signed = false;
	next(p);
	return new_number(p, value, size, is_signed);
}

static void add_symbol(struct parser *p, struct tp_expr *call, struct tp_expr *value, const char *text)
{
	struct tp_symbol *more;

	if (p->error)
		return;
	if (array__extend(call->symbols, call->nr_symbols))
		return fail(p, ENOMEM);
	more = &call->symbols[call->nr_symbols++];
	*more = (struct tp_symbol){ .text = text };
	more->is_known = value && tp_eval__constant(value, p->long_size, &more->value);
}

/* { VALUE, "NAME" }, ...) */
static void parse_symbols(struct parser *p, struct tp_expr *call)
{
	while (accept(p, ',')) {
		struct tp_expr *value;

		expect(p, '{');
		value = parse_expr(p);
		expect(p, ',');
		if (p->token == TOKEN_TEXT) {
			add_symbol(p, call, value, p->text);
			next(p);
		} else { /* { 0, ((void *)0) }, the end of some lists */
			parse_expr(p);
		}
		expect(p, '}');
	}
}

static void parse_args(struct parser *p, struct tp_expr *call, unsigned int nr)
{
	for (unsigned int i = 0; i < nr && !p->error; i++) {
		if (i)
			expect(p, ',');
		call->arg[i] = parse_expr(p);
	}
}

/* NAME, or for strings of probes NAME[INDEX] */
static void parse_field_args(struct parser *p, struct tp_expr *call)
{
	call->arg[0] = parse_field(p);
	if (accept(p, '[')) {
		call->arg[1] = parse_expr(p);
		expect(p, ']');
	}
	if (accept(p, ',')) /* the size of elements */
		call->arg[1] = parse_expr(p);
}

static const struct function {
	const char *name;
	enum tp_function id;
	int nr; /* of expressions; -1: a field */
} functions[] = {
	{ "__print_flags", TP_FLAGS, 1 }, { "__print_flags_u64", TP_FLAGS, 1 }, { "__print_symbolic", TP_SYMBOLIC, 1 }, { "__print_symbolic_u64", TP_SYMBOLIC, 1 },
	{ "__print_hex", TP_HEX, 2 }, { "__print_hex_str", TP_HEX_STR, 2 }, { "__print_array", TP_ARRAY, 3 },
	{ "__print_dynamic_array", TP_DYNAMIC_ARRAY_TEXT, -1 }, { "__get_str", TP_STR, -1 }, { "__get_rel_str", TP_STR, -1 },
	{ "__get_bitmask", TP_BITMASK, -1 }, { "__get_rel_bitmask", TP_BITMASK, -1 }, { "__get_cpumask", TP_BITMASK, -1 }, { "__get_rel_cpumask", TP_BITMASK, -1 },
	{ "__get_dynamic_array", TP_DATA, -1 }, { "__get_rel_dynamic_array", TP_DATA, -1 }, { "__get_sockaddr", TP_DATA, -1 }, { "__get_rel_sockaddr", TP_DATA, -1 },
	{ "__get_dynamic_array_len", TP_DATA_LEN, -1 }, { "__get_rel_dynamic_array_len", TP_DATA_LEN, -1 },
	{ "__print_ns_to_secs", TP_SECONDS, 1 }, { "__print_ns_without_secs", TP_NANOSECONDS, 1 }, { "__builtin_expect", TP_EXPECT, 2 },
};

static struct tp_expr *parse_call(struct parser *p, const struct function *function)
{
	struct tp_expr *call = new_node(p, TP_EXPR_CALL);

	if (!call)
		return NULL;
	call->op = function->id;
	expect(p, '(');
	if (function->nr < 0)
		parse_field_args(p, call);
	else
		parse_args(p, call, function->nr);
	if (function->id == TP_FLAGS) {
		expect(p, ',');
		if (p->token != TOKEN_TEXT)
			fail(p, EINVAL);
		call->text = p->text;
		next(p);
	}
	if (function->id == TP_FLAGS || function->id == TP_SYMBOLIC)
		parse_symbols(p, call);
	expect(p, ')');
	for (int i = 0; i < TP_EXPR_ARGS; i++)
		adopt(p, call, call->arg[i]);
	return call;
}

static struct tp_expr *parse_sizeof(struct parser *p)
{
	struct tp_type type = {};

	expect(p, '(');
	if (!take_type(p, &type, false) || !(type.size || type.is_pointer))
		fail(p, EINVAL);
	expect(p, ')');
	return new_number(p, type.is_pointer ? p->long_size : type.size, p->long_size, false);
}

static struct tp_expr *find_local(const struct parser *p)
{
	for (unsigned int i = p->nr_locals; i > 0; i--) {
		if (p->local[i - 1].name.len == p->name.len && !memcmp(p->local[i - 1].name.at, p->name.at, p->name.len))
			return p->local[i - 1].value;
	}
	return NULL;
}

/* An enumerator, whose value may be known; jiffies, vmemmap_base */
static struct tp_expr *parse_kernel_name(struct parser *p)
{
	char name[TP_TEXT_NAME];
	struct tp_expr *node;
	u64 value;

	snprintf(name, sizeof(name), "%.*s", (int)p->name.len, p->name.at);
	if (p->constant && p->name.len < sizeof(name) && p->constant(p->constant_data, name, &value))
		return new_number(p, value, (s64)value == (s32)value ? 4 : 8, (s64)value == (s32)value);
	p->print->has_unknown = true;
	node = new_node(p, TP_EXPR_NUMBER);
	if (node)
		node->is_unknown = true;
	return node;
}

static struct tp_expr *parse_name(struct parser *p)
{
	struct tp_expr *local = find_local(p);

	if (at_name(p, "REC")) {
		next(p);
		expect(p, '-' << 8 | '>');
		return parse_field(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (at_name(p, functions[i].name)) {
			next(p);
			return parse_call(p, &functions[i]);
		}
	}
	if (at_name(p, "sizeof")) {
		next(p);
		return parse_sizeof(p);
	}
	if (at_name(p, "true") || at_name(p, "false")) {
		local = new_number(p, at_name(p, "true"), 4, true);
	} else if (!local) {
		local = parse_kernel_name(p);
	}
	next(p);
	if (is_op(p, '('))
		fail(p, EINVAL);
	return local;
}

/* Behind "({": int x = EXPR; ...; EXPR; }) */
static struct tp_expr *parse_statements(struct parser *p)
{
	const unsigned int outer = p->nr_locals;
	struct tp_expr *result;
	struct tp_type type;

	next(p);
	while (take_type(p, &type, true) && p->nr_locals < MAX_LOCALS) {
		struct local *local = &p->local[p->nr_locals];

		local->name = p->name;
		next(p);
		expect(p, '=');
		local->value = new_parent(p, TP_EXPR_CAST, 0, parse_expr(p), NULL);
		if (local->value)
			local->value->type = type;
		expect(p, ';');
		p->nr_locals++;
	}
	result = parse_expr(p);
	expect(p, ';');
	expect(p, '}');
	p->nr_locals = outer;
	return result;
}

static bool begins_operand(const struct parser *p)
{
	return p->token == TOKEN_NAME || p->token == TOKEN_NUMBER || p->token == TOKEN_TEXT || p->token == TOKEN_CHAR ||
	       (p->token == TOKEN_OTHER && strchr("(~!-+*&", p->op));
}

static struct tp_expr *parse_parenthesis(struct parser *p)
{
	const bool is_known = p->token == TOKEN_NAME && (tp_name__qualifies(p->name) || tp_name__is_type(p->name));
	struct parser before = *p;
	struct tp_expr *e;
	struct tp_type type;

	if (is_op(p, '{')) {
		e = parse_statements(p);
		expect(p, ')');
		return e;
	}
	if (!at_name(p, "REC") && take_type(p, &type, false)) {
		expect(p, ')');
		if (begins_operand(p) && (is_known || p->token != TOKEN_OTHER || p->op == '(')) {
			e = new_parent(p, TP_EXPR_CAST, 0, parse_unary(p), NULL);
			if (e)
				e->type = type;
			return e;
		}
		*p = before;
	}
	e = parse_expr(p);
	expect(p, ')');
	return e;
}

static struct tp_expr *parse_primary(struct parser *p)
{
	struct tp_expr *e = NULL;

	switch (p->token) {
	case TOKEN_NAME:
		return parse_name(p);
	case TOKEN_NUMBER:
		return parse_number(p);
	case TOKEN_CHAR:
		e = new_number(p, (s64)(signed char)p->op, 4, true);
		next(p);
		return e;
	case TOKEN_TEXT:
		e = new_node(p, TP_EXPR_TEXT);
		if (e)
			e->text = p->text;
		next(p);
		return e;
	default:
		if (accept(p, '('))
			return parse_parenthesis(p);
		fail(p, EINVAL);
		return NULL;
	}
}

static struct tp_expr *parse_postfix(struct parser *p)
{
	struct tp_expr *e = parse_primary(p);

	while (accept(p, '[')) {
		e = new_parent(p, TP_EXPR_INDEX, 0, e, parse_expr(p));
		expect(p, ']');
	}
	return e;
}

static struct tp_expr *parse_unary(struct parser *p)
{
	struct tp_expr *e = NULL;
	int op = p->op;

	if (++p->nesting > MAX_NESTING) {
		fail(p, EINVAL);
	} else if (p->token == TOKEN_OTHER && (op & 0xff00) == 0 && strchr("!~-+*&", op)) {
		next(p);
		e = new_parent(p, TP_EXPR_UNARY, op, parse_unary(p), NULL);
	} else if (is_op(p, '&' << 8 | '&') || is_op(p, '-' << 8 | '>')) {
		fail(p, EINVAL);
	} else {
		e = parse_postfix(p);
	}
	p->nesting--;
	return e;
}

static int priority(const struct parser *p)
{
	static const struct {
		char op[3];
		int priority;
	} ops[] = {
		{ "*", 10 }, { "/", 10 }, { "%", 10 }, { "+", 9 }, { "-", 9 }, { "<<", 8 }, { ">>", 8 }, { "<", 7 }, { ">", 7 }, { "<=", 7 }, { ">=", 7 },
		{ "==", 6 }, { "!=", 6 }, { "&", 5 }, { "^", 4 }, { "|", 3 }, { "&&", 2 }, { "||", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ops) && p->token == TOKEN_OTHER; i++) {
		if (p->op == (ops[i].op[1] ? ops[i].op[0] << 8 | ops[i].op[1] : ops[i].op[0]))
			return ops[i].priority;
	}
	return 0;
}

static struct tp_expr *parse_binary(struct parser *p, int least)
{
	struct tp_expr *left = parse_unary(p);
	int rank;

	while (!p->error && (rank = priority(p)) > least) {
		const int op = p->op;

		next(p);
		left = new_parent(p, TP_EXPR_BINARY, op, left, parse_binary(p, rank));
	}
	return left;
}

static struct tp_expr *parse_expr(struct parser *p)
{
	struct tp_expr *test, *yes, *e;

	if (++p->conditions > MAX_DEPTH)
		fail(p, EINVAL);
	e = test = parse_binary(p, 0);
	if (accept(p, '?')) {
		yes = is_op(p, ':') ? test : parse_expr(p);
		expect(p, ':');
		e = new_parent(p, TP_EXPR_CONDITION, 0, yes, parse_expr(p));
		if (e) {
			e->arg[2] = e->arg[1];
			e->arg[1] = e->arg[0];
			e->arg[0] = test;
			adopt(p, e, test);
		}
	}
	p->conditions--;
	return e;
}

/* Conversions */

static int scan_number(const char **at)
{
	char *end;
	unsigned long n = strtoul(*at, &end, 10);

	*at = end;
	return n < 1 << 20 ? (int)n : 1 << 20;
}

static struct tp_expr *take_arg(struct parser *p)
{
	struct tp_expr *e;

	expect(p, ',');
	e = parse_expr(p);
	if (!e)
		fail(p, EINVAL);
	return e;
}

static void scan_size(struct parser *p, struct tp_conversion *c, const char **at)
{
	int longs = 0, shorts = 0;

	for (; **at && strchr("hlLqzZtj", **at); ++*at) {
		if (**at == 'h')
			shorts++;
		else
			longs += **at == 'L' || **at == 'q' || **at == 'j' ? 2 : 1;
	}
	c->size = longs > 1 ? 8 : longs ? p->long_size : shorts > 1 ? 1 : shorts ? 2 : 4;
	if ((longs || shorts) && **at && strchr("sp", **at))
		fail(p, EINVAL);
}

static void scan_widths(struct parser *p, struct tp_conversion *c, const char **at)
{
	size_t flags = strspn(*at, "-+ #0");

	if (flags >= sizeof(c->flags))
		fail(p, EINVAL);
	else
		memcpy(c->flags, *at, flags);
	*at += flags;
	c->width = c->precision = -1;
	if (**at == '*') {
		c->width_arg = take_arg(p);
		++*at;
	} else if (isdigit((unsigned char)**at)) {
		c->width = scan_number(at);
	}
	if (**at != '.')
		return;
	++*at;
	if (**at == '*') {
		c->precision_arg = take_arg(p);
		++*at;
	} else {
		c->precision = scan_number(at);
	}
}

static void scan_pointer(struct tp_conversion *c, const char **at)
{
	size_t len = 0;

	while (isalnum((unsigned char)**at) && len < sizeof(c->pointer) - 1) {
		if (!strchr(len ? "46SspfchnblCDNRFUBL" : "FfSsBRrhbMmIiUVKNadCDgGtxeEO", **at) || (len && !strchr("IiMmUhb", c->pointer[0])))
			return;
		c->pointer[len++] = *(*at)++;
	}
}

/* What follows % */
static void scan_conversion(struct parser *p, struct tp_conversion *c, const char **at)
{
	scan_widths(p, c, at);
	scan_size(p, c, at);
	c->kind = **at;
	if (!c->kind || !strchr("diuxXocsp", c->kind))
		return fail(p, EINVAL);
	++*at;
	c->arg = take_arg(p);
	if (c->kind == 'p')
		scan_pointer(c, at);
	if (c->width > TP_TEXT_WIDTH || (c->kind != 's' && c->precision > TP_TEXT_WIDTH))
		fail(p, EINVAL);
}

static struct tp_conversion *new_conversion(struct parser *p)
{
	struct tp_print *print = p->print;

	if (array__extend(print->conversion, print->nr)) {
		fail(p, ENOMEM);
		return NULL;
	}
	print->conversion[print->nr] = (struct tp_conversion){ 0 };
	return &print->conversion[print->nr++];
}

static void scan_format(struct parser *p, const char *at)
{
	while (!p->error) {
		struct tp_conversion *c = new_conversion(p);

		if (!c)
			return;
		c->before = at;
		c->before_len = strcspn(at, "%");
		at += c->before_len;
		if (!*at)
			return;
		at++;
		if (*at != '%') {
			scan_conversion(p, c, &at);
		} else { /* the first of two belongs to the text */
			c->before_len++;
			at++;
			c->kind = '%';
		}
	}
}

/* "FORMAT", ARGUMENT, ...: arguments that no conversion takes are parsed, too */
static void parse(struct parser *p)
{
	const char *format;

	next(p);
	if (p->token != TOKEN_TEXT)
		return fail(p, EINVAL);
	format = p->text;
	next(p);
	scan_format(p, format);
	while (!p->error && accept(p, ','))
		parse_expr(p);
	if (p->token != TOKEN_END)
		fail(p, EINVAL);
}

struct tp_print *tp_print__new(const char *text, size_t size, const struct tep_event *event, int long_size,
			       tp_constant_fn constant, void *data)
{
	struct parser p = { .at = text, .end = text + size, .event = event, .long_size = long_size, .constant = constant, .constant_data = data };

	p.print = calloc(1, sizeof(*p.print));
	if (!p.print)
		return NULL;
	p.print->texts = malloc(size + 1);
	if (p.print->texts)
		parse(&p);
	else
		fail(&p, ENOMEM);
	if (!p.error)
		return p.print;
	tp_print__delete(p.print);
	errno = p.error;
	return NULL;
}

void tp_print__delete(struct tp_print *print)
{
	if (!print)
		return;
	for (struct tp_expr *e = print->nodes, *owned; e; e = owned) {
		owned = e->owned;
		free(e->symbols);
		free(e);
	}
	free(print->texts);
	free(print->conversion);
	free(print);
}
