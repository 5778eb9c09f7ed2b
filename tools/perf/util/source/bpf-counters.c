// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "counters"
#include "util/source/bpf-counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include "util/bpf/percpu-map.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/program-table.h"
#include "util/lib/cpumap.h"
#include "util/source/tp-programs.h"

struct bpf_counters {
	struct bpf_counters_opts opts;
	struct counters_config config;
	struct filter_table *table; /* the programs' copy; NULL: none */
	struct tp_programs programs;
	struct cpumap *cpus; /* possible ones */
	u32 span;	     /* the last one */
};

static int check(const struct bpf_counters_opts *opts, struct errmsg *err)
{
	if (opts->nr_events > COUNTERS_MAX_EVENTS)
		return errmsg__set(err, E2BIG, "BPF programs can count %d events at once, not %u: leave some out", COUNTERS_MAX_EVENTS,
				   opts->nr_events);
	return tp_programs__check_rights("events are counted", err);
}

int bpf_counters__new(struct bpf_counters **counters, const struct bpf_counters_opts *opts, struct errmsg *err)
{
	struct bpf_counters *c;
	int ret = check(opts, err);

	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c)
		return errmsg__set(err, ENOMEM, "out of memory for counters");
	c->opts = *opts;
	c->programs = TP_PROGRAMS_INIT;
	c->cpus = cpumap__possible(err);
	if (!c->cpus)
		ret = -errno;
	if (!ret && opts->table)
		ret = program_table__new(opts->table, &c->table, err);
	if (ret) {
		bpf_counters__delete(c);
		return ret;
	}
	*counters = c;
	return 0;
}

void bpf_counters__delete(struct bpf_counters *c)
{
	if (!c)
		return;
	tp_programs__unload(&c->programs);
	free(c->cpus);
	free(c->table);
	free(c);
}

/* Numbers of CPUs may have gaps. */
static u32 end_of_cpus(const struct bpf_counters *c)
{
	return c->cpus->cpu[c->cpus->nr - 1] + 1;
}

/* Tasks are switched in the kernel. */
static bool is_switches(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !attr->exclude_kernel;
}

bool bpf_counters__needs_counter(const struct perf_event_attr *attr)
{
	return !attr__is_clock(attr) && !is_switches(attr);
}

static struct counters_config make_config(const struct bpf_counters_opts *opts, u32 nr_cpus)
{
	struct counters_config config = { .nr_events = opts->nr_events, .nr_cpus = nr_cpus, .by_cgroup = opts->nr_cgroups > 0 };

	for (u32 i = 0; i < opts->nr_events; i++) {
		const struct perf_event_attr *attr = &opts->attrs[i];

		if (attr__is_clock(attr))
			config.clocks |= 1u << i;
		else if (is_switches(attr))
			config.switches |= 1u << i;
		else if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
			config.in_memory |= 1u << i;
	}
	return config;
}

static void configure(struct bpf_counters *c)
{
	const u32 nr_rows = c->opts.nr_cgroups ?: 1;

	c->config = make_config(&c->opts, end_of_cpus(c));
	bpf_programs__set(c->programs.programs, "counters_config", c->config);
	bpf_programs__resize(c->programs.programs, "counters_events", c->opts.nr_events * end_of_cpus(c) ?: 1);
	bpf_programs__resize(c->programs.programs, "counters_objects", c->config.in_memory ? c->opts.nr_events * end_of_cpus(c) : 1);
	bpf_programs__resize(c->programs.programs, "counters_rows", nr_rows);
	bpf_programs__resize(c->programs.programs, "counters_cgroups", nr_rows);
	bpf_programs__resize(c->programs.programs, "counters_known", c->opts.nr_cgroups ? COUNTERS_NR_KNOWN : 1);
}

static int put_cgroups(const struct bpf_counters *c, struct errmsg *err)
{
	const int map_fd = bpf_programs__map(c->programs.programs, "counters_cgroups");

	for (u32 i = 0; i < c->opts.nr_cgroups; i++) {
		if (bpf_map_update_elem(map_fd, &c->opts.cgroups[i], &i, BPF_NOEXIST))
			return errmsg__set(err, errno, "cannot choose cgroups: %s", strerror(errno));
	}
	return 0;
}

int bpf_counters__load(struct bpf_counters *c, struct errmsg *err)
{
	const struct tp_programs_setup setup = { .image = c->table ? &bpf_image_counters_filter : &bpf_image_counters, .table = c->table, .target = c->opts.target };
	int ret = tp_programs__open(&c->programs, &setup, err);

	if (ret)
		return ret;
	configure(c);
	ret = tp_programs__load(&c->programs);
	if (ret) {
		ret = bpf_filter__explain_program(-ret, err);
		errmsg__prefix(err, "cannot count in BPF");
		return ret;
	}
	ret = put_cgroups(c, err) ?: tp_programs__follow(&c->programs, &setup, c->opts.waits_for_exec, err);
	if (!ret && (c->opts.waits_for_exec || c->table))
		ret = tp_programs__attach_raw(&c->programs, "counters_rename", err);
	if (!ret && c->opts.nr_cgroups)
		ret = tp_programs__attach_raw(&c->programs, "counters_attach", err);
	return ret ?: tp_programs__attach_raw(&c->programs, "counters_switch", err);
}

static int locate(const struct bpf_counters *c, u32 index, int fd)
{
	u64 args[] = { index, fd };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	if (bpf_prog_test_run_opts(bpf_programs__prog(c->programs.programs, "counters_locate"), &opts))
		return -errno;
	return opts.retval ? -EBADF : 0;
}

int bpf_counters__set(struct bpf_counters *c, u32 event, int cpu, int fd, struct errmsg *err)
{
	const u32 index = event * end_of_cpus(c) + cpu;
	int ret = bpf_map_update_elem(bpf_programs__map(c->programs.programs, "counters_events"), &index, &fd, BPF_ANY) ? -errno : 0;

	if (!ret && c->config.in_memory >> event & 1)
		ret = locate(c, index, fd);
	return ret ? errmsg__set(err, -ret, "BPF programs cannot read the counter of CPU %d: %s", cpu, strerror(-ret)) : 0;
}

static int sync_cpu(const struct bpf_counters *c, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
	int ret;

	do
		ret = bpf_prog_test_run_opts(bpf_programs__prog(c->programs.programs, "counters_sync"), &opts) ? -errno : 0;
	while (!ret && opts.retval); /* it met another program, which does not take long */
	return ret == -ENXIO ? 0 : ret; /* the CPU is not online */
}

int bpf_counters__sync(struct bpf_counters *c, struct errmsg *err)
{
	int ret = 0;

	for (int i = 0; i < c->cpus->nr && !ret; i++)
		ret = sync_cpu(c, c->cpus->cpu[i]);
	return ret ? errmsg__set(err, -ret, "cannot bring the counts of BPF programs up to date: %s", strerror(-ret)) : 0;
}

static u32 *span_of(const struct bpf_counters *c)
{
	return bpf_programs__sized_var(c->programs.programs, "counters_span", sizeof(u32));
}

int bpf_counters__begin(struct bpf_counters *c, struct errmsg *err)
{
	__atomic_store_n(span_of(c), ++c->span, __ATOMIC_RELEASE);
	return bpf_counters__sync(c, err);
}

int bpf_counters__end(struct bpf_counters *c, struct errmsg *err)
{
	int ret = bpf_counters__sync(c, err);

	__atomic_store_n(span_of(c), 0, __ATOMIC_RELEASE);
	return ret;
}

struct counters_row *bpf_counters__row(struct bpf_counters *c, u32 row, struct errmsg *err)
{
	struct counters_row *percpu, *by_cpu;
	int nr;

	percpu = percpu_map__read(bpf_programs__map(c->programs.programs, "counters_rows"), row, sizeof(*percpu), &nr, "counts", err);
	if (!percpu)
		return NULL;
	by_cpu = calloc(end_of_cpus(c), sizeof(*by_cpu));
	for (int i = 0; by_cpu && i < c->cpus->nr; i++)
		by_cpu[c->cpus->cpu[i]] = percpu[i];
	free(percpu);
	if (!by_cpu)
		errno = -errmsg__set(err, ENOMEM, "out of memory for counts");
	return by_cpu;
}

struct bpf_counters_value bpf_counters__value(const struct bpf_counters *c, const struct counters_row *row, u32 event)
{
	const bool is_of_pmu = !((c->config.in_memory | c->config.clocks | c->config.switches) >> event & 1);

	return (struct bpf_counters_value){
		.count = row->count[event],
		.enabled = is_of_pmu ? row->turns[event].enabled : row->time,
		.running = is_of_pmu ? row->turns[event].running : row->time,
	};
}

u64 bpf_counters__untracked(const struct bpf_counters *c)
{
	return bpf_programs__get(c->programs.programs, "target_untracked", u64);
}

u64 bpf_counters__missed(const struct bpf_counters *c)
{
	return bpf_programs__get(c->programs.programs, "counters_missed", u64) + tp_programs__missed(&c->programs, "counters_switch");
}
