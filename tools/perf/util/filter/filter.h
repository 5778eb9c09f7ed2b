/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The language of --filter: text -> tree (parse) -> checked tree (check) -> jump table (lower). No BPF and no perf_event calls here;
 * each stage can be dumped, and the table can be evaluated in user space, as the oracle of the BPF program. Grammar and terms:
 * Documentation/perf-filter.txt.
 *
 * Errors: -EINVAL for a wrong filter (the command exits 129), -E2BIG for one that needs more than FILTER_MAX_ENTRIES, -ENOMEM.
 * err->text then has the message, the filter's text and a caret line under the place.
 */
#ifndef PERF_FILTER_FILTER_H
#define PERF_FILTER_FILTER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include "util/bpf_skel/filter.h"
#include "util/bpf_skel/histogram.h"
#include "util/bpf_skel/tally.h"
#include "util/lib/errmsg.h"
#include "util/lib/text.h"
#include "util/lib/types.h"
#include "util/types/walk.h"

struct filter; /* a parsed filter */

/* Identifies a mapped file for the kernel. */
struct filter_file_id {
	u64 dev, ino;		    /* as FILTER_TERM_FILE_*; dev 0: compare name instead; ino 0: only name is known */
	char name[FILTER_FILE_LEN]; /* without directories, cut if longer, NUL-padded */
};

struct filter_symbol {
	const char *name;
	u64 first, last;		   /* addresses in the kernel, otherwise offsets in the file */
	const struct filter_file_id *file; /* NULL: the kernel */
};

/* Data about the filter's event and about the system; members may be NULL. */
struct filter_env {
	void *data;
	/*
	 * Call cb for the functions of dso until it returns a negative value: "[kernel.kallsyms]", "[module]", a file by its path or
	 * its name; NULL: the kernel and the recorded programs, which *scope then names.
	 */
	int (*for_each_symbol)(void *data, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
			       const char **scope, struct errmsg *err);
	int (*identify_file)(void *data, const char *path, struct filter_file_id *id, struct errmsg *err);
	/*
	 * For tracepoints: look up field NAME, 0 or -ENOENT. If set, names are first looked up as fields, and only the terms that
	 * tracepoints have exist; see filter__check().
	 */
	int (*find_field)(void *data, const char *name, struct filter_field_desc *desc);
	/* Is NAME the address of a text in the memory of the task that hits the tracepoint? NULL: addresses are numbers only. */
	bool (*points_to_user_text)(void *data, const char *name);
	/* Why there is no field NAME, in words that follow "'NAME' is missing: "; NULL: it is unknown. The function may be NULL. */
	const char *(*why_missing)(void *data, const char *name);
	/* Call cb for the names of all fields until it returns non-zero. */
	int (*for_each_field)(void *data, int (*cb)(void *arg, const char *name), void *arg);
	/*
	 * Resolve a walk through the kernel's data, as type_walk__resolve(); walk_value looks up a name of a value of its type, as
	 * walk_enum__value(). NULL: there are no walks.
	 */
	int (*find_walk)(void *data, const char *text, size_t len, struct type_walk *walk, struct walk_error *error);
	int (*walk_value)(void *data, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size);
	bool period_is_time; /* the period is in ns, so its values may have the suffixes of times, too */
};

struct filter_table {
	struct filter_entry entry[FILTER_MAX_ENTRIES];
	unsigned int nr;	 /* 1..FILTER_MAX_ENTRIES */
	u8 clause[FILTER_MAX_ENTRIES]; /* the test of each entry: see filter__clause() */
	struct filter_words words;
	/* used members of words */
	unsigned int nr_globs, nr_names, nr_everys, nr_sets, nr_ranges, nr_fields, nr_texts, nr_walks;
	u64 sample_type;	 /* PERF_SAMPLE_* bits that the event must carry for these terms */
};

struct filter_input { /* a filter as written */
	const char *domain; /* prefix of messages about it; must outlive the filter */
	const char *text;
};

/*
 * For lists of what can be written: a line for each term of samples under each of its names, "NAME:OPERATORS:CONSTANTS", with blanks between
 * these. A flag has no operators.
 */
void filter__list_terms(struct text *lines);

/* Is it the name of a term that tracepoints have, too? */
bool filter__has_task_term(const char *name);

/* The caller owns *filter and ends it with filter__delete(). */
int filter__parse(const char *text, struct filter **filter, struct errmsg *err);
/* The same for the AND of nr texts, 1 or more. Each is parsed by itself: an unclosed parenthesis is an error in its own text. */
int filter__parse_all(const struct filter_input *texts, unsigned int nr, struct filter **filter, struct errmsg *err);
void filter__delete(struct filter *filter);

/*
 * Resolve names and values as terms of a sample; looks up users, groups and cgroups, and by env (may be NULL) symbols and files.
 * Required before lowering.
 */
int filter__check(struct filter *filter, const struct filter_env *env, struct errmsg *err);

/* Lower a checked filter. Sets all of *table. */
int filter__lower(const struct filter *filter, struct filter_table *table, struct errmsg *err);

/* The text of a test, by its number in table->clause; a part of the filter's own text. */
const char *filter__clause(const struct filter *filter, unsigned int clause, unsigned int *len);

/* A name in a test with ==, !=, in, ~ or !~. */
struct filter_name {
	char term[64];	 /* what it names: "comm", "dso", a field */
	const char *text; /* without quotes and backslashes */
	bool inverted;	 /* samples with that name are dropped */
	bool is_glob;	 /* text is a pattern */
	bool seems_glob; /* not a pattern, but has a '*' or '?' without a backslash */
};

/* The text of the test that makes a walk, by its number in table->words.walk; as filter__clause(). len 0: none */
const char *filter__walk(const struct filter *filter, const struct filter_table *table, unsigned int walk, unsigned int *len);

/* Call cb for the names in a parsed filter, including numbers, until it returns non-zero; returns that value, or -ENOMEM. */
int filter__for_each_name(const struct filter *filter, int (*cb)(void *arg, const struct filter_name *name), void *arg);

/* Call cb for the name of each test in a parsed filter, a term or a field, until it returns non-zero; returns that value. */
int filter__for_each_test(const struct filter *filter, int (*cb)(void *arg, const char *name, unsigned int len), void *arg);

/* parse + check + lower, without an env */
int filter__compile(const char *text, struct filter_table *table, struct errmsg *err);

/*
 * Find what a program reads for a number, which text names like a term in filters. Sets the PERF_SAMPLE_* bits that the event needs
 * in *sample_type. -EINVAL: unknown, or no number; domain is the prefix of messages.
 */
int filter__find_number(const char *domain, const char *text, const struct filter_env *env, struct histogram_number *number,
			u64 *sample_type, struct errmsg *err);

/* The same for any value; with texts, also for one that is a text. */
struct filter_reading {
	struct tally_value value; /* the caller places it, and the following, which its index is to be of */
	struct filter_field_desc field;
	struct type_walk walk;
	bool is_field;	 /* of the tracepoint */
	u64 sample_type; /* PERF_SAMPLE_* bits that the event needs */
};
int filter__find_value(const char *domain, const char *text, const struct filter_env *env, bool texts, struct filter_reading *reading,
		       struct errmsg *err);
/* Parse a number as in filters, with K, M, G, or a time in ns. false: not a number. */
bool filter__parse_amount(const char *text, u64 *value);
/* End of the part of a tracepoint's record that it reads: a multiple of 8, as filter_words.record_len. */
u32 histogram_number__record_len(const struct histogram_number *number);

/*
 * For tracepoints: write the parsed filter in the language of the kernel's own event filter (Documentation/trace/events.rst, part
 * 5). *out is malloc'ed. -EOPNOTSUPP, with the reason: that language cannot express the whole filter, as a name is neither a field
 * of the tracepoint (env->find_field) nor a generic one (CPU, cpu, COMM, comm), or it lacks a test; BPF may be able to judge it.
 */
int filter__to_kernel(const struct filter *filter, const struct filter_env *env, char **out, struct errmsg *err);

/* Does a test need the file of the ip? */
bool filter_table__asks_for_files(const struct filter_table *table);

bool filter_table__eval(const struct filter_table *table, const struct filter_sample *sample);

void filter__dump(const struct filter *filter, FILE *fp);
void filter_table__dump(const struct filter_table *table, FILE *fp);

#endif
