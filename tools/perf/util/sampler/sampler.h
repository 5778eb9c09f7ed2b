/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens the events of an evlist on a target, attaches filters (fail closed: an event is enabled only after its filter is attached),
 * maps the rings and passes on their records. Order of calls: (the caller finishes the attrs,) new, open, enable (a command before
 * its exec enables its events itself by enable_on_exec), drain ..., disable, drain, counts, delete.
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

/* How rings were kept from getting full while their reader was busy */
struct sampler_kept {
	u64 bytes;	/* that a thread has set aside meanwhile */
	u64 longest_ns; /* that nobody looked at the rings, between two looks of a reader that did not sleep */
};
struct histogram_opts;

/*
 * Several threads may read the rings, each those of some CPUs: reader 0 is the caller of sampler__drain(), to which all belong without
 * opts->readers, and which alone gets the samples that BPF programs make.
 */
struct sampler_opts {
	const struct cpumap *const *readers; /* CPUs of reader 1, 2, ..., disjoint; those of no other are of reader 0. Used while opening only */
	unsigned int nr_readers; /* without reader 0; 0 also if there is a ring for each thread, not for each CPU */
	unsigned int mmap_pages;   /* data pages per ring, a power of two; 0: as many as mlock limits allow, at most 512 KiB */
	bool fewer_pages;	   /* down to the default, if mlock limits allow no more */
	/* Gets a message, one line without newline, when an event is opened with other attributes than requested. May be NULL. */
	void (*note)(void *data, const char *text);
	void *note_data;
};

/* Where a clock that follows tasks is opened: see sampler-cpus.c */
enum clock_place {
	CLOCK_ON_CPUS_IF_ALLOWED, /* else on tasks */
	CLOCK_ON_TASKS,
	CLOCK_ON_CPUS, /* or refuse */
};

/* For filters with function names or explanations, and for counted samples. */
struct sampler_scope {
	const char *program;	/* the command that will be run; NULL: none */
	const pid_t *pids;	/* processes that are followed */
	int nr_pids;
	bool follows_tasks;	/* the target is tasks, not all of the system */
	bool inherits;		/* with their children */
	bool waits;		/* the target is the program, which starts nothing before its exec */
	enum clock_place clock;
	void (*note)(void *data, const char *text); /* as in struct sampler_opts: an event was replaced by another one. May be NULL */
	void *note_data;
	bool explain;		/* count the results of each test: see sampler__dump_clauses */
	/*
	 * For each event with samples: count them in the kernel instead of writing them; see sampler__collect. Must outlive the
	 * sampler. NULL: write them.
	 */
	const struct tally_opts *count;
	/* With count: count in histograms, of perf samples and of tracepoints. Must outlive the sampler, too. NULL: by complete keys */
	const struct histogram_opts *histogram;
	const struct callgraph *callgraph; /* of events without terms for it; NULL: none */
	const char *no_unwinding; /* why CALLGRAPH_AUTO is CALLGRAPH_FP; NULL: the events decide */
	size_t unwind_memory; /* bytes of tables for --call-graph bpf */
	const struct interp_choice *interp; /* frames of interpreters in these stacks; NULL: none */
	const char *unwind_cache; /* the build-id cache that keeps them; NULL: none */
};

/*
 * Compile the filters of evlist, which must outlive the sampler. Sets the PERF_SAMPLE_* bits that filters read in attrs. Opens no
 * events, with one exception: a tracepoint's filter that only the kernel understands is tried on a disabled event of the calling
 * thread. -EINVAL: a wrong filter (the command exits 129).
 */
int sampler__new(struct evlist *evlist, struct sampler **s, struct errmsg *err);
int sampler__new_scoped(struct evlist *evlist, const struct sampler_scope *scope, struct sampler **s, struct errmsg *err);

/* Without a recording: would the kernel accept the filters that it judges for tracepoints? Leaves nothing open. */
int sampler__ask_kernel(const struct sampler *s, struct errmsg *err);
/* Print the compiled filters: trees, tables, engines, and the text for the kernel's own filter. */
void sampler__dump_filters(const struct sampler *s, FILE *fp);

/* At the end, if scope.explain was set: print the results of the filters' tests. */
int sampler__dump_clauses(const struct sampler *s, FILE *fp, struct errmsg *err);

/*
 * May change attrs and names of the evlist where the kernel or the user's privilege requires it: precise_ip, features of newer
 * kernels, cycles -> cpu-clock, exclude_kernel. Skips threads of the target that have ended; -ESRCH if all have. All tasks that have
 * inherited an event with a program have that program, too: see inherit-check.h. -EAGAIN: the target starts tasks too fast for that;
 * -EOPNOTSUPP: this kernel cannot check it.
 */
int sampler__open(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts,
		  struct errmsg *err);
/* Undo an opening, even one that failed half-way, so that another target can be opened. Filters stay loaded. */
void sampler__close(struct sampler *s);
int sampler__enable(struct sampler *s, struct errmsg *err);
int sampler__disable(struct sampler *s);
/* Enable only the side-band; all but the side-band; one event by its index. */
int sampler__enable_side_band(struct sampler *s, struct errmsg *err);
int sampler__pause(struct sampler *s);
int sampler__enable_event(struct sampler *s, unsigned int event, struct errmsg *err);
int sampler__disable_event(struct sampler *s, unsigned int event);
/*
 * A CPU was offline and is back: the kernel has closed its events. Open them again, as they were. 1: done; 0: none is bound to that CPU alone;
 * -errno with err.
 */
int sampler__reopen_cpu(struct sampler *s, int cpu, struct errmsg *err);
int sampler__epoll_fd(const struct sampler *s); /* readable when a ring has reached its watermark or its events have ended */

/* Do BPF programs write samples? For one event, by index: do they write all of its samples? */
bool sampler__has_sources(const struct sampler *s);
bool sampler__has_source(const struct sampler *s, unsigned int event);

/* Have every target thread and all of its inherited children ended? Call it after epoll_fd was readable. */
bool sampler__all_hung_up(struct sampler *s);

/* Of another reader; both, and its drain, are for one thread. hung_up: have all tasks on its CPUs? Call it after the fd was readable. */
int sampler__reader_fd(const struct sampler *s, unsigned int reader);
bool sampler__reader_hung_up(struct sampler *s, unsigned int reader);

/*
 * Pass every record in the rings to cb, in runs of whole records that are contiguous in memory, then free their space. Adds to
 * *nr_bytes (may be NULL). Stops at a negative return of cb and returns it.
 */
int sampler__drain(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes);
/* The same for the rings of another reader. */
int sampler__drain_reader(struct sampler *s, unsigned int reader, int (*cb)(void *data, const void *records, size_t size), void *data,
			  u64 *nr_bytes);

/* The same for overwritten rings (events with attr.write_backward), the newest records first; records that are not taken are lost. */
int sampler__snapshot(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data);

int sampler__counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err);
/*
 * Read the counts of an event's BPF program by one system call: filtered, seen, dropped, judged, undecided and unmended. Other
 * members of *counts stay unchanged. filtered is false if there is no program, or if programs make the samples themselves.
 */
int sampler__filter_counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err);

/* The tables that programs unwind stacks by; NULL: none does. Valid until the next call. */
const struct unwind_feeder_counts *sampler__unwind_tables(struct sampler *s);

/* Do any programs unwind stacks because perf has chosen so (CALLGRAPH_AUTO)? */
bool sampler__chose_unwinding(const struct sampler *s);

/* Do programs unwind stacks by tables? */
bool sampler__unwinds(const struct sampler *s);

/* Why no program unwinds the stacks of the event, although perf could choose so; NULL: one does, or there was no choice */
const char *sampler__no_unwinding(const struct sampler *s, unsigned int event);

/* The files that frames are places in, for counted samples with by_file; otherwise NULL. */
const struct unwind_files *sampler__unwind_files(const struct sampler *s);

/* For an evsel whose samples are counted: see tally__collect() and tally__counts(). -EINVAL: they are not counted. */
int sampler__collect(struct sampler *s, unsigned int evsel_idx, int (*cb)(void *data, const struct tally_row *row), void *data,
		     struct errmsg *err);
int sampler__tally_counts(struct sampler *s, unsigned int evsel_idx, struct tally_counts *counts, struct errmsg *err);

/* ids of one evsel's descriptors, in the order they were opened; owned by s */
const u64 *sampler__ids(const struct sampler *s, unsigned int evsel_idx, u32 *nr);

/* The index of the event with that id, or UINT_MAX. sampler: the struct sampler */
unsigned int sampler__event_of(const void *sampler, u64 id);

/* These three may be called by all readers. A task of the target has started another one, which has copies of the inherited events. */
void sampler__note_fork(struct sampler *s);
/* A record says so: the kernel drops samples for a while. */
void sampler__note_throttling(struct sampler *s);
/* A record says so: other records are missing. */
void sampler__note_loss(struct sampler *s);

void sampler__delete(struct sampler *s);

/*
 * The caller is about to work, and drains now and then (the second: to sleep until a ring wakes it). If that takes more than some ms, for a file
 * that is read or a table that is made, a thread keeps the rings empty: what is in them waits in memory for the next drain, 64 MiB of it at most.
 * Only for the thread that drains; without the thread (no memory) nothing is set aside.
 */
void sampler__begin_work(struct sampler *s);
void sampler__end_work(struct sampler *s);
struct sampler_kept sampler__kept(const struct sampler *s);

#endif
