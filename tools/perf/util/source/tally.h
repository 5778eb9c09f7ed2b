/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of perf events that BPF judges and counts in the kernel: one row for each key, instead of one record for each sample.
 * How that is done is in util/bpf_skel/tally.bpf.h.
 */
#ifndef PERF_SOURCE_TALLY_H
#define PERF_SOURCE_TALLY_H

#include <stdbool.h>
#include "util/bpf_skel/tally.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct tally;

struct tally_opts {
	unsigned int key; /* TALLY_KEY_* */
	u32 max_keys;	/* at once; what is more goes through the ring, sample by sample */
	u32 max_stacks; /* of max_stack frames that the ring holds: new keys wait there to be fetched, and samples beyond max_keys */
	u16 max_stack;	/* frames of the kernel, and of the user */
	u32 own;	/* enum filter_owned: of the event */
	bool both;	/* the sample goes on to the event's own ring buffer, too */
	/* Count by bucket of this number, too, and sum it up in the place of periods. Must outlive the tally. NULL: no histogram */
	const struct histogram_config *histogram;
};

#define TALLY_OPTS_INIT							\
	{									\
		.key = TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_COMM |	\
		       TALLY_KEY_KSTACK | TALLY_KEY_USTACK,			\
		.max_keys = 16384,						\
		.max_stacks = 1024,						\
		.max_stack = TALLY_MAX_STACK,					\
	}

struct tally_row { /* what the key does not ask for is 0 */
	u32 pid, tid, cpu, uid;
	u64 cgroup;
	char comm[16];
	u64 ip;
	u8 cpumode;	/* of ip: PERF_RECORD_MISC_KERNEL or _USER; 0 without it */
	const u64 *kstack, *ustack; /* innermost frame first, no PERF_CONTEXT_* among them */
	u32 nr_kstack, nr_ustack;
	u64 count;	/* samples */
	u64 period;	/* the sum of theirs; of values of a histogram, modulo 2^64 */
	const struct histogram_config *histogram; /* what the next three mean; NULL: nothing */
	s32 bucket;
	u64 least, greatest; /* values, that of a signed number as s64 */
	u64 first_time, last_time; /* of the events' clock; before Linux 6.3 always CLOCK_MONOTONIC, so let it be theirs */
};

/*
 * seen = dropped + counted + lost_keys + lost_spill, and of times + lost_starts + open_starts. Samples that the kernel has not taken (see
 * sampler_counts.untaken) are in none of these.
 */
struct tally_counts {
	u64 seen;
	u64 dropped;	 /* by the filter */
	u64 unmended;	 /* counted, but kept out of the ring (both), as they say what another recording's event wanted */
	u64 period;	 /* of those seen, in all */
	u64 untaken;	 /* the kernel did not run the program for them (filter_counts.untaken); not in seen */
	u64 undecided;	 /* counted, though the filter could not tell as the task's maps were locked */
	u64 counted;
	u64 lost_stacks; /* counted, but a stack could not be taken and is empty */
	u64 spilled;	 /* counted, but one by one through the ring as their keys had no room */
	u64 lost_keys;	 /* not counted: no room for the key, and none in the ring either */
	u64 lost_spill;	 /* not counted: no room in the ring for a new key */
	u64 map_bytes;	 /* the kernel's memory for all of this */
	/* of tracepoints that histograms are made of: */
	u64 missed;	 /* hits for which the kernel did not run the program, as it was running one on that CPU; not in seen */
	/* of times between two, which are counted when they end; seen are starts, counted are ends: */
	u64 lost_starts; /* no room */
	u64 open_starts; /* whose end did not come, or only after another start */
	u64 lone_ends;	 /* that had no start */
};

/*
 * Load the program for table (NULL: keep all samples). -EOPNOTSUPP: the kernel is too old for some entry of the table, which
 * old_kernel__refuses() names. Samples of the events must carry tally__sample_type(opts).
 */
int tally__load(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally, struct errmsg *err);
u64 tally__sample_type(const struct tally_opts *opts);

/* The program for kernels before Linux 6.3 in any case, as bpf_filter__load_old(). */
int tally__load_old(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally,
		      struct errmsg *err);

/* As bpf_filter__attach(): to each descriptor, before it is enabled. */
int tally__attach(struct tally *tally, int perf_fd, struct errmsg *err);

/* To be watched by epoll with EPOLLET; readable when it is worth a tally__drain(). */
int tally__fd(const struct tally *tally);

/* Fetch what is in the ring, so that there is room again. -errno */
int tally__drain(struct tally *tally);

/*
 * Hand all that was counted since the last time to cb, each key once; then it is forgotten, also if cb stops it by a negative
 * return, which is handed on without a text. Samples may come in meanwhile: each belongs to this collection or to the next.
 */
int tally__collect(struct tally *tally, int (*cb)(void *data, const struct tally_row *row), void *data, struct errmsg *err);

/* Of all events it is attached to, from the beginning. */
int tally__counts(struct tally *tally, struct tally_counts *counts, struct errmsg *err);

void tally__delete(struct tally *tally); /* NULL is fine */

#endif
