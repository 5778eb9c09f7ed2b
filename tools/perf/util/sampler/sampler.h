/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens the events of an evlist on a target, attaches filters (fail closed: an event is enabled only after its filter is
 * attached), maps the rings and hands out their records. Order of calls: (the caller finishes the attrs,) new, open, enable
 * (a command that is not yet exec'ed enables itself by enable_on_exec), drain ..., disable, drain, counts, delete.
 */
#ifndef PERF_SAMPLER_SAMPLER_H
#define PERF_SAMPLER_SAMPLER_H

#include <stdio.h>
#include <sys/types.h>
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/perfdata/record.h"
#include "util/source/source.h"
#include "util/source/target.h"

struct sampler;
struct histogram_opts;
struct offcpu_opts;

struct sampler_opts {
	unsigned int mmap_pages;   /* data pages a ring, a power of two; 0: what mlock limits allow, at most 512 KiB */
	/* Told, in one line without newline, when an event is opened otherwise than it was asked for. May be NULL. */
	void (*note)(void *data, const char *text);
	void *note_data;
};

/* For filters that name functions or are to be explained, and for samples that are counted. */
struct sampler_scope {
	const char *program;	/* the command that will be run; NULL: none */
	const pid_t *pids;	/* processes that are followed */
	int nr_pids;
	bool explain;		/* count what each test does: see sampler__dump_clauses */
	/*
	 * Of each event that samples: do not write samples, but count them in the kernel; see
	 * sampler__collect. Must outlive the sampler. NULL: write them.
	 */
	const struct tally_opts *count;
	/* With count: count histograms, of perf samples and of tracepoints. Must outlive the sampler, too. NULL: of whole keys */
	const struct histogram_opts *histogram;
	const struct offcpu_opts *off_cpu; /* for events of off-CPU time; NULL: the defaults */
};

/*
 * Compile the filters of evlist, which must outlive the sampler. Attrs get the PERF_SAMPLE_* bits that their filters read.
 * Nothing of the events is opened, but for one case: a tracepoint's filter that only the kernel understands is tried on a
 * disabled event of the calling thread. -EINVAL: a wrong filter (the command exits 129).
 */
int sampler__new(struct evlist *evlist, struct sampler **s, struct errmsg *err);
int sampler__new_scoped(struct evlist *evlist, const struct sampler_scope *scope, struct sampler **s, struct errmsg *err);

/* Without a recording: would the kernel take the filters that it is to judge tracepoints by? Nothing is left open. */
int sampler__ask_kernel(const struct sampler *s, struct errmsg *err);
/* What became of the filters: trees, tables, engines, and the text for the kernel's own filter. */
void sampler__dump_filters(const struct sampler *s, FILE *fp);

/* At the end, if the scope asked for it: what each test of the filters did. */
int sampler__dump_clauses(const struct sampler *s, FILE *fp, struct errmsg *err);

/*
 * May change attrs and names of the evlist where the kernel or the user's privilege asks for it: precise_ip, features of
 * newer kernels, cycles -> cpu-clock, exclude_kernel. A thread of the target that has ended is left out; -ESRCH if all have.
 * All tasks that have inherited an event with a program have that program, too: see witness.h. -EAGAIN: the target starts tasks too fast for
 * that; -EOPNOTSUPP: this kernel cannot tell.
 */
int sampler__open(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts,
		  struct errmsg *err);
/* Undo an opening, also one that failed half-way, so that another target can be opened. Filters that were loaded stay so. */
void sampler__close(struct sampler *s);
int sampler__enable(struct sampler *s, struct errmsg *err);
int sampler__disable(struct sampler *s);
/* The side-band alone, and all but that for a while; one event by its index. */
int sampler__enable_side_band(struct sampler *s, struct errmsg *err);
int sampler__pause(struct sampler *s);
int sampler__enable_event(struct sampler *s, unsigned int event, struct errmsg *err);
int sampler__disable_event(struct sampler *s, unsigned int event);
int sampler__epoll_fd(const struct sampler *s); /* readable when a ring has reached its watermark or its events have ended */

/* Are there samples that BPF programs make? Of an event, by its index: are all of its? These follow a target's tasks by themselves. */
bool sampler__has_sources(const struct sampler *s);
bool sampler__has_source(const struct sampler *s, unsigned int event);

/* Every target thread and all of its inherited children have ended. To be asked after epoll_fd was readable. */
bool sampler__all_hung_up(struct sampler *s);

/* Hand every record that is in the rings to cb, in runs of whole records that are contiguous in memory, then free their
 * room. *nr_bytes (may be NULL) is increased. cb's negative return stops and is handed on. */
int sampler__drain(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes);

/* The same of the rings that are overwritten (events with attr.write_backward), the newest records first; what is not taken is gone. */
int sampler__snapshot(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data);

int sampler__counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err);
/*
 * What the BPF program of an event has counted, by one system call: filtered, seen, dropped, judged, undecided and unmended. Other members of
 * *counts stay as they are. filtered is false if there is no program, or if programs make the samples themselves.
 */
int sampler__filter_counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err);

/* Of an evsel whose samples are counted: see tally__collect() and tally__counts(). -EINVAL: they are not. */
int sampler__collect(struct sampler *s, unsigned int evsel_idx, int (*cb)(void *data, const struct tally_row *row), void *data,
		     struct errmsg *err);
int sampler__tally_counts(struct sampler *s, unsigned int evsel_idx, struct tally_counts *counts, struct errmsg *err);

/* ids of one evsel's descriptors, in the order they were opened; owned by s */
const u64 *sampler__ids(const struct sampler *s, unsigned int evsel_idx, u32 *nr);

/* A task of the target has started another one: it has copies of the events that are inherited. */
void sampler__note_fork(struct sampler *s);
/* There is a record of that: the kernel takes no samples for a while. */
void sampler__note_throttling(struct sampler *s);
/* There is a record of that: others are missing. */
void sampler__note_loss(struct sampler *s);

void sampler__delete(struct sampler *s);

#endif
