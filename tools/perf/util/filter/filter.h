/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The language of --filter: text -> tree (parse) -> tree with meaning (check) -> jump table (lower).
 * No BPF and no perf_event calls here; each stage can be dumped, and the table can be evaluated in user space, which makes
 * it the oracle of the BPF program. Grammar and terms: Documentation/perf-filter.txt.
 *
 * Errors: -EINVAL for a wrong filter (the command exits 129), -E2BIG for one that needs more than FILTER_MAX_ENTRIES,
 * -ENOMEM. err->text then holds the message, the filter's text and a caret line under the place.
 */
#ifndef PERF_FILTER_FILTER_H
#define PERF_FILTER_FILTER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include "util/bpf_skel/filter.h"
#include "util/bpf_skel/histogram.h"
#include "util/lib/errmsg.h"
#include "util/lib/text.h"
#include "util/lib/types.h"

struct filter; /* a parsed filter */

/* What tells a mapped file from others, to the kernel. */
struct filter_file_id {
	u64 dev, ino;		    /* as FILTER_TERM_FILE_*; dev 0: name stands for it; ino 0: only name is known */
	char name[FILTER_FILE_LEN]; /* without directories, cut if longer, NUL-padded */
};

struct filter_symbol {
	const char *name;
	u64 first, last;		   /* addresses in the kernel, else offsets in the file */
	const struct filter_file_id *file; /* NULL: the kernel */
};

/* What is known of the event that the filter is for, and of the system; members may be NULL. */
struct filter_env {
	void *data;
	/*
	 * Show the functions of dso to cb, which stops by a negative return: "[kernel.kallsyms]", "[module]", a file by its
	 * path or its name; NULL: of the kernel and of the programs that are to be recorded, which *scope then names.
	 */
	int (*for_each_symbol)(void *data, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
			       const char **scope, struct errmsg *err);
	int (*identify_file)(void *data, const char *path, struct filter_file_id *id, struct errmsg *err);
	/*
	 * Of a tracepoint: what field NAME is, 0 or -ENOENT. With it names mean fields first, and of the terms only those exist that
	 * a tracepoint has; see filter__check().
	 */
	int (*find_field)(void *data, const char *name, struct filter_field_desc *desc);
	/* Is NAME the address of a text in the memory of the task that hits the tracepoint? Without it addresses are numbers only. */
	bool (*points_to_user_text)(void *data, const char *name);
	/* Show the names of all fields to cb, which stops by a value that is not 0. */
	int (*for_each_field)(void *data, int (*cb)(void *arg, const char *name), void *arg);
	bool period_is_time; /* in ns, so that its values may have the suffixes of times as well */
};

struct filter_table {
	struct filter_entry entry[FILTER_MAX_ENTRIES];
	unsigned int nr;	 /* 1..FILTER_MAX_ENTRIES */
	u8 clause[FILTER_MAX_ENTRIES]; /* the test that an entry is a part of: see filter__clause() */
	struct filter_words words;
	/* in use of each of words */
	unsigned int nr_globs, nr_names, nr_everys, nr_sets, nr_ranges, nr_fields, nr_texts;
	u64 sample_type;	 /* PERF_SAMPLE_* bits that the event must carry for these terms */
};

struct filter_input { /* a filter as it was written */
	const char *domain; /* what messages about it begin with; outlives the filter */
	const char *text;
};

/*
 * For lists of what can be written: a line for each term of samples under each of its names, "NAME:OPERATORS:CONSTANTS", with blanks between
 * these. A flag has no operators.
 */
void filter__list_terms(struct text *lines);

/* The caller owns *filter and ends it with filter__delete(). */
int filter__parse(const char *text, struct filter **filter, struct errmsg *err);
/* The same of the AND of nr texts, 1 or more. Each is parsed by itself: what one leaves open is an error in that one. */
int filter__parse_all(const struct filter_input *texts, unsigned int nr, struct filter **filter, struct errmsg *err);
void filter__delete(struct filter *filter);

/*
 * Give names and values their meaning as terms of a sample; resolves users, groups, cgroups, and by env (may be NULL) symbols
 * and files. Needed before lowering.
 */
int filter__check(struct filter *filter, const struct filter_env *env, struct errmsg *err);

/* Lower a checked filter. *table is filled whole. */
int filter__lower(const struct filter *filter, struct filter_table *table, struct errmsg *err);

/* The text of one of the filter's tests, which table->clause counts; a part of the filter's own text. */
const char *filter__clause(const struct filter *filter, unsigned int clause, unsigned int *len);

/* A name that a test compares with, by ==, !=, in, ~ or !~. */
struct filter_name {
	char term[64];	 /* whose name it is: "comm", "dso", a field's */
	const char *text; /* without quotes and backslashes */
	bool inverted;	 /* samples that have it are not wanted */
	bool is_glob;	 /* text is a pattern */
	bool seems_glob; /* it is none, but has a '*' or '?' without a backslash */
};

/* Show the names of a parsed filter to cb, which stops by a value that is not 0; that, or -ENOMEM, is returned. Numbers are among them. */
int filter__for_each_name(const struct filter *filter, int (*cb)(void *arg, const struct filter_name *name), void *arg);

/* parse + check + lower, without an env */
int filter__compile(const char *text, struct filter_table *table, struct errmsg *err);

/*
 * What a program has to read for the number that text, one name as filters know it, means. *sample_type gets the PERF_SAMPLE_* bits
 * that the event must carry for it. -EINVAL: unknown, or no number; domain is what messages begin with.
 */
int filter__find_number(const char *domain, const char *text, const struct filter_env *env, struct histogram_number *number,
			u64 *sample_type, struct errmsg *err);
/* A number as filters have them, with K, M, G, or as a time in ns. False: it is none. */
bool filter__parse_amount(const char *text, u64 *value);
/* Up to where, in a tracepoint's record, it reads: a multiple of 8, as filter_words.record_len. */
u32 histogram_number__record_len(const struct histogram_number *number);

/*
 * For tracepoints: write the parsed filter in the language of the kernel's own event filter (Documentation/trace/events.rst,
 * part 5). *out is malloc'ed. -EOPNOTSUPP, with a text that says why: that language cannot express the whole of it, as a name is
 * neither a field of the tracepoint (env->find_field) nor one of the generic ones (CPU, cpu, COMM, comm), or a test is
 * one that it does not have; BPF may be able to judge it.
 */
int filter__to_kernel(const struct filter *filter, const struct filter_env *env, char **out, struct errmsg *err);

/* Whether a test of it asks which file the ip is in. */
bool filter_table__asks_for_files(const struct filter_table *table);

bool filter_table__eval(const struct filter_table *table, const struct filter_sample *sample);

void filter__dump(const struct filter *filter, FILE *fp);
void filter_table__dump(const struct filter_table *table, FILE *fp);

#endif
