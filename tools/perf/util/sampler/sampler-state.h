/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a sampler, shared by and private to the files sampler*.c. sampler.h is the public part.
 *
 * A target is opened as a list of slots: one per CPU (system-wide), per thread and CPU (with children: the kernel maps an inherited
 * event only when it is bound to a CPU), or per thread. Every event has a descriptor in every slot. Slots of one CPU, or of one
 * thread without CPU, share a ring, which their first descriptor maps and the others write to by SET_OUTPUT. There are several sets
 * of such rings: events with overwritten rings have a separate set, as the kernel does not mix them, and so has each software event
 * but the first, see sampler-ids.c.
 */
#ifndef PERF_SAMPLER_SAMPLER_STATE_H
#define PERF_SAMPLER_SAMPLER_STATE_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>
#include "util/sampler/mends.h"
#include "util/sampler/open-event.h"
#include "util/sampler/rings.h"
#include "util/source/bpf-target.h"
#include "util/source/sources.h"
#include "util/sampler/sampler.h"
#include "util/judge/undecided.h"

struct slot {
	pid_t tid;	/* -1: all tasks */
	int cpu;	/* -1: any CPU */
	unsigned int ring;
	int watched_fd;	/* the descriptor in its reader's epfd for all its events, since they hang up together; -1: none */
	bool aside;	/* not on the target's CPUs: only for events that are opened on every CPU */
	bool ended;	/* its thread ended before it was opened, or hung up later */
};

enum { /* sets of rings; from RINGS_OWN on each set is for one event */
	RINGS_SHARED,
	RINGS_OVERWRITTEN,
	RINGS_OWN,
};
#define NO_OWNER UINT_MAX

struct sampler_event { /* what an evsel has open */
	unsigned int rings; /* index of the set that it writes to */
	struct source *source; /* makes or counts its samples */
	u64 nr_cut; /* samples dropped because another recording's event had less space: sampler-ids.c */
	int cgroup_fd;	/* of evsel->cgroup; otherwise -1 */
	int *fd;	/* by slot; -1: not open */
	bool on;	/* enabled, as far as this has enabled it */
	int *dead;	/* descriptors whose CPU went offline: sampler-hotplug.c */
	unsigned int nr_dead;
	u64 *id;	/* of open descriptors, in the order of slots */
	u32 nr;
	int *cpu_fd;	/* by ring, if source->marks is set: the descriptors with samples, whose ids come after those of slots */
	u32 nr_slot_ids; /* of nr: ids of slots */
};

struct sampler_reader { /* see sampler_opts */
	int epfd;
	void *bounce; /* see ring__drain() */
	unsigned int nr_slots;
};

#define WATCH_SOURCE UINT32_MAX /* in epoll data instead of a slot: a source is ready */

struct sampler {
	struct evlist *evlist;
	struct sampler_event *event; /* by evsel->idx */
	struct slot *slot;
	unsigned int nr_slots;
	struct ring *ring; /* nr_sets times nr_rings */
	unsigned int nr_sets, nr_rings;
	unsigned int *reader_of; /* by ring of a set */
	struct sampler_reader *reader;
	unsigned int nr_readers; /* with reader 0 */
	unsigned int *owner; /* by set: the event of samples with unknown ids, or NO_OWNER */
	struct sampler_ids *ids; /* all of them, sorted; read with acquire */
	unsigned int ring_pages;
	bool fewer_pages; /* see sampler_opts */
	bool starts_tasks; /* the target may start tasks while its events are opened */
	u64 nr_forks; /* forks of the target's tasks */
	bool lost_records; /* rings were full: records of forks may be lost */
	bool throttled; /* the kernel has dropped samples, as there were too many */
	struct mends *mends; /* NULL: no program's samples may hold another event's values */
	struct unwind_tables *tables; /* NULL: no program unwinds stacks */
	struct task_marks *marks; /* of the target's tasks, for events on each CPU; NULL: there are none */
	struct undecided *undecided; /* NULL: all programs can judge all samples */
	struct keeper *keeper; /* sampler-keeper.c; NULL: there is none */
	pthread_mutex_t lock; /* of mends and undecided, which all readers use: see sampler__lock() */
};

/* What programs send beside the rings is for whoever reads the record: if they do, readers take turns. */
static inline bool sampler__lock(struct sampler *s)
{
	const bool needed = s->mends || s->undecided;

	if (needed)
		pthread_mutex_lock(&s->lock);
	return needed;
}

static inline void sampler__unlock(struct sampler *s, bool locked)
{
	if (locked)
		pthread_mutex_unlock(&s->lock);
}

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

/* sampler-cpus.c: decide where a clock is opened, and set wish->marks; switch and close the descriptors on CPUs */
int sampler__choose_place(struct sampler *s, const struct sampler_scope *scope, struct source_wish *wish, struct errmsg *err);
int sampler__check_place(const struct sampler *s, const struct sampler_scope *scope, struct errmsg *err); /* for all events: -EINVAL if --clock has no effect */
int sampler__switch_cpus(const struct sampler *s, unsigned int event, unsigned long request); /* -errno */
void sampler__close_cpus(struct sampler *s, struct sampler_event *event);

/* sampler-turns.c: the CPUs' turns to enable a clock */
struct turns {
	u64 next; /* CLOCK_MONOTONIC, in ns */
	u64 step; /* in ns; 0: no CPU waits */
};
struct turns turns__of(const struct perf_event_attr *attr, unsigned int nr_cpus);
void turns__wait(struct turns *turns); /* for the next one */
/* Switch an event's descriptors, all that are not -1. on_cpus: there is one for each CPU. -errno of the first failure. */
int switch_in_turns(const struct perf_event_attr *attr, const int *fd, unsigned int nr, bool on_cpus, unsigned long request);

int sampler__enable_source(struct sampler *s, unsigned int event, struct errmsg *err);
int sampler__disable_source(struct sampler *s, unsigned int event); /* sampler-switch.c */
void sampler__let_source_run(struct sampler *s, unsigned int event, bool on); /* sampler-switch.c */
int sampler__choose_rings(struct sampler *s); /* sampler-ids.c; 0 or -ENOMEM, as the next */
int sampler__check_overwrite(const struct sampler *s, struct errmsg *err); /* the same file: -EOPNOTSUPP */
int sampler__list_ids(struct sampler *s); /* after everything is open */
void sampler__delete_ids(struct sampler *s);
int sampler__add_id_of(struct sampler *s, u64 id, u64 old_id); /* of a descriptor in the place of another one; 0 or -ENOMEM */
u64 sampler__known_id(const struct sampler *s, u64 id); /* as the recording has it */
bool sampler__renames(const struct sampler *s); /* Is any id not known to the recording? */

/* sampler-hotplug.c: a callback for records that passes them on with known ids */
struct renamed {
	const struct sampler *s;
	ring_cb cb;
	void *data;
};
int sampler__rename(void *data, const void *records, size_t size);
/* sampler-open.c: a new descriptor, or -errno; and its ring and wake-ups */
int sampler__open_in_slot(struct sampler *s, struct event_opener *opener, struct evsel *evsel, unsigned int slot, struct errmsg *err);
int sampler__open_on_cpu(struct sampler *s, struct event_opener *opener, struct evsel *evsel, int cpu, struct errmsg *err); /* for cpu_fd */
int sampler__connect(struct sampler *s, struct evsel *evsel, unsigned int slot, int fd, struct errmsg *err);
/* Drain the ring, or take a snapshot of it; with corrected ids. */
int sampler__take_ring(struct sampler *s, unsigned int i, ring_cb cb, void *data, u64 *nr_bytes);
/* sampler-untaken.c: ns between the samples of a clock on all levels; 0: unknown, or no clock */
u64 clock__period(const struct perf_event_attr *attr);
u64 clock__timer_ns(const struct perf_event_attr *attr); /* the same for a clock on any level: how often its timer fires */
/* The same file: minimum, from the event's count (NULL: unknown) and the samples that its program has seen */
u64 sampler__untaken(const struct sampler *s, const struct evsel *evsel, const u64 *counted, const struct filter_counts *seen);
void sampler__close_event(struct sampler *s, struct sampler_event *event); /* its descriptors: sampler.c */
bool sampler__all_ended(const struct sampler *s); /* of what was opened: sampler-open.c */
/* sampler-keeper.c: all rings of a kind were looked at, or those of the first reader */
enum ring_kind {
	RINGS_OF_KERNEL,
	RINGS_OF_PROGRAMS, /* of sources */
	NR_RINGS,
};
void sampler__note_look(struct sampler *s, enum ring_kind kind);
void sampler__delete_keeper(struct sampler *s);
/* sampler-readers.c; 0 or -errno */
int sampler__new_readers(struct sampler *s, const struct sampler_opts *opts);
void sampler__assign_rings(struct sampler *s, const struct sampler_opts *opts); /* after slots are known */
void sampler__delete_readers(struct sampler *s);

#endif
