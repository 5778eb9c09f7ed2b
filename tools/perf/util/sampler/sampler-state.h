/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a sampler, which the files sampler*.c share; private to them. sampler.h is what others see.
 *
 * A target is opened as a list of slots: one per CPU (system-wide), per thread and CPU (with children: the kernel maps an
 * inherited event only when it is bound to a CPU), or per thread. Every event has a descriptor in every slot. Slots of one CPU,
 * or of one thread without CPU, share a ring, which their first descriptor maps and the others write to by SET_OUTPUT. There are several
 * sets of such rings: events whose rings are overwritten have another one, as the kernel does not mix them, and of the software events
 * each but the first has one, see sampler-ids.c.
 */
#ifndef PERF_SAMPLER_SAMPLER_STATE_H
#define PERF_SAMPLER_SAMPLER_STATE_H

#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include "util/sampler/mends.h"
#include "util/sampler/rings.h"
#include "util/source/sources.h"
#include "util/sampler/sampler.h"
#include "util/judge/undecided.h"

struct slot {
	pid_t tid;	/* -1: all tasks */
	int cpu;	/* -1: wherever the thread runs */
	unsigned int ring;
	int watched_fd;	/* its descriptor in epfd, one for all events since they hang up together; -1: none */
	bool aside;	/* not on the target's CPUs: only for events that are opened everywhere */
	bool ended;	/* its thread ended before it was opened, or has hung up since */
};

enum { /* sets of rings; of RINGS_OWN on each is for one event alone */
	RINGS_SHARED,
	RINGS_OVERWRITTEN,
	RINGS_OWN,
};
#define NO_OWNER UINT_MAX

struct sampler_event { /* what an evsel has open */
	unsigned int rings; /* the set that it writes to */
	struct source *source; /* who makes its samples, or counts them */
	u64 nr_cut; /* samples left out, as another recording's event had room for less: sampler-ids.c */
	int cgroup_fd;	/* of evsel->cgroup while its descriptors are opened; else -1 */
	int *fd;	/* by slot; -1: not open there */
	u64 *id;	/* of those that are open, in the order of slots */
	u32 nr;
};

#define WATCH_SOURCE UINT32_MAX /* what epoll says for a source instead of a slot */

struct sampler {
	struct evlist *evlist;
	struct sampler_event *event; /* by evsel->idx */
	struct slot *slot;
	unsigned int nr_slots;
	struct ring *ring; /* nr_sets times nr_rings */
	unsigned int nr_sets, nr_rings;
	unsigned int *owner; /* by set: the event that samples with unknown ids are of, or NO_OWNER */
	struct sampler_id *by_id; /* all that there are, sorted */
	unsigned int nr_ids;
	unsigned int ring_pages;
	bool starts_tasks; /* the target may, while its events are opened */
	int epfd;
	void *bounce;
	u64 nr_forks; /* by tasks of the target */
	bool lost_records; /* as rings were full: some may have been of forks */
	bool throttled; /* the kernel has left samples out, as they were too many */
	struct mends *mends; /* NULL: no program has samples that may be another event's */
	struct undecided *undecided; /* NULL: no program has samples that it cannot judge */
};

static inline int sampler__out_of_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory while opening events");
}

static inline void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int sampler__enable_source(struct sampler *s, unsigned int event, struct errmsg *err);
int sampler__disable_source(struct sampler *s, unsigned int event); /* sampler-switch.c */
int sampler__choose_rings(struct sampler *s); /* sampler-ids.c; 0 or -ENOMEM, as the next */
int sampler__check_overwrite(const struct sampler *s, struct errmsg *err); /* the same file: -EOPNOTSUPP */
int sampler__list_ids(struct sampler *s); /* once all is open */
unsigned int sampler__event_of(const void *sampler, u64 id); /* of those listed, or NO_OWNER */
/* Drain the ring, or take a snapshot of it; with the ids of samples put right. */
int sampler__take_ring(struct sampler *s, unsigned int i, ring_cb cb, void *data, u64 *nr_bytes);
/* sampler-untaken.c: at the least, by what the event has counted (NULL: that is not known) and its program has seen */
u64 sampler__untaken(const struct sampler *s, const struct evsel *evsel, const u64 *counted, const struct filter_counts *seen);
void sampler__close_event(struct sampler *s, struct sampler_event *event); /* its descriptors: sampler.c */
bool sampler__all_ended(const struct sampler *s); /* of what was opened: sampler-open.c */

#endif
