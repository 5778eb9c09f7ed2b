/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CALLGRAPH_AUTO where no BPF program may unwind: the kernel copies registers and a piece of the user's stack into each sample, and perf unwinds
 * them while it records. What is written are samples with callchains, and events that say so.
 *
 * A stack can be unwound when all records of mappings before it are known, so records wait for the end of the next round, and come out in the
 * order of their times.
 */
#ifndef PERF_RECORD_COPIED_STACKS_H
#define PERF_RECORD_COPIED_STACKS_H

#include "util/event/evsel.h"
#include "util/sampler/sampler.h"
#include "util/source/unwind-tables.h"

struct copied_stacks;

struct copied_stacks_opts {
	struct evlist *evlist;
	unsigned int mmap_pages; /* of a ring, as the user wishes; 0: default */
	const char *cache;	 /* the build-id cache that may have files; NULL: none has */
	int (*write)(void *data, const void *records, size_t size); /* negative: -errno, and the call that has led to it returns it */
	void (*note)(void *data, const char *text); /* one line without newline; may be NULL */
	void *write_data, *note_data;
};

/* opts is copied; evlist must outlive it. NULL: no memory. */
struct copied_stacks *copied_stacks__new(const struct copied_stacks_opts *opts);
void copied_stacks__delete(struct copied_stacks *c); /* NULL is fine */

/* Before events are opened. NULL: this one can have copies; otherwise what is in the way. */
const char *copied_stacks__refuse(const struct evsel *evsel);
void copied_stacks__add_event(struct copied_stacks *c, struct evsel *evsel);
/* All are added: set the size of their copies, and lower frequencies where the rings have no room. */
void copied_stacks__share_rings(struct copied_stacks *c);
bool copied_stacks__has_event(const struct copied_stacks *c, unsigned int event);
/* Pages of a ring that is large enough, if the user may lock that much; 0: default */
unsigned int copied_stacks__pages(const struct copied_stacks *c);
/* No event has copies any more. */
void copied_stacks__give_up(struct copied_stacks *c);

/* After events were opened: note the frequencies that were lowered */
void copied_stacks__note_rates(const struct copied_stacks *c);
/* What describes an event in the file */
struct perf_event_attr copied_stacks__written(const struct copied_stacks *c, const struct evsel *evsel);

/* Whole records, from the kernel or made by perf. Those without a time are passed on at once. 0, or a negative return of write, or -ENOMEM */
int copied_stacks__take(struct copied_stacks *c, const struct sampler *s, const void *records, size_t size);
/* A round is over: pass on what is final. The same for all, at the end. Returns as copied_stacks__take() */
int copied_stacks__end_round(struct copied_stacks *c);
int copied_stacks__flush(struct copied_stacks *c);

/* How the event's stacks ended; NULL: it has no copies. Owned by c */
const struct unwind_totals *copied_stacks__totals(const struct copied_stacks *c, unsigned int event);

#endif
