// SPDX-License-Identifier: GPL-2.0
/*
 * A target is opened as a list of slots: one per CPU (system-wide), per thread and CPU (with children: the kernel maps an
 * inherited event only when it is bound to a CPU), or per thread. Every event has a descriptor in every slot. Slots of one CPU,
 * or of one thread without CPU, share a ring, which their first descriptor maps and the others write to by SET_OUTPUT.
 */
#include "util/sampler/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "util/sampler/code-lookup.h"
#include "util/sampler/cgroup-dir.h"
#include "util/sampler/event-filter.h"
#include "util/sampler/hist-source.h"
#include "util/sampler/offcpu-source.h"
#include "util/sampler/open-event.h"
#include "util/sampler/rings.h"
#include "util/sampler/sample-source.h"
#include "util/sampler/tp-choice.h"
#include "util/sampler/undecided.h"

struct slot {
	pid_t tid;	/* -1: all tasks */
	int cpu;	/* -1: wherever the thread runs */
	unsigned int ring;
	int watched_fd;	/* its descriptor in epfd, one for all events since they hang up together; -1: none */
	bool aside;	/* not on the target's CPUs: only for events that are opened everywhere */
	bool ended;	/* its thread ended before it was opened, or has hung up since */
};

struct sampler_event { /* what an evsel has open */
	struct event_filter filter;
	struct tp_choice choice; /* of a tracepoint */
	struct sample_source *source; /* who makes its samples, and judges them; NULL: the kernel */
	bool counted;		 /* its samples are not written, but counted, and judged there */
	struct counter_opts counting; /* how */
	struct hist_config hist; /* of what is counted; kind is HIST_NONE: no histogram */
	struct counter *counter; /* that, once loaded */
	int cgroup_fd;	/* of evsel->cgroup while its descriptors are opened; else -1 */
	int *fd;	/* by slot; -1: not open there */
	u64 *id;	/* of those that are open, in the order of slots */
	u32 nr;
};

#define WATCH_SOURCE UINT32_MAX /* what epoll says for a source or a counter instead of a slot */

struct sampler {
	struct evlist *evlist;
	const struct counter_opts *count; /* of all that are counted; NULL: none is */
	const struct hist_opts *hist; /* they are counted by bucket of this; NULL: they are not */
	struct sampler_event *event; /* by evsel->idx */
	struct slot *slot;
	unsigned int nr_slots;
	struct ring *ring;
	unsigned int nr_rings;
	unsigned int ring_pages;
	int epfd;
	void *bounce;
	struct undecided *undecided; /* NULL: no program has samples that it cannot judge */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int out_of_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory while opening events");
}

static int sampler__check_tracepoint(struct sampler *s, struct evsel *evsel, const struct sampler_scope *scope, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	unsigned int i, nr_tracepoints = 0;
	int ret;

	for (i = 0; i < s->evlist->nr; i++)
		nr_tracepoints += s->evlist->evsel[i]->tp != NULL;
	if (s->hist)
		return hist_source__new(s->hist, s->count, evsel, &event->filter, nr_tracepoints, &event->source, err);
	ret = tp_choice__make(&event->choice, evsel, &event->filter, nr_tracepoints, scope ? scope->count : NULL, err);
	event->source = event->choice.source;
	return ret;
}

/* How the samples of evsel are counted */
static int sampler__configure_counting(struct sampler *s, struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];

	event->counting = *s->count;
	if (!s->hist)
		return 0;
	event->counting.hist = &event->hist;
	return hist_opts__configure(s->hist, evsel, &event->hist, err);
}

static int sampler__add_off_cpu(struct sampler *s, struct evsel *evsel, const struct sampler_scope *scope, struct errmsg *err)
{
	static const struct offcpu_opts defaults = OFFCPU_OPTS_DEFAULT;
	struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	if (event->filter.table)
		ret = offcpu_filter__check(event->filter.tree, event->filter.table, err);
	if (!ret && s->count)
		ret = sampler__configure_counting(s, evsel, err);
	if (!ret && s->hist)
		ret = offcpu_hist__check(&event->hist.number, s->hist->number, err);
	return ret ?: offcpu_source__new(scope && scope->off_cpu ? scope->off_cpu : &defaults, event->filter.table,
					 s->count ? &event->counting : NULL, &event->source, err);
}

/* Sources count what they make themselves. */
static int sampler__check_counted(struct sampler *s, struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];

	if (!s->count || evsel->side_band)
		return 0;
	if (s->count->both && evsel->off_cpu)
		return errmsg__set(err, EINVAL, "%s cannot be counted in the kernel and be written at the same time: write its samples "
				   "with perf record, and let perf report count them", evsel->name);
	if (event->source)
		return 0;
	event->counted = true;
	evsel->attr.sample_type |= counter__sample_type(s->count);
	return sampler__configure_counting(s, evsel, err);
}

static int sampler__check_event(struct sampler *s, struct evsel *evsel, struct code_lookup *code,
				const struct sampler_scope *scope, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	if (evsel->cgroup) {
		event->cgroup_fd = cgroup_dir__open(evsel->cgroup, err);
		if (event->cgroup_fd < 0)
			return -EINVAL;
	}
	if (evsel->tp)
		return sampler__check_tracepoint(s, evsel, scope, err);
	if (evsel->filter) {
		event->filter.explain = scope && scope->explain;
		ret = event_filter__compile(&event->filter, evsel, code, err);
	}
	if (!ret && event->filter.table)
		evsel->attr.sample_type |= event->filter.table->sample_type;
	if (!ret && evsel->off_cpu)
		ret = sampler__add_off_cpu(s, evsel, scope, err);
	return ret;
}

/* A source judges its samples itself. */
static void sampler__share_filters(struct sampler *s)
{
	unsigned int i, j;

	for (i = 1; i < s->evlist->nr; i++) {
		for (j = 0; j < i && !s->event[i].source; j++) {
			if (!s->event[j].source && event_filter__share(&s->event[i].filter, &s->event[j].filter))
				break;
		}
	}
}

int sampler__new_scoped(struct evlist *evlist, const struct sampler_scope *scope, struct sampler **sp, struct errmsg *err)
{
	struct code_lookup *code = code_lookup__new(scope);
	struct sampler *s = calloc(1, sizeof(*s));
	unsigned int i;
	int ret;

	if (!s) {
		code_lookup__delete(code);
		return out_of_memory(err);
	}
	s->epfd = -1;
	s->evlist = evlist;
	s->count = scope ? scope->count : NULL;
	s->hist = s->count ? scope->hist : NULL;
	s->event = calloc(evlist->nr, sizeof(*s->event));
	ret = s->event && code ? 0 : out_of_memory(err);
	for (i = 0; i < evlist->nr && s->event; i++)
		s->event[i].cgroup_fd = -1;
	for (i = 0; i < evlist->nr && !ret; i++)
		ret = sampler__check_event(s, evlist->evsel[i], code, scope, err) ?: sampler__check_counted(s, evlist->evsel[i], err);
	code_lookup__delete(code);
	if (ret) {
		sampler__delete(s);
		return ret;
	}
	sampler__share_filters(s);
	*sp = s;
	return 0;
}

int sampler__new(struct evlist *evlist, struct sampler **sp, struct errmsg *err)
{
	return sampler__new_scoped(evlist, NULL, sp, err);
}

int sampler__dump_clauses(const struct sampler *s, FILE *fp, struct errmsg *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++) {
		const struct event_filter *filter = &s->event[i].filter;

		if (!filter->bpf || !filter->explain)
			continue;
		fprintf(fp, "%s: %s\n", s->evlist->evsel[i]->name, s->evlist->evsel[i]->filter);
		ret = event_filter__dump_clauses(filter, fp, err);
	}
	return ret;
}

static void sampler__dump_engine(const struct sampler_event *event, FILE *fp)
{
	if (event->source)
		event->source->ops->dump(event->source, fp);
	else if (!event->filter.table)
		tp_choice__dump(&event->choice, fp);
	else if (event->counted)
		fprintf(fp, "engine: the BPF program that counts the samples, %u entries\n", event->filter.table->nr);
	else
		event_filter__dump_engine(&event->filter, fp);
}

void sampler__dump_filters(const struct sampler *s, FILE *fp)
{
	unsigned int i;

	for (i = 0; i < s->evlist->nr; i++) {
		const struct evsel *evsel = s->evlist->evsel[i];

		if (evsel->filter || s->event[i].source || *s->event[i].choice.why)
			fprintf(fp, "%s: %s\n", evsel->name, evsel->filter ?: "");
		if (evsel->filter)
			event_filter__dump(&s->event[i].filter, fp);
		sampler__dump_engine(&s->event[i], fp);
	}
}

static int sampler__add_slots(struct sampler *s, const struct sampler_target *target, const struct cpumap *cpus)
{
	bool per_cpu = target->system_wide || target->inherit;
	int nr_cpus = per_cpu ? cpus->nr : 1, nr_tids = target->system_wide ? 1 : target->nr_tids;
	int t, c;

	s->nr_slots = (unsigned int)nr_cpus * nr_tids;
	s->nr_rings = per_cpu ? nr_cpus : nr_tids;
	s->slot = calloc(s->nr_slots, sizeof(*s->slot));
	s->ring = calloc(s->nr_rings, sizeof(*s->ring));
	s->bounce = malloc(RING_BOUNCE_SIZE);
	if (!s->slot || !s->ring || !s->bounce)
		return -ENOMEM;
	for (t = 0; t < nr_tids; t++) {
		for (c = 0; c < nr_cpus; c++) {
			struct slot *slot = &s->slot[t * nr_cpus + c];

			slot->tid = target->system_wide ? -1 : target->tids[t];
			slot->cpu = per_cpu ? cpus->cpu[c] : -1;
			slot->ring = per_cpu ? c : t;
			slot->watched_fd = -1;
		}
	}
	return 0;
}

static bool sampler__has_everywhere(const struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (s->evlist->evsel[i]->everywhere)
			return true;
	}
	return false;
}

static int sampler__set_target(struct sampler *s, const struct sampler_target *target, struct errmsg *err)
{
	struct cpumap *online = cpumap__online(err);
	const struct cpumap *cpus = target->cpus ? target->cpus : online;
	unsigned int i;
	int ret = 0;

	if (!online)
		return -errno;
	for (i = 0; i < (unsigned int)cpus->nr && !ret; i++) {
		if (!cpumap__has(online, cpus->cpu[i]))
			ret = errmsg__set(err, ENODEV, "CPU %d is not online: see /sys/devices/system/cpu/online", cpus->cpu[i]);
	}
	if (!ret && sampler__add_slots(s, target, sampler__has_everywhere(s) ? online : cpus))
		ret = out_of_memory(err);
	for (i = 0; i < s->nr_slots && !ret; i++)
		s->slot[i].aside = s->slot[i].cpu >= 0 && !cpumap__has(cpus, s->slot[i].cpu);
	free(online);
	return ret;
}

static int sampler__watch(struct sampler *s, unsigned int slot, int fd)
{
	/*
	 * EPOLLIN for every one, not only for those that mapped a ring: the kernel wakes all descriptors of a ring, and the first
	 * that is polled takes the mark that there is data (kernel/events/core.c, perf_poll).
	 */
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = slot };

	if (s->slot[slot].watched_fd >= 0)
		return 0;
	if (epoll_ctl(s->epfd, EPOLL_CTL_ADD, fd, &ev))
		return -errno;
	s->slot[slot].watched_fd = fd;
	return 0;
}

/* A new descriptor becomes part of the recording: its filter, its ring, its id. */
static int sampler__adopt(struct sampler *s, struct evsel *evsel, unsigned int slot, int fd, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	struct ring *ring = &s->ring[s->slot[slot].ring];
	int ret = 0;

	event->fd[slot] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &event->id[event->nr]))
		ret = -errno;
	event->nr++;
	if (ret)
		return errmsg__set(err, -ret, "cannot read the id of event %s: %s", evsel->name, strerror(-ret));
	if (event->counted)
		ret = counter__attach(event->counter, fd, err);
	else if (evsel->filter && !event->source)
		ret = event_filter__attach(&event->filter, evsel, fd, err);
	if (ret)
		return ret;
	if (!ring->control)
		ret = ring__map(ring, fd, s->ring_pages, err);
	else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		ret = errmsg__set(err, errno, "cannot let event %s share a ring buffer: %s", evsel->name, strerror(errno));
	if (ret)
		return ret;
	ret = sampler__watch(s, slot, fd);
	return ret ? errmsg__set(err, -ret, "cannot watch event %s: %s", evsel->name, strerror(-ret)) : 0;
}

/*
 * The event that a source makes samples for. It needs ids, the side-band, and to hang up with its tasks: a dummy gives all of
 * that and costs nobody anything. What opening changes in the attr for the kernel's sake stays changed.
 */
static int open_stand_in(struct event_opener *opener, struct evsel *evsel, const struct event_place *at, bool may_change,
			 struct errmsg *err)
{
	struct perf_event_attr *attr = &evsel->attr;
	const struct perf_event_attr real = *attr;
	int fd;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->freq = 0;
	attr->sample_period = 0;
	attr->sample_type &= ~(u64)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW); /* the side-band has neither */
	fd = event_opener__open(opener, evsel, at, may_change, err);
	attr->type = real.type;
	attr->config = real.config;
	attr->freq = real.freq;
	attr->sample_period = real.sample_period;
	attr->sample_type = real.sample_type;
	return fd;
}

/*
 * The registers of a precise sample are from another moment than its stack, so the kernel walks that itself or not at all
 * (kernel/events/core.c, perf_event_set_bpf_handler). Other samples would be walked twice, and that is what costs most.
 */
static int open_counted(struct event_opener *opener, struct evsel *evsel, const struct event_place *at, bool may_change,
			struct errmsg *err)
{
	struct perf_event_attr *attr = &evsel->attr;
	int fd;

	if (!attr->precise_ip || attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		return event_opener__open(opener, evsel, at, may_change, err);
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	fd = event_opener__open(opener, evsel, at, may_change, err);
	if (fd < 0 || attr->precise_ip)
		return fd;
	close(fd);
	attr->sample_type &= ~(u64)PERF_SAMPLE_CALLCHAIN;
	return event_opener__open(opener, evsel, at, may_change, err);
}

static int sampler__open_descriptor(struct sampler *s, struct event_opener *opener, struct evsel *evsel,
				    const struct event_place *at, struct errmsg *err)
{
	const struct sampler_event *event = &s->event[evsel->idx];
	bool may_change = event->nr == 0;

	if (event->source)
		return open_stand_in(opener, evsel, at, may_change, err);
	if (event->counted && s->count->key & (COUNTER_KEY_KSTACK | COUNTER_KEY_USTACK))
		return open_counted(opener, evsel, at, may_change, err);
	return event_opener__open(opener, evsel, at, may_change, err);
}

/* Nothing happens where the event has no business, or its thread has ended. */
static int sampler__open_slot(struct sampler *s, struct event_opener *opener, struct evsel *evsel, unsigned int i,
			      struct errmsg *err)
{
	struct slot *slot = &s->slot[i];
	struct event_filter *filter = &s->event[evsel->idx].filter;
	struct event_place at = { .pid = slot->tid, .cpu = slot->cpu, .group_fd = -1, .mark = event_filter__mark(filter) };
	int fd;

	if (slot->ended || (slot->aside && !evsel->everywhere) ||
	    (evsel->cpus && slot->cpu >= 0 && !cpumap__has(evsel->cpus, slot->cpu)))
		return 0;
	if (evsel->cgroup)
		at.pid = s->event[evsel->idx].cgroup_fd;
	if (evsel->leader) {
		at.group_fd = s->event[evsel->leader->idx].fd[i];
		if (at.group_fd < 0)
			return errmsg__set(err, EINVAL, "event %s cannot be in the group that %s leads: that one does not count on "
					   "CPU %d", evsel->name, evsel->leader->name, slot->cpu);
	}
	fd = sampler__open_descriptor(s, opener, evsel, &at, err);
	if (fd == -ESRCH) {
		slot->ended = true;
		return 0;
	}
	return fd < 0 ? fd : sampler__adopt(s, evsel, i, fd, err);
}

static int sampler__watch_fd(struct sampler *s, int fd)
{
	/* Of wake-ups it is told, not of what is in there: what is worth a drain is for who sends to say. */
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u32 = WATCH_SOURCE };

	return fd >= 0 && epoll_ctl(s->epfd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

/* What was loaded for one opening is kept for the next. */
static int sampler__load_counter(struct sampler *s, const struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	if (!event->counter)
		ret = counter__load(&event->counting, event->filter.table, &event->counter, err);
	if (ret == -EOPNOTSUPP)
		event_filter__name_refused_test(&event->filter, err);
	if (ret)
		return ret;
	ret = sampler__watch_fd(s, counter__fd(event->counter));
	return ret ? errmsg__set(err, -ret, "cannot watch event %s: %s", evsel->name, strerror(-ret)) : 0;
}

static int sampler__open_event(struct sampler *s, struct event_opener *opener, struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	unsigned int i;
	int ret = 0;

	event->fd = malloc(s->nr_slots * sizeof(*event->fd));
	event->id = calloc(s->nr_slots, sizeof(*event->id));
	if (!event->fd || !event->id)
		return out_of_memory(err);
	memset(event->fd, -1, s->nr_slots * sizeof(*event->fd));
	/* Once for all descriptors of the event, and kept from one opening to the next. */
	if (event->counted)
		ret = sampler__load_counter(s, evsel, err);
	else if (evsel->filter && !event->filter.bpf && !event->source)
		ret = event_filter__load(&event->filter, err);
	if (ret)
		return ret;
	for (i = 0; i < s->nr_slots && !ret; i++)
		ret = sampler__open_slot(s, opener, evsel, i, err);
	close_fd(&event->cgroup_fd);
	return ret;
}

/* All descriptors are open, so that threads that start from now on are found by who looks for them afterwards. */
static int sampler__load_source(struct sampler *s, const struct evsel *evsel, const struct sampler_target *target,
				const struct sampler_opts *opts, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	const struct sample_source_setup setup = {
		.target = target,
		.id = event->id[0],
		.ring_size = (size_t)opts->mmap_pages * sysconf(_SC_PAGESIZE) * s->nr_rings,
	};
	int ret;

	ret = event->source->ops->load(event->source, evsel, &setup, err);
	if (ret)
		return ret;
	ret = sampler__watch_fd(s, event->source->ops->fd(event->source));
	if (ret)
		return errmsg__set(err, -ret, "cannot watch event %s: %s", evsel->name, strerror(-ret));
	/* Nobody enables what enables itself. */
	return evsel->attr.enable_on_exec ? event->source->ops->start(event->source, err) : 0;
}

static int sampler__load_sources(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts,
				 struct errmsg *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++) {
		if (s->event[i].source)
			ret = sampler__load_source(s, s->evlist->evsel[i], target, opts, err);
	}
	return ret;
}

/* Programs are loaded once, but each opening has an epoll of its own. */
static int sampler__take_undecided(struct sampler *s, struct errmsg *err)
{
	const bool again = s->undecided;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++) {
		const struct event_filter *filter = &s->event[i].filter;
		int fd = filter->bpf && !filter->shares ? bpf_filter__undecided_fd(filter->bpf) : -1;

		if (fd < 0)
			continue;
		if (!s->undecided)
			s->undecided = undecided__new(s->evlist);
		if (!s->undecided)
			return out_of_memory(err);
		if (!again)
			ret = undecided__add(s->undecided, filter->bpf, filter->table, err);
		if (!ret && sampler__watch_fd(s, fd))
			ret = errmsg__set(err, errno, "cannot watch event %s: %s", s->evlist->evsel[i]->name, strerror(errno));
	}
	return ret;
}

bool sampler__has_sources(const struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (s->event[i].source)
			return true;
	}
	return false;
}

/* The programs know one clock only, and times of different clocks cannot be put in order. */
static void sampler__set_clock(struct sampler *s)
{
	unsigned int i;

	for (i = 0; i < s->evlist->nr && sampler__has_sources(s); i++) {
		s->evlist->evsel[i]->attr.use_clockid = 1;
		s->evlist->evsel[i]->attr.clockid = CLOCK_MONOTONIC;
	}
}

static bool sampler__all_ended(const struct sampler *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_slots; i++) {
		if (!s->slot[i].ended)
			return false;
	}
	return true;
}

/* A descriptor for each event, CPU and thread soon is more than the usual 1024; what does not suffice then is told. */
static void raise_nofile(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int sampler__open(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts, struct errmsg *err)
{
	struct event_opener opener = { .opts = opts };
	unsigned int i;
	int ret;

	raise_nofile();
	s->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epfd < 0)
		return errmsg__set(err, errno, "cannot wait for events: %s", strerror(errno));
	s->ring_pages = opts->mmap_pages ? opts->mmap_pages : ring__default_pages();
	sampler__set_clock(s);
	ret = sampler__set_target(s, target, err);
	for (i = 0; i < s->evlist->nr && !ret; i++) {
		struct evsel *evsel = s->evlist->evsel[i];

		if (evsel->precise_max)
			evsel->attr.precise_ip = 3; /* the highest there is; opening lowers it */
		ret = sampler__open_event(s, &opener, evsel, err);
		if (!ret && sampler__all_ended(s))
			ret = errmsg__set(err, ESRCH, "no such process or thread: all that were to be recorded have ended");
		if (!ret && !s->event[i].nr)
			ret = errmsg__set(err, ENODEV, "event %s counts on none of the chosen CPUs: see the cpumask file of its PMU in "
					  "/sys/bus/event_source/devices", evsel->name);
	}
	if (!ret)
		ret = sampler__take_undecided(s, err);
	return ret ? ret : sampler__load_sources(s, target, opts, err);
}

static int sampler__ioctl(struct sampler *s, unsigned int event, unsigned long request)
{
	int ret = 0;

	for (unsigned int j = 0; j < s->nr_slots; j++) {
		if (s->event[event].fd[j] >= 0 && ioctl(s->event[event].fd[j], request, 0) && !ret)
			ret = -errno;
	}
	return ret;
}

static int sampler__stop(struct sampler *s, unsigned int event)
{
	struct sample_source *source = s->event[event].source;

	return source ? source->ops->stop(source) : 0;
}

static int sampler__start_event(struct sampler *s, unsigned int event, struct errmsg *err)
{
	int ret = sampler__ioctl(s, event, PERF_EVENT_IOC_ENABLE);

	return ret ? errmsg__set(err, -ret, "cannot enable event %s: %s", s->evlist->evsel[event]->name, strerror(-ret)) : 0;
}

static int sampler__start_source(struct sampler *s, unsigned int event, struct errmsg *err)
{
	struct sample_source *source = s->event[event].source;

	return source ? source->ops->start(source, err) : 0;
}

int sampler__enable_event(struct sampler *s, unsigned int event, struct errmsg *err)
{
	return sampler__start_event(s, event, err) ?: sampler__start_source(s, event, err);
}

int sampler__disable_event(struct sampler *s, unsigned int event)
{
	int ret = sampler__stop(s, event);

	return sampler__ioctl(s, event, PERF_EVENT_IOC_DISABLE) ?: ret;
}

/* The side-band comes first: it names the tasks and the code of samples. */
int sampler__enable(struct sampler *s, struct errmsg *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++)
		ret = sampler__start_event(s, i, err);
	for (i = 0; i < s->evlist->nr && !ret; i++)
		ret = sampler__start_source(s, i, err);
	return ret;
}

int sampler__enable_side_band(struct sampler *s, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++) {
		if (s->evlist->evsel[i]->side_band)
			ret = sampler__start_event(s, i, err);
	}
	return ret;
}

int sampler__pause(struct sampler *s)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		int error = s->evlist->evsel[i]->side_band ? 0 : sampler__disable_event(s, i);

		ret = ret ?: error;
	}
	return ret;
}

/* And it ends last. */
int sampler__disable(struct sampler *s)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr; i++)
		ret = sampler__stop(s, i) ?: ret;
	for (i = 0; i < s->evlist->nr; i++)
		ret = sampler__ioctl(s, i, PERF_EVENT_IOC_DISABLE) ?: ret;
	return ret;
}

int sampler__epoll_fd(const struct sampler *s)
{
	return s->epfd;
}

/* What has hung up stays so and would wake us for ever: it is taken out as it is noted. */
bool sampler__all_hung_up(struct sampler *s)
{
	struct epoll_event ev[64];
	int i, nr;

	do {
		nr = epoll_wait(s->epfd, ev, ARRAY_SIZE(ev), 0);
		for (i = 0; i < nr; i++) {
			struct slot *slot;

			if (ev[i].data.u32 == WATCH_SOURCE || !(ev[i].events & (EPOLLHUP | EPOLLERR)))
				continue;
			slot = &s->slot[ev[i].data.u32];
			slot->ended = true;
			epoll_ctl(s->epfd, EPOLL_CTL_DEL, slot->watched_fd, NULL);
		}
	} while (nr == ARRAY_SIZE(ev));
	return sampler__all_ended(s);
}

struct sifting {
	struct undecided *undecided;
	int (*cb)(void *data, const void *records, size_t size);
	void *data;
};

static int sift(void *data, const void *records, size_t size)
{
	const struct sifting *sifting = data;

	return undecided__sift(sifting->undecided, records, size, sifting->cb, sifting->data);
}

static int sampler__drain_rings(struct sampler *s, ring_cb cb, void *data, u64 *nr_bytes)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->nr_rings && !ret; i++) {
		if (s->ring[i].control)
			ret = ring__drain(&s->ring[i], cb, data, s->bounce, nr_bytes);
	}
	return ret;
}

int sampler__drain(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	struct sifting sifting = { s->undecided, cb, data };
	unsigned int i;
	int ret;

	if (s->undecided)
		ret = undecided__judge(s->undecided) ?: sampler__drain_rings(s, sift, &sifting, nr_bytes);
	else
		ret = sampler__drain_rings(s, cb, data, nr_bytes);
	for (i = 0; i < s->evlist->nr && !ret; i++) {
		if (s->event[i].source)
			ret = s->event[i].source->ops->drain(s->event[i].source, cb, data, nr_bytes);
		else if (s->event[i].counter)
			ret = counter__drain(s->event[i].counter); /* kept until it is collected */
	}
	return ret;
}

const u64 *sampler__ids(const struct sampler *s, unsigned int evsel_idx, u32 *nr)
{
	*nr = s->event[evsel_idx].nr;
	return s->event[evsel_idx].id;
}

/* read(2) of an event gives the members that read_format names, in this order; lost is the last. */
static int read_lost(const struct evsel *evsel, int fd, u64 *lost)
{
	u64 values[1 + 4];
	size_t size = sizeof(u64) * (1 + __builtin_popcountll(evsel->attr.read_format));
	ssize_t n;

	if (size > sizeof(values))
		return -EINVAL;
	n = read(fd, values, size);
	if (n < 0)
		return -errno;
	if ((size_t)n != size)
		return -EIO;
	*lost += values[size / sizeof(u64) - 1];
	return 0;
}

static int read_judged(struct counter *counter, struct sampler_counts *counts, struct errmsg *err)
{
	struct counter_counts counted;
	int ret = counter__counts(counter, &counted, err);

	if (ret)
		return ret;
	counts->filtered = true;
	counts->seen = counted.seen;
	counts->dropped = counted.dropped;
	counts->undecided = counted.undecided;
	return 0;
}

/* What the program has left to us. */
static void add_judged(struct sampler_counts *counts, struct undecided_counts judged)
{
	counts->judged = judged.kept + judged.dropped;
	counts->dropped += judged.dropped;
	counts->undecided -= counts->judged;
}

int sampler__counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err)
{
	const struct evsel *evsel = s->evlist->evsel[evsel_idx];
	struct sampler_event *event = &s->event[evsel_idx];
	struct filter_counts filter_counts;
	u32 i;
	int ret;

	if (event->source) {
		*counts = (struct sampler_counts){ 0 };
		return event->source->ops->counts(event->source, counts, err);
	}
	*counts = (struct sampler_counts){
		.filtered = event->filter.bpf,
		.lost_known = evsel->attr.read_format & PERF_FORMAT_LOST,
	};
	for (i = 0; i < s->nr_slots && counts->lost_known; i++) {
		ret = event->fd[i] < 0 ? 0 : read_lost(evsel, event->fd[i], &counts->lost);
		if (ret)
			return errmsg__set(err, -ret, "cannot read how many samples of %s were lost: %s", evsel->name, strerror(-ret));
	}
	if (event->counter)
		return read_judged(event->counter, counts, err);
	if (!counts->filtered)
		return 0;
	ret = event_filter__counts(&event->filter, &filter_counts, err);
	if (ret)
		return ret;
	counts->seen = filter_counts.seen;
	counts->dropped = filter_counts.dropped;
	counts->undecided = filter_counts.undecided;
	if (s->undecided)
		add_judged(counts, undecided__counts(s->undecided, event->filter.bpf, event_filter__mark(&event->filter)));
	return 0;
}

/* A source counts all that it has seen and not dropped or lost. */
static int read_source_counted(struct sample_source *source, struct counter_counts *counted, struct errmsg *err)
{
	struct sampler_counts counts = { 0 };
	int ret;

	if (source->ops->counter_counts)
		return source->ops->counter_counts(source, counted, err);
	ret = source->ops->counts(source, &counts, err);
	*counted = (struct counter_counts){
		.seen = counts.seen,
		.dropped = counts.dropped,
		.counted = counts.seen - counts.dropped - counts.lost,
		.lost_spill = counts.lost,
	};
	return ret;
}

int sampler__collect(struct sampler *s, unsigned int evsel_idx, int (*cb)(void *data, const struct counter_row *row), void *data,
		     struct errmsg *err)
{
	struct sample_source *source = s->event[evsel_idx].source;

	if (source && source->ops->collect)
		return source->ops->collect(source, cb, data, err);
	if (!s->event[evsel_idx].counter)
		return errmsg__set(err, EINVAL, "samples of %s are not counted", s->evlist->evsel[evsel_idx]->name);
	return counter__collect(s->event[evsel_idx].counter, cb, data, err);
}

int sampler__counter_counts(struct sampler *s, unsigned int evsel_idx, struct counter_counts *counts, struct errmsg *err)
{
	struct sample_source *source = s->event[evsel_idx].source;

	if (source && source->ops->collect)
		return read_source_counted(source, counts, err);
	if (!s->event[evsel_idx].counter)
		return errmsg__set(err, EINVAL, "samples of %s are not counted", s->evlist->evsel[evsel_idx]->name);
	return counter__counts(s->event[evsel_idx].counter, counts, err);
}

void sampler__close(struct sampler *s)
{
	unsigned int i, j;

	for (i = 0; s->event && i < s->evlist->nr; i++)
		sampler__stop(s, i);
	for (i = 0; i < s->nr_rings && s->ring; i++)
		ring__unmap(&s->ring[i]);
	for (i = 0; i < s->evlist->nr && s->event; i++) {
		struct sampler_event *event = &s->event[i];

		for (j = 0; j < s->nr_slots && event->fd; j++)
			close_fd(&event->fd[j]);
		close_fd(&event->cgroup_fd);
		free(event->fd);
		free(event->id);
		event->fd = NULL;
		event->id = NULL;
		event->nr = 0;
	}
	close_fd(&s->epfd);
	free(s->slot);
	free(s->ring);
	free(s->bounce);
	s->slot = NULL;
	s->ring = NULL;
	s->bounce = NULL;
	s->nr_slots = 0;
	s->nr_rings = 0;
}

void sampler__delete(struct sampler *s)
{
	unsigned int i;

	if (!s)
		return;
	sampler__close(s);
	undecided__delete(s->undecided);
	for (i = 0; i < s->evlist->nr && s->event; i++) {
		event_filter__exit(&s->event[i].filter);
		counter__delete(s->event[i].counter);
		if (s->event[i].source)
			s->event[i].source->ops->delete(s->event[i].source);
	}
	free(s->event);
	free(s);
}
