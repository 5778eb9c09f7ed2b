/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A filter table in the kernel: attached to the descriptors of an event; user space reads its counters. Loads the specialised engine
 * (util/bpf_skel/filter.bpf.c), and is the only user of its skeletons; filter-engine.h has the other engine.
 */
#ifndef PERF_JUDGE_BPF_FILTER_H
#define PERF_JUDGE_BPF_FILTER_H

#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

struct bpf_filter;
struct bpf_programs;

/*
 * Load the smallest program that holds table, for nr_events events. It counts each event separately, by attr.sig_data, which must be
 * 0 to nr_events - 1 when an event is opened (ignored for a single event). A kernel that does not support this gets a program for
 * one event; see bpf_filter__nr_events(). err names what the kernel or the user's privilege lacks (CAP_BPF + CAP_PERFMON, BTF).
 * -EOPNOTSUPP: the kernel is too old for some entry, which old_kernel__refuses() names. -EDOM: the program cannot read some term.
 */
int bpf_filter__load(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);

/* The same, but judge and count only samples of the tasks that are marked: see event_filter.marks. */
int bpf_filter__load_marked(const struct filter_table *table, u32 nr_events, const struct bpf_programs *marks,
			    struct bpf_filter **filter, struct errmsg *err);

/* The same, but also count how often each entry runs, which costs time for each sample. */
int bpf_filter__load_explaining(const struct filter_table *table, u32 nr_events, const struct bpf_programs *marks,
				struct bpf_filter **filter, struct errmsg *err);

/*
 * Before the load of programs with target-current.bpf.h: let them see samples of marked tasks only. NULL: of all tasks, and the map for
 * marks is left out. -errno
 */
int bpf_filter__share_marks(struct bpf_programs *p, const struct bpf_programs *marks);

/*
 * Load the program for kernels before Linux 6.3. Newer kernels run it, too, so that it can be tested there. Terms that need a
 * prepared sample are refused; see old-kernel.h.
 */
int bpf_filter__load_old(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);

u32 bpf_filter__nr_events(const struct bpf_filter *filter); /* how many events the program counts separately */

/* The capabilities that loading a program needs and this process lacks ("CAP_BPF and CAP_PERFMON"), or "". */
const char *bpf_filter__missing_capabilities(void);

/* Explain why a filter program was not loaded. */
int bpf_filter__explain_load(int errnum, struct errmsg *err);
/* The same for a program that does something else, whether it has a filter or not. */
int bpf_filter__explain_program(int errnum, struct errmsg *err);

/* Attach to a perf event descriptor before it is enabled; one filter may serve many. Inherited events keep the program. */
int bpf_filter__attach(struct bpf_filter *filter, int perf_fd, struct errmsg *err);

/* The same for a program that judges without a table. */
int bpf_filter__attach_program(int prog_fd, int perf_fd, struct errmsg *err);

/* Counts of one event with its descriptors and inherited children, summed over all CPUs. */
int bpf_filter__counts(struct bpf_filter *filter, u32 event, struct filter_counts *counts, struct errmsg *err);

/* The same for each entry of the table; -ENODATA, without a text, if they are not counted. */
int bpf_filter__hits(struct bpf_filter *filter, u32 event, struct filter_hits hits[FILTER_MAX_ENTRIES], struct errmsg *err);

/*
 * The BPF ring buffer of samples that the program kept because it could not look up their file (struct filter_undecided); -1: there
 * is none, as the table does not test files or user space could not judge them. Owned by the filter.
 */
int bpf_filter__undecided_fd(const struct bpf_filter *filter);

/* The same for corrections of records (struct filter_mend); -1: samples of the program's events never hold another event's values. */
int bpf_filter__mends_fd(const struct bpf_filter *filter);

/* The program's descriptor, for queries to the kernel; owned by the filter. */
int bpf_filter__prog_fd(const struct bpf_filter *filter);

/* Closes the descriptors; events that still have the program keep it until they end. NULL is fine. */
void bpf_filter__delete(struct bpf_filter *filter);

#endif
