// SPDX-License-Identifier: GPL-2.0
/*
 * Lowers tests of sym and dso. Kernel code is identified by its address; code of a file by the file's inode and device, or its name,
 * then the offset in it.
 */
#include <string.h>
#include <utlist.h>
#include "util/filter/lower.h"

#define MANY_RANGES 4 /* from this many on, a binary search takes less time, and entries, than single comparisons */

static bool has_text(const struct filter_test *test)
{
	const struct filter_value *value;

	DL_FOREACH(test->values, value) {
		if (value->text[0])
			return true;
	}
	return false;
}

bool filter_test__asks_for_file(const struct filter_test *test)
{
	const struct filter_place *place;

	if (test->term->kind != FILTER_KIND_SYMBOL && test->term->kind != FILTER_KIND_FILE)
		return false;
	LL_FOREACH(test->places, place) {
		if (!place->kernel)
			return true;
	}
	return test->term->kind == FILTER_KIND_FILE && (!test->places || has_text(test));
}

static int lower_in_set(struct lowering *l, enum filter_term slot, const struct filter_place *place, int jt, int jf)
{
	struct filter_words *words = &l->table->words;

	if (l->nr_sets < FILTER_MAX_SETS && l->nr_ranges + place->nr <= FILTER_MAX_RANGES) {
		words->set[l->nr_sets] = (struct filter_set){ l->nr_ranges, place->nr };
		memcpy(&words->range[l->nr_ranges], place->range, place->nr * sizeof(*place->range));
	}
	l->nr_ranges += place->nr;
	return lowering__emit_indexed(l, slot, l->nr_sets++, jt, jf);
}

static int lower_ranges(struct lowering *l, const struct filter_place *place, int jt, int jf)
{
	const struct slot_part part = { place->kernel ? FILTER_TERM_IP : FILTER_TERM_FILE_OFFSET, 0, ~0ULL };

	if (place->nr >= MANY_RANGES)
		return lower_in_set(l, place->kernel ? FILTER_TERM_IP_SET : FILTER_TERM_OFFSET_SET, place, jt, jf);
	return lowering__ranges(l, &part, place->range, place->nr, jt, jf);
}

static int lower_name(struct lowering *l, const char *name, int jt, int jf)
{
	unsigned int i;

	for (i = 0; i < l->nr_names && i < FILTER_MAX_NAMES; i++) {
		if (!strncmp(l->table->words.name[i], name, FILTER_FILE_LEN))
			break;
	}
	if (i < FILTER_MAX_NAMES)
		memcpy(l->table->words.name[i], name, FILTER_FILE_LEN);
	if (i == l->nr_names || i == FILTER_MAX_NAMES)
		l->nr_names++;
	return lowering__emit_indexed(l, FILTER_TERM_FILE_NAME, i, jt, jf);
}

static int lower_place(struct lowering *l, const struct filter_place *place, int jt, int jf)
{
	int next = jt;

	if (place->nr)
		next = lower_ranges(l, place, jt, jf);
	if (place->kernel)
		return next;
	if (place->file.dev)
		next = lowering__emit_part(l, FILTER_TERM_FILE_DEV, 0, FILTER_EQ, ~0ULL, place->file.dev, next, jf);
	else
		next = lower_name(l, place->file.name, next, jf);
	return lowering__emit_part(l, FILTER_TERM_FILE_INO, 0, FILTER_EQ, ~0ULL, place->file.ino, next, jf);
}

/* Any of the places; the kernel's is tested first, since it needs no look-up. */
static int lower_any_place(struct lowering *l, const struct filter_place *places, int jt, int jf)
{
	const struct filter_place *place;
	int next = jf;

	LL_FOREACH(places, place) {
		if (!place->kernel)
			next = lower_place(l, place, jt, next);
	}
	LL_FOREACH(places, place) {
		if (place->kernel)
			next = lower_place(l, place, jt, next);
	}
	return next;
}

static bool is_inverted(const struct filter_test *test)
{
	return test->op == FILTER_OP_NE || test->op == FILTER_OP_NOT_GLOB;
}

int lowering__places(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	return is_inverted(test) ? lower_any_place(l, test->places, jf, jt) : lower_any_place(l, test->places, jt, jf);
}

static int lower_file_pattern(struct lowering *l, const struct filter_word *pattern, int jt, int jf)
{
	struct glob glob;
	const char *why;

	l->rc = glob__parse(pattern, &glob, &why); /* already checked: cannot fail */
	return l->rc ? jf : lowering__emit_indexed(l, FILTER_TERM_FILE_GLOB, lowering__glob(l, &glob), jt, jf);
}

static int lower_files(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct filter_value *value;
	int next = jf;

	for (value = test->values->prev;; value = value->prev) {
		if (value->text[0])
			next = lower_name(l, value->text, jt, next);
		if (value == test->values)
			break;
	}
	return lower_any_place(l, test->places, jt, next);
}

int lowering__files(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	if (test->op == FILTER_OP_GLOB)
		return lower_file_pattern(l, &test->values->lo, jt, jf);
	if (test->op == FILTER_OP_NOT_GLOB)
		return lower_file_pattern(l, &test->values->lo, jf, jt);
	return is_inverted(test) ? lower_files(l, test, jf, jt) : lower_files(l, test, jt, jf);
}
