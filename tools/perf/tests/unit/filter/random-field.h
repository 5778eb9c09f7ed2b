/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up tracepoint, its fields, random records of it, and the expected results of tests of fields: see random-filter.h. */
#ifndef PERF_TESTS_RANDOM_FIELD_H
#define PERF_TESTS_RANDOM_FIELD_H

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include "tests/unit/filter/random.h"
#include "util/filter/filter.h"

#define AT(o, s, k, ...) { .offset = (o), .size = (s), .kind = FILTER_FIELD_##k, ##__VA_ARGS__ }

/* One has the name of a term, one begins in the middle of a word, one ends the part of the record that filters read. */
static const struct field {
	const char *name;
	struct filter_field_desc desc;
} fields[] = {
	{ "a_ushort", AT(12, 2, NUMBER) },
	{ "a_byte", AT(15, 1, NUMBER) },
	{ "a_ulong", AT(16, 8, NUMBER) },
	{ "prio", AT(32, 4, NUMBER) },
	{ "an_int", AT(8, 4, NUMBER, .is_signed = true) },
	{ "a_char", AT(14, 1, NUMBER, .is_signed = true) },
	{ "a_long", AT(24, 8, NUMBER, .is_signed = true) },
	{ "a_short", AT(36, 2, NUMBER, .is_signed = true) },
	{ "far", AT(504, 8, NUMBER, .is_signed = true) },
	{ "path", AT(40, 4, DATA_LOC) },
	{ "rel", AT(44, 4, REL_LOC) },
	{ "title", AT(48, 16, CHARS) },
	{ "odd", AT(67, 9, CHARS) },
};
enum { AT_PATH = 80, AT_REL = 400, AT_FAR = 504 }; /* positions from which dynamic strings are placed */

static int fake_find_field(void *data, const char *name, struct filter_field_desc *desc)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!strcmp(fields[i].name, name)) {
			*desc = fields[i].desc;
			return 0;
		}
	}
	return -ENOENT;
}

static int fake_fields(void *data, int (*cb)(void *arg, const char *name), void *arg)
{
	int ret = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(fields) && !ret; i++)
		ret = cb(arg, fields[i].name);
	return ret;
}

static const struct filter_env fake_tp_env = { .find_field = fake_find_field, .for_each_field = fake_fields };

/* A signed field's as s64. 0 is none of an unsigned one of 8 bytes: `< 0` of these is refused. */
static u64 rnd_field_value(const struct filter_field_desc *field)
{
	u64 max = field->size < 8 ? (1ULL << field->size * 8) - 1 : ~0ULL;
	const u64 edges[] = { max / 2, -(max / 2) - 1, -1ULL, -2ULL, -(max / 2) };

	if (!field->is_signed)
		return (rnd_value() & max) ?: field->size == 8;
	return rnd(2) ? PICK(edges) : rnd(20) - 8ULL;
}

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X254 X50 X50 X50 X50 X50 "yyyy" /* the longest string in a filter */
static const char *const texts[] = { "", "a", "ab", "abc", "dd", "/bin/dd", "/usr/bin/dd", "exactly-16-bytes", "nine-byte", "g\xc3\xbc",
				     "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", X254 };
static const char *const longer_texts[] = { X254 "z", X254 "zz", X254 X50 };
static const char *const text_globs[] = { "*", "a*", "*dd", "/usr/*", "/usr/lib/x86_64-linux-gnu/ld-linux*", "*/bin/*", "?*", "[a-z]*",
					  "[!/]*", "exactly-16-byte?", "*y", "x*", "*z", "ab", "", "nine*", "*-*-*" };

static unsigned int room_for(const struct filter_field_desc *field)
{
	return field->kind == FILTER_FIELD_CHARS ? field->size : 254;
}

static const char *rnd_text(const struct filter_field_desc *field, bool glob)
{
	const char *text;

	do
		text = glob ? PICK(text_globs) : PICK(texts);
	while (strlen(text) > room_for(field));
	return text;
}

/* With or without its NUL; the bytes after it are random. */
static void put_moving(char *record, const struct filter_field_desc *field, unsigned int at, unsigned int end)
{
	const char *text;
	u32 loc, len;

	do
		text = rnd(8) ? PICK(texts) : PICK(longer_texts);
	while (at + strlen(text) >= end);
	len = strlen(text) + rnd(2);
	memcpy(record + at, text, len);
	loc = (field->kind == FILTER_FIELD_REL_LOC ? at - field->offset - 4 : at) | len << 16;
	memcpy(record + field->offset, &loc, sizeof(loc));
}

static void put_field(char *record, const struct filter_field_desc *field)
{
	const char *text;
	u64 value;

	switch (field->kind) {
	case FILTER_FIELD_NUMBER:
		value = rnd(8) ? rnd_field_value(field) + (rnd(4) ? 0 : rnd(3)) : 0;
		memcpy(record + field->offset, &value, field->size);
		break;
	case FILTER_FIELD_CHARS:
		text = rnd_text(field, false);
		memcpy(record + field->offset, text, strlen(text) < field->size ? strlen(text) + 1 : field->size);
		break;
	case FILTER_FIELD_DATA_LOC:
		put_moving(record, field, AT_PATH + rnd(8), AT_REL);
		break;
	default:
		put_moving(record, field, AT_REL + rnd(8), AT_FAR);
	}
}

static void rnd_record(char record[FILTER_RECORD_LEN])
{
	for (unsigned int i = 0; i < FILTER_RECORD_LEN; i++)
		record[i] = rnd(256);
	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++)
		put_field(record, &fields[i].desc);
}

/* A signed field's as s64. */
static u64 number_in(const void *record, const struct filter_field_desc *field)
{
	unsigned int unused = 64 - field->size * 8;
	u64 v = 0;

	memcpy(&v, (const char *)record + field->offset, field->size);
	return field->is_signed ? (u64)((s64)(v << unused) >> unused) : v;
}

/* Only 255 bytes of a string are compared. */
static void string_in(const void *record, const struct filter_field_desc *field, char string[256])
{
	const char *bytes = record;
	u32 at = field->offset, len = field->size, loc;

	if (field->kind != FILTER_FIELD_CHARS) {
		memcpy(&loc, bytes + at, sizeof(loc));
		at = (loc & 0xffff) + (field->kind == FILTER_FIELD_REL_LOC ? at + 4 : 0);
		len = loc >> 16;
	}
	memset(string, 0, 256);
	memcpy(string, bytes + at, strnlen(bytes + at, len < 255 ? len : 255));
}

static bool string_is(const void *record, const struct filter_field_desc *field, const char *text, bool glob)
{
	char string[256];

	string_in(record, field, string);
	return glob ? !fnmatch(text, string, 0) : !strcmp(text, string);
}

#endif
