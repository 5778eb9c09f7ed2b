/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the lowering's files share. Entries are made last first: when a test is lowered, its target entries already exist, so targets
 * are plain numbers and nothing is patched. Private to util/filter.
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
	/* needed number of each; entries beyond the limit are only counted */
	unsigned int nr, nr_globs, nr_names, nr_everys, nr_sets, nr_ranges, nr_fields, nr_texts, nr_walks;
	u8 clause; /* of the current test */
	struct errmsg *err;
	int rc;
};

/* lower-entry.c: return the new entry as a target. */
int lowering__emit(struct lowering *l, struct filter_entry entry, int jt, int jf);
/* (slot >> shift) & mask, compared with value */
int lowering__emit_part(struct lowering *l, enum filter_term slot, unsigned int shift, unsigned int cond, u64 mask, u64 value,
			int jt, int jf);
/* Emit an entry of an indexed term, which holds if the term is 1. */
int lowering__emit_indexed(struct lowering *l, enum filter_term slot, unsigned int index, int jt, int jf);

/*
 * Compare a part of a slot, numbers up to mask, with ascending ranges that neither touch nor overlap: jt if it is in one of them,
 * otherwise jf. Returns the first entry.
 */
struct slot_part {
	enum filter_term slot;
	unsigned int shift;
	u64 mask;
};
int lowering__ranges(struct lowering *l, const struct slot_part *part, const struct filter_range *ranges, unsigned int nr, int jt,
		     int jf);

/* Sort ranges, and join those that touch or overlap. Returns their remaining number. */
unsigned int filter_ranges__merge(struct filter_range *ranges, unsigned int nr);

/* The index of the first len bytes of text, which include the NUL if a string must end there. */
unsigned int lowering__text(struct lowering *l, const char *text, unsigned int len);
/* The index of a pattern's automaton in the table. */
unsigned int lowering__glob(struct lowering *l, const struct glob *glob);

/* lower-place.c: sym and dso */
int lowering__places(struct lowering *l, const struct filter_test *test, int jt, int jf);
int lowering__files(struct lowering *l, const struct filter_test *test, int jt, int jf);
/* Does the test need the file of the code? It costs more than all other tests. */
bool filter_test__asks_for_file(const struct filter_test *test);

/* lower-walk.c: walks through the kernel's data */
int lowering__walk(struct lowering *l, const struct filter_test *test, int jt, int jf);

/* lower-field.c: fields of a tracepoint */
int lowering__field(struct lowering *l, const struct filter_test *test, int jt, int jf);
int lowering__string(struct lowering *l, const struct filter_test *test, int jt, int jf);
/* Must the string be copied before it can be tested? */
bool filter_test__copies_string(const struct filter_test *test);
/* Length of the part of a record that a table reads: the value of words.record_len. */
u32 filter_table__record_len(const struct filter_table *table);

#endif
