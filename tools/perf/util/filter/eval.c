// SPDX-License-Identifier: GPL-2.0
/* Evaluates a table for a sample in user space: the oracle of the BPF program. */
#include <string.h>
#include "util/filter/terms.h"

static bool glob_matches(const struct filter_glob *glob, const char *text, size_t size)
{
	u32 state = 1;
	size_t i;

	for (i = 0; i < size && text[i]; i++)
		state = (state & glob->step[(u8)text[i]]) << 1 | (state & glob->loop);
	return state & glob->final;
}

static bool comm_matches(const struct filter_glob *glob, const struct filter_sample *sample)
{
	char comm[FILTER_COMM_LEN];
	unsigned int i;

	for (i = 0; i < FILTER_COMM_LEN; i++)
		comm[i] = sample->value[i < 8 ? FILTER_TERM_COMM_LO : FILTER_TERM_COMM_HI] >> (i % 8 * 8);
	return glob_matches(glob, comm, sizeof(comm));
}

static bool set_has(const struct filter_words *words, unsigned int index, u64 v)
{
	const struct filter_range *r = &words->range[words->set[index].begin], *end = r + words->set[index].nr;

	for (; r < end; r++) {
		if (v >= r->first && v <= r->last)
			return true;
	}
	return false;
}

/* The record as bytes: words are little endian, also in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields are parts of words, counted from their little end");

static void read_string(const struct filter_field_desc *field, const struct filter_sample *sample, char string[FILTER_STRING_LEN])
{
	const char *record = (const char *)&sample->value[FILTER_TERM_RECORD];
	u32 offset = field->offset, len = field->size, loc;

	memset(string, 0, FILTER_STRING_LEN);
	if (field->kind == FILTER_FIELD_USER_TEXT) /* samples do not contain memory of tasks */
		return;
	if (field->kind == FILTER_FIELD_DATA_LOC || field->kind == FILTER_FIELD_REL_LOC) {
		memcpy(&loc, record + offset, sizeof(loc));
		offset = (loc & 0xffff) + (field->kind == FILTER_FIELD_REL_LOC ? field->offset + sizeof(loc) : 0);
		len = loc >> 16;
	}
	if (offset > FILTER_RECORD_LEN)
		return;
	if (len > FILTER_RECORD_LEN - offset)
		len = FILTER_RECORD_LEN - offset;
	if (len > FILTER_STRING_LEN - 1)
		len = FILTER_STRING_LEN - 1;
	strncpy(string, record + offset, len);
}

static u64 field_test(const struct filter_words *words, const struct filter_entry *e, const struct filter_sample *sample)
{
	unsigned int which = e->shift & FILTER_FIELD_WHICH;
	char string[FILTER_STRING_LEN];

	read_string(&words->field[e->shift >> FILTER_FIELD_SHIFT], sample, string);
	if (e->term == FILTER_TERM_FIELD_GLOB)
		return glob_matches(&words->glob[which], string, sizeof(string));
	return !memcmp(string, words->text[which].bytes, words->text[which].len);
}

static u64 load_member(enum filter_term slot, const struct filter_sample *sample)
{
	u64 guard = filter_slot__get(slot)->guard;

	return !guard || sample->sample_flags & guard ? sample->value[slot] : 0;
}

static u64 load(const struct filter_table *table, const struct filter_entry *e, const struct filter_sample *sample)
{
	const struct filter_words *words = &table->words;
	unsigned int index = e->shift;

	switch (e->term) {
	case FILTER_TERM_COMM_GLOB:
		return comm_matches(&words->glob[index], sample);
	case FILTER_TERM_FILE_NAME:
		return !strncmp(words->name[index], sample->file, FILTER_FILE_LEN);
	case FILTER_TERM_FILE_GLOB:
		return sample->file[0] && glob_matches(&words->glob[index], sample->file, FILTER_FILE_LEN);
	case FILTER_TERM_IP_SET:
		return set_has(words, index, load_member(FILTER_TERM_IP, sample));
	case FILTER_TERM_OFFSET_SET:
		return set_has(words, index, sample->value[FILTER_TERM_FILE_OFFSET]);
	case FILTER_TERM_EVERY:
		return sample->every + 1 >= words->every[index];
	case FILTER_TERM_CGROUP_AT:
		return index < FILTER_SAMPLE_LEVELS ? sample->cgroup_at[index] : 0;
	case FILTER_TERM_FIELD_TEXT:
	case FILTER_TERM_FIELD_GLOB:
		return field_test(words, e, sample);
	case FILTER_TERM_WALK_HAS:
		return sample->walks >> index & 1;
	case FILTER_TERM_WALK_TEXT:
	case FILTER_TERM_WALK_GLOB: /* samples do not contain the kernel's texts */
		return 0;
	default:
		return load_member(e->term, sample) >> e->shift & e->mask;
	}
}

#define FILE_CASE(name, shown, bit, guard, group, ...) FILTER_IF(group, FILE, case FILTER_TERM_##name:)

static bool asks_for_file(u8 term)
{
	switch (term) {
	FILTER_FIELDS(FILE_CASE)
	FILTER_TESTS(FILE_CASE)
		return true;
	default:
		return false;
	}
}

bool filter_table__asks_for_files(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		if (asks_for_file(table->entry[i].term))
			return true;
	}
	return false;
}

bool filter_table__eval(const struct filter_table *table, const struct filter_sample *sample)
{
	const struct filter_entry *e;
	unsigned int pc = 0, outcome;
	u64 v;

	while (pc < table->nr) {
		e = &table->entry[pc];
		if (sample->file_busy && asks_for_file(e->term))
			return true;
		v = load(table, e, sample);
		outcome = v < e->value ? FILTER_LT : v == e->value ? FILTER_EQ : FILTER_GT;
		pc = e->cond & outcome ? e->jt : e->jf;
	}
	return pc == FILTER_ACCEPT;
}
