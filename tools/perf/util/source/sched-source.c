// SPDX-License-Identifier: GPL-2.0
/*
 * How long tasks wait for CPUs, summed up by util/bpf_skel/sched.bpf.c. Rows go to the function of sched_opts, not to the recording: collect()
 * passes none.
 */
#define LOG_DOMAIN "sched"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/lib/clock.h"
#include "util/lib/cpumap.h"
#include "util/source/sched-opts.h"
#include "util/source/sources.h"
#include "util/source/task-filter.h"
#include "util/source/tp-programs.h"
#include "util/source/watch.h"

struct sched_source {
	struct source base;
	const struct sched_opts *opts;
	struct tp_programs programs;
	struct sched_totals totals;
	struct sched_totals of_rows; /* its members that rows tell */
	u64 began_at, ended_at;
	int nr_cpus; /* that are watched */
	bool rows_pending; /* it was stopped, and the rows are not taken yet */
};

static struct sched_source *of(const struct source *source)
{
	return (struct sched_source *)source; /* its first member */
}

/* Switches first: what is woken before they are seen would seem to wait for longer. */
static const struct tp_hook hooks[] = { TP_HOOK_RAW("sched_on_switch"), TP_HOOK_RAW("sched_on_waking"), TP_HOOK_RAW("sched_on_new"), {} };

/* Loading */

static void configure(struct sched_source *s)
{
	struct bpf_programs *p = s->programs.programs;
	const struct sched_config config = {
		.filtered = s->base.filter.table != NULL,
		.linear = s->opts->linear,
		.stack_size = s->opts->stacks ? SCHED_MAX_FRAMES * sizeof(u64) : 0,
	};

	bpf_programs__set(p, "sched_config", config);
	bpf_programs__resize(p, "sched_rows", s->opts->max_rows);
	bpf_programs__resize(p, "sched_stacks", s->opts->stacks ? s->opts->max_rows : 1);
}

static int count_cpus(struct sched_source *s, const struct sampler_target *target, struct errmsg *err)
{
	struct cpumap *online;

	if (target->cpus) {
		s->nr_cpus = target->cpus->nr;
		return 0;
	}
	online = cpumap__online(err);
	if (!online)
		return -errno;
	s->nr_cpus = online->nr;
	free(online);
	return 0;
}

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct sched_source *s = of(source);
	const struct tp_programs_setup setup = { .image = &bpf_image_sched, .table = source->filter.table, .target = wanted->target };
	int ret;

	ret = count_cpus(s, wanted->target, err) ?: tp_programs__open(&s->programs, &setup, err);
	if (ret)
		return ret;
	configure(s);
	ret = tp_programs__load(&s->programs);
	if (ret)
		return watch__explain_load(-ret, "watch how long tasks wait for CPUs", "not enough memory for the rows: take room for fewer (-M)",
					   err);
	return tp_programs__follow(&s->programs, &setup, source->evsel->attr.enable_on_exec, err);
}

/* Running */

static void set_begin(struct sched_source *s, u64 when)
{
	bpf_programs__get(s->programs.programs, "sched_began_at", volatile u64) = when;
}

/* Counting begins when all programs are attached. */
static int enable(struct source *source, struct errmsg *err)
{
	struct sched_source *s = of(source);
	int ret = tp_programs__attach_all(&s->programs, hooks, err);

	if (ret || s->began_at)
		return ret;
	s->began_at = clock__ns(CLOCK_MONOTONIC);
	set_begin(s, s->began_at);
	return 0;
}

static int disable(struct source *source)
{
	struct sched_source *s = of(source);

	if (!s->programs.nr_links)
		return 0;
	s->ended_at = clock__ns(CLOCK_MONOTONIC);
	set_begin(s, 0);
	s->rows_pending = true;
	tp_programs__detach(&s->programs);
	bpf_programs__run_iterator(s->programs.programs, "sched_end_turns"); /* without it the last turns are missing */
	return 0;
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	return 0;
}

struct taking {
	struct sched_source *source;
	int stacks;
	u32 tid;
	struct sched_row row;
};

static int take_row(void *data, struct errmsg *err)
{
	struct taking *t = data;
	struct sched_source *s = t->source;
	struct sched_stack stack;
	const bool has_stack = s->opts->stacks && !bpf_map_lookup_elem(t->stacks, &t->tid, &stack);

	sched_totals__add_row(&s->of_rows, &t->row, s->ended_at);
	return s->opts->row(s->opts->data, &t->row, has_stack ? &stack : NULL, err);
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	struct sched_source *s = of(source);
	struct taking t = { .source = s };

	if (!s->rows_pending)
		return 0;
	s->rows_pending = false;
	t.stacks = bpf_programs__map(s->programs.programs, "sched_stacks");
	return watch__for_each(bpf_programs__map(s->programs.programs, "sched_rows"), &t.tid, sizeof(t.tid), &t.row, take_row, &t, err);
}

/* Counts */

static void add_cpu(struct sched_source *s, const struct sched_counts *c)
{
	struct sched_totals *t = &s->totals;
	const u64 rest = c->switches && s->ended_at > c->last ? s->ended_at - c->last : 0;

	t->kept += c->kept;
	t->dropped += c->dropped;
	t->lost_rows += c->lost_rows;
	t->unwoken += c->unwoken;
	t->unseen += c->unseen;
	t->lost_stacks += c->lost_stacks;
	t->switches += c->switches;
	t->idle += c->idle_ns + (c->is_idle ? rest : 0);
	t->busy += c->task_ns + (c->is_idle ? 0 : rest);
	for (int i = 0; i < SCHED_NR_BUCKETS; i++)
		t->bucket[i] += c->bucket[i];
}

static int read_totals(struct sched_source *s, struct errmsg *err)
{
	struct sched_counts *percpu;
	u64 known;
	int nr;

	percpu = percpu_map__read(bpf_programs__map(s->programs.programs, "sched_counts"), 0, sizeof(*percpu), &nr, "the counts of waits", err);
	if (!percpu)
		return -errno;
	s->totals = s->of_rows;
	s->totals.elapsed = s->ended_at - s->began_at;
	for (int i = 0; i < nr; i++)
		add_cpu(s, &percpu[i]);
	free(percpu);
	known = s->totals.idle + s->totals.busy;
	s->totals.unknown = s->totals.elapsed * s->nr_cpus > known ? s->totals.elapsed * s->nr_cpus - known : 0;
	s->totals.missed = watch__missed(&s->programs, hooks);
	return 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct sched_source *s = of(source);
	int ret = read_totals(s, err);

	if (ret)
		return ret;
	counts->filtered = source->filter.table;
	counts->seen = s->totals.kept + s->totals.dropped;
	counts->dropped = s->totals.dropped;
	counts->untracked = bpf_programs__get(s->programs.programs, "target_untracked", u64);
	counts->totals = &s->totals;
	return 0;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct sched_source *s = of(source);
	int ret = read_totals(s, err);

	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.counted = s->totals.kept,
		.seen = s->totals.kept + s->totals.dropped,
		.dropped = s->totals.dropped,
		.map_bytes = map_bytes(bpf_programs__map(s->programs.programs, "sched_rows")) +
			     map_bytes(bpf_programs__map(s->programs.programs, "sched_stacks")),
	};
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	watch__explain(source, hooks, "each wait at its end", fp);
}

static void delete(struct source *source)
{
	tp_programs__unload(&of(source)->programs);
	source__free(source);
}

/* Choosing */

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	static const struct watch_words words = {
		"waits for CPUs",
		"the task that gets a CPU has " TASK_FILTER_TERMS ", there are cpu and time, and its wait is period",
		"waits for CPUs are watched",
	};
	struct sched_source *s;

	s = source__new(sizeof(*s), &sched_source_ops, wish);
	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	*source = &s->base;
	s->opts = wish->evsel->kind_opts;
	s->programs = TP_PROGRAMS_INIT;
	return watch__settle(&s->base, wish, &words, err);
}

const struct source_ops sched_source_ops = {
	.name = "sched",
	.kind = { &sched_kind },
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.disable = disable,
	.drain = drain,
	.collect = collect,
	.counts = counts,
	.tally_counts = tally_counts,
	.explain = explain,
	.delete = delete,
};
