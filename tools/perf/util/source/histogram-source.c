// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints with a number, or a time between two hits, that the kernel counts by bucket (bpf_skel/histogram-tp.bpf.c). Their only
 * result is what collect() returns.
 */
#define LOG_DOMAIN "histogram"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf_skel/histogram.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/advice.h"
#include "util/source/histogram-opts.h"
#include "util/source/sources.h"
#include "util/source/tally-values.h"
#include "util/source/tp-layout.h"
#include "util/source/tp-programs.h"

struct histogram_source {
	struct source base;
	const struct histogram_opts *opts;
	struct latency_config latency;
	struct tp_place first, second;
	const struct tracepoint *end_tp; /* where times end; NULL: a number, not times */
	struct filter_table *table; /* the programs' copy; NULL: none */
	struct tp_programs programs;
	u64 early_ends; /* ends before the program for starts was attached */
};

static struct histogram_source *of(const struct source *source)
{
	return (struct histogram_source *)source; /* its first member */
}

static const char *first_program(const struct histogram_source *h)
{
	static const char *const names[] = {
		[TP_SYSCALL_ENTER] = "first_enter", [TP_SYSCALL_EXIT] = "first_exit", [TP_PROBE] = "first_probe",
		[TP_OTHER] = "first_any",
	};

	return names[h->first.kind];
}

static const char *second_program(const struct histogram_source *h)
{
	static const char *const names[] = {
		[TP_SYSCALL_ENTER] = "second_enter", [TP_SYSCALL_EXIT] = "second_exit", [TP_PROBE] = "second_probe",
		[TP_OTHER] = "second_any",
	};

	return names[h->second.kind];
}

/* Loading */

static enum histogram_hook hook_of(const struct tp_place *place)
{
	static const enum histogram_hook hooks[] = {
		[TP_SYSCALL_ENTER] = HISTOGRAM_HOOK_ENTER,
		[TP_SYSCALL_EXIT] = HISTOGRAM_HOOK_EXIT,
		[TP_PROBE] = HISTOGRAM_HOOK_PROBE,
		[TP_OTHER] = HISTOGRAM_HOOK_ANY,
	};

	return hooks[place->kind];
}

/* How much of the record programs must read */
static u32 record_len(const struct histogram_source *h, const struct tally_setup *tally)
{
	u32 len = histogram_number__record_len(&tally->config.histogram.number);

	for (u32 i = 0; h->end_tp && i < h->latency.nr_keys; i++) {
		u32 key_len = histogram_number__record_len(&h->latency.start[i]);

		len = key_len > len ? key_len : len;
	}
	return len;
}

static void set_variables(const struct histogram_source *h, const struct tally_setup *tally)
{
	const struct histogram_hooks hooks = { hook_of(&h->first), h->end_tp ? hook_of(&h->second) : HISTOGRAM_HOOK_NONE };
	struct bpf_programs *p = h->programs.programs;
	struct filter_words *words = bpf_programs__var(p, "filter_words", NULL);

	if (record_len(h, tally) > words->record_len)
		words->record_len = record_len(h, tally);
	bpf_programs__set(p, "histogram_hooks", hooks);
	bpf_programs__set(p, "tp_config", h->first.config);
	if (!h->end_tp)
		return;
	bpf_programs__set(p, "second_config", h->second.config);
	bpf_programs__set(p, "latency_config", h->latency);
	bpf_programs__resize(p, "latency_starts", h->opts->max_starts);
}

static int explain_load(const struct histogram_source *h, int errnum, struct errmsg *err)
{
	int ret;

	if (errnum == ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for a histogram of a tracepoint: take fewer keys (--max-keys)%s",
				   h->end_tp ? " or starts (--max-starts)" : "");
	ret = bpf_filter__explain_program(errnum, err);
	errmsg__prefix(err, "cannot make a histogram of a tracepoint");
	return ret;
}

/* Images with few programs load in less time. */
static const struct bpf_image *image_of(const struct histogram_source *h)
{
	const enum tp_kind first = h->first.kind, second = h->end_tp ? h->second.kind : first;
	const bool by_event = tp_programs__by_event();

	if (first == TP_OTHER && second == TP_OTHER)
		return &bpf_image_histogram_tracepoints;
	if (first == TP_PROBE && second == TP_PROBE)
		return &bpf_image_histogram_probes;
	if (first == TP_SYSCALL_ENTER && (second == TP_SYSCALL_EXIT || !h->end_tp))
		return by_event ? &bpf_image_histogram_syscalls_event : &bpf_image_histogram_syscalls;
	return by_event ? &bpf_image_histogram_event : &bpf_image_histogram;
}

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct tally_setup tally;
	const struct tp_programs_setup setup = {
		.image = image_of(h), .table = h->table, .tally = &tally, .target = wanted->target,
		.probe = { h->first.probe, h->second.probe },
	};
	int ret = tally_table__configure(&source->tally, &tally, err) ?: tp_programs__open(&h->programs, &setup, err);

	if (ret)
		return ret;
	set_variables(h, &tally);
	ret = tp_programs__load(&h->programs);
	if (ret)
		return explain_load(h, -ret, err);
	return tp_programs__follow(&h->programs, &setup, source->evsel->attr.enable_on_exec, err);
}

/* Running */

static int read_latency(const struct histogram_source *h, struct latency_counts *sum, const char *what, struct errmsg *err)
{
	struct latency_counts *percpu;
	int nr_cpus;

	*sum = (struct latency_counts){ 0 };
	percpu = percpu_map__read(bpf_programs__map(h->programs.programs, "latency_counts"), 0, sizeof(*percpu), &nr_cpus, what, err);
	if (!percpu)
		return -errno;
	for (int i = 0; i < nr_cpus; i++) {
		sum->starts += percpu[i].starts;
		sum->lost += percpu[i].lost;
		sum->ends += percpu[i].ends;
		sum->lone_ends += percpu[i].lone_ends;
	}
	free(percpu);
	return 0;
}

static const char what[] = "the counts of a histogram";

/* Attach to the end of times first, so that no start misses its end. */
static int enable(struct source *source, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct latency_counts latency;
	int ret = 0;

	if (h->programs.nr_links)
		return 0;
	if (h->end_tp)
		ret = tp_programs__attach(&h->programs, &h->second, second_program(h), err);
	if (!ret)
		ret = tp_programs__attach(&h->programs, &h->first, first_program(h), err);
	if (!ret)
		ret = read_latency(h, &latency, what, err);
	if (ret)
		tp_programs__detach(&h->programs);
	else
		h->early_ends = latency.lone_ends;
	return ret;
}

static void let_run(struct source *source, bool on)
{
	tp_programs__let_run(&of(source)->programs, on);
}

static int disable(struct source *source)
{
	tp_programs__detach(&of(source)->programs);
	return 0;
}

static int fd(const struct source *source)
{
	return tally_table__fd(of(source)->programs.tally);
}

static struct bpf_ring *ring(struct source *source)
{
	return tally_table__ring(of(source)->programs.tally);
}

/* Into the tables of keys: cb gets no records, collect() passes rows. */
static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct histogram_source *h = of(source);

	return h->programs.tally ? tally_table__drain(h->programs.tally) : 0;
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	return tally_table__collect(of(source)->programs.tally, cb, data, err);
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct tp_counts sum;
	int ret = tp_programs__counts(&h->programs, &sum, &counts->untracked, what, err);

	if (ret)
		return ret;
	counts->filtered = h->table;
	counts->seen = sum.kept + sum.filter.dropped;
	counts->dropped = sum.filter.dropped;
	return 0;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct latency_counts latency;
	struct tp_counts sum;
	u64 untracked;
	int ret;

	ret = tp_programs__counts(&h->programs, &sum, &untracked, what, err) ?: read_latency(h, &latency, what, err) ?:
	      tp_programs__tally_counts(&h->programs, counts, err);
	if (ret)
		return ret;
	counts->seen = sum.kept + sum.filter.dropped;
	counts->dropped = sum.filter.dropped;
	counts->missed = tp_programs__missed(&h->programs, first_program(h)) + sum.missed;
	counts->lost_starts = latency.lost;
	counts->open_starts = latency.starts - latency.ends;
	counts->lone_ends = latency.lone_ends - h->early_ends;
	if (!h->end_tp)
		return 0;
	counts->missed += tp_programs__missed(&h->programs, second_program(h));
	counts->map_bytes += map_bytes(bpf_programs__map(h->programs.programs, "latency_starts"));
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	const struct histogram_source *h = of(source);

	if (h->end_tp)
		fprintf(fp, "engine: BPF programs on this tracepoint and %s:%s", tracepoint__sys(h->end_tp), tracepoint__name(h->end_tp));
	else
		fprintf(fp, "engine: a BPF program on the tracepoint");
	if (h->table)
		fprintf(fp, ", %u entr%s", h->table->nr, plural_y(h->table->nr));
	fputc('\n', fp);
}

static void delete(struct source *source)
{
	struct histogram_source *h = of(source);

	tp_programs__unload(&h->programs);
	free(h->table);
	source__free(source);
}

/* Choosing */

/* Why a requested combination makes no sense here. */
static int check_wanted(const struct evsel *evsel, struct errmsg *err)
{
	const struct perf_event_attr *attr = &evsel->attr;
	const char *why = NULL;

	if (attr->freq || attr->sample_period != 1)
		why = "looks at each hit: leave -c and -F out";
	else if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle)
		why = "takes no modifier of it: leave it out";
	else if (evsel->leader || evsel->nr_members > 1)
		why = "is of single events: leave the braces out";
	else if (evsel->cgroup)
		return errmsg__set(err, EINVAL, "%s: a histogram of a tracepoint takes cgroups in its filter: --filter 'cgroup in \"/%s\"'",
				   evsel->name, evsel->cgroup + strspn(evsel->cgroup, "/"));
	return why ? errmsg__set(err, EINVAL, "%s: a histogram of a tracepoint %s", evsel->name, why) : 0;
}

static bool is_of_all_syscalls(const struct tracepoint *tp)
{
	return !strcmp(tracepoint__sys(tp), "raw_syscalls");
}

/* Programs on raw tracepoints cost less than on perf's event, and their records are the same as its. */
static void take_all_syscalls(struct tp_place *place, const struct tracepoint *tp)
{
	const bool enters = !strcmp(tracepoint__name(tp), "sys_enter");

	if (!is_of_all_syscalls(tp) || tp_programs__by_event())
		return;
	place->kind = enters ? TP_SYSCALL_ENTER : TP_SYSCALL_EXIT;
	place->config.syscall = TP_ALL_SYSCALLS;
	place->config.nr_values = enters ? TP_MAX_ARGS : 1;
}

static int fill_place(struct tp_place *place, const struct evsel *evsel, struct errmsg *err)
{
	const char *why;

	if (tp_place__fill(place, evsel->tp, false, &why))
		return errmsg__set(err, EOPNOTSUPP, "BPF cannot look at %s: %s", evsel->name, why);
	take_all_syscalls(place, evsel->tp);
	return 0;
}

static int compile_filter(struct histogram_source *h, struct errmsg *err)
{
	const struct evsel *evsel = h->base.evsel;
	struct event_filter *filter = &h->base.filter;
	const char *note;
	int ret;

	if (!evsel->filter)
		return 0;
	ret = event_filter__compile_tracepoint(filter, evsel, TP_JUDGE_BPF_ONLY, NULL, &note, err);
	if (ret)
		return ret;
	if (!filter->tp_table)
		return errmsg__set(err, EINVAL, "%s: the filter \"%s\" is one that only the kernel's own filter understands, and that cannot "
				   "say what goes into a histogram. See perf help filter", evsel->name, evsel->filter);
	h->first.config.filtered = true;
	return tp_layout__take_table(evsel, filter->tp_table, &h->table, err);
}

/* Programs may allocate memory there: no locks are held. */
static bool is_of_syscalls(const struct tracepoint *tp)
{
	return is_of_all_syscalls(tp) || tracepoint__kind(tp) == TP_SYSCALL_ENTER || tracepoint__kind(tp) == TP_SYSCALL_EXIT;
}

static bool is_task_only(const struct latency_config *latency)
{
	const struct histogram_number *start = &latency->start[0], *end = &latency->end[0];

	return latency->nr_keys == 1 && start->term == FILTER_TERM_TID && end->term == FILTER_TERM_TID && !start->shift && !end->shift &&
	       start->bits == end->bits;
}

static int configure_end(struct histogram_source *h, struct errmsg *err)
{
	const struct evsel *end = h->opts->end->evsel[0];
	int ret;

	h->end_tp = end->tp;
	ret = fill_place(&h->second, end, err) ?: histogram_opts__configure_latency(h->opts, h->base.evsel, &h->latency, err);
	h->latency.own = !ret && is_of_syscalls(h->base.evsel->tp) && is_of_syscalls(end->tp) && is_task_only(&h->latency);
	return ret;
}

static int configure(struct histogram_source *h, const struct source_wish *wish, struct errmsg *err)
{
	int ret = check_wanted(wish->evsel, err);

	if (!ret)
		ret = source__set_tally(&h->base, wish, err);
	if (!ret)
		ret = fill_place(&h->first, wish->evsel, err);
	if (!ret && h->opts->end)
		ret = configure_end(h, err);
	return ret ?: compile_filter(h, err);
}

static bool asks_for_walks(const struct source_wish *wish)
{
	if (!wish->histogram->number)
		return false;
	return wish->tally->exprs || tally_values__is_walk(wish->histogram->number, wish->evsel);
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	struct histogram_source *h;
	const char *why;
	char buf[160];
	int ret;

	if (!wish->evsel->tp || !wish->histogram || asks_for_walks(wish)) /* the program that counts tracepoints reads these */
		return 0;
	h = source__new(sizeof(*h), &histogram_source_ops, wish);
	if (!h)
		return errmsg__set(err, ENOMEM, "out of memory for a histogram");
	*source = &h->base;
	h->opts = wish->histogram;
	h->programs = TP_PROGRAMS_INIT;
	ret = configure(h, wish, err);
	why = ret ? NULL : tp_programs__refuse(wish->evsel, wish->nr_tracepoints, false, buf, sizeof(buf));
	return why ? errmsg__set(err, EOPNOTSUPP, "there can be no histogram of %s: %s", wish->evsel->name, why) : ret;
}

const struct source_ops histogram_source_ops = {
	.name = "histogram",
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.let_run = let_run,
	.disable = disable,
	.fd = fd,
	.ring = ring,
	.drain = drain,
	.collect = collect,
	.tally_counts = tally_counts,
	.counts = counts,
	.explain = explain,
	.delete = delete,
};
