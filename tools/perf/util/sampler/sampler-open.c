// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "util/bpf/inherit-check.h"
#include "util/bpf/token.h"
#include "util/bpf/kernel-table.h"
#include "util/lib/advice.h"
#include "util/lib/clock.h"
#include "util/sampler/open-event.h"

/* For a target whose threads start tasks in the meantime: limit of reopening one descriptor, and all of them. */
#define MAX_TRIES 200
#define MAX_OPENINGS 10

static int sampler__add_slots(struct sampler *s, const struct sampler_target *target, const struct cpumap *cpus)
{
	bool per_cpu = target->system_wide || target->inherit;
	int nr_cpus = per_cpu ? cpus->nr : 1, nr_tids = target->system_wide ? 1 : target->nr_tids;
	int t, c;

	s->nr_slots = (unsigned int)nr_cpus * nr_tids;
	s->nr_rings = per_cpu ? nr_cpus : nr_tids;
	s->slot = calloc(s->nr_slots, sizeof(*s->slot));
	if (sampler__choose_rings(s))
		return -ENOMEM;
	s->ring = calloc((size_t)s->nr_sets * s->nr_rings, sizeof(*s->ring));
	s->reader_of = calloc(s->nr_rings, sizeof(*s->reader_of));
	if (!s->slot || !s->ring || !s->reader_of)
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

static int sampler__set_target(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts,
			       struct errmsg *err)
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
		ret = sampler__out_of_memory(err);
	if (!ret)
		sampler__assign_rings(s, opts);
	for (i = 0; i < s->nr_slots && !ret; i++)
		s->slot[i].aside = s->slot[i].cpu >= 0 && !cpumap__has(cpus, s->slot[i].cpu);
	free(online);
	return ret;
}

static int sampler__watch(struct sampler *s, unsigned int slot, int fd)
{
	/*
	 * Watch EPOLLIN of every descriptor, not only of those that mapped a ring: the kernel wakes all descriptors of a ring, and
	 * the first one polled clears the mark that there is data (kernel/events/core.c, perf_poll).
	 */
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = slot };

	if (s->slot[slot].watched_fd >= 0)
		return 0;
	if (epoll_ctl(s->reader[s->reader_of[s->slot[slot].ring]].epfd, EPOLL_CTL_ADD, fd, &ev))
		return -errno;
	s->slot[slot].watched_fd = fd;
	return 0;
}

static int sampler__watch_fd(struct sampler *s, unsigned int reader, int fd)
{
	/* EPOLLET: report wake-ups, not the fill level; the writer decides when a drain is worth while. */
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u32 = WATCH_SOURCE };

	return fd >= 0 && epoll_ctl(s->reader[reader].epfd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int sampler__map_ring(struct sampler *s, struct ring *ring, int fd, bool overwrite, struct errmsg *err)
{
	int ret = ring__map(ring, fd, s->ring_pages, overwrite, err);

	while (ret == -EPERM && s->fewer_pages && s->ring_pages / 2 >= ring__default_pages()) {
		s->ring_pages /= 2;
		ret = ring__map(ring, fd, s->ring_pages, overwrite, err);
	}
	return ret;
}

static int sampler__set_output(struct sampler *s, struct evsel *evsel, unsigned int slot, int fd, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	const bool overwrite = evsel->attr.write_backward;
	struct ring *ring = &s->ring[event->rings * s->nr_rings + s->slot[slot].ring];
	int ret = 0;

	if (!ring->control)
		ret = sampler__map_ring(s, ring, fd, overwrite, err);
	else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		ret = errmsg__set(err, errno, "cannot let event %s share a ring buffer: %s", evsel->name, strerror(errno));
	if (ret != -EPERM || event->rings < RINGS_OWN)
		return ret;
	/* Exceeds this user's limit of locked memory: use a ring of a shared set. */
	event->rings = overwrite ? RINGS_OVERWRITTEN : RINGS_SHARED;
	return sampler__set_output(s, evsel, slot, fd, err);
}

static int sampler__add_id(struct sampler_event *event, const struct evsel *evsel, int fd, struct errmsg *err)
{
	if (ioctl(fd, PERF_EVENT_IOC_ID, &event->id[event->nr]))
		return errmsg__set(err, errno, "cannot read the id of event %s: %s", evsel->name, strerror(errno));
	event->nr++;
	return 0;
}

/* Add a new descriptor to the recording: its ring, its id. */
static int sampler__adopt(struct sampler *s, struct evsel *evsel, unsigned int slot, int fd, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	int ret;

	event->fd[slot] = fd;
	ret = sampler__add_id(event, evsel, fd, err);
	if (ret)
		return ret;
	event->nr_slot_ids = event->nr;
	return sampler__connect(s, evsel, slot, fd, err);
}

int sampler__connect(struct sampler *s, struct evsel *evsel, unsigned int slot, int fd, struct errmsg *err)
{
	const struct sampler_event *event = &s->event[evsel->idx];
	const bool overwrite = evsel->attr.write_backward;
	int ret = sampler__set_output(s, evsel, slot, fd, err);

	/* An overwritten ring is always full, so do not wake for that; the side-band is there, too, and hangs up with its task. */
	if (ret || overwrite)
		return ret;
	ret = event->rings < RINGS_OWN ? sampler__watch(s, slot, fd) : sampler__watch_fd(s, s->reader_of[s->slot[slot].ring], fd);
	return ret ? errmsg__set(err, -ret, "cannot watch event %s: %s", evsel->name, strerror(-ret)) : 0;
}

/*
 * The event for a source that makes samples. It needs ids, the side-band, and to hang up with its tasks: a dummy has all of that
 * without cost. Changes that the kernel requires while opening stay in the attr. With a BPF token the programs see the kernel, but
 * the event may not; a dummy loses nothing by that.
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
	if (bpf_token__used())
		attr->exclude_kernel = 1;
	fd = event_opener__open(opener, evsel, at, may_change, err);
	if (bpf_token__used())
		attr->exclude_kernel = real.exclude_kernel;
	attr->type = real.type;
	attr->config = real.config;
	attr->freq = real.freq;
	attr->sample_period = real.sample_period;
	attr->sample_type = real.sample_type;
	return fd;
}

/* On a task, for a clock that is opened on each CPU: the same event, which takes no samples. */
static int open_counting(struct event_opener *opener, struct evsel *evsel, const struct event_place *at, bool may_change, struct errmsg *err)
{
	struct perf_event_attr *attr = &evsel->attr;
	const struct perf_event_attr real = *attr;
	int fd;

	attr->freq = 0;
	attr->sample_period = 0;
	attr->sample_type &= ~(u64)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW); /* the side-band has neither */
	fd = event_opener__open(opener, evsel, at, may_change, err);
	attr->freq = real.freq;
	attr->sample_period = real.sample_period;
	attr->sample_type = real.sample_type;
	return fd;
}

/*
 * The registers of a precise sample are from another moment than its stack, so the kernel either walks the stack itself or refuses
 * (kernel/events/core.c, perf_event_set_bpf_handler). Other samples would be walked twice, which is the largest cost.
 */
static int open_without_stack(struct event_opener *opener, struct evsel *evsel, const struct event_place *at, bool may_change,
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

/*
 * The program writes the callchain. Only of a precise sample the kernel must walk the stack of its own part, see open_without_stack().
 */
static int open_for_writer(struct event_opener *opener, struct evsel *evsel, const struct event_place *at, bool may_change,
			   struct errmsg *err)
{
	struct perf_event_attr *attr = &evsel->attr;
	const u64 chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN;
	const bool user = attr->exclude_callchain_user;
	int fd;

	attr->sample_type &= ~(u64)PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = 1;
	fd = open_without_stack(opener, evsel, at, may_change, err);
	attr->sample_type |= chain;
	attr->exclude_callchain_user = user;
	return fd;
}

static int sampler__open_sampling(struct sampler *s, struct event_opener *opener, struct evsel *evsel, const struct event_place *at,
			   bool may_change, struct errmsg *err)
{
	const struct source *source = s->event[evsel->idx].source;

	if (source->writes_samples)
		return open_for_writer(opener, evsel, at, may_change, err);
	if (source->takes_stacks)
		return open_without_stack(opener, evsel, at, may_change, err);
	return event_opener__open(opener, evsel, at, may_change, err);
}

static int sampler__open_descriptor(struct sampler *s, struct event_opener *opener, struct evsel *evsel,
				    const struct event_place *at, struct errmsg *err)
{
	const struct sampler_event *event = &s->event[evsel->idx];
	bool may_change = event->nr == 0;

	if (event->source->ops->stand_in)
		return open_stand_in(opener, evsel, at, may_change, err);
	if (event->source->marks)
		return open_counting(opener, evsel, at, may_change, err);
	return sampler__open_sampling(s, opener, evsel, at, may_change, err);
}

/* Does the event have a program that tasks might inherit it without? The kernel's own filter of a tracepoint is the parent event's. */
static bool sampler__needs_inherit_check(const struct sampler *s, const struct evsel *evsel)
{
	const struct source *source = s->event[evsel->idx].source;

	return source->has_program && !source->marks && s->starts_tasks && evsel->attr.inherit;
}

/*
 * Open a descriptor with its program, which is in force in each task that has inherited the event. For a leader, or an event without
 * a group, repeat opening until it is; after a member, whose group cannot be compared any more, sampler__open() must reopen
 * everything. Otherwise as event_opener__open(), or -ECHILD.
 */
static int sampler__open_judged(struct sampler *s, struct event_opener *opener, struct evsel *evsel, const struct event_place *at,
				struct errmsg *err)
{
	struct source *source = s->event[evsel->idx].source;
	int fd, ret;

	for (;;) {
		fd = sampler__open_descriptor(s, opener, evsel, at, err);
		if (fd < 0)
			return fd;
		ret = source->ops->attach && !source->marks ? source->ops->attach(source, fd, err) : 0;
		if (!ret && sampler__needs_inherit_check(s, evsel))
			ret = inherit_check__ask(&evsel->attr, at->pid, at->cpu, evsel->leader ? at->group_fd : fd, err);
		if (!ret)
			return fd;
		close(fd);
		if (ret != -ECHILD || evsel->leader || !opener->tries)
			return ret;
		opener->tries--;
	}
}

int sampler__open_in_slot(struct sampler *s, struct event_opener *opener, struct evsel *evsel, unsigned int i, struct errmsg *err)
{
	const struct slot *slot = &s->slot[i];
	const struct event_filter *filter = &s->event[evsel->idx].source->filter;
	struct event_place at = { .pid = slot->tid, .cpu = slot->cpu, .group_fd = -1, .group_moves = s->starts_tasks,
				  .mark = event_filter__mark(filter) };

	if (evsel->cgroup)
		at.pid = s->event[evsel->idx].cgroup_fd;
	if (evsel->leader) {
		at.group_fd = s->event[evsel->leader->idx].fd[i];
		if (at.group_fd < 0)
			return errmsg__set(err, EINVAL, "event %s cannot be in the group of %s, which does not count on CPU "
							"%d", evsel->name, evsel->leader->name, slot->cpu);
	}
	return sampler__open_judged(s, opener, evsel, &at, err);
}

/* Skip slots that are not for this event, or whose thread has ended. */
static int sampler__open_slot(struct sampler *s, struct event_opener *opener, struct evsel *evsel, unsigned int i,
			      struct errmsg *err)
{
	struct slot *slot = &s->slot[i];
	int fd;

	if (slot->ended || (slot->aside && !evsel->everywhere) ||
	    (evsel->cpus && slot->cpu >= 0 && !cpumap__has(evsel->cpus, slot->cpu)))
		return 0;
	fd = sampler__open_in_slot(s, opener, evsel, i, err);
	if (fd == -ESRCH) {
		slot->ended = true;
		return 0;
	}
	return fd < 0 ? fd : sampler__adopt(s, evsel, i, fd, err);
}

static int sampler__load_source(struct sampler *s, unsigned int event, const struct source_setup *setup, struct errmsg *err)
{
	struct source *source = s->event[event].source;
	int ret = source->ops->load(source, setup, err);

	if (!ret && source->ops->fd) {
		ret = sampler__watch_fd(s, 0, source->ops->fd(source));
		if (ret)
			errmsg__set(err, -ret, "cannot watch event %s: %s", source->evsel->name, strerror(-ret));
	}
	return ret;
}

static int sampler__load_tables(struct sampler *s, const struct sampler_target *target, struct errmsg *err)
{
	int ret;

	if (!s->tables)
		return 0;
	ret = unwind_tables__load(s->tables, target, err);
	if (ret)
		return ret;
	ret = sampler__watch_fd(s, 0, unwind_tables__fd(s->tables));
	if (!ret && unwind_tables__names_fd(s->tables) >= 0)
		ret = sampler__watch_fd(s, 0, unwind_tables__names_fd(s->tables));
	return ret ? errmsg__set(err, -ret, "cannot wait for programs that unwind stacks: %s", strerror(-ret)) : 0;
}

static struct source_setup sampler__setup(const struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts)
{
	return (struct source_setup){
		.target = target,
		.ring_size = (size_t)opts->mmap_pages * sysconf(_SC_PAGESIZE) * s->nr_rings,
	};
}

static int sampler__open_event(struct sampler *s, const struct sampler_target *target, struct event_opener *opener, struct evsel *evsel,
			       struct errmsg *err)
{
	const struct source_setup setup = sampler__setup(s, target, opener->opts);
	struct sampler_event *event = &s->event[evsel->idx];
	unsigned int i;
	int ret = 0;

	event->fd = malloc(s->nr_slots * sizeof(*event->fd));
	if (!event->fd)
		return sampler__out_of_memory(err);
	memset(event->fd, -1, s->nr_slots * sizeof(*event->fd)); /* before anything fails: closing looks at all of them */
	event->id = calloc(s->nr_slots + s->nr_rings, sizeof(*event->id));
	if (!event->id)
		return sampler__out_of_memory(err);
	/* Load once for all descriptors of the event, and keep it for later openings. */
	if (!event->source->ops->stand_in)
		ret = sampler__load_source(s, evsel->idx, &setup, err);
	for (i = 0; i < s->nr_slots && !ret; i++)
		ret = sampler__open_slot(s, opener, evsel, i, err);
	return ret;
}

/* All descriptors are open, so a later search finds all threads that start from now on. */
static int sampler__load_stand_ins(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts,
				   struct errmsg *err)
{
	struct source_setup setup = sampler__setup(s, target, opts);
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++) {
		if (!s->event[i].source->ops->stand_in)
			continue;
		setup.id = s->event[i].id[0];
		ret = sampler__load_source(s, i, &setup, err);
		/* Do not enable what enables itself. */
		if (!ret && s->evlist->evsel[i]->attr.enable_on_exec)
			ret = sampler__enable_source(s, i, err);
		if (!ret && s->evlist->evsel[i]->attr.enable_on_exec)
			sampler__let_source_run(s, i, true);
	}
	return ret;
}

/* Clocks on each CPU: see sampler-cpus.c */

/* The side-band is of the target's tasks only, which the idle task is none of. */
static void leave_side_band(struct perf_event_attr *attr)
{
	attr->mmap = attr->mmap2 = attr->mmap_data = 0;
	attr->comm = attr->comm_exec = attr->task = 0;
	attr->namespaces = attr->cgroup = attr->context_switch = 0;
	attr->ksymbol = attr->bpf_event = 0;
	attr->enable_on_exec = 0;
	attr->exclude_idle = 1;
	attr->disabled = 1;
	attr->inherit_stat = 0;
}

int sampler__open_on_cpu(struct sampler *s, struct event_opener *opener, struct evsel *evsel, int cpu, struct errmsg *err)
{
	struct source *source = s->event[evsel->idx].source;
	const struct event_place at = { .pid = -1, .cpu = cpu, .group_fd = -1, .mark = event_filter__mark(&source->filter) };
	const struct perf_event_attr real = evsel->attr;
	int fd, ret;

	leave_side_band(&evsel->attr);
	fd = sampler__open_sampling(s, opener, evsel, &at, false, err);
	evsel->attr = real;
	if (fd < 0)
		return fd;
	ret = source->ops->attach(source, fd, err);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int sampler__open_event_on_cpus(struct sampler *s, struct event_opener *opener, struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	event->cpu_fd = malloc(s->nr_rings * sizeof(*event->cpu_fd));
	if (!event->cpu_fd)
		return sampler__out_of_memory(err);
	memset(event->cpu_fd, -1, s->nr_rings * sizeof(*event->cpu_fd));
	/* The slots of the first task have one ring each, and all of them. */
	for (unsigned int i = 0; i < s->nr_rings && !ret; i++) {
		int fd = sampler__open_on_cpu(s, opener, evsel, s->slot[i].cpu, err);

		event->cpu_fd[s->slot[i].ring] = fd < 0 ? -1 : fd;
		ret = fd < 0 ? fd : sampler__add_id(event, evsel, fd, err) ?: sampler__set_output(s, evsel, i, fd, err);
	}
	return ret;
}

static int sampler__open_on_cpus(struct sampler *s, const struct sampler_target *target, struct event_opener *opener, struct errmsg *err)
{
	bool waits = false;
	int ret = 0;

	if (!s->marks)
		return 0;
	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++) {
		struct evsel *evsel = s->evlist->evsel[i];

		if (!s->event[i].source->marks)
			continue;
		waits |= evsel->attr.enable_on_exec;
		ret = sampler__open_event_on_cpus(s, opener, evsel, err);
	}
	if (!ret)
		ret = task_marks__follow(s->marks, target, waits, err);
	/* On tasks the exec enables events; here the marks tell samples before it. */
	for (unsigned int i = 0; i < s->evlist->nr && !ret && waits; i++)
		ret = sampler__switch_cpus(s, i, PERF_EVENT_IOC_ENABLE);
	return ret;
}

/* Programs are loaded once, but each opening has an epoll of its own. */
static int sampler__take_undecided(struct sampler *s, struct errmsg *err)
{
	const bool again = s->undecided;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++) {
		const struct event_filter *filter = &s->event[i].source->filter;
		int fd = filter->bpf && !filter->shares ? bpf_filter__undecided_fd(filter->bpf) : -1;

		if (fd < 0)
			continue;
		if (!s->undecided)
			s->undecided = undecided__new(s->evlist);
		if (!s->undecided)
			return sampler__out_of_memory(err);
		if (!again)
			ret = undecided__add(s->undecided, filter->bpf, filter->table, err);
		if (!ret && sampler__watch_fd(s, 0, fd))
			ret = errmsg__set(err, errno, "cannot watch event %s: %s", s->evlist->evsel[i]->name, strerror(errno));
	}
	return ret;
}

#define SAMPLE_SIZE 32 /* minimum: header, address, pid and tid, time */

/* Each program that sends corrections has a ring, which is mapped once. */
static int sampler__take_mends(struct sampler *s, struct errmsg *err)
{
	const size_t room = (size_t)s->nr_sets * s->nr_rings * s->ring_pages * sysconf(_SC_PAGESIZE);
	const bool again = s->mends;
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++) {
		const struct event_filter *filter = &s->event[i].source->filter;
		int fd = filter->bpf && !filter->shares ? bpf_filter__mends_fd(filter->bpf) : -1;

		if (fd < 0)
			continue;
		if (!s->mends)
			s->mends = mends__new(s->evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_IDENTIFIER,
					      room / SAMPLE_SIZE, sampler__event_of, s);
		if (!s->mends)
			return sampler__out_of_memory(err);
		if (!again)
			ret = mends__add(s->mends, filter->bpf, err);
		if (!ret && sampler__watch_fd(s, 0, fd))
			ret = errmsg__set(err, errno, "cannot watch event %s: %s", s->evlist->evsel[i]->name, strerror(errno));
	}
	return ret;
}

/* Handle clocks that no program can read. */
static void sampler__note_clock(const struct sampler *s, const struct sampler_opts *opts)
{
	char names[160] = "", text[320];
	size_t len = 0;

	for (unsigned int i = 0; i < s->evlist->nr && len < sizeof(names); i++) {
		const struct evsel *evsel = s->evlist->evsel[i];

		if (evsel->attr.use_clockid && event_filter__leaves_time(&s->event[i].source->filter))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "", evsel->name);
	}
	if (!len || !opts->note)
		return;
	snprintf(text, sizeof(text), "Times of %s may be those of another perf's clock, if one records the same at this time: perf puts them right "
		 "with -k monotonic, boottime or tai only", names);
	opts->note(opts->note_data, text);
}

static bool needs_monotonic(const struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		const struct source *source = s->event[i].source;

		if (source->ops->stand_in || source->monotonic ||
		    (event_filter__checks_time(&source->filter) && !s->evlist->evsel[i]->attr.use_clockid))
			return true;
	}
	return false;
}

/* Some programs have only one clock, others not that of perf, and times of different clocks cannot be sorted. */
static void sampler__set_clock(struct sampler *s)
{
	const bool monotonic = needs_monotonic(s);

	for (unsigned int i = 0; i < s->evlist->nr && monotonic; i++) {
		s->evlist->evsel[i]->attr.use_clockid = 1;
		s->evlist->evsel[i]->attr.clockid = CLOCK_MONOTONIC;
	}
}

bool sampler__all_ended(const struct sampler *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_slots; i++) {
		if (!__atomic_load_n(&s->slot[i].ended, __ATOMIC_RELAXED))
			return false;
	}
	return true;
}

/*
 * Give up a weak group if an event cannot be opened in it. Its leader stays open; no ring or epoll uses its members' descriptors:
 * both use the leader's, which came first. true: reopen the members.
 */
static bool sampler__break_group(struct sampler *s, struct evsel *member, const struct sampler_opts *opts)
{
	struct evsel *leader = member->leader;
	char text[256];

	/* An event that samples through its leader has no samples without it. */
	if (!leader || !leader->weak_group || leader->sample_read || s->event[member->idx].source->ops->stand_in)
		return false;
	for (unsigned int i = 1; i < leader->nr_members; i++) {
		struct evsel *evsel = s->evlist->evsel[leader->idx + i];

		sampler__close_event(s, &s->event[evsel->idx]);
		evsel->leader = NULL;
		evsel->attr.disabled = leader->attr.disabled;
		evsel->attr.enable_on_exec = leader->attr.enable_on_exec;
	}
	leader->nr_members = 0;
	snprintf(text, sizeof(text), "The events of the group that %s leads cannot be counted together: each is counted by itself",
		 leader->name);
	if (opts->note)
		opts->note(opts->note_data, text);
	return true;
}

/*
 * The kernel does not check whether a record fits into an overwritten ring (kernel/events/ring_buffer.c, __perf_output_begin): a
 * larger one overwrites its own header, so that stack contents would look like a header.
 */
static int sampler__check_ring_size(const struct sampler *s, struct errmsg *err)
{
	const u64 large = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_READ;
	const size_t page = sysconf(_SC_PAGESIZE), largest = RING_BOUNCE_SIZE;

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		const struct perf_event_attr *attr = &s->evlist->evsel[i]->attr;

		if (attr->write_backward && attr->sample_type & large && s->ring_pages * page < largest)
			return errmsg__set(err, EINVAL, "with --overwrite a ring buffer must have room for the largest sample of %s, up to 64 "
							"KiB: take -m %zu", s->evlist->evsel[i]->name, largest / page);
	}
	return 0;
}

static int sampler__open_events(struct sampler *s, const struct sampler_target *target, struct event_opener *opener,
				struct errmsg *err)
{
	const struct sampler_opts *opts = opener->opts;
	unsigned int i;
	int ret;

	ret = sampler__check_ring_size(s, err) ?: sampler__set_target(s, target, opts, err);
	for (i = 0; i < s->evlist->nr && !ret; i++) {
		struct evsel *evsel = s->evlist->evsel[i];

		if (evsel->precise_max)
			evsel->attr.precise_ip = 3; /* start with the highest; opening lowers it */
		ret = sampler__open_event(s, target, opener, evsel, err);
		if (ret == -EINVAL && evsel->leader) {
			unsigned int leader = evsel->leader->idx;

			if (!sampler__break_group(s, evsel, opts))
				break;
			ret = 0;
			i = leader;
			continue;
		}
		if (!ret && sampler__all_ended(s))
			ret = errmsg__set(err, ESRCH, "no such process or thread: all that were to be recorded have ended");
		if (!ret && !s->event[i].nr)
			ret = errmsg__set(err, ENODEV, "event %s counts on none of the chosen CPUs: see the cpumask file of its PMU in "
					  "/sys/bus/event_source/devices", evsel->name);
	}
	return ret;
}

static int sampler__open_once(struct sampler *s, const struct sampler_target *target, struct event_opener *opener, struct errmsg *err)
{
	struct sampler_target now = *target;
	int ret;

	ret = sampler__new_readers(s, opener->opts);
	if (ret)
		return errmsg__set(err, -ret, "cannot wait for events: %s", strerror(-ret));
	now.opened_at = clock__ns(CLOCK_BOOTTIME);
	ret = sampler__load_tables(s, &now, err) ?: sampler__open_events(s, &now, opener, err) ?:
	      sampler__open_on_cpus(s, &now, opener, err);
	if (!ret && sampler__list_ids(s))
		ret = sampler__out_of_memory(err);
	if (!ret)
		ret = sampler__take_undecided(s, err) ?: sampler__take_mends(s, err);
	return ret ? ret : sampler__load_stand_ins(s, &now, opener->opts, err);
}

/* Index of the first event that needs one, or evlist->nr */
static unsigned int sampler__first_inherit_checked(const struct sampler *s)
{
	unsigned int i;

	for (i = 0; i < s->evlist->nr && !sampler__needs_inherit_check(s, s->evlist->evsel[i]); i++)
		;
	return i;
}

static int sampler__explain_moves(const struct sampler *s, struct errmsg *err)
{
	if (sampler__first_inherit_checked(s) < s->evlist->nr)
		return errmsg__set(err, EAGAIN, "The threads start others faster than BPF programs can be attached to their events. Take -a with "
				   "--filter 'pid == ... && ...'");
	return errmsg__set(err, EAGAIN, "The threads start others faster than a group of events can be opened on them. Take the events without a "
			   "group, or -a");
}

/* Can we check whether tasks that the target starts in the meantime have the programs? */
static int sampler__can_check_inheritance(struct sampler *s, struct errmsg *err)
{
	const unsigned int i = sampler__first_inherit_checked(s);
	enum kernel_answer answer;
	char why[160];

	answer = i < s->evlist->nr ? kernel_offer__probe(KERNEL_COMPARED_GROUPS) : KERNEL_HAS;
	if (answer == KERNEL_UNKNOWN)
		return errmsg__set(err, EACCES, "Cannot find out whether this kernel shows which tasks have the BPF program of %s: perf could not "
						"open an event on itself, or start a thread.\n%s, or free memory and files, and try "
						"again",
				   s->evlist->evsel[i]->name, advice__root());
	if (answer == KERNEL_LACKS)
		return errmsg__set(err, EOPNOTSUPP, "Cannot make sure that tasks that start while %s is opened have its BPF program without "
						    "%s.\nTake -a with --filter 'pid == ... && ...', or --no-inherit", s->evlist->evsel[i]->name,
				   kernel_offer__explain(KERNEL_COMPARED_GROUPS, why, sizeof(why)));
	return 0;
}

int sampler__open(struct sampler *s, const struct sampler_target *target, const struct sampler_opts *opts, struct errmsg *err)
{
	struct event_opener opener = { .opts = opts, .tries = MAX_TRIES };
	int ret;

	event_opener__raise_limit();
	s->ring_pages = opts->mmap_pages ? opts->mmap_pages : ring__default_pages();
	s->fewer_pages = opts->fewer_pages;
	s->starts_tasks = !target->system_wide && !target->waits;
	sampler__set_clock(s);
	sampler__note_clock(s, opts);
	ret = sampler__check_overwrite(s, err) ?: sampler__can_check_inheritance(s, err) ?: sampler__open_once(s, target, &opener, err);
	for (int i = 1; ret == -ECHILD && i < MAX_OPENINGS && opener.tries; i++) {
		sampler__close(s);
		ret = sampler__open_once(s, target, &opener, err);
	}
	return ret == -ECHILD ? sampler__explain_moves(s, err) : ret;
}
