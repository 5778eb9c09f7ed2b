/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the lowering's files share. Entries are made last first: when a test is lowered, the entries it jumps to are there
 * already, so its targets are just numbers and nothing is patched. Private to util/filter.
 */
#ifndef PERF_FILTER_LOWER_H
#define PERF_FILTER_LOWER_H

#include "util/filter/glob.h"
#include "util/filter/terms.h"

#define FILTER_NE (FILTER_LT | FILTER_GT)
#define FILTER_LE (FILTER_LT | FILTER_EQ)
#define FILTER_GE (FILTER_EQ | FILTER_GT)

struct draft {
	struct filter_entry entry; /* jt and jf not yet set */
	int jt, jf;
	u8 clause;
};

struct lowering {
	struct filter_table *table;
	struct draft draft[FILTER_MAX_ENTRIES];
	/* needed of each; those beyond the limit are counted only */
	unsigned int nr, nr_globs, nr_names, nr_everys, nr_sets, nr_ranges, nr_fields, nr_texts;
	u8 clause; /* of the test that is being lowered */
	struct errmsg *err;
	int rc;
};

/* lower-entry.c: returns the new entry as a target. */
int lowering__emit(struct lowering *l, struct filter_entry entry, int jt, int jf);
/* (slot >> shift) & mask, compared with value */
int lowering__emit_part(struct lowering *l, enum filter_term slot, unsigned int shift, unsigned int cond, u64 mask, u64 value,
			int jt, int jf);
/* An entry of an indexed term, which holds if that is 1. */
int lowering__emit_indexed(struct lowering *l, enum filter_term slot, unsigned int index, int jt, int jf);

/*
 * A part of a slot that holds numbers up to mask, against ascending ranges that neither touch nor overlap: jt if it is in one
 * of them, else jf. Returns the first entry.
 */
struct slot_part {
	enum filter_term slot;
	unsigned int shift;
	u64 mask;
};
int lowering__ranges(struct lowering *l, const struct slot_part *part, const struct filter_range *ranges, unsigned int nr, int jt,
		     int jf);

/* Sort ranges, and join those that touch or overlap. Returns how many are left. */
unsigned int filter_ranges__merge(struct filter_range *ranges, unsigned int nr);

/* The index of a pattern's automaton in the table. */
unsigned int lowering__glob(struct lowering *l, const struct glob *glob);

/* lower-place.c: sym and dso */
int lowering__places(struct lowering *l, const struct filter_test *test, int jt, int jf);
int lowering__files(struct lowering *l, const struct filter_test *test, int jt, int jf);
/* Does the test ask for the file that the code is in, which costs more than all others? */
bool filter_test__asks_for_file(const struct filter_test *test);

/* lower-field.c: fields of a tracepoint */
int lowering__field(struct lowering *l, const struct filter_test *test, int jt, int jf);
int lowering__string(struct lowering *l, const struct filter_test *test, int jt, int jf);
/* Must the string be copied before it can be tested? */
bool filter_test__copies_string(const struct filter_test *test);
/* How much of a record a table reads: the value of words.record_len. */
u32 filter_table__record_len(const struct filter_table *table);

#endif
