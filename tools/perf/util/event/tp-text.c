// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#define MAX_WIDTH 1024	       /* limit of a width in an argument */
#define MAX_PRECISION INT16_MAX /* of a text, which a precision does not lengthen */

#define NUMBER 24  /* characters of a 64-bit number, in any base */
#define POINTER 64 /* of an address of any kind, or of libtraceevent's text instead of one */

struct bound {
	u64 fixed, per_byte;
};

struct conversion {
	char kind; /* 'd' for all numbers, 's', 'p'; 0: libtraceevent does not know the conversion, and uses no argument for it */
	bool is_wide;
	bool names_function;
	u64 width, precision;
	struct tp_length length; /* arg NULL: no '*' */
	const struct tep_print_arg *arg;
};

struct scan {
	const char *at;
	const struct tep_print_arg *arg; /* the next argument */
};

static const struct tep_print_arg *take_arg(struct scan *s)
{
	const struct tep_print_arg *arg = s->arg;

	s->arg = arg ? arg->next : NULL;
	return arg;
}

static void scan_number(struct scan *s, u64 *number)
{
	char *end;
	u64 more = strtoul(s->at, &end, 10);

	*number += more < UINT32_MAX ? more : UINT32_MAX;
	s->at = end;
}

/* In any order, as libtraceevent accepts them. */
static void scan_modifiers(struct scan *s, struct conversion *c)
{
	u64 *number = &c->width;

	for (;; s->at++) {
		while (*s->at >= '0' && *s->at <= '9')
			scan_number(s, number);
		switch (*s->at) {
		case '.':
			number = &c->precision;
			break;
		case '*':
			c->length = (struct tp_length){ take_arg(s), number == &c->width ? MAX_WIDTH : MAX_PRECISION };
			break;
		case 'l': case 'L': case 'z': case 'Z':
			c->is_wide = true;
			break;
		case '#': case 'h': case '-':
			break;
		default:
			return;
		}
	}
}

/* Parse what follows %. */
static struct conversion scan_conversion(struct scan *s)
{
	struct conversion c = {};

	scan_modifiers(s, &c);
	if (!*s->at)
		return c;
	if (strchr("duixXo", *s->at))
		c.kind = 'd';
	else if (strchr("sp", *s->at))
		c.kind = *s->at;
	if (c.kind == 'p')
		c.names_function = s->at[1] && strchr("FfSs", s->at[1]);
	if (c.kind == 'd' && c.length.max > MAX_WIDTH)
		c.length.max = MAX_WIDTH;
	if (c.kind)
		c.arg = take_arg(s);
	s->at++;
	return c;
}

/* Returns false at the end of the format. */
static bool next_conversion(struct scan *s, struct conversion *c)
{
	for (; *s->at; s->at++) {
		if (*s->at == '\\' || (s->at[0] == '%' && s->at[1] == '%')) {
			s->at++;
			if (!*s->at)
				return false;
		} else if (*s->at == '%') {
			s->at++;
			*c = scan_conversion(s);
			return true;
		}
	}
	return false;
}

static struct scan scan_format(const struct tep_event *event)
{
	return (struct scan){ event->print_fmt.format ?: "", event->print_fmt.args };
}

/* Sum over all flags: any of them may be set. */
static void add_flags(struct bound *b, const struct tep_print_arg *arg, u64 width)
{
	const char *delim = arg->flags.delim ?: "";

	for (const struct tep_print_flag_sym *flag = arg->flags.flags; flag; flag = flag->next)
		b->fixed += width + strlen(flag->str) + strlen(delim);
	b->fixed += NUMBER;
}

static void add_symbols(struct bound *b, const struct tep_print_arg *arg, u64 width)
{
	u64 longest = NUMBER;

	for (const struct tep_print_flag_sym *symbol = arg->symbol.symbols; symbol; symbol = symbol->next)
		longest = strlen(symbol->str) > longest ? strlen(symbol->str) : longest;
	b->fixed += width + longest;
}

/* The length of %s for an argument. false: unknown. */
static bool add_text(struct bound *b, const struct tep_print_arg *arg, u64 width)
{
	b->fixed += width;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		b->fixed += strlen(arg->atom.atom);
		return true;
	case TEP_PRINT_FIELD:
		if (arg->field.field && arg->field.field->flags & TEP_FIELD_IS_ARRAY)
			b->per_byte++;
		else /* it may point to a kernel string */
			b->fixed += TP_TEXT_NAME;
		return true;
	case TEP_PRINT_FLAGS:
		add_flags(b, arg, width);
		return true;
	case TEP_PRINT_SYMBOL:
		add_symbols(b, arg, width);
		return true;
	case TEP_PRINT_HEX: case TEP_PRINT_HEX_STR: case TEP_PRINT_BITMASK:
		b->per_byte += 3;
		return true;
	case TEP_PRINT_INT_ARRAY:
		b->fixed += 2 * NUMBER; /* where the size of the elements is none */
		b->per_byte += 4;
		return true;
	case TEP_PRINT_CPUMASK: /* pairs of CPUs, each as two numbers: 14 characters for 3 bits */
		b->per_byte += 38;
		return true;
	case TEP_PRINT_STRING:
		b->per_byte++;
		return true;
	case TEP_PRINT_OP:
		return arg->op.op[0] != '?' || (add_text(b, arg->op.right->op.left, width) && add_text(b, arg->op.right->op.right, width));
	case TEP_PRINT_NULL: case TEP_PRINT_TYPE: case TEP_PRINT_DYNAMIC_ARRAY: case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return true; /* nothing is printed */
	default:
		return false;
	}
}

static bool add_conversion(struct bound *b, const struct conversion *c)
{
	u64 width = c->width;

	if (!c->kind) {
		b->fixed += strlen(">c<");
		return true;
	}
	if (!c->arg)
		return false;
	if (c->length.max == MAX_WIDTH)
		width += MAX_WIDTH;
	if (c->kind == 's') /* no text has wide characters */
		return !c->is_wide && add_text(b, c->arg, width);
	if (c->kind == 'p') {
		b->fixed += POINTER + (c->names_function ? TP_TEXT_NAME : 0);
		b->per_byte += 3; /* bytes, by %ph */
	} else {
		b->fixed += width + c->precision + NUMBER;
	}
	return true;
}

/* Fields that are no arrays may be printed by their conversions, each by another one. */
static void add_fields(struct bound *b, const struct tep_event *event)
{
	for (const struct tep_format_field *field = event->format.fields; field; field = field->next) {
		b->fixed += strlen(" =ARRAY[]") + strlen(field->name) + NUMBER;
		if (field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC))
			b->per_byte += 4;
	}
}

bool tp_text__is_bounded(const struct tep_event *event)
{
	struct scan s = scan_format(event);
	struct bound b = { .fixed = strlen(s.at) };
	struct conversion c;

	while (next_conversion(&s, &c)) {
		if (!add_conversion(&b, &c))
			return false;
	}
	add_fields(&b, event);
	return b.fixed <= TP_TEXT_FIXED && b.per_byte <= TP_TEXT_PER_BYTE;
}

int tp_text__find_lengths(const struct tep_event *event, struct tp_length **lengths, u32 *nr)
{
	struct scan s = scan_format(event);
	struct conversion c;

	*lengths = NULL;
	*nr = 0;
	while (next_conversion(&s, &c)) {
		struct tp_length *more;

		if (!c.length.arg || (c.kind != 'd' && c.kind != 's')) /* it is not passed to printf */
			continue;
		more = reallocarray(*lengths, *nr + 1, sizeof(*more));
		if (!more) {
			free(*lengths);
			*lengths = NULL;
			return -ENOMEM;
		}
		*lengths = more;
		more[(*nr)++] = c.length;
	}
	return 0;
}
