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
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct filter; /* a parsed filter */

/* What is known of the event that the filter is for; members may be NULL. */
struct filter_env {
	void *data;
	bool (*has_field)(void *data, const char *name); /* is NAME a field of this tracepoint? NULL: not a tracepoint */
};

struct filter_table {
	struct filter_entry entry[FILTER_MAX_ENTRIES];
	unsigned int nr;	 /* 1..FILTER_MAX_ENTRIES */
	u8 clause[FILTER_MAX_ENTRIES]; /* the test that an entry is a part of: see filter__clause() */
	struct filter_words words;
	unsigned int nr_globs, nr_names, nr_everys, nr_sets, nr_ranges; /* in use of each of words */
	u64 sample_type;	 /* PERF_SAMPLE_* bits that the event must carry for these terms */
};

/* The caller owns *filter and ends it with filter__delete(). */
int filter__parse(const char *text, struct filter **filter, struct errmsg *err);
void filter__delete(struct filter *filter);

/* Give names and values their meaning as terms of a sample; resolves users, groups, cgroups. Needed before lowering. */
int filter__check(struct filter *filter, struct errmsg *err);

/* Lower a checked filter. *table is filled whole. */
int filter__lower(const struct filter *filter, struct filter_table *table, struct errmsg *err);

/* parse + check + lower */
int filter__compile(const char *text, struct filter_table *table, struct errmsg *err);

/*
 * For tracepoints: write the parsed (not checked) filter in the language of the kernel's own event filter
 * (Documentation/trace/events.rst, part 5). *out is malloc'ed. -EOPNOTSUPP, with a text that names the term, if a name in
 * it is neither a field of the tracepoint (env->has_field) nor one of the kernel filter's generic ones (CPU, cpu, COMM, comm).
 */
int filter__to_kernel(const struct filter *filter, const struct filter_env *env, char **out, struct errmsg *err);

bool filter_table__eval(const struct filter_table *table, const struct filter_sample *sample);

void filter__dump(const struct filter *filter, FILE *fp);
void filter_table__dump(const struct filter_table *table, FILE *fp);

#endif
