// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "util/filter/terms.h"

#define OP(name) (1u << FILTER_OP_##name)
#define OPS_EQUAL (OP(EQ) | OP(NE) | OP(IN))
#define OPS_ORDER (OP(GT) | OP(GE) | OP(LT) | OP(LE))
#define OPS_NUMBER (OPS_EQUAL | OPS_ORDER | OP(ANY))
#define OPS_SIGNED (OPS_EQUAL | OPS_ORDER)
#define OPS_FLAG OP(NONE)
#define OPS_STRING (OPS_EQUAL | OP(GLOB) | OP(NOT_GLOB))

#define CONSTANT(name, value) { name, value },
#define FILTER_BITS(first, nr) .shift = (first), .bits = (nr)
#define TERM(n, k, o, f, c, ...)					\
	{								\
		.name = (n),						\
		.kind = FILTER_KIND_##k,				\
		.ops = OPS_##o,						\
		.slot = FILTER_TERM_##f,				\
		.constants = (const struct filter_constant[]){		\
			FILTER_CONSTANTS_##c(CONSTANT)			\
			{ NULL, 0 },					\
		},							\
		##__VA_ARGS__						\
	},

static const struct filter_term_desc terms[] = { FILTER_TERMS(TERM) };

/* What the kernel writes into the header of each record, where BPF sees something else. */
const struct filter_term_desc filter_term_common_pid = {
	.name = "common_pid",
	.kind = FILTER_KIND_SIGNED,
	.ops = OPS_NUMBER,
	.slot = FILTER_TERM_TID,
	.max = INT_MAX,
};

#define SB(bit) PERF_SAMPLE_##bit
#define SLOT(name, shown, bit, guard, group, old, traced, ...) \
	[FILTER_TERM_##name] = { shown, bit, guard, FILTER_IF(traced, YES, true) FILTER_IF(traced, NO, false) },

static const struct filter_slot slots[FILTER_TERM_MAX] = {
	FILTER_FIELDS(SLOT)
	[FILTER_TERM_RECORD ... FILTER_TERM_RECORD_LAST] = { "record", PERF_SAMPLE_RAW, 0, true },
	FILTER_TESTS(SLOT)
};

const struct filter_slot *filter_slot__get(enum filter_term slot)
{
	return &slots[slot];
}

const struct filter_term_desc *filter_term__find(const struct filter_word *name)
{
	const struct filter_term_desc *term;
	size_t i, a;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		term = &terms[i];
		if (filter_word__is(name, term->name))
			return term;
		for (a = 0; a < ARRAY_SIZE(term->aliases) && term->aliases[a]; a++) {
			if (filter_word__is(name, term->aliases[a]))
				return term;
		}
	}
	return NULL;
}

static u64 low_bits(unsigned int nr)
{
	return nr < 64 ? (1ULL << nr) - 1 : ~0ULL;
}

u64 filter_term__mask(const struct filter_term_desc *term)
{
	return term->bits ? low_bits(term->bits) | low_bits(term->high_bits) << term->high_at : ~0ULL;
}

u64 filter_term__max(const struct filter_term_desc *term)
{
	return term->bits ? low_bits(term->bits + term->high_bits) : ~0ULL;
}

u64 filter_term__spread(const struct filter_term_desc *term, u64 value)
{
	return term->high_bits ? (value & low_bits(term->bits)) | value >> term->bits << term->high_at : value;
}

const char *filter_term__values(const struct filter_term_desc *term)
{
	static const char *const values[FILTER_KIND_MAX] = {
		[FILTER_KIND_NUMBER] = "a number (decimal, 0x hexadecimal, or with K, M or G)",
		[FILTER_KIND_TIME] = "a number of nanoseconds, or a time with ns, us, ms or s",
		[FILTER_KIND_CPU] = "a CPU number",
		[FILTER_KIND_USER] = "a user's name or number",
		[FILTER_KIND_GROUP] = "a group's name or number",
		[FILTER_KIND_CGROUP] = "a cgroup's path or id",
		[FILTER_KIND_CONSTANT] = "one of its names",
		[FILTER_KIND_SIGNED] = "a number, which may be negative",
		[FILTER_KIND_PERCENT] = "a percentage from 0% to 100%, such as 2.5%",
		[FILTER_KIND_EVERY] = "a number from 1 to 4294967295",
		[FILTER_KIND_COMM] = "a command name",
		[FILTER_KIND_FIELD] = "a number (decimal, 0x hexadecimal, or with K, M or G)",
		[FILTER_KIND_STRING] = "a string",
	};

	return values[term->kind];
}

bool filter_term__has_tracepoint(const struct filter_term_desc *term)
{
	return slots[term->slot].tracepoint;
}

void filter_term__list(char *buf, size_t size, bool tracepoint)
{
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(terms) && n < size; i++) {
		if (!tracepoint || filter_term__has_tracepoint(&terms[i]))
			n += snprintf(buf + n, size - n, "%s%s", n ? " " : "", terms[i].name);
	}
}

void filter_term__init_field(struct filter_term_desc *term, const char *name, const struct filter_field_desc *field)
{
	bool number = field->kind == FILTER_FIELD_NUMBER;

	*term = (struct filter_term_desc){
		.name = name,
		.kind = number ? FILTER_KIND_FIELD : FILTER_KIND_STRING,
		.ops = number ? OPS_NUMBER : OPS_STRING,
		.slot = FILTER_TERM_RECORD + field->offset / 8,
		.shift = field->offset % 8 * 8,
		.bits = number ? field->size * 8 : 0,
	};
}

u64 filter_field__invert_sign(const struct filter_field_desc *field, u64 value)
{
	return field->is_signed ? value ^ 1ULL << (field->size * 8 - 1) : value;
}

/* Levenshtein's distance, row by row */
unsigned int filter_word__distance(const struct filter_word *word, const char *name)
{
	unsigned int row[FILTER_FAR + 1], len = strlen(name), i, j, diagonal, best;

	if (word->len > FILTER_FAR || len > FILTER_FAR)
		return FILTER_FAR;
	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 1; i <= word->len; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= len; j++) {
			best = diagonal + (word->text[i - 1] != name[j - 1]);
			diagonal = row[j];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > row[j - 1] + 1)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len];
}

void filter_near__try(struct filter_near *near, const char *name)
{
	unsigned int d = filter_word__distance(near->word, name);
	unsigned int best = near->name ? near->distance : 3; /* two slips, e.g. two letters swapped */

	/* a word with no letter in common is no slip of a short name */
	if (d < best && d < strlen(name)) {
		near->distance = d;
		near->name = name;
	}
}

void filter_near__try_terms(struct filter_near *near, bool tracepoint)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		if (!tracepoint || filter_term__has_tracepoint(&terms[i]))
			filter_near__try(near, terms[i].name);
	}
}
