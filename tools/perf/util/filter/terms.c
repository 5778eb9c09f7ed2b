// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "util/filter/terms.h"
#include "util/lib/near.h"

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

/* Fields that the kernel writes into the header of each record, where BPF sees something else. */
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
	[FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST] = { "walk", 0, 0, true },
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
		[FILTER_KIND_TIME] = FILTER_TIME_VALUES,
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

static void put_term(struct text *lines, const struct filter_term_desc *term, const char *name)
{
	const char *sep = "";

	text__str(lines, name);
	text__char(lines, ':');
	for (int op = 0; op < FILTER_OP_NONE; op++) {
		if (!(term->ops & 1u << op))
			continue;
		text__str(lines, sep);
		text__str(lines, filter_op__text(op));
		sep = " ";
	}
	text__char(lines, ':');
	for (const struct filter_constant *constant = term->constants; constant->name; constant++) {
		text__str(lines, constant == term->constants ? "" : " ");
		text__str(lines, constant->name);
	}
	text__char(lines, '\n');
}

void filter__list_terms(struct text *lines)
{
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++) {
		put_term(lines, &terms[i], terms[i].name);
		for (size_t a = 0; a < ARRAY_SIZE(terms[i].aliases) && terms[i].aliases[a]; a++)
			put_term(lines, &terms[i], terms[i].aliases[a]);
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

unsigned int filter_word__distance(const struct filter_word *word, const char *name)
{
	return near__distance(word->text, word->len, name);
}

/* One slip in three letters */
void filter_near__try(struct filter_near *near, const char *name)
{
	unsigned int d = filter_word__distance(near->word, name);
	unsigned int allowed = near->word->len / 3;

	if (d <= allowed && d < strlen(name) && (!near->name || d < near->distance)) {
		near->distance = d;
		near->name = name;
	}
}

/* Names that other tools use for the same terms. */
static const struct {
	const char *meant, *term;
} meanings[] = {
	{ "name", "comm" }, { "command", "comm" }, { "cmd", "comm" }, { "process", "comm" }, { "program", "comm" }, { "user", "uid" },
	{ "group", "gid" }, { "symbol", "sym" }, { "function", "sym" }, { "func", "sym" }, { "thread", "tid" }, { "parent", "ppid" },
	{ "file", "dso" }, { "library", "dso" }, { "lib", "dso" }, { "object", "dso" }, { "module", "dso" }, { "binary", "dso" },
	{ "address", "addr" }, { "priority", "prio" }, { "timestamp", "time" }, { "container", "cgroup" }, { "random", "rand" },
	{ "processor", "cpu" }, { "core", "cpu" },
};

static void try_meanings(struct filter_near *near, bool tracepoint)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		const struct filter_word term = { .text = meanings[i].term, .len = strlen(meanings[i].term) };

		if (filter_word__is(near->word, meanings[i].meant) && (!tracepoint || filter_term__has_tracepoint(filter_term__find(&term)))) {
			near->name = meanings[i].term;
			near->distance = 0;
		}
	}
}

void filter_near__try_terms(struct filter_near *near, bool tracepoint)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		if (!tracepoint || filter_term__has_tracepoint(&terms[i]))
			filter_near__try(near, terms[i].name);
	}
	try_meanings(near, tracepoint);
}
