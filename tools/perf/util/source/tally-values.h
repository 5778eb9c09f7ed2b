/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values that users name to count by, to sum up, or to be written (util/bpf_skel/tally-values.bpf.h): terms of filters, fields of the
 * tracepoint, and walks through the kernel's data. They are resolved for one event, placed in its programs, and shown as texts.
 */
#ifndef PERF_SOURCE_TALLY_VALUES_H
#define PERF_SOURCE_TALLY_VALUES_H

#include "util/bpf/programs.h"
#include "util/bpf_skel/tally.h"
#include "util/event/evsel.h"
#include "util/judge/event-filter.h"
#include "util/lib/errmsg.h"

struct tally_values;

struct tally_exprs { /* the texts; the caller owns them */
	const char *text[TALLY_MAX_VALUES]; /* parts of the key, or what is written */
	unsigned int nr;
	const char *option; /* that they are from, for messages: "--key" */
	bool walks_only;
	const char *sum; /* to be summed up in place of periods; NULL: nothing */
	const char *sum_option; /* "--sum", for messages */
	const char *keys; /* "comm, pid": what else the user may have meant; NULL: nothing */
};

/* filter: of the same event, with which walks and fields share the room in its table. -EINVAL: a wrong text; -ENOMEM */
int tally_values__new(const struct tally_exprs *exprs, const struct evsel *evsel, const struct event_filter *filter, struct tally_values **values,
		      struct errmsg *err);
void tally_values__delete(struct tally_values *values); /* NULL is fine */

/* Is a text a walk, which programs need an argument of the tracepoint or the task for? */
bool tally_values__is_walk(const char *text, const struct evsel *evsel);

/* The following take NULL for no values. PERF_SAMPLE_* bits that the event needs; bits of arguments of the tracepoint; the number of walks */
u64 tally_values__sample_type(const struct tally_values *values);
u32 tally_values__arguments(const struct tally_values *values);
const struct filter_reading *tally_values__reading(const struct tally_values *values, unsigned int i); /* not NULL */
unsigned int tally_values__nr_walks(const struct tally_values *values);
/* Sets the members for values; histogram: the sum goes into buckets, and config->histogram has its sign afterwards. */
void tally_values__configure(const struct tally_values *values, struct tally_config *config);
/* Before the load, after the filter's table. -EDOM: the programs cannot read them. */
int tally_values__put(const struct tally_values *values, struct bpf_programs *programs, struct errmsg *err);
/* Add how many samples had no value of a walk. */
void tally_values__add_missing(const struct tally_values *values, struct filter_missing *missing, const u64 valueless[FILTER_MAX_WALKS]);

/* The value i of a row as a text; has and words as in struct tally_record. */
#define TALLY_NO_VALUE "(no value)"
void tally_values__show(struct tally_values *values, unsigned int i, u64 has, const u64 *words, char *text, size_t size);
const char *tally_values__text(const struct tally_values *values, unsigned int i); /* as the user wrote it */
unsigned int tally_values__nr(const struct tally_values *values);

#endif
