/* SPDX-License-Identifier: GPL-2.0 */
/* Recorded hits of tracepoints, for the commands that make something of them: which events of a file are wanted, and what samples hold. */
#ifndef PERF_CMD_READ_RECORDED_HITS_H
#define PERF_CMD_READ_RECORDED_HITS_H

#include "util/session/session.h"

struct recorded_hit_name {
	int kind;	  /* from 1 to 31; several tracepoints may be of one kind */
	const char *name; /* "sched:sched_switch" */
};

struct recorded_hits {
	struct session *session;
	const char *input, *command; /* the file, and what records such files, for messages */
	int *kind;	   /* by event; 0: another event */
	const char **name; /* of the tracepoint, by event */
	u32 kinds;	   /* bit n: the file has kind n */
	u64 nr_malformed;  /* samples that were left out; counted by the caller */
};

/* Find the events of these names, which must live as long as hits. -ENOMEM */
int recorded_hits__find(struct recorded_hits *hits, const struct recorded_hit_name *names, unsigned int nr, struct errmsg *err);
/* Does the file have this tracepoint? */
bool recorded_hits__has(const struct recorded_hits *hits, const char *name);
/* Ignore the hits of this tracepoint from now on. */
void recorded_hits__ignore(struct recorded_hits *hits, const char *name);
/*
 * Do the hits have formats, and these PERF_SAMPLE_* bits besides the fields of tracepoints? lacking: "tasks, times", for the message.
 * -ENOENT, -EINVAL
 */
int recorded_hits__check(const struct recorded_hits *hits, u64 sample_type, const char *lacking, struct errmsg *err);
void recorded_hits__exit(struct recorded_hits *hits);

static inline int recorded_hits__kind(const struct recorded_hits *hits, const struct session_sample *sample)
{
	return hits->kind[sample->evsel->idx];
}

/* The value of a field. false: the sample lacks it. */
bool recorded_hits__number(const struct recorded_hits *hits, const struct session_sample *sample, const char *field, u64 *value);
/* The same for a text, which is cut if it is longer than buf. */
bool recorded_hits__text(const struct recorded_hits *hits, const struct session_sample *sample, const char *field, char *buf, size_t size);

/* Warn that nr samples of the file were left out. how: "without lock_addr or flags" */
void recorded_hits__warn(const struct recorded_hits *hits, u64 nr, const char *how);

#endif
