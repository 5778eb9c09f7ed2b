// SPDX-License-Identifier: GPL-2.0
#include "util/counter/probe-count.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "util/bpf/percpu-map.h"
#include "util/event/tracepoint.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/event-filter.h"
#include "util/lib/clock.h"
#include "util/source/tp-layout.h"
#include "util/source/tp-programs.h"

struct probe_count {
	struct tp_place place;
	struct tp_programs programs;
	struct filter_table *table; /* the programs' copy; NULL: no filter */
	struct sampler_target target;
	bool on_exec;
	u64 *hits; /* by CPU */
	int nr_cpus;
	u64 untracked, missed;
	u64 on_since, on_before; /* ns; 0: it is off */
};

static const char *unknown_setting(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	if (evsel->leader || evsel->nr_members > 1)
		return "in a group: leave the braces out";
	if (evsel->cgroup)
		return "by -G: take --filter 'cgroup in /NAME'";
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle)
		return "with a modifier: leave it out";
	return NULL;
}

static int compile_filter(struct probe_count *c, const struct evsel *evsel, struct errmsg *err)
{
	struct event_filter f = { 0 };
	const char *note;
	int ret;

	if (!evsel->filter)
		return 0;
	ret = event_filter__compile_tracepoint(&f, evsel, TP_JUDGE_BPF_ONLY, NULL, &note, err);
	if (!ret)
		ret = tp_layout__take_table(evsel, f.tp_table, &c->table, err);
	event_filter__exit(&f);
	return ret;
}

int probe_count__check_filter(const struct evsel *evsel, struct errmsg *err)
{
	struct probe_count c = { 0 };
	int ret = compile_filter(&c, evsel, err);

	free(c.table);
	return ret;
}

static int load(struct probe_count *c, const struct evsel *evsel, struct errmsg *err)
{
	const struct tp_programs_setup setup = {
		.image = &bpf_image_tp_probe, .table = c->table, .target = &c->target, .probe = { tracepoint__probe(evsel->tp) },
	};
	const char *why;
	int ret;

	if (tp_place__fill(&c->place, evsel->tp, false, &why))
		return errmsg__set(err, EINVAL, "%s cannot be counted: %s", evsel->name, why);
	c->place.config.filtered = c->table != NULL;
	ret = tp_programs__open(&c->programs, &setup, err);
	if (ret)
		return ret;
	bpf_programs__set(c->programs.programs, "tp_config", c->place.config);
	ret = tp_programs__load(&c->programs);
	if (ret)
		return bpf_filter__explain_program(-ret, err);
	return tp_programs__follow(&c->programs, &setup, c->on_exec, err);
}

int probe_count__new(const struct evsel *evsel, const struct counters_target *target, struct probe_count **count, struct errmsg *err)
{
	const char *why = unknown_setting(evsel);
	struct probe_count *c;
	int ret;

	if (why)
		return errmsg__set(err, EINVAL, "%s cannot be counted %s", evsel->name, why);
	c = calloc(1, sizeof(*c));
	if (!c)
		return errmsg__set(err, ENOMEM, "out of memory");
	c->programs = TP_PROGRAMS_INIT;
	c->on_exec = target->on_exec;
	c->target = (struct sampler_target){
		.system_wide = target->system_wide,
		.cpus = target->cpus,
		.tids = target->tids,
		.nr_tids = target->nr_tids,
		.inherit = target->inherit && evsel->terms.inherit != WISH_NO,
		.no_events = true,
		.opened_at = clock__ns(CLOCK_BOOTTIME),
	};
	ret = tp_programs__check_rights("functions are counted", err) ?: compile_filter(c, evsel, err) ?: load(c, evsel, err);
	if (!ret && c->on_exec)
		ret = probe_count__enable(c, true, err);
	if (ret)
		probe_count__delete(c);
	else
		*count = c;
	return ret;
}

void probe_count__delete(struct probe_count *c)
{
	if (!c)
		return;
	tp_programs__unload(&c->programs);
	free(c->table);
	free(c->hits);
	free(c);
}

int probe_count__attach(struct probe_count *c, struct errmsg *err)
{
	int ret = c->programs.nr_links ? 0 : tp_programs__attach(&c->programs, &c->place, "tp_record", err);

	if (ret)
		tp_programs__detach(&c->programs);
	return ret;
}

void probe_count__stop(struct probe_count *c)
{
	tp_programs__let_run(&c->programs, false);
	if (c->on_since)
		c->on_before += clock__ns(CLOCK_MONOTONIC) - c->on_since;
	c->on_since = 0;
}

int probe_count__enable(struct probe_count *c, bool on, struct errmsg *err)
{
	int ret;

	if (!on) {
		probe_count__stop(c);
		tp_programs__detach(&c->programs);
		return 0;
	}
	ret = probe_count__attach(c, err);
	if (ret || c->on_since)
		return ret;
	tp_programs__let_run(&c->programs, true);
	c->on_since = clock__ns(CLOCK_MONOTONIC);
	return 0;
}

int probe_count__read(struct probe_count *c, struct errmsg *err)
{
	struct tp_counts *percpu, sum;
	int nr_cpus, ret;

	ret = tp_programs__counts(&c->programs, &sum, &c->untracked, "the count of a function", err);
	if (ret)
		return ret;
	percpu = percpu_map__read(bpf_programs__map(c->programs.programs, "tp_counts"), 0, sizeof(*percpu), &nr_cpus, "the count of a function",
				  err);
	if (!percpu)
		return -errno;
	if (!c->hits)
		c->hits = calloc(nr_cpus, sizeof(*c->hits));
	for (int i = 0; c->hits && i < nr_cpus; i++)
		c->hits[i] = percpu[i].kept;
	c->nr_cpus = nr_cpus;
	c->missed = tp_programs__missed(&c->programs, "tp_record") + sum.missed;
	free(percpu);
	return c->hits ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

struct counter_value probe_count__value(const struct probe_count *c, int cpu)
{
	const u64 on = c->on_before + (c->on_since ? clock__ns(CLOCK_MONOTONIC) - c->on_since : 0);
	struct counter_value value = { .enabled = on, .running = on };

	for (int i = 0; i < c->nr_cpus; i++) {
		if (cpu < 0 || cpu == i)
			value.value += c->hits[i];
	}
	return value;
}

u64 probe_count__untracked(const struct probe_count *c)
{
	return c->untracked;
}

u64 probe_count__missed(const struct probe_count *c)
{
	return c->missed;
}
