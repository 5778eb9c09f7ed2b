/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the sources share whose programs on tracepoints watch tasks and CPUs (locks, kwork, sched, system calls): the end of choosing one,
 * what to say if programs cannot be loaded, and what is read from their maps.
 */
#ifndef PERF_SOURCE_WATCH_H
#define PERF_SOURCE_WATCH_H

#include <stdio.h>
#include "util/source/source.h"
#include "util/source/tp-programs.h"

struct watch_words { /* for messages */
	const char *what;     /* is filtered: "waits for locks" */
	const char *has;      /* what its filter can test: "a task that waits has pid, tid" */
	const char *watching; /* for missing privilege: "waits for locks are watched" */
};

/* The last part of choose: check the filter and the privilege, and take what is counted. */
int watch__settle(struct source *source, struct source_wish *wish, const struct watch_words *words, struct errmsg *err);
/* what: "watch locks"; no_memory: the message for ENOMEM */
int watch__explain_load(int errnum, const char *what, const char *no_memory, struct errmsg *err);
/* "engine: BPF programs a, b; 3 entries judge WHEN" */
void watch__explain(const struct source *source, const struct tp_hook *hooks, const char *when, FILE *fp);
u64 watch__missed(const struct tp_programs *p, const struct tp_hook *hooks);

/* Call cb for each entry of a map until it returns non-zero; returns that. key and value are room for one. */
int watch__for_each(int map_fd, void *key, size_t key_size, void *value, int (*cb)(void *data, struct errmsg *err), void *data, struct errmsg *err);

#endif
