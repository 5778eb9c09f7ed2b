/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A filter table in the kernel: attached to the descriptors of an event, its counters read. The specialised engine
 * (util/bpf_skel/filter.bpf.c) is loaded here, and this is the only user of its skeletons; see filter-engine.h for the other one.
 */
#ifndef PERF_JUDGE_BPF_FILTER_H
#define PERF_JUDGE_BPF_FILTER_H

#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

struct bpf_filter;

/*
 * Load the smallest program that holds table, for nr_events events: it keeps them apart in all that it counts, by attr.sig_data,
 * which is 0 to nr_events - 1 when an event is opened (with one event it does not matter). A kernel that cannot have that gets a
 * program for one event; see bpf_filter__nr_events(). err names what the kernel or the user's privilege lacks (CAP_BPF +
 * CAP_PERFMON, BTF). -EOPNOTSUPP: the kernel is too old for some entry, which old_kernel__refuses() names.
 */
int bpf_filter__load(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);

/* The same, and it counts how often each entry runs, which costs time for each sample. */
int bpf_filter__load_explaining(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);

/*
 * The program for kernels before Linux 6.3, which newer ones run, too, so that it can be tested there. Terms that only a prepared
 * sample has are 0 in it; see old-kernel.h.
 */
int bpf_filter__load_old(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);

u32 bpf_filter__nr_events(const struct bpf_filter *filter); /* that the program keeps apart */

/* What loading a program takes and this process lacks ("CAP_BPF and CAP_PERFMON"), or "". */
const char *bpf_filter__missing_capabilities(void);

/* Why a filter program was not loaded. */
int bpf_filter__explain_load(int errnum, struct errmsg *err);

/* Attach to a perf event descriptor, before it is enabled; one filter may serve many. Inherited children carry it on. */
int bpf_filter__attach(struct bpf_filter *filter, int perf_fd, struct errmsg *err);

/* Of one event, with its descriptors and inherited children, over all CPUs. */
int bpf_filter__counts(struct bpf_filter *filter, u32 event, struct filter_counts *counts, struct errmsg *err);

/* The same for each entry of the table; -ENODATA, without a text, if they are not counted. */
int bpf_filter__hits(struct bpf_filter *filter, u32 event, struct filter_hits hits[FILTER_MAX_ENTRIES], struct errmsg *err);

/*
 * A BPF ring buffer of the samples that the program kept as it could not look up their file (struct filter_undecided); -1: it tells of
 * none, as its table does not ask for files or user space could not judge them. It stays the filter's.
 */
int bpf_filter__undecided_fd(const struct bpf_filter *filter);

/* The same of what is to be put right in records (struct filter_mend); -1: the program's events have samples of their own. */
int bpf_filter__mends_fd(const struct bpf_filter *filter);

/* The program's descriptor, for what the kernel tells about it; it stays the filter's. */
int bpf_filter__prog_fd(const struct bpf_filter *filter);

/* Descriptors are closed; events that still have the program keep it until they end. NULL is fine. */
void bpf_filter__delete(struct bpf_filter *filter);

#endif
