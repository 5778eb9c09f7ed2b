// SPDX-License-Identifier: GPL-2.0
#include "util/source/histogram-source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/event/tracepoint.h"
#include "util/source/bpf-target.h"
#include "util/source/histogram-program.h"
#include "util/source/tp-attach.h"
#include "util/source/tp-source.h"

struct histogram_source {
	struct sample_source source;
	const struct histogram_opts *opts;
	struct tally_opts counting;
	struct histogram_config config;
	struct latency_config latency;
	struct histogram_place first, second;
	const struct tracepoint *tp, *end_tp; /* end_tp NULL: no times */
	struct filter_table *table; /* as programs get it; NULL: none */
	struct histogram_program program;
	struct bpf_target target;
	struct tally_table *counts;
	u64 early_ends; /* that came before starts were looked at */
	int first_link, second_link; /* while they are attached; -1 */
};

static struct histogram_source *of(const struct sample_source *source)
{
	return (struct histogram_source *)source; /* its first member */
}

static void detach(int *link)
{
	if (*link >= 0)
		close(*link);
	*link = -1;
}

static int stop(struct sample_source *source)
{
	struct histogram_source *h = of(source);

	detach(&h->first_link);
	detach(&h->second_link);
	return 0;
}

static void histogram_source__unload(struct histogram_source *h)
{
	bpf_target__unfollow(&h->target);
	tally_table__delete(h->counts);
	h->counts = NULL;
	histogram_program__close(&h->program);
}

static int load_program(struct histogram_source *h, const struct sampler_target *target, struct errmsg *err)
{
	struct histogram_program_setup setup = {
		.first = &h->first,
		.second = h->end_tp ? &h->second : NULL,
		.table = h->table,
		.latency = &h->latency,
		.max_starts = h->opts->max_starts,
		.target = target,
	};
	struct tally_setup counting;
	struct tally_maps maps;
	int ret = tally_table__configure(&h->counting, &counting, err);

	if (ret)
		return ret;
	setup.counting = &counting;
	ret = histogram_program__load(&h->program, &setup, err);
	if (ret)
		return ret;
	maps = h->program.maps;
	h->program.maps = (struct tally_maps)TALLY_MAPS_NONE;
	return tally_table__new(&maps, &counting, &h->counts, err);
}

static int load(struct sample_source *source, const struct evsel *evsel, const struct sample_source_setup *setup,
		struct errmsg *err)
{
	struct histogram_source *h = of(source);
	int ret;

	stop(source);
	histogram_source__unload(h);
	ret = load_program(h, setup->target, err);
	if (ret)
		return ret;
	h->target = (struct bpf_target){
		.fork_prog_fd = h->program.fork_fd,
		.seed_prog_fd = h->program.seed_fd,
		.seeds_map_fd = h->program.seeds_fd,
		.fork_link_fd = -1,
	};
	return bpf_target__follow(&h->target, setup->target, evsel->attr.enable_on_exec, err);
}

/* Where times end first, so that no start misses its end. */
static int start(struct sample_source *source, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct histogram_program_counts counts;
	int ret = 0;

	if (h->first_link >= 0)
		return 0;
	if (h->end_tp)
		ret = tp_attach(h->second.kind, tracepoint__id(h->end_tp), h->program.second_fd, &h->second_link, err);
	if (!ret)
		ret = tp_attach(h->first.kind, tracepoint__id(h->tp), h->program.first_fd, &h->first_link, err);
	if (!ret)
		ret = histogram_program__counts(&h->program, &counts, err);
	if (ret)
		stop(source);
	else
		h->early_ends = counts.latency.lone_ends;
	return ret;
}

static int fd(const struct sample_source *source)
{
	return tally_table__fd(of(source)->counts);
}

/* What the ring holds is kept until it is collected. */
static int drain(struct sample_source *source, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	struct histogram_source *h = of(source);

	return h->counts ? tally_table__drain(h->counts) : 0;
}

static int collect(struct sample_source *source, int (*cb)(void *data, const struct tally_row *row), void *data,
		   struct errmsg *err)
{
	return tally_table__collect(of(source)->counts, cb, data, err);
}

static int counts(struct sample_source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct histogram_program_counts sum;
	int ret = histogram_program__counts(&h->program, &sum, err);

	if (ret)
		return ret;
	counts->filtered = h->table;
	counts->seen = sum.kept + sum.dropped;
	counts->dropped = sum.dropped;
	counts->untracked = sum.untracked;
	return 0;
}

static int tally_counts(struct sample_source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct histogram_source *h = of(source);
	struct histogram_program_counts sum;
	struct tally_totals counted;
	int ret = histogram_program__counts(&h->program, &sum, err);

	if (!ret)
		ret = tally_table__counts(h->counts, &counted, err);
	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.seen = sum.kept + sum.dropped,
		.dropped = sum.dropped,
		.counted = counted.counted + counted.spilled,
		.spilled = counted.spilled,
		.lost_keys = counted.lost_keys,
		.lost_spill = counted.lost_spill,
		.map_bytes = tally_table__bytes(h->counts) + histogram_program__bytes(&h->program),
		.missed = sum.missed,
		.lost_starts = sum.latency.lost,
		.open_starts = sum.latency.starts - sum.latency.ends,
		.lone_ends = sum.latency.lone_ends - h->early_ends,
	};
	return 0;
}

static void dump(const struct sample_source *source, FILE *fp)
{
	const struct histogram_source *h = of(source);

	if (h->end_tp)
		fprintf(fp, "engine: BPF programs on this tracepoint and %s:%s", tracepoint__sys(h->end_tp), tracepoint__name(h->end_tp));
	else
		fprintf(fp, "engine: a BPF program on the tracepoint");
	if (h->table)
		fprintf(fp, ", %u entries", h->table->nr);
	fputc('\n', fp);
}

static void delete(struct sample_source *source)
{
	struct histogram_source *h = of(source);

	stop(source);
	histogram_source__unload(h);
	free(h->table);
	free(h);
}

static const struct sample_source_ops histogram_source_ops = {
	.load = load,
	.start = start,
	.stop = stop,
	.fd = fd,
	.drain = drain,
	.collect = collect,
	.counts = counts,
	.tally_counts = tally_counts,
	.dump = dump,
	.delete = delete,
};

/* What is asked for that has no meaning here. */
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

static int fill_place(struct histogram_place *place, const struct evsel *evsel, struct errmsg *err)
{
	const char *why;

	place->kind = tracepoint__kind(evsel->tp);
	return tp_layout__fill(evsel->tp, false, &place->config, &why) ?
	       errmsg__set(err, EOPNOTSUPP, "BPF cannot look at %s: %s", evsel->name, why) : 0;
}

static int compile_filter(struct histogram_source *h, const struct evsel *evsel, struct event_filter *filter, struct errmsg *err)
{
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
	return tp_layout__take_table(evsel, filter->tp_table, &h->table, err);
}

static int configure_end(struct histogram_source *h, const struct evsel *evsel, struct errmsg *err)
{
	const struct evsel *end = h->opts->end->evsel[0];
	int ret;

	h->end_tp = end->tp;
	ret = fill_place(&h->second, end, err);
	return ret ? ret : histogram_opts__configure_latency(h->opts, evsel, &h->latency, err);
}

static int configure(struct histogram_source *h, struct evsel *evsel, struct event_filter *filter, struct errmsg *err)
{
	int ret = check_wanted(evsel, err);

	if (!ret)
		ret = histogram_opts__configure(h->opts, evsel, &h->config, err);
	if (!ret)
		ret = fill_place(&h->first, evsel, err);
	if (!ret && h->opts->end)
		ret = configure_end(h, evsel, err);
	if (!ret)
		ret = compile_filter(h, evsel, filter, err);
	return ret;
}

int histogram_source__new(const struct histogram_opts *opts, const struct tally_opts *counting, struct evsel *evsel,
		     struct event_filter *filter, unsigned int nr_events, struct sample_source **source, struct errmsg *err)
{
	struct histogram_source *h = calloc(1, sizeof(*h));
	const char *why;
	char buf[160];
	int ret;

	if (!h)
		return errmsg__set(err, ENOMEM, "out of memory for a histogram");
	h->source.ops = &histogram_source_ops;
	h->opts = opts;
	h->counting = *counting;
	h->counting.histogram = &h->config;
	h->tp = evsel->tp;
	h->first_link = h->second_link = h->target.fork_link_fd = -1;
	h->program = HISTOGRAM_PROGRAM_NONE;
	ret = configure(h, evsel, filter, err);
	why = ret ? NULL : tp_source__refuses(evsel, nr_events, false, buf, sizeof(buf));
	if (why)
		ret = errmsg__set(err, EOPNOTSUPP, "there can be no histogram of %s: %s", evsel->name, why);
	if (ret) {
		delete(&h->source);
		return ret;
	}
	*source = &h->source;
	return 0;
}
