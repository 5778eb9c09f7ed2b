// SPDX-License-Identifier: GPL-2.0
#include "util/counter/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "util/counter/bpf-counting.h"
#include "util/counter/probe-count.h"
#include "util/counter/tool-count.h"
#include "util/event/tracepoint.h"
#include "util/judge/event-filter.h"
#include "util/lib/clock.h"
#include "util/lib/fs.h"
#include "util/sampler/cgroup-dir.h"
#include "util/sampler/open-event.h"
#include "util/source/tp-programs.h"

struct counter { /* what an evsel has open */
	int *fd;			/* by place; -1: not open */
	struct tool_count *tool;	/* by place; NULL: the kernel or programs count */
	bool *recorded;			/* by place: there was a count; NULL: it is not from elsewhere */
	struct probe_count *probe;	/* of an event on a function; NULL: another event */
	struct counter_value *now, *before; /* by place: as of the last read, and of the one before it */
	struct counter_value *closed;	/* by place: what descriptors have counted whose CPU went offline; NULL: none did */
	bool supported;
	char why_not[sizeof(((struct errmsg *)NULL)->text)];
	bool on, on_since_read;		/* enabled now; at any time since the last read */
	bool was_on[2];			/* by enum counter_span, as of the last read */
};

struct counters {
	struct evlist *evlist;
	struct bpf_counting *bpf; /* NULL: the events count by themselves */
	struct cpumap *cpus;	  /* for bpf */
	struct counter *counter; /* by evsel->idx */
	struct counter_place *place;
	unsigned int nr_places;
	bool on_exec, whole_processes;
	const struct rusage *usage; /* of the command that has ended; NULL: there is none, or it runs */
};

struct counters *counters__new(struct evlist *evlist)
{
	struct counters *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->evlist = evlist;
	c->counter = calloc(evlist->nr + 1, sizeof(*c->counter));
	if (c->counter)
		return c;
	free(c);
	return NULL;
}

void counters__delete(struct counters *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; i < c->evlist->nr; i++) {
		if (c->counter[i].fd)
			fs__close_many(c->counter[i].fd, c->nr_places);
		free(c->counter[i].fd);
		free(c->counter[i].tool);
		free(c->counter[i].recorded);
		probe_count__delete(c->counter[i].probe);
		free(c->counter[i].now);
		free(c->counter[i].before);
		free(c->counter[i].closed);
	}
	free(c->counter);
	bpf_counting__delete(c->bpf);
	free(c->cpus);
	free(c->place);
	free(c);
}

static int no_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory");
}

static int *closed_fds(unsigned int nr)
{
	int *fds = malloc((nr + 1) * sizeof(*fds));

	if (fds)
		memset(fds, -1, (nr + 1) * sizeof(*fds));
	return fds;
}

static int check_online(const struct cpumap *cpus, const struct cpumap *online, struct errmsg *err)
{
	for (int i = 0; i < cpus->nr; i++) {
		if (!cpumap__has(online, cpus->cpu[i]))
			return errmsg__set(err, ENODEV, "CPU %d is not online: see /sys/devices/system/cpu/online", cpus->cpu[i]);
	}
	return 0;
}

static int add_places(struct counters *c, const struct counters_target *target, const struct cpumap *cpus, struct errmsg *err)
{
	const int nr_cpus = target->system_wide || target->cpus ? cpus->nr : 1, nr_tids = target->system_wide ? 1 : target->nr_tids;

	c->place = calloc((size_t)nr_cpus * nr_tids + 1, sizeof(*c->place));
	if (!c->place)
		return no_memory(err);
	for (int t = 0; t < nr_tids; t++) {
		for (int i = 0; i < nr_cpus; i++) {
			struct counter_place *place = &c->place[c->nr_places++];

			place->tid = target->system_wide ? -1 : target->tids[t];
			place->cpu = target->system_wide || target->cpus ? cpus->cpu[i] : -1;
		}
	}
	return 0;
}

/* For programs: a place for each CPU. */
static int keep_cpus(struct counters *c, const struct cpumap *cpus, struct errmsg *err)
{
	const struct counters_target all = { .system_wide = true };
	const size_t size = sizeof(*cpus) + cpus->nr * sizeof(cpus->cpu[0]);

	c->cpus = malloc(size);
	if (!c->cpus)
		return no_memory(err);
	memcpy(c->cpus, cpus, size);
	return add_places(c, &all, cpus, err);
}

static int counters__set_places(struct counters *c, const struct counters_target *target, struct errmsg *err)
{
	struct cpumap *online = cpumap__online(err);
	int ret;

	if (!online)
		return -errno;
	ret = target->cpus ? check_online(target->cpus, online, err) : 0;
	if (!ret)
		ret = target->in_bpf ? keep_cpus(c, target->cpus ?: online, err) : add_places(c, target, target->cpus ?: online, err);
	free(online);
	return ret;
}

/* Members count when their leader does. */
static void adapt_attr(struct evsel *evsel, const struct counters_target *target)
{
	struct perf_event_attr *attr = &evsel->attr;

	attr->sample_type = 0;
	attr->sample_period = 0;
	attr->freq = 0;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->disabled = !evsel->leader;
	attr->enable_on_exec = target->on_exec && !evsel->leader;
	attr->inherit = !target->system_wide && target->inherit && evsel->terms.inherit != WISH_NO;
}

/* Errors that say that the machine, the kernel or the PMU lacks the event; others end perf. */
static bool is_lacking(int ret)
{
	return ret == -ENOENT || ret == -ENODEV || ret == -ENXIO || ret == -EOPNOTSUPP || ret == -EINVAL || ret == -ENOSYS;
}

static int open_place(struct counters *c, struct event_opener *opener, struct evsel *evsel, int cgroup_fd, unsigned int i, bool first,
		      struct errmsg *err)
{
	const struct counter *leader = evsel->leader ? &c->counter[evsel->leader->idx] : NULL;
	const struct event_place at = {
		.pid = evsel->cgroup ? cgroup_fd : c->place[i].tid,
		.cpu = c->place[i].cpu,
		.group_fd = leader ? leader->fd[i] : -1,
	};

	if (leader && at.group_fd < 0)
		return -ESRCH;
	return event_opener__open(opener, evsel, &at, first, err);
}

static void close_event(struct counters *c, struct counter *counter)
{
	fs__close_many(counter->fd, c->nr_places);
	memset(counter->fd, -1, c->nr_places * sizeof(*counter->fd));
}

static int open_places(struct counters *c, struct event_opener *opener, struct evsel *evsel, int cgroup_fd, struct errmsg *err)
{
	struct counter *counter = &c->counter[evsel->idx];
	bool first = true;

	for (unsigned int i = 0; i < c->nr_places; i++) {
		int fd;

		if (evsel->cpus && c->place[i].tid < 0 && !cpumap__has(evsel->cpus, c->place[i].cpu))
			continue;
		fd = open_place(c, opener, evsel, cgroup_fd, i, first, err);
		if (fd == -ESRCH) /* the thread has ended */
			continue;
		if (fd < 0)
			return fd;
		counter->fd[i] = fd;
		first = false;
	}
	return 0;
}

/* Without the leader there is no group to count in. */
static bool lacks_leader(const struct counters *c, const struct evsel *evsel)
{
	return evsel->leader && !c->counter[evsel->leader->idx].supported;
}

/* The caller ends *f. */
static int compile_filter(struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	const char *note;

	*f = (struct event_filter){ 0 };
	if (!evsel->tp)
		return -EOPNOTSUPP;
	return event_filter__compile_tracepoint(f, evsel, TP_JUDGE_KERNEL, NULL, &note, err) ?: f->kernel ? 0 : -EOPNOTSUPP;
}

bool counters__filters_in_kernel(const struct evsel *evsel)
{
	struct event_filter f;
	struct errmsg err;
	int ret = compile_filter(&f, evsel, &err);

	event_filter__exit(&f);
	return !ret;
}

static int set_filter(const struct evsel *evsel, const int *fd, unsigned int nr, struct errmsg *err)
{
	struct event_filter f;
	int ret = evsel->filter ? compile_filter(&f, evsel, err) : 0;

	for (unsigned int i = 0; evsel->filter && i < nr && !ret; i++)
		ret = fd[i] >= 0 ? event_filter__attach(&f, evsel, fd[i], err) : 0;
	if (evsel->filter)
		event_filter__exit(&f);
	return ret;
}

static int counter__init(struct counter *counter, unsigned int nr_places)
{
	counter->fd = closed_fds(nr_places);
	counter->now = calloc(nr_places + 1, sizeof(*counter->now));
	counter->before = calloc(nr_places + 1, sizeof(*counter->before));
	return counter->fd && counter->now && counter->before ? 0 : -ENOMEM;
}

static void counter__explain(struct counter *counter, const struct evsel *evsel, int ret, const struct errmsg *err)
{
	if (ret == -EINVAL)
		snprintf(counter->why_not, sizeof(counter->why_not), "%s", err->text);
	else
		snprintf(counter->why_not, sizeof(counter->why_not), "event %s is not supported by this machine or kernel (%s)", evsel->name,
			 strerror(-ret));
}

/* Counts of perf itself */

static struct tool_place tool_place(const struct counters *c, unsigned int i)
{
	return (struct tool_place){
		.cpu = c->place[i].cpu,
		.tid = c->place[i].tid,
		.whole_process = c->on_exec || c->whole_processes,
		.usage = c->usage,
	};
}

static int counters__open_tool(struct counters *c, const struct evsel *evsel, struct errmsg *err)
{
	struct counter *counter = &c->counter[evsel->idx];

	if (counter__init(counter, c->nr_places))
		return no_memory(err);
	counter->tool = calloc(c->nr_places + 1, sizeof(*counter->tool));
	if (!counter->tool)
		return no_memory(err);
	for (unsigned int i = 0; i < c->nr_places; i++) {
		const struct tool_place place = tool_place(c, i);

		counter->tool[i].open = tool_count__has(evsel->tool, &place, !i);
		counter->supported |= counter->tool[i].open;
	}
	counter->on = counter->on_since_read = c->on_exec;
	if (!counter->supported)
		snprintf(counter->why_not, sizeof(counter->why_not), "event %s cannot be counted for tasks on some CPUs only", evsel->name);
	return 0;
}

/* Events on functions */

static bool is_probe(const struct evsel *evsel)
{
	return evsel->tp && tracepoint__probe(evsel->tp);
}

static int counters__open_probe(struct counters *c, const struct counters_target *target, const struct evsel *evsel, struct errmsg *err)
{
	struct counter *counter = &c->counter[evsel->idx];

	if (counter__init(counter, c->nr_places))
		return no_memory(err);
	counter->supported = true;
	counter->on = counter->on_since_read = target->on_exec;
	return probe_count__new(evsel, target, &counter->probe, err);
}

/* The program counts by CPU, and all threads together: the first one stands for them. */
static struct counter_value counters__probe_value(const struct counters *c, unsigned int event, unsigned int i)
{
	struct counter_value value = probe_count__value(c->counter[event].probe, c->place[i].cpu);

	if (c->place[i].tid != c->place[0].tid)
		value.value = 0;
	return value;
}

static void counters__switch_tool(struct counters *c, unsigned int event, bool on)
{
	struct counter *counter = &c->counter[event];

	for (unsigned int i = 0; i < c->nr_places; i++) {
		const struct tool_place place = tool_place(c, i);
		const u64 now = counter->tool[i].open && on != counter->on ? tool_count__now(c->evlist->evsel[event]->tool, &place) : 0;

		if (now && on)
			counter->tool[i].begin = now;
		else if (now > counter->tool[i].begin)
			counter->tool[i].sum += now - counter->tool[i].begin;
	}
}

static struct counter_value counters__tool_value(const struct counters *c, unsigned int event, unsigned int i)
{
	const struct counter *counter = &c->counter[event];
	const struct tool_place place = tool_place(c, i);
	const u64 now = counter->on ? tool_count__now(c->evlist->evsel[event]->tool, &place) : 0;
	u64 value = counter->tool[i].sum;

	if (now > counter->tool[i].begin)
		value += now - counter->tool[i].begin;
	return (struct counter_value){ .value = value, .enabled = value, .running = value };
}

void counters__exec(struct counters *c)
{
	const u64 now = clock__ns(CLOCK_MONOTONIC);

	for (unsigned int i = 0; i < c->evlist->nr && c->on_exec; i++) {
		if (c->counter[i].tool && c->evlist->evsel[i]->tool == TOOL_DURATION_TIME)
			c->counter[i].tool[0].begin = now;
	}
}

void counters__set_usage(struct counters *c, const struct rusage *usage)
{
	c->usage = usage;
}

static int counters__open_event(struct counters *c, const struct counters_target *target, struct event_opener *opener, struct evsel *evsel,
				struct errmsg *err)
{
	struct counter *counter = &c->counter[evsel->idx];
	int cgroup_fd = -1, ret;

	if (counter__init(counter, c->nr_places))
		return no_memory(err);
	adapt_attr(evsel, target);
	if (lacks_leader(c, evsel)) {
		snprintf(counter->why_not, sizeof(counter->why_not), "event %s is in the group of %s, which is not supported", evsel->name,
			 evsel->leader->name);
		return 0;
	}
	if (evsel->cgroup) {
		cgroup_fd = cgroup_dir__open(evsel->cgroup, err);
		if (cgroup_fd < 0)
			return cgroup_fd;
	}
	ret = open_places(c, opener, evsel, cgroup_fd, err);
	if (cgroup_fd >= 0)
		close(cgroup_fd);
	counter->supported = !ret;
	counter->on = counter->on_since_read = target->on_exec;
	if (!is_lacking(ret))
		return ret ?: set_filter(evsel, counter->fd, c->nr_places, err);
	counter__explain(counter, evsel, ret, err);
	close_event(c, counter);
	return 0;
}

/* A weak group whose members cannot be opened in it: each counts by itself. Returns the index of the first member, to be opened anew. */
static unsigned int break_group(struct counters *c, struct evsel *leader, const struct counters_target *target)
{
	for (unsigned int i = 1; i < leader->nr_members; i++) {
		struct evsel *evsel = c->evlist->evsel[leader->idx + i];
		struct counter *counter = &c->counter[evsel->idx];

		if (counter->fd)
			close_event(c, counter);
		free(counter->fd);
		free(counter->now);
		free(counter->before);
		*counter = (struct counter){ 0 };
		evsel->leader = NULL;
	}
	leader->nr_members = 0;
	return leader->idx + 1;
}

static int counters__open_events(struct counters *c, const struct counters_target *target, struct event_opener *opener, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->evlist->nr && !ret; i++) {
		struct evsel *evsel = c->evlist->evsel[i];

		if (evsel->tool || is_probe(evsel))
			ret = evsel->tool ? counters__open_tool(c, evsel, err) : counters__open_probe(c, target, evsel, err);
		else
			ret = counters__open_event(c, target, opener, evsel, err);
		if (!ret && !c->counter[i].supported && evsel->leader && evsel->leader->weak_group)
			i = break_group(c, evsel->leader, target) - 1;
	}
	return ret;
}

/* Counting by programs */

static int open_in_bpf(struct counters *c, const struct counters_target *target, struct event_opener *opener, struct evsel *evsel,
		       struct errmsg *err)
{
	struct counter *counter = &c->counter[evsel->idx];
	int ret;

	if (counter__init(counter, c->nr_places))
		return no_memory(err);
	ret = tp_programs__check_rights("events are counted", err) ?: bpf_counting__add(c->bpf, evsel, err);
	if (ret)
		return ret;
	ret = bpf_counting__open(c->bpf, evsel, opener, err);
	counter->supported = !ret;
	counter->on = counter->on_since_read = target->on_exec;
	if (!is_lacking(ret))
		return ret;
	counter__explain(counter, evsel, ret, err);
	return 0;
}

static int counters__open_in_bpf(struct counters *c, const struct counters_target *target, struct event_opener *opener, struct errmsg *err)
{
	int ret = 0;

	c->bpf = bpf_counting__new(c->evlist->nr, target, c->cpus);
	if (!c->bpf)
		return no_memory(err);
	for (unsigned int i = 0; i < c->evlist->nr && !ret; i++) {
		struct evsel *evsel = c->evlist->evsel[i];

		if (evsel->tool || is_probe(evsel))
			ret = evsel->tool ? counters__open_tool(c, evsel, err) : counters__open_probe(c, target, evsel, err);
		else
			ret = open_in_bpf(c, target, opener, evsel, err);
	}
	return ret ?: bpf_counting__load(c->bpf, err);
}

static void set_on(struct counters *c, bool on)
{
	for (unsigned int i = 0; i < c->evlist->nr; i++) {
		c->counter[i].on = on;
		c->counter[i].on_since_read |= on;
	}
}

u64 counters__untracked(const struct counters *c)
{
	u64 untracked = c->bpf ? bpf_counting__untracked(c->bpf) : 0;

	for (unsigned int i = 0; i < c->evlist->nr; i++)
		untracked += c->counter[i].probe ? probe_count__untracked(c->counter[i].probe) : 0;
	return untracked;
}

u64 counters__missed(const struct counters *c)
{
	return c->bpf ? bpf_counting__missed(c->bpf) : 0;
}

u64 counters__missed_hits(const struct counters *c)
{
	u64 missed = 0;

	for (unsigned int i = 0; i < c->evlist->nr; i++)
		missed += c->counter[i].probe ? probe_count__missed(c->counter[i].probe) : 0;
	return missed;
}

int counters__open(struct counters *c, const struct counters_target *target, void (*note)(void *data, const char *text), void *data,
		   struct errmsg *err)
{
	const struct sampler_opts opts = { .note = note, .note_data = data };
	struct event_opener opener = { .opts = &opts, .counts = true };
	int ret;

	event_opener__raise_limit();
	c->on_exec = target->on_exec;
	c->whole_processes = target->whole_processes;
	ret = counters__set_places(c, target, err);
	return ret ?: target->in_bpf ? counters__open_in_bpf(c, target, &opener, err) : counters__open_events(c, target, &opener, err);
}

bool counters__is_supported(const struct counters *c, unsigned int event)
{
	return c->counter[event].supported;
}

const char *counters__why_not(const struct counters *c, unsigned int event)
{
	return c->counter[event].supported ? NULL : c->counter[event].why_not;
}

int counters__enable_event(struct counters *c, unsigned int event, bool on, struct errmsg *err)
{
	struct counter *counter = &c->counter[event];

	int ret = 0;

	if (counter->tool)
		counters__switch_tool(c, event, on);
	else if (counter->probe)
		ret = probe_count__enable(counter->probe, on, err);
	else if (c->bpf)
		return errmsg__set(err, EOPNOTSUPP, "cannot %s event %s alone: BPF programs count all events or none", on ? "enable" : "disable",
				   c->evlist->evsel[event]->name);
	for (unsigned int i = 0; i < c->nr_places; i++) {
		if (counter->fd[i] >= 0 && ioctl(counter->fd[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return errmsg__set(err, errno, "cannot %s event %s: %s", on ? "enable" : "disable", c->evlist->evsel[event]->name,
					   strerror(errno));
	}
	counter->on = on;
	counter->on_since_read |= on;
	return ret;
}

/* Attaching programs to functions takes long, and so does detaching: all of them begin and end to count at one time. */
static int prepare_probes(struct counters *c, bool on, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->evlist->nr && !ret; i++) {
		if (c->counter[i].probe && on)
			ret = probe_count__attach(c->counter[i].probe, err);
		else if (c->counter[i].probe)
			probe_count__stop(c->counter[i].probe);
	}
	return ret;
}

int counters__enable(struct counters *c, bool on, struct errmsg *err)
{
	int ret = prepare_probes(c, on, err);

	for (unsigned int i = 0; c->bpf && i < c->evlist->nr && !ret; i++) {
		if (c->counter[i].tool)
			counters__switch_tool(c, i, on);
		else if (c->counter[i].probe)
			ret = probe_count__enable(c->counter[i].probe, on, err);
	}
	if (c->bpf) {
		set_on(c, on);
		return ret ?: bpf_counting__enable(c->bpf, on, err);
	}
	for (unsigned int i = 0; i < c->evlist->nr && !ret; i++)
		ret = counters__enable_event(c, i, on, err);
	return ret;
}

static struct counter_value sum_of(const struct counter_value *a, const struct counter_value *b)
{
	return (struct counter_value){ a->value + b->value, a->enabled + b->enabled, a->running + b->running };
}

/*
 * A pinned event that the PMU has no room for reads as the end of the file: it does not run any more, and nobody tells for how long. What
 * it had counted stays.
 */
static int read_value(const struct counter *counter, unsigned int place, struct counter_value *value)
{
	struct counter_value now;
	ssize_t n;

	do
		n = read(counter->fd[place], &now, sizeof(now));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		*value = counter->closed ? sum_of(&now, &counter->closed[place]) : now;
	if (!n)
		value->enabled++;
	return n < 0 ? -errno : 0;
}

static int counters__read_event(struct counters *c, unsigned int event, struct errmsg *err)
{
	struct counter *counter = &c->counter[event];
	int ret = counter->probe ? probe_count__read(counter->probe, err) : 0;

	memcpy(counter->before, counter->now, c->nr_places * sizeof(*counter->now));
	for (unsigned int i = 0; i < c->nr_places && !ret; i++) {
		if (counter->tool && counter->tool[i].open)
			counter->now[i] = counters__tool_value(c, event, i);
		else if (counter->probe)
			counter->now[i] = counters__probe_value(c, event, i);
		else if (c->bpf && counter->supported)
			counter->now[i] = bpf_counting__value(c->bpf, event, c->place[i].cpu);
		ret = counter->fd[i] >= 0 ? read_value(counter, i, &counter->now[i]) : 0;
		if (ret)
			return errmsg__set(err, -ret, "cannot read the count of event %s: %s", c->evlist->evsel[event]->name, strerror(-ret));
	}
	counter->was_on[COUNTER_DELTA] = counter->on_since_read;
	counter->was_on[COUNTER_TOTAL] |= counter->on_since_read;
	counter->on_since_read = counter->on;
	return ret;
}

/* CPUs that come back */

/* What was counted until now stays; so a descriptor that cannot be opened again does no harm. */
static int reopen_place(struct counters *c, struct event_opener *opener, struct evsel *evsel, unsigned int place, int cgroup_fd,
			struct errmsg *err)
{
	struct counter *counter = &c->counter[evsel->idx];
	struct counter_value so_far;
	int fd, ret;

	counter->closed = counter->closed ?: calloc(c->nr_places, sizeof(*counter->closed));
	if (!counter->closed)
		return no_memory(err);
	fd = open_place(c, opener, evsel, cgroup_fd, place, false, err);
	if (fd < 0)
		return fd;
	ret = set_filter(evsel, &fd, 1, err);
	so_far = counter->now[place];
	if (ret || read_value(counter, place, &so_far)) {
		close(fd);
		return ret ?: errmsg__set(err, EIO, "cannot read the count of event %s", evsel->name);
	}
	counter->closed[place] = so_far;
	close(counter->fd[place]);
	counter->fd[place] = fd;
	return 1;
}

static int reopen_event(struct counters *c, struct event_opener *opener, struct evsel *evsel, int cpu, struct errmsg *err)
{
	const struct counter *counter = &c->counter[evsel->idx];
	int cgroup_fd = -1, ret = 0, done = 0;

	if (counter->fd && counter->supported && evsel->cgroup)
		cgroup_fd = cgroup_dir__open(evsel->cgroup, err);
	if (cgroup_fd < 0 && evsel->cgroup && counter->fd && counter->supported)
		return cgroup_fd;
	for (unsigned int i = 0; counter->fd && i < c->nr_places && ret >= 0; i++) {
		if (counter->fd[i] < 0 || c->place[i].cpu != cpu || c->place[i].tid >= 0)
			continue;
		ret = reopen_place(c, opener, evsel, i, cgroup_fd, err);
		done |= ret > 0;
	}
	if (cgroup_fd >= 0)
		close(cgroup_fd);
	return ret < 0 ? ret : done;
}

/* Leaders last, so that groups are complete when they begin to count. */
static int enable_cpu(const struct counters *c, int cpu, struct errmsg *err)
{
	for (unsigned int i = c->evlist->nr; i-- > 0;) {
		const struct counter *counter = &c->counter[i];

		for (unsigned int j = 0; counter->fd && counter->on && j < c->nr_places; j++) {
			if (counter->fd[j] >= 0 && c->place[j].cpu == cpu && c->place[j].tid < 0 && ioctl(counter->fd[j], PERF_EVENT_IOC_ENABLE, 0))
				return errmsg__set(err, errno, "cannot enable event %s: %s", c->evlist->evsel[i]->name, strerror(errno));
		}
	}
	return 0;
}

int counters__reopen_cpu(struct counters *c, int cpu, struct errmsg *err)
{
	const struct sampler_opts opts = { 0 };
	struct event_opener opener = { .opts = &opts, .counts = true };
	int ret = 0, done = 0;

	if (c->bpf)
		return bpf_counting__reopen_cpu(c->bpf, cpu, err);
	for (unsigned int i = 0; i < c->evlist->nr && ret >= 0; i++) {
		ret = reopen_event(c, &opener, c->evlist->evsel[i], cpu, err);
		done |= ret > 0;
	}
	if (ret >= 0 && done)
		ret = enable_cpu(c, cpu, err);
	return ret < 0 ? ret : done;
}

int counters__read(struct counters *c, struct errmsg *err)
{
	int ret = c->bpf ? bpf_counting__read(c->bpf, err) : 0;

	for (unsigned int i = 0; i < c->evlist->nr && !ret; i++)
		ret = counters__read_event(c, i, err);
	return ret;
}

int counters__set_recorded(struct counters *c, const struct counter_place *places, unsigned int nr, struct errmsg *err)
{
	c->place = calloc(nr + 1, sizeof(*places));
	if (!c->place)
		return no_memory(err);
	memcpy(c->place, places, nr * sizeof(*places));
	c->nr_places = nr;
	return 0;
}

int counters__record(struct counters *c, unsigned int event, unsigned int place, const struct counter_value *value)
{
	struct counter *counter = &c->counter[event];

	if (!counter->recorded) {
		counter->recorded = calloc(c->nr_places, sizeof(*counter->recorded));
		counter->now = calloc(c->nr_places, sizeof(*counter->now));
		counter->before = calloc(c->nr_places, sizeof(*counter->before));
	}
	if (!counter->recorded || !counter->now || !counter->before)
		return -ENOMEM;
	counter->recorded[place] = counter->supported = true;
	counter->was_on[COUNTER_TOTAL] = counter->was_on[COUNTER_DELTA] = true;
	counter->now[place] = *value;
	return 0;
}

void counters__end_round(struct counters *c)
{
	for (unsigned int i = 0; i < c->evlist->nr; i++) {
		if (c->counter[i].recorded)
			memcpy(c->counter[i].before, c->counter[i].now, c->nr_places * sizeof(*c->counter[i].now));
	}
}

/* Is there a count at this place? */
static bool counter__has(const struct counters *c, unsigned int event, unsigned int place)
{
	const struct counter *counter = &c->counter[event];

	if (counter->recorded)
		return counter->recorded[place];
	return counter->tool ? counter->tool[place].open : counter->probe ? true : c->bpf ? counter->supported : counter->fd[place] >= 0;
}

bool counters__value(const struct counters *c, unsigned int event, unsigned int place, enum counter_span span, struct counter_value *value)
{
	const struct counter *counter = &c->counter[event];
	const struct counter_value *now = &counter->now[place], *before = &counter->before[place];

	if (!counter__has(c, event, place))
		return false;
	*value = *now;
	if (span == COUNTER_DELTA) {
		if (!c->evlist->evsel[event]->snapshot)
			value->value -= before->value;
		value->enabled -= before->enabled;
		value->running -= before->running;
	}
	return true;
}

bool counters__was_on(const struct counters *c, unsigned int event, enum counter_span span)
{
	return c->counter[event].was_on[span];
}

const struct counter_place *counters__places(const struct counters *c, unsigned int *nr)
{
	*nr = c->nr_places;
	return c->place;
}
