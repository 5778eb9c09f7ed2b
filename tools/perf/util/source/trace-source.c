// SPDX-License-Identifier: GPL-2.0
/*
 * System calls from their begin to their end, each one or in sums: util/bpf_skel/trace.bpf.c. They go to the functions of
 * trace_opts, not to the recording: drain() and collect() pass no records and no rows.
 */
#define LOG_DOMAIN "trace"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/ring.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/advice.h"
#include "util/lib/clock.h"
#include "util/lib/log.h"
#include "util/perfdata/sample.h"
#include "util/source/sources.h"
#include "util/source/tp-layout.h"
#include "util/source/tp-programs.h"
#include "util/source/trace-memory.h"
#include "util/source/trace-opts.h"
#include "util/source/trace-order.h"
#include "util/source/unwind-finish.h"
#include "util/source/watch.h"

#define DEFAULT_RING_SIZE (16 << 20) /* a busy writer fills it in some 100 ms */
#define WAKE_PART 8		     /* fraction of the ring that is worth a wake-up */
#define SETTLE_NS 10000000	     /* time within which a program that has taken the time sends its record */

struct trace_source {
	struct source base;
	const struct trace_opts *opts;
	struct filter_table *table; /* the programs' copy; NULL: none */
	bool judged_early; /* the table needs nothing that is known at a call's end only */
	bool judged_once; /* it may judge differently when a call ends */
	struct tp_programs programs;
	struct bpf_ring ring;
	struct trace_order order;
	struct trace_totals totals;
	u64 ended_at;
	u64 nr_unfinished, nr_unjudged;
	u64 id; /* of the event, in samples */
	struct unwind_finisher finisher; /* of stacks */
	struct unwind_totals unwound;
	bool rows_pending; /* it was stopped, and the rest is not taken yet */
	u64 sample[PERF_RECORD_MAX_SIZE / sizeof(u64)];
};

static struct trace_source *of(const struct source *source)
{
	return (struct trace_source *)source; /* its first member */
}

/* The ends first: no begin misses its end */
static const struct tp_hook hooks[] = {
	TP_HOOK_EVENT("trace_task_exit", "sched", "sched_process_exit"), TP_HOOK_EXIT("trace_exit"), TP_HOOK_ENTER("trace_enter"), {}
};

static const struct tp_hook *hooks_of(const struct trace_source *s)
{
	return s->opts->stacks ? hooks + 1 : hooks; /* those programs lack the first one */
}

/* Loading */

static void configure(struct trace_source *s, size_t ring_size)
{
	struct bpf_programs *p = s->programs.programs;
	struct trace_config config = {
		.min_ns = s->opts->min_ns,
		.max_text = s->opts->max_text,
		.max_bytes = s->opts->max_bytes,
		.wake_at = ring_size / WAKE_PART,
		.filtered = s->table != NULL,
		.judged_early = s->judged_early,
		.judged_once = s->judged_once,
		.failed_only = s->opts->failed_only,
		.written = s->opts->written,
		.summed = s->opts->summed,
		.by = s->opts->by,
		.with_errors = s->opts->with_errors,
		.nr_fields = s->opts->nr_fields,
	};

	memcpy(config.rule, s->opts->rule, sizeof(config.rule));
	bpf_programs__set(p, "trace_config", config);
	bpf_programs__resize(p, "trace_ring", ring_size);
	bpf_programs__resize(p, "trace_sums", s->opts->summed ? s->opts->max_sums : 1);
	bpf_programs__resize(p, "trace_hot_sums", s->opts->summed && s->opts->by != TRACE_BY_CGROUP ? TRACE_HOT_SUMS : 1);
	bpf_programs__resize(p, "trace_errors", s->opts->with_errors ? s->opts->max_sums : 1);
}

static void unload(struct trace_source *s)
{
	tp_programs__unload(&s->programs);
	bpf_ring__unmap(&s->ring);
	trace_order__exit(&s->order);
}

static const struct bpf_image *image_for(const struct trace_source *s)
{
	static const struct bpf_image *const images[][2] = { /* on raw tracepoints, and on perf's events of them */
		{ &bpf_image_trace, &bpf_image_trace_event },
		{ &bpf_image_trace_stacks, &bpf_image_trace_stacks_event },
		{ &bpf_image_trace_tables, &bpf_image_trace_tables_event },
	};

	return images[!s->opts->stacks ? 0 : s->base.tables ? 2 : 1][tp_programs__by_event()];
}

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct trace_source *s = of(source);
	const struct tp_programs_setup setup = {
		.image = image_for(s),
		.table = s->table,
		.target = wanted->target,
	};
	const size_t ring_size = bpf_ring__size(!s->opts->written ? 1 : wanted->ring_size ?: DEFAULT_RING_SIZE);
	char no_memory[128];
	int ret;

	unload(s);
	ret = tp_programs__open(&s->programs, &setup, err);
	if (ret)
		return ret;
	configure(s, ring_size);
	s->id = wanted->id;
	s->finisher = (struct unwind_finisher){ .feeder = source->tables ? unwind_tables__feeder(source->tables) : NULL };
	ret = source__share_tables(source, s->programs.programs) ?: tp_programs__load(&s->programs);
	if (ret && source->tables && unwind_tables__explain(err))
		return -EOPNOTSUPP;
	snprintf(no_memory, sizeof(no_memory), "not enough memory for a ring buffer of %zu bytes: take a smaller one (-m)", ring_size);
	if (ret)
		return watch__explain_load(-ret, "trace system calls", no_memory, err);
	ret = bpf_ring__map(&s->ring, bpf_programs__map(s->programs.programs, "trace_ring"), ring_size, err);
	return ret ?: tp_programs__follow(&s->programs, &setup, source->evsel->attr.enable_on_exec, err);
}

/* Running */

/* A command that waits for its exec does nothing before. */
static int enable(struct source *source, struct errmsg *err)
{
	struct trace_source *s = of(source);
	struct bpf_programs *p = s->programs.programs;
	int ret;

	if (s->programs.nr_links)
		return 0;
	bpf_programs__get(p, "trace_enabled_at", u64) = clock__ns(CLOCK_MONOTONIC);
	bpf_programs__get(p, "trace_has_ended", bool) = false;
	bpf_programs__get(p, "trace_has_noted", bool) = source->evsel->attr.enable_on_exec;
	ret = tp_programs__attach_all(&s->programs, hooks_of(s), err);
	if (ret || source->evsel->attr.enable_on_exec)
		return ret;
	ret = bpf_programs__run_iterator(p, "trace_tasks");
	bpf_programs__get(p, "trace_has_noted", bool) = true;
	return ret ? errmsg__set(err, -ret, "cannot find the calls that tasks are in: %s", strerror(-ret)) : 0;
}

static int disable(struct source *source)
{
	struct trace_source *s = of(source);

	if (!s->programs.nr_links)
		return 0;
	tp_programs__detach(&s->programs);
	s->ended_at = clock__ns(CLOCK_MONOTONIC);
	s->rows_pending = true;
	return 0;
}

static int fd(const struct source *source)
{
	return bpf_programs__map(of(source)->programs.programs, "trace_ring");
}

static struct bpf_ring *ring(struct source *source)
{
	return &of(source)->ring;
}

static int take(void *data, const void *records, size_t size)
{
	return trace_order__add(&((struct trace_source *)data)->order, records, size);
}

/* Calls with stacks on their way to the reader of samples */
struct passing {
	struct trace_source *s;
	source_records_cb cb;
	void *data;
};

static int pass_sample(struct passing *p, struct trace_call *call, u64 nr)
{
	const u64 *chain = (const u64 *)((const char *)call + call->chain_at) + 1;
	const struct perf_event_attr *attr = &p->s->base.evsel->attr;
	const struct perf_sample sample = {
		.id = p->s->id, .ip = nr > 1 ? chain[1] : 0, .pid = call->pid, .tid = call->tid, .time = call->end, .cpu = call->cpu, .period = 1,
		.misc = PERF_RECORD_MISC_USER, .callchain = (u64 *)chain, .nr_callchain = nr, .raw = call, .raw_size = call->bytes,
	};
	const size_t size = perf_sample__size(attr, &sample);

	if (size > sizeof(p->s->sample))
		return -EIO;
	perf_sample__encode(p->s->sample, attr, &sample);
	return p->cb(p->data, p->s->sample, size);
}

/* Whole records; a call's size is its record's without the stack. */
static int pass_samples(void *data, const void *records, size_t size)
{
	static const u64 no_chain;
	int ret = 0;

	for (const char *at = records, *end = at + size; at < end && !ret; at += ((const struct trace_call *)at)->bytes) {
		struct trace_call *call = (struct trace_call *)at;
		const u32 bytes = call->bytes, chain_at = call->chain_at;
		const u64 *nr = chain_at ? (const u64 *)(at + chain_at) : &no_chain;

		if (bytes > (size_t)(end - at) || (chain_at && (chain_at % sizeof(u64) || chain_at + sizeof(u64) > bytes ||
								*nr > (bytes - chain_at) / sizeof(u64) - 1)))
			return -EIO;
		call->bytes = chain_at ?: bytes;
		ret = pass_sample(data, call, *nr);
		call->bytes = bytes;
	}
	return ret;
}

static int finish_samples(void *data, const void *records, size_t size)
{
	struct passing *p = data;

	return unwind_finisher__pass(&p->s->finisher, records, size, pass_samples, p);
}

/* Its time until now counts. */
static int sum_unfinished(struct trace_source *s, const struct trace_call *call, u64 cgroup, struct errmsg *err)
{
	const u64 ns = call->end - call->begin;
	const unsigned __int128 squares = (unsigned __int128)ns * ns;
	const u64 id[] = { [TRACE_BY_THREAD] = call->tid, [TRACE_BY_CPU] = 0, [TRACE_BY_CGROUP] = cgroup };
	const struct trace_sum_key key = { .id = id[s->opts->by], .nr = call->nr };
	struct trace_sum sum = {
		.calls = 1, .single = 1, .total = ns, .least = ns, .greatest = ns, .squares_low = squares, .squares_high = squares >> 64, .pid = call->pid,
	};

	memcpy(sum.comm, call->comm, sizeof(sum.comm));
	return s->opts->sum(s->opts->data, &key, &sum, err);
}

/* A call's own terms, which are the same at its begin and end, and of a call that began before tracing */
static bool is_of_call(u8 term)
{
	return term == FILTER_TERM_PID || term == FILTER_TERM_TID || term == FILTER_TERM_MODE ||
	       (term >= FILTER_TERM_RECORD && term <= FILTER_TERM_RECORD_LAST);
}

/* Its task's, too. At the begin they may have been others. */
static bool is_known_before(u8 term)
{
	switch (term) {
	case FILTER_TERM_COMM_LO:
	case FILTER_TERM_COMM_HI:
	case FILTER_TERM_COMM_GLOB:
	case FILTER_TERM_PPID:
	case FILTER_TERM_UID:
	case FILTER_TERM_GID:
	case FILTER_TERM_PRIO:
	case FILTER_TERM_NICE:
	case FILTER_TERM_IDLE:
		return true;
	default:
		return is_of_call(term);
	}
}

/* As put_fields() of trace.bpf.c */
static void put_fields(struct filter_sample *sample, const struct trace_source *s, const struct trace_call *call)
{
	const struct trace_rule *rule = &s->opts->rule[trace_row(call->nr)];
	__u64 *record = &sample->value[FILTER_TERM_RECORD];

	record[1] = (s32)call->nr;
	record[3] = call->end - call->begin;
	for (int i = 0; i < TRACE_MAX_ARGS && i < s->opts->nr_fields; i++) {
		record[0] |= (u64)!!rule->field[i] << i;
		record[4 + i] = rule->field[i] ? trace_field_value(call->arg, rule->field[i]) : 0;
	}
}

/* That of a call that goes on is not known yet, so no test of it is true. */
static bool asks_for_result(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		if (table->entry[i].term == FILTER_TERM_RECORD + 2)
			return true;
	}
	return false;
}

static bool table_knows_before(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		if (!is_known_before(table->entry[i].term))
			return false;
	}
	return true;
}

/* Does the filter keep a call that no program has judged, and that goes on? Not if it asks for what nobody knows any more. */
static bool keeps_before(struct trace_source *s, const struct trace_unfinished *u, const struct trace_call *call)
{
	struct filter_sample sample = { .sample_flags = PERF_SAMPLE_TID };
	__u64 *value = sample.value;

	if (asks_for_result(s->table))
		return false;
	if (!table_knows_before(s->table)) {
		s->nr_unjudged += u->open.begun == TRACE_BEGIN_BEFORE;
		return false;
	}
	value[FILTER_TERM_PID] = u->pid;
	value[FILTER_TERM_TID] = u->tid;
	value[FILTER_TERM_MODE] = FILTER_MODE_USER;
	value[FILTER_TERM_PPID] = u->ppid;
	value[FILTER_TERM_UID] = u->uid;
	value[FILTER_TERM_GID] = u->gid;
	value[FILTER_TERM_PRIO] = u->prio;
	value[FILTER_TERM_NICE] = u->nice;
	memcpy(&value[FILTER_TERM_COMM_LO], u->comm, 8);
	memcpy(&value[FILTER_TERM_COMM_HI], u->comm + 8, 8);
	put_fields(&sample, s, call);
	return filter_table__eval(s->table, &sample);
}

/* Calls that only their results could tell apart are left out: nobody knows them. */
static bool wants_unfinished(struct trace_source *s, const struct trace_unfinished *u, const struct trace_call *call)
{
	const struct trace_open *open = &u->open;

	if (s->opts->failed_only || call->end - call->begin < s->opts->min_ns)
		return false;
	return !s->table || open->judged || ((open->begun == TRACE_BEGIN_BEFORE || !s->judged_early) && keeps_before(s, u, call));
}

/* The calls that go on, in any order. */
static int take_unfinished(struct trace_source *s, struct errmsg *err)
{
	int fd, ret = 0;
	struct trace_unfinished u;
	ssize_t size = 0;

	bpf_programs__get(s->programs.programs, "trace_has_ended", bool) = true;
	fd = bpf_programs__iterate(s->programs.programs, "trace_tasks");
	if (fd < 0)
		return errmsg__set(err, -fd, "cannot fetch the calls that go on: %s", strerror(-fd));
	while (!ret && (size = read(fd, &u, sizeof(u))) == sizeof(u)) {
		struct trace_call *call = (struct trace_call *)s->sample; /* with room behind it */

		*call = (struct trace_call){
			.bytes = sizeof(*call),
			.begin = u.open.begin, .end = s->ended_at, .pid = u.pid, .tid = u.tid, .nr = u.open.nr, .state = TRACE_UNFINISHED,
			.begun = u.open.begun,
		};

		memcpy(call->arg, u.open.arg, sizeof(u.open.arg));
		memcpy(call->comm, u.comm, sizeof(call->comm));
		s->nr_unfinished++;
		if (!wants_unfinished(s, &u, call))
			continue;
		if (s->opts->summed)
			ret = sum_unfinished(s, call, u.cgroup, err);
		if (!s->opts->written)
			continue;
		trace_memory__copy(call, sizeof(s->sample), s->opts);
		s->opts->call(s->opts->data, call);
	}
	if (!ret && size)
		ret = errmsg__set(err, size < 0 ? errno : EIO, "cannot fetch the calls that go on: %s", strerror(size < 0 ? errno : EIO));
	close(fd);
	return ret;
}

static int take_hot_sums(struct trace_source *s, struct errmsg *err)
{
	const int fd = bpf_programs__map(s->programs.programs, "trace_hot_sums");
	struct trace_hot_sum hot;
	int ret = 0;

	for (u32 i = 0; i < TRACE_HOT_SUMS && !ret && !bpf_map_lookup_elem(fd, &i, &hot); i++) {
		const struct trace_sum_key key = { .id = (hot.key - 1) >> 32, .nr = (u32)(hot.key - 1) };

		if (hot.key)
			ret = s->opts->sum(s->opts->data, &key, &hot.sum, err);
	}
	return ret;
}

static int take_sums(struct trace_source *s, struct errmsg *err)
{
	const int fd = bpf_programs__map(s->programs.programs, "trace_sums");
	struct trace_sum_key key, *last = NULL;
	struct trace_sum sum;
	int ret = 0;

	while (!ret && !bpf_map_get_next_key(fd, last, &key)) {
		last = &key;
		if (!bpf_map_lookup_elem(fd, &key, &sum))
			ret = s->opts->sum(s->opts->data, &key, &sum, err);
	}
	return ret;
}

static int take_errors(struct trace_source *s, struct errmsg *err)
{
	const int fd = bpf_programs__map(s->programs.programs, "trace_errors");
	struct trace_error_key key, *last = NULL;
	int ret = 0;
	u64 nr;

	while (!ret && !bpf_map_get_next_key(fd, last, &key)) {
		last = &key;
		if (!bpf_map_lookup_elem(fd, &key, &nr))
			ret = s->opts->error(s->opts->data, &key, nr, err);
	}
	return ret;
}

static int take_rest(struct trace_source *s, struct passing *passing, struct errmsg *err)
{
	int ret;

	if (!s->rows_pending)
		return 0;
	s->rows_pending = false;
	ret = s->opts->stacks ? bpf_ring__drain_all(&s->ring, finish_samples, passing) : bpf_ring__drain_all(&s->ring, take, s);
	if (ret)
		return errmsg__set(err, -ret, "cannot fetch system calls: %s", strerror(-ret));
	ret = trace_order__pass(&s->order, UINT64_MAX, s->opts, err) ?: take_unfinished(s, err);
	if (!ret && s->opts->summed)
		ret = take_hot_sums(s, err) ?: take_sums(s, err);
	if (!ret && s->opts->with_errors)
		ret = take_errors(s, err);
	return ret;
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	return take_rest(of(source), NULL, err);
}

/* A drain has no place for a message: tell it here. */
static int tell(int ret, const struct errmsg *err)
{
	if (ret < 0 && err->text[0])
		pr_err("%s\n", err->text);
	return ret;
}

/* In a recording that counts, collect() comes at the end. */
static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct trace_source *s = of(source);
	struct passing passing = { s, cb, data };
	const u64 now = clock__ns(CLOCK_MONOTONIC);
	struct errmsg err = {};
	int ret;

	if (!s->ring.consumer)
		return 0;
	if (!source->tallied && source->ended && s->rows_pending)
		return tell(take_rest(s, &passing, &err), &err);
	if (s->opts->stacks)
		return unwind_finisher__drain(&s->finisher, &s->ring, pass_samples, &passing, nr_bytes);
	ret = bpf_ring__drain(&s->ring, take, s, nr_bytes);
	return ret ?: tell(trace_order__pass(&s->order, now - SETTLE_NS, s->opts, &err), &err);
}

/* Counts */

static int read_totals(struct trace_source *s, struct errmsg *err)
{
	struct trace_totals *totals = &s->totals;
	struct trace_counts *percpu;
	int nr_cpus;

	percpu = percpu_map__read(bpf_programs__map(s->programs.programs, "trace_counts"), 0, sizeof(*percpu), &nr_cpus, "the counts of calls", err);
	if (!percpu)
		return -errno;
	*totals = (struct trace_totals){
		.unfinished = s->nr_unfinished,
		.unjudged = s->nr_unjudged,
		.missed = watch__missed(&s->programs, hooks_of(s)),
	};
	for (int i = 0; i < nr_cpus; i++) {
		totals->calls += percpu[i].calls;
		totals->dropped += percpu[i].filter.dropped;
		totals->lost += percpu[i].lost;
		totals->lost_sums += percpu[i].lost_sums;
		totals->untracked += percpu[i].untracked;
	}
	free(percpu);
	return 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct trace_source *s = of(source);
	int ret = read_totals(s, err);

	if (ret)
		return ret;
	counts->filtered = s->table;
	counts->seen = s->totals.calls;
	counts->dropped = s->totals.dropped;
	counts->untracked = bpf_programs__get(s->programs.programs, "target_untracked", u64);
	counts->totals = &s->totals;
	if (!source->tables)
		return 0;
	ret = unwind_totals__read(&s->unwound, bpf_programs__map(s->programs.programs, "unwind_counts"), &s->finisher, err);
	counts->unwound = ret ? NULL : &s->unwound;
	return ret;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct trace_source *s = of(source);
	int ret = read_totals(s, err);

	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.counted = s->totals.calls - s->totals.dropped,
		.seen = s->totals.calls,
		.dropped = s->totals.dropped,
		.map_bytes = map_bytes(bpf_programs__map(s->programs.programs, "trace_sums")),
	};
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	const struct trace_source *s = of(source);

	fprintf(fp, "engine: BPF programs on sys_enter and sys_exit");
	if (s->table)
		fprintf(fp, ", %u entr%s", s->table->nr, plural_y(s->table->nr));
	fputc('\n', fp);
}

static void delete(struct source *source)
{
	struct trace_source *s = of(source);

	unload(s);
	free(s->table);
	source__free(source);
}

/* Choosing */

/* The words of the programs' record that only the end of a call fills: its result and its time. Texts can be read then at the latest. */
static bool reads_end(const struct filter_entry *e)
{
	return e->term == FILTER_TERM_RECORD + 2 || e->term == FILTER_TERM_RECORD + 3 || e->term == FILTER_TERM_FIELD_TEXT ||
	       e->term == FILTER_TERM_FIELD_GLOB;
}

static bool is_judged_early(const struct filter_table *table)
{
	for (unsigned int i = 0; table && i < table->nr; i++) {
		if (reads_end(&table->entry[i]))
			return false;
	}
	return table != NULL;
}

/* Could the end of a call be judged differently? */
static bool is_judged_once(const struct filter_table *table)
{
	for (unsigned int i = 0; table && i < table->nr; i++) {
		if (!is_of_call(table->entry[i].term))
			return true;
	}
	return false;
}

static int compile_filter(struct trace_source *s, struct source_wish *wish, struct errmsg *err)
{
	const char *why = NULL;
	int ret;

	if (!wish->evsel->filter)
		return 0;
	ret = event_filter__compile_tracepoint(&s->base.filter, wish->evsel, TP_JUDGE_BPF_ONLY, NULL, &why, err) ?:
	      tp_layout__take_table(wish->evsel, s->base.filter.tp_table, &s->table, err);
	s->judged_early = is_judged_early(s->table);
	s->judged_once = is_judged_once(s->table);
	return ret;
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	struct trace_source *s;
	int ret;

	s = source__new(sizeof(*s), &trace_source_ops, wish);
	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	*source = &s->base;
	s->opts = wish->evsel->kind_opts;
	s->programs = TP_PROGRAMS_INIT;
	ret = compile_filter(s, wish, err) ?: tp_programs__check_rights("system calls are traced", err);
	return ret || !wish->tally ? ret : source__set_tally(&s->base, wish, err);
}

const struct source_ops trace_source_ops = {
	.name = "trace",
	.kind = { &trace_kind },
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.disable = disable,
	.fd = fd,
	.ring = ring,
	.drain = drain,
	.collect = collect,
	.counts = counts,
	.tally_counts = tally_counts,
	.explain = explain,
	.delete = delete,
};
