// SPDX-License-Identifier: GPL-2.0
#include "util/judge/program-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/types.h"

static bool target_is_valid(unsigned int target, unsigned int from, unsigned int nr)
{
	return target == FILTER_ACCEPT || target == FILTER_REJECT || (target > from && target < nr);
}

static unsigned int index_limit(const struct filter_table *table, u8 term)
{
	switch (term) {
	case FILTER_TERM_COMM_GLOB:
	case FILTER_TERM_FILE_GLOB:
		return table->nr_globs;
	case FILTER_TERM_FILE_NAME:
		return table->nr_names;
	case FILTER_TERM_IP_SET:
	case FILTER_TERM_OFFSET_SET:
		return table->nr_sets;
	case FILTER_TERM_EVERY:
		return table->nr_everys;
	case FILTER_TERM_CGROUP_AT:
		return UINT8_MAX + 1;
	case FILTER_TERM_WALK_HAS:
		return table->nr_walks;
	default:
		return 64; /* a valid shift */
	}
}

static bool index_is_valid(const struct filter_table *table, const struct filter_entry *e)
{
	unsigned int which = e->shift & FILTER_FIELD_WHICH, string = e->shift >> FILTER_FIELD_SHIFT;

	switch (e->term) {
	case FILTER_TERM_FIELD_TEXT:
		return string < table->nr_fields && which < table->nr_texts;
	case FILTER_TERM_FIELD_GLOB:
		return string < table->nr_fields && which < table->nr_globs;
	case FILTER_TERM_WALK_TEXT:
		return string < table->nr_walks && which < table->nr_texts;
	case FILTER_TERM_WALK_GLOB:
		return string < table->nr_walks && which < table->nr_globs;
	case FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST:
		return e->term - FILTER_TERM_WALK < (int)table->nr_walks && e->shift < 64;
	default:
		return e->shift < index_limit(table, e->term);
	}
}

static bool walks_are_valid(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr_walks; i++) {
		const struct filter_walk *walk = &table->words.walk[i];

		if (walk->nr_steps > FILTER_WALK_STEPS || walk->source > FILTER_WALK_ARGUMENTS || walk->kind > FILTER_WALK_STRING ||
		    (walk->kind != FILTER_WALK_CHARS && walk->size > 8))
			return false;
	}
	return true;
}

static bool sets_are_valid(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr_sets; i++) {
		const struct filter_set *set = &table->words.set[i];

		if (set->begin + set->nr > table->nr_ranges)
			return false;
	}
	return true;
}

bool program_table__is_valid(const struct filter_table *table)
{
	if (table->nr < 1 || table->nr > FILTER_MAX_ENTRIES || table->nr_globs > FILTER_MAX_GLOBS ||
	    table->nr_names > FILTER_MAX_NAMES || table->nr_everys > FILTER_MAX_EVERYS ||
	    table->nr_sets > FILTER_MAX_SETS || table->nr_ranges > FILTER_MAX_RANGES || !sets_are_valid(table) ||
	    table->nr_fields > FILTER_MAX_FIELDS || table->nr_texts > FILTER_MAX_TEXTS ||
	    table->nr_walks > FILTER_MAX_WALKS || !walks_are_valid(table))
		return false;
	for (unsigned int i = 0; i < table->nr; i++) {
		const struct filter_entry *e = &table->entry[i];

		if (e->term >= FILTER_TERM_MAX || !index_is_valid(table, e) ||
		    !target_is_valid(e->jt, i, table->nr) || !target_is_valid(e->jf, i, table->nr))
			return false;
	}
	return true;
}

/* The last fetched term of all entries that jump to an entry: no jump seen yet, different terms, or one term. */
#define TERM_UNSEEN 0xff
#define TERM_MIXED 0xfe

/* Programs do not follow jumps that lead back. */
static void note_last_term(u8 *last, unsigned int from, u8 target, u8 term)
{
	if (target <= from || target >= FILTER_MAX_ENTRIES)
		return;
	last[target] = last[target] == TERM_UNSEEN || last[target] == term ? term : TERM_MIXED;
}

/*
 * Let an entry test the field that is already fetched if every path to it has fetched that field last, as in sets and ranges. Jumps
 * lead forward only, so one pass sees all paths. Indexed tests are no fields, and random bits are drawn anew.
 */
static void keep_fields(struct filter_table *table)
{
	u8 last[FILTER_MAX_ENTRIES];

	memset(last, TERM_UNSEEN, sizeof(last));
	for (unsigned int i = 0; i < table->nr; i++) {
		struct filter_entry *e = &table->entry[i];
		u8 term = e->term >= FILTER_TERM_INDEXED || e->term == FILTER_TERM_RAND ? TERM_MIXED : e->term;

		note_last_term(last, i, e->jt, term);
		note_last_term(last, i, e->jf, term);
		if (last[i] == e->term)
			e->term = FILTER_TERM_KEEP;
	}
}

/* For events whose samples may hold another event's values: see filter-own.bpf.h. */
static u8 own_term(u8 term)
{
	switch (term) {
	FILTER_OWN_TERMS(FILTER_OWN_CASE)
	default:
		return term;
	}
}

void program_table__prepare(const struct filter_table *table, struct filter_table *prepared)
{
	*prepared = *table;
	for (unsigned int i = 0; i < table->nr && table->words.own; i++)
		prepared->entry[i].term = own_term(table->entry[i].term);
	keep_fields(prepared);
}

int program_table__new(const struct filter_table *table, struct filter_table **prepared, struct errmsg *err)
{
	if (!program_table__is_valid(table))
		return errmsg__set(err, EINVAL, "The filter's jump table is broken; this is a bug in perf.");
	*prepared = malloc(sizeof(**prepared));
	if (!*prepared)
		return errmsg__set(err, ENOMEM, "No memory is left for the filter.");
	program_table__prepare(table, *prepared);
	return 0;
}

#define SHOWN(name, shown, ...) [FILTER_TERM_##name] = shown,
static const char *const shown[FILTER_TERM_MAX] = {
	FILTER_FIELDS(SHOWN)
	[FILTER_TERM_RECORD ... FILTER_TERM_RECORD_LAST] = "field of a tracepoint",
	[FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST] = "data of the kernel",
	FILTER_TESTS(SHOWN)
};

u32 program_table__arguments(const struct filter_table *table)
{
	u32 arguments = 0;

	for (unsigned int i = 0; table && i < table->nr_walks; i++) {
		if (table->words.walk[i].source != FILTER_WALK_TASK)
			arguments |= 1U << (table->words.walk[i].source - FILTER_WALK_ARGUMENT);
	}
	return arguments;
}

static int refuse_walk(struct errmsg *err, const char *what)
{
	return errmsg__set(err, EDOM, "filter: the BPF program of this event cannot read %s: leave that test out, or give it to another event, behind its "
			   "-e", what);
}

int program_table__check(const struct filter_table *table, struct bpf_programs *programs, struct errmsg *err)
{
	const u8 *reads = table ? bpf_programs__sized_var(programs, "filter_reads", FILTER_TERM_MAX) : NULL;

	for (unsigned int i = 0; table && i < table->nr; i++) {
		const u8 term = table->entry[i].term;

		if (term == FILTER_TERM_WALK_HAS && !reads[term])
			return refuse_walk(err, "the kernel's own data");
		if (term != FILTER_TERM_KEEP && !reads[term])
			return errmsg__set(err, EDOM, "filter: the BPF program of this event cannot read '%s': leave that test out, or give it to another "
					   "event, behind its -e", shown[term]);
	}
	if (program_table__arguments(table) && !bpf_programs__has_map(programs, "tp_arguments"))
		return refuse_walk(err, "the arguments of the tracepoint");
	return 0;
}

/* Programs have different numbers of slots. */
int program_table__put(const struct filter_table *table, struct bpf_programs *programs, struct errmsg *err)
{
	int ret = program_table__check(table, programs, err);
	size_t size;
	void *entries;

	if (!table || ret)
		return ret;
	entries = bpf_programs__var(programs, "filter_table", &size);
	memcpy(entries, table->entry, size < sizeof(table->entry) ? size : sizeof(table->entry));
	bpf_programs__set(programs, "filter_words", table->words);
	return 0;
}

#define TERM(name) (1ULL << FILTER_TERM_##name)
_Static_assert(FILTER_TERM_FILE_DEV <= 64, "terms are bits");

static bool is_known_to_user_space(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		const struct filter_entry *e = &table->entry[i];

		if (e->term == FILTER_TERM_RAND || e->term == FILTER_TERM_EVERY || e->term == FILTER_TERM_WALK_HAS ||
		    (e->term == FILTER_TERM_CGROUP_AT && e->shift >= FILTER_SAMPLE_LEVELS))
			return false;
	}
	return filter_table__asks_for_files(table);
}

static u64 needs_of(u8 term)
{
	if (term < FILTER_TERM_FILE_DEV)
		return 1ULL << term;
	return term == FILTER_TERM_COMM_GLOB ? TERM(COMM_LO) | TERM(COMM_HI) : 0;
}

void program_table__needs(const struct filter_table *table, __u64 *terms, __u32 *cgroups)
{
	*terms = *cgroups = 0;
	if (!is_known_to_user_space(table))
		return;
	*terms = TERM(IP) | TERM(ID) | TERM(TID) | TERM(PID) | TERM(TIME);
	for (unsigned int i = 0; i < table->nr; i++) {
		*terms |= needs_of(table->entry[i].term);
		if (table->entry[i].term == FILTER_TERM_CGROUP_AT)
			*cgroups |= 1U << table->entry[i].shift;
	}
}
