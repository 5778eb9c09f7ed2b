// SPDX-License-Identifier: GPL-2.0
#include "util/counter/bpf-counting.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/judge/event-filter.h"
#include "util/lib/array.h"
#include "util/lib/cgroup.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/clock.h"
#include "util/sampler/open-event.h"
#include "util/source/bpf-counters.h"
#include "util/source/shared-counter.h"
#include "util/source/task-filter.h"

struct cgroup_row {
	const char *name; /* as the first event has it; NULL: none */
	u64 id;
	char *path; /* canonical; "/": the root */
	u32 *inside; /* the rows of this cgroup and of those below it, once all are known */
	u32 nr_inside;
	struct counters_row *cpu; /* by CPU, as of the last read */
};

/* Events with the same filter, and either all with a cgroup or all without: they share programs. */
struct program {
	const char *filter; /* NULL: none */
	bool by_cgroup;
	struct filter_table *table;
	struct shared_counter counter[COUNTERS_MAX_EVENTS]; /* with fd, if programs need it */
	struct perf_event_attr attr[COUNTERS_MAX_EVENTS];
	u32 nr_counters;
	struct cgroup_row *row; /* without cgroups there is one */
	u32 nr_rows;
	struct bpf_counters *counters;
};

struct event {
	u32 program, counter, row;
};

struct bpf_counting {
	struct sampler_target target;
	const struct cpumap *cpus;
	bool on_exec;
	struct event *event;
	struct program *program;
	unsigned int nr_programs;
};

static int no_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory for counters");
}

struct bpf_counting *bpf_counting__new(unsigned int nr_events, const struct counters_target *target, const struct cpumap *cpus)
{
	struct bpf_counting *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->cpus = cpus;
	c->on_exec = target->on_exec;
	c->event = calloc(nr_events + 1, sizeof(*c->event));
	c->program = calloc(nr_events + 1, sizeof(*c->program));
	c->target = (struct sampler_target){
		.system_wide = target->system_wide,
		.cpus = target->cpus ? cpus : NULL,
		.tids = target->tids,
		.nr_tids = target->nr_tids,
		.inherit = target->inherit,
		.waits = target->on_exec,
		.no_events = true,
		.opened_at = clock__ns(CLOCK_BOOTTIME),
	};
	if (c->event && c->program)
		return c;
	bpf_counting__delete(c);
	return NULL;
}

static void program__exit(struct program *p)
{
	bpf_counters__delete(p->counters);
	for (u32 i = 0; i < p->nr_counters; i++)
		shared_counter__close(&p->counter[i]);
	for (u32 i = 0; i < p->nr_rows; i++) {
		free(p->row[i].path);
		free(p->row[i].inside);
		free(p->row[i].cpu);
	}
	free(p->row);
	free(p->table);
}

void bpf_counting__delete(struct bpf_counting *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; i < c->nr_programs; i++)
		program__exit(&c->program[i]);
	free(c->program);
	free(c->event);
	free(c);
}

/* Filters */

/* *table: the caller frees it. */
static int compile(const struct evsel *evsel, struct filter_table **table, struct errmsg *err)
{
	struct event_filter f = { 0 };
	const char *note;
	int ret = evsel->tp ? event_filter__compile_tracepoint(&f, evsel, TP_JUDGE_BPF_ONLY, NULL, &note, err) :
			      event_filter__compile(&f, evsel, NULL, err);
	const struct filter_table *compiled = f.tp_table ?: f.table;

	if (!ret)
		ret = task_filter__check(f.tree, compiled, "counts", "tasks are judged when they leave their CPU, and have pid, tid, ppid, comm, uid, "
					 "gid, cgroup, prio, nice and cpu", err);
	if (!ret && task_filter__is_late(compiled))
		ret = errmsg__set(err, EINVAL, "filter: counts cannot be judged by 'period' or 'time', which samples have");
	*table = ret ? NULL : malloc(sizeof(**table));
	if (*table) {
		**table = *compiled;
		/* Programs judge the task itself, and no sample, which may hold what another event has found. */
		(*table)->words.own = FILTER_OWN_NOTHING;
	} else if (!ret) {
		ret = no_memory(err);
	}
	event_filter__exit(&f);
	return ret;
}

int bpf_counting__check_filter(const struct evsel *evsel, struct errmsg *err)
{
	struct filter_table *table;
	int ret = evsel->filter ? compile(evsel, &table, err) : 0;

	if (evsel->filter)
		free(table);
	return ret;
}

static bool equal_texts(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns the index of the programs for this event, which may be new ones. */
static int find_program(struct bpf_counting *c, const struct evsel *evsel, struct errmsg *err)
{
	struct program *p;
	int ret = 0;

	for (unsigned int i = 0; i < c->nr_programs; i++) {
		if (equal_texts(c->program[i].filter, evsel->filter) && c->program[i].by_cgroup == (evsel->cgroup != NULL))
			return i;
	}
	p = &c->program[c->nr_programs++];
	p->filter = evsel->filter;
	p->by_cgroup = evsel->cgroup;
	if (p->filter)
		ret = compile(evsel, &p->table, err);
	return ret ?: (int)c->nr_programs - 1;
}

/* Rows */

static int add_row(struct program *p, const char *name, u64 id, const char *path, struct errmsg *err)
{
	if (array__extend(p->row, p->nr_rows))
		return no_memory(err);
	p->row[p->nr_rows] = (struct cgroup_row){ .name = name, .id = id, .path = strdup(path) };
	if (!p->row[p->nr_rows].path)
		return no_memory(err);
	return p->nr_rows++;
}

static int find_row(struct program *p, const char *cgroup, struct errmsg *err)
{
	char why[256], path[PATH_MAX];
	u64 id = 0;
	int ret;

	for (u32 i = 0; i < p->nr_rows; i++) {
		if (equal_texts(p->row[i].name, cgroup))
			return i;
	}
	if (cgroup && cgroup__id(cgroup, &id, why, sizeof(why)))
		return errmsg__set(err, EINVAL, "cgroup \"%s\" cannot be counted in BPF: %s", cgroup, why);
	for (u32 i = 0; i < p->nr_rows; i++) {
		if (p->row[i].id == id)
			return i;
	}
	ret = cgroup ? cgroup__path(id, path, sizeof(path)) : 0;
	if (ret)
		return errmsg__set(err, -ret, "cgroup \"%s\": cannot find its path: %s", cgroup, strerror(-ret));
	return add_row(p, cgroup, id, cgroup ? path : "/", err);
}

/* Is path the cgroup, or below it? */
static bool is_in(const char *path, const char *cgroup)
{
	const size_t len = strcmp(cgroup, "/") ? strlen(cgroup) : 0;

	return !strncmp(path, cgroup, len) && (path[len] == '/' || !path[len]);
}

/* A cgroup counts its own row and those of the cgroups below it. */
static int find_inside(struct program *p, struct errmsg *err)
{
	for (u32 i = 0; i < p->nr_rows; i++) {
		struct cgroup_row *row = &p->row[i];

		row->inside = calloc(p->nr_rows, sizeof(*row->inside));
		if (!row->inside)
			return no_memory(err);
		for (u32 j = 0; j < p->nr_rows; j++) {
			if (is_in(p->row[j].path, row->path))
				row->inside[row->nr_inside++] = j;
		}
	}
	return 0;
}

/* Counters */

/* Open it once by itself, which adapts its attr to this machine. */
static int settle_attr(const struct bpf_counting *c, struct evsel *evsel, struct event_opener *opener, struct errmsg *err)
{
	const struct event_place at = { .pid = -1, .cpu = (evsel->cpus ?: c->cpus)->cpu[0], .group_fd = -1 };
	char *const cgroup = evsel->cgroup;
	int fd;

	evsel->attr.sample_type = 0;
	evsel->attr.sample_period = 0;
	evsel->attr.freq = 0;
	evsel->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	evsel->attr.disabled = evsel->attr.enable_on_exec = evsel->attr.inherit = 0;
	evsel->cgroup = NULL; /* the counter is for all */
	fd = event_opener__open(opener, evsel, &at, true, err);
	evsel->cgroup = cgroup;
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int open_counter(struct shared_counter *counter, const struct perf_event_attr *attr, const struct cpumap *cpus)
{
	if (bpf_counters__needs_counter(attr))
		return shared_counter__open(counter, attr, cpus);
	*counter = (struct shared_counter){ .offer_fd = -1 };
	return 0;
}

static int find_counter(const struct bpf_counting *c, struct program *p, const struct evsel *evsel, struct errmsg *err)
{
	int ret;

	for (u32 i = 0; i < p->nr_counters; i++) {
		if (!memcmp(&p->attr[i], &evsel->attr, sizeof(evsel->attr)))
			return i;
	}
	if (p->nr_counters == COUNTERS_MAX_EVENTS)
		return errmsg__set(err, E2BIG, "BPF programs can count %d different events: leave some out", COUNTERS_MAX_EVENTS);
	ret = open_counter(&p->counter[p->nr_counters], &evsel->attr, evsel->cpus ?: c->cpus);
	if (ret)
		return errmsg__set(err, -ret, "cannot open event %s on all CPUs: %s", evsel->name, strerror(-ret));
	p->attr[p->nr_counters] = evsel->attr;
	return p->nr_counters++;
}

int bpf_counting__add(struct bpf_counting *c, const struct evsel *evsel, struct errmsg *err)
{
	int program = find_program(c, evsel, err), row;

	if (program < 0)
		return program;
	row = find_row(&c->program[program], evsel->cgroup, err);
	if (row < 0)
		return row;
	c->event[evsel->idx] = (struct event){ .program = program, .row = row };
	return 0;
}

int bpf_counting__open(struct bpf_counting *c, struct evsel *evsel, struct event_opener *opener, struct errmsg *err)
{
	struct event *event = &c->event[evsel->idx];
	int counter, ret = settle_attr(c, evsel, opener, err);

	if (ret)
		return ret;
	counter = find_counter(c, &c->program[event->program], evsel, err);
	if (counter < 0)
		return counter;
	event->counter = counter;
	return 0;
}

/* Loading */

static int put_counters(struct program *p, struct errmsg *err)
{
	int ret = 0;

	for (u32 i = 0; i < p->nr_counters; i++) {
		const struct shared_counter *counter = &p->counter[i];

		for (int j = 0; counter->fd && j < counter->cpus->nr && !ret; j++)
			ret = bpf_counters__set(p->counters, i, counter->cpus->cpu[j], counter->fd[j], err);
	}
	return ret;
}

static int program__load(struct program *p, const struct bpf_counting *c, struct errmsg *err)
{
	u64 *ids = calloc(p->nr_rows, sizeof(*ids));
	const struct bpf_counters_opts opts = {
		.nr_events = p->nr_counters,
		.attrs = p->attr,
		.target = &c->target,
		.waits_for_exec = c->on_exec,
		.table = p->table,
		.cgroups = ids,
		.nr_cgroups = p->by_cgroup ? p->nr_rows : 0,
	};
	int ret;

	if (!ids)
		return no_memory(err);
	for (u32 i = 0; i < p->nr_rows; i++)
		ids[i] = p->row[i].id;
	ret = find_inside(p, err) ?: bpf_counters__new(&p->counters, &opts, err) ?: bpf_counters__load(p->counters, err) ?: put_counters(p, err);
	free(ids);
	return ret;
}

int bpf_counting__load(struct bpf_counting *c, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->nr_programs && !ret; i++)
		ret = c->program[i].nr_counters ? program__load(&c->program[i], c, err) : 0;
	return ret ?: c->on_exec ? bpf_counting__enable(c, true, err) : 0;
}

/* CPUs that come back: the counter has nothing to say before programs have seen it. */

static int reopen_counter(struct program *p, u32 nr, int cpu, struct errmsg *err)
{
	struct shared_counter *counter = &p->counter[nr];
	int fd = counter->fd ? shared_counter__open_cpu(counter, &p->attr[nr], cpu) : -ENOENT, ret;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return errmsg__set(err, -fd, "cannot open a counter: %s", strerror(-fd));
	ret = bpf_counters__set(p->counters, nr, cpu, fd, err) ?: bpf_counters__sync(p->counters, err);
	if (ret) {
		close(fd);
		return ret;
	}
	ret = shared_counter__replace(counter, &p->attr[nr], cpu, fd);
	return ret ? errmsg__set(err, -ret, "cannot enable a counter: %s", strerror(-ret)) : 1;
}

int bpf_counting__reopen_cpu(struct bpf_counting *c, int cpu, struct errmsg *err)
{
	int ret = 0, done = 0;

	for (unsigned int i = 0; i < c->nr_programs; i++) {
		struct program *p = &c->program[i];

		for (u32 j = 0; p->counters && j < p->nr_counters && ret >= 0; j++) {
			ret = reopen_counter(p, j, cpu, err);
			done |= ret > 0;
		}
	}
	return ret < 0 ? ret : done;
}

/* Counting */

int bpf_counting__enable(struct bpf_counting *c, bool on, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->nr_programs && !ret; i++) {
		struct bpf_counters *counters = c->program[i].counters;

		if (counters)
			ret = on ? bpf_counters__begin(counters, err) : bpf_counters__end(counters, err);
	}
	return ret;
}

static int program__read(struct program *p, struct errmsg *err)
{
	int ret = bpf_counters__sync(p->counters, err);

	for (u32 i = 0; i < p->nr_rows && !ret; i++) {
		free(p->row[i].cpu);
		p->row[i].cpu = bpf_counters__row(p->counters, i, err);
		if (!p->row[i].cpu)
			ret = -errno;
	}
	return ret;
}

int bpf_counting__read(struct bpf_counting *c, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->nr_programs && !ret; i++)
		ret = c->program[i].counters ? program__read(&c->program[i], err) : 0;
	return ret;
}

struct counter_value bpf_counting__value(const struct bpf_counting *c, unsigned int event, int cpu)
{
	const struct event *e = &c->event[event];
	const struct program *p = &c->program[e->program];
	const struct cgroup_row *row = &p->row[e->row];
	struct counter_value sum = { 0 };

	for (u32 i = 0; i < row->nr_inside; i++) {
		const struct counters_row *inside = p->row[row->inside[i]].cpu;
		struct bpf_counters_value value;

		if (!inside)
			continue;
		value = bpf_counters__value(p->counters, &inside[cpu], e->counter);
		sum.value += value.count;
		sum.enabled += value.enabled;
		sum.running += value.running;
	}
	return sum;
}

u64 bpf_counting__untracked(const struct bpf_counting *c)
{
	u64 nr = 0;

	for (unsigned int i = 0; i < c->nr_programs; i++)
		nr += c->program[i].counters ? bpf_counters__untracked(c->program[i].counters) : 0;
	return nr;
}

u64 bpf_counting__missed(const struct bpf_counting *c)
{
	u64 nr = 0;

	for (unsigned int i = 0; i < c->nr_programs; i++)
		nr += c->program[i].counters ? bpf_counters__missed(c->program[i].counters) : 0;
	return nr;
}
