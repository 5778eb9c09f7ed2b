// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints that BPF programs record or count, and judge. BPF takes syscalls whenever it can: it costs half of what perf's own
 * event does. It takes other tracepoints if the kernel's own filter cannot express the user's filter; the kernel takes what BPF
 * cannot do, as long as its filter can.
 */
#define LOG_DOMAIN "tracepoint"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf/ring.h"
#include "util/bpf_skel/sample-encode.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/program-table.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/source/bpf-frames.h"
#include "util/source/sources.h"
#include "util/source/tally-values.h"
#include "util/source/tp-added-values.h"
#include "util/source/tp-layout.h"
#include "util/source/tp-programs.h"
#include "util/source/unwind-choice.h"

#define DEFAULT_RING_SIZE (16 << 20) /* a busy writer fills it in some 100 ms */
#define WAKE_PART 8		     /* fraction of the ring that is worth a wake-up */

struct tp_source {
	struct source base;
	struct tp_place place;
	struct filter_table *table; /* the programs' copy; NULL: none */
	struct tp_programs programs;
	struct bpf_ring ring;
	struct unwind_finisher finisher;
	struct unwind_totals unwound;
	struct bpf_frames *glue; /* frames to cut from stacks; NULL: none */
};

static struct tp_source *of(const struct source *source)
{
	return (struct tp_source *)source; /* its first member */
}

/* Choosing */

/* Does BPF record it at less cost than the kernel, and as well? The kernel waits for texts that are not in memory, BPF cannot. */
static bool is_cheaper(const struct evsel *evsel)
{
	struct tp_config config;
	const char *why;

	if (tracepoint__kind(evsel->tp) == TP_OTHER || tracepoint__kind(evsel->tp) == TP_PROBE)
		return false;
	return tp_layout__fill(evsel->tp, true, &config, &why) || !config.nr_texts; /* the first one then becomes the reason */
}

/* Their hits weigh the nanoseconds in a field (__perf_count in include/trace/events/sched.h); programs count each hit as one. */
static const char *weighs(const struct evsel *evsel)
{
	if (strcmp(tracepoint__sys(evsel->tp), "sched") || strncmp(tracepoint__name(evsel->tp), "sched_stat_", strlen("sched_stat_")))
		return NULL;
	return "its hits weigh times, which perf's BPF programs do not add up";
}

/* If there are many tracepoints, the kernel records them, which leaves the programs to events on functions. */
static unsigned int nr_alike(const struct source_wish *wish)
{
	return tracepoint__probe(wish->evsel->tp) ? wish->nr_probes : wish->nr_tracepoints;
}

/* Is something else summed up than the hits' weights? */
static bool sums(const struct tally_opts *tally)
{
	return tally->exprs && tally->exprs->sum;
}

/* Only BPF can count, unwind, add values to records, and record events that perf makes. */
static int judge_by_bpf(struct source_wish *wish, struct errmsg *err)
{
	const struct evsel *evsel = wish->evsel;
	const bool whole = !wish->tally || wish->tally->both;
	const char *why;
	char buf[192];
	int ret = 0;

	why = (wish->tally && (wish->histogram || sums(wish->tally)) ? NULL : weighs(evsel)) ?:
	      tp_programs__refuse(evsel, nr_alike(wish), whole, buf, sizeof(buf));
	if (!why && evsel->filter)
		ret = event_filter__compile_tracepoint(&wish->filter, evsel, TP_JUDGE_BPF_ONLY, NULL, &why, err);
	if (ret || !why)
		return ret;
	if (!wish->tally && evsel->nr_fields)
		return errmsg__set(err, EINVAL, "%s cannot be recorded with --fields, as only BPF programs can: %s", evsel->name, why);
	if (!wish->tally && tracepoint__probe(evsel->tp))
		return errmsg__set(err, EINVAL, "%s cannot be recorded, as only BPF programs can: %s", evsel->name, why);
	if (!wish->tally)
		return errmsg__set(err, EINVAL, "%s cannot be recorded with --call-graph bpf: %s. Take --call-graph fp or dwarf", evsel->name, why);
	return errmsg__set(err, EINVAL, "%s cannot be counted in the kernel: %s. Write its samples with perf record, and count them with perf "
					"report", evsel->name, why);
}

/* *by_bpf false: the kernel records it. */
static int judge_recorded(struct source_wish *wish, bool *by_bpf, struct errmsg *err)
{
	const struct evsel *evsel = wish->evsel;
	bool cheaper = is_cheaper(evsel);
	const char *no_bpf = NULL, *why;
	char buf[192];
	int ret = 0;

	/* Skip checks that are not needed, as they take time. */
	if (cheaper || evsel->filter)
		no_bpf = weighs(evsel) ?: tp_programs__refuse(evsel, nr_alike(wish), true, buf, sizeof(buf));
	why = cheaper ? no_bpf : NULL;
	if (evsel->filter)
		ret = event_filter__compile_tracepoint(&wish->filter, evsel, cheaper ? TP_JUDGE_BPF : TP_JUDGE_KERNEL, no_bpf, &why, err);
	*by_bpf = evsel->filter ? wish->filter.tp_table != NULL : cheaper && !no_bpf;
	if (!*by_bpf)
		snprintf(wish->why, sizeof(wish->why), "%s", why ?: "");
	return ret;
}

/* Only programs find the frames of user stacks by tables: let them record it wherever they can. *by_bpf false: they cannot. */
static int judge_with_tables(struct source_wish *wish, bool *by_bpf, struct errmsg *err)
{
	const struct evsel *evsel = wish->evsel;
	const char *why;
	char buf[192];
	int ret = 0;

	why = unwind_choice__refuse_tracepoint(evsel) ?: weighs(evsel) ?:
	      tp_programs__refuse(evsel, nr_alike(wish), true, buf, sizeof(buf));
	if (!why && evsel->filter)
		ret = event_filter__compile_tracepoint(&wish->filter, evsel, TP_JUDGE_BPF, NULL, &why, err);
	*by_bpf = !ret && !why;
	if (!ret && why)
		unwind_choice__give_up(wish, why);
	return ret;
}

static int judge_written(struct source_wish *wish, bool *by_bpf, struct errmsg *err)
{
	int ret;

	*by_bpf = false;
	ret = wish->tables_by_choice ? judge_with_tables(wish, by_bpf, err) : 0;
	return ret || *by_bpf ? ret : judge_recorded(wish, by_bpf, err);
}

static int configure(struct tp_source *tp, const struct source_wish *wish, struct errmsg *err)
{
	const struct evsel *evsel = tp->base.evsel;
	const struct filter_table *table = tp->base.filter.tp_table;
	struct tp_config *config = &tp->place.config;
	const bool written = !wish->tally || wish->tally->both;
	const char *why;
	int ret;

	tp->programs = TP_PROGRAMS_INIT;
	if (tp_place__fill(&tp->place, evsel->tp, written, &why))
		return errmsg__set(err, EOPNOTSUPP, "BPF cannot record %s: %s", evsel->name, why);
	config->counted = wish->tally != NULL;
	config->written = written;
	config->filtered = table != NULL;
	ret = wish->tally ? source__set_values(&tp->base, wish, err) :
			    tp_added_values__new(evsel, &tp->base.filter, &tp->base.values, &config->added, err);
	if (ret)
		return ret;
	config->arguments = program_table__arguments(table) | tally_values__arguments(tp->base.values);
	return table ? tp_layout__take_table(evsel, table, &tp->table, err) : 0;
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	const char *name = wish->evsel->name;
	struct tp_source *tp;
	bool by_bpf = true;
	int ret;

	if (!wish->evsel->tp)
		return 0;
	if (wish->tally || (wish->tables && !wish->tables_by_choice) || tracepoint__probe(wish->evsel->tp) || wish->evsel->nr_fields)
		ret = judge_by_bpf(wish, err);
	else
		ret = judge_written(wish, &by_bpf, err);
	if (ret)
		return ret;
	if (!by_bpf) {
		if (*wish->why)
			pr_debug("%s: recorded by the kernel: %s\n", name, wish->why);
		return 0;
	}
	tp = source__new(sizeof(*tp), &tracepoint_source_ops, wish);
	if (!tp)
		return errmsg__set(err, ENOMEM, "out of memory for a tracepoint");
	*source = &tp->base;
	ret = configure(tp, wish, err);
	if (!ret)
		pr_debug("%s: %s by a BPF program\n", name, wish->tally ? "counted" : "recorded");
	return ret;
}

/* Loading */

static void unload(struct tp_source *tp)
{
	tp_programs__unload(&tp->programs);
	bpf_frames__delete(tp->glue);
	tp->glue = NULL;
	bpf_ring__unmap(&tp->ring);
}

/*
 * If a tracepoint has other users than perf events, stacks begin with the function that calls one user after the other. Stacks of
 * one place would differ whenever users come and go, so cut it. Stacks of syscalls have user frames only.
 */
static void find_glue(struct tp_source *tp)
{
	struct errmsg err;

	if (tp->place.kind == TP_OTHER && tp->base.tallied && tp->base.tally.key & TALLY_KEY_KSTACK && bpf_frames__new(NULL, &tp->glue, &err))
		pr_debug("frames of the tracepoint itself stay in stacks: %s\n", err.text);
}

static int explain_load(int errnum, const struct tp_programs_setup *setup, size_t ring_size, struct errmsg *err)
{
	if (errnum != ENOMEM)
		return bpf_filter__explain_program(errnum, err);
	if (setup->tally)
		return tally_setup__explain_memory(setup->tally, err);
	return errmsg__set(err, ENOMEM, "not enough memory for a ring buffer of %zu bytes: take a smaller one (-m)", ring_size);
}

static int load_programs(struct tp_source *tp, const struct tp_programs_setup *setup, struct sample_layout layout, size_t ring_size,
			 struct errmsg *err)
{
	struct bpf_programs *p;
	int ret = tp_programs__open(&tp->programs, setup, err);

	if (ret)
		return ret;
	p = tp->programs.programs;
	tp->place.config.wake_at = ring_size / WAKE_PART;
	bpf_programs__set(p, "tp_config", tp->place.config);
	bpf_programs__set(p, "sample_layout", layout);
	bpf_programs__resize(p, "tp_ring", ring_size);
	ret = source__share_tables(&tp->base, p) ?: tp_programs__load(&tp->programs);
	if (ret && tp->base.tables && unwind_tables__explain(err))
		return -EOPNOTSUPP;
	if (ret)
		return explain_load(-ret, setup, ring_size, err);
	find_glue(tp);
	tp->finisher = (struct unwind_finisher){ .feeder = unwind_tables__feeder(tp->base.tables) };
	return tp->place.config.written ? bpf_ring__map(&tp->ring, bpf_programs__map(p, "tp_ring"), ring_size, err) : 0;
}

static const struct bpf_image *image_for(const struct tp_source *tp)
{
	static const struct bpf_image *const images[][2] = { /* without and with tables for unwinding */
		[TP_SYSCALL_ENTER] = { &bpf_image_tp_enter, &bpf_image_tp_enter_tables },
		[TP_SYSCALL_EXIT] = { &bpf_image_tp_exit, &bpf_image_tp_exit_tables },
		[TP_PROBE] = { &bpf_image_tp_probe, &bpf_image_tp_probe_tables },
		[TP_OTHER] = { &bpf_image_tp_any, &bpf_image_tp_any_tables },
	};
	static const struct bpf_image *const by_event[][2] = {
		[TP_SYSCALL_ENTER] = { &bpf_image_tp_enter_event, &bpf_image_tp_enter_tables_event },
		[TP_SYSCALL_EXIT] = { &bpf_image_tp_exit_event, &bpf_image_tp_exit_tables_event },
	};
	const bool has_tables = tp->base.tables;

	if (tp->place.config.arguments)
		return has_tables ? &bpf_image_tp_any_arguments_tables : &bpf_image_tp_any_arguments;
	if ((tp->place.kind == TP_SYSCALL_ENTER || tp->place.kind == TP_SYSCALL_EXIT) && tp_programs__by_event())
		return by_event[tp->place.kind][has_tables];
	return images[tp->place.kind][has_tables];
}

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct tp_programs_setup setup = {
		.image = image_for(tp), .table = tp->table, .target = wanted->target, .probe = { tp->place.probe },
	};
	struct sample_layout layout = { 0 };
	size_t ring_size = bpf_ring__size(1); /* a ring is always needed */
	struct tally_setup tally;
	int ret = 0;

	unload(tp);
	if (tp->place.config.written) {
		layout = (struct sample_layout){ .sample_type = source->evsel->attr.sample_type, .id = wanted->id };
		ring_size = bpf_ring__size(wanted->ring_size ?: DEFAULT_RING_SIZE);
	}
	if (!source->tallied)
		setup.written = source->values;
	if (source->tallied) {
		setup.tally = &tally;
		ret = tally_table__configure(&source->tally, &tally, err);
	}
	if (!ret)
		ret = load_programs(tp, &setup, layout, ring_size, err);
	ret = ret ?: tp_programs__follow(&tp->programs, &setup, source->evsel->attr.enable_on_exec, err);
	if (!ret && tp->programs.tally)
		tally_table__finish_by(tp->programs.tally, &tp->finisher);
	return ret;
}

/* Running */

static int enable(struct source *source, struct errmsg *err)
{
	struct tp_source *tp = of(source);

	return tp->programs.nr_links ? 0 : tp_programs__attach(&tp->programs, &tp->place, "tp_record", err);
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
	const struct tp_source *tp = of(source);

	return tp->place.config.written ? bpf_programs__map(tp->programs.programs, "tp_ring") : tally_table__fd(tp->programs.tally);
}

static struct bpf_ring *ring(struct source *source)
{
	return of(source)->place.config.written ? &of(source)->ring : tally_table__ring(of(source)->programs.tally);
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct tp_source *tp = of(source);
	int ret = tp->programs.tally ? tally_table__drain(tp->programs.tally) : 0; /* records stay in the ring until collect() */

	return !ret && tp->ring.consumer ? unwind_finisher__drain(&tp->finisher, &tp->ring, cb, data, nr_bytes) : ret;
}

struct cutting {
	const struct bpf_frames *glue;
	source_row_cb cb;
	void *data;
};

static int cut_glue(void *data, const struct tally_row *row)
{
	const struct cutting *cutting = data;
	struct tally_row cut = *row;
	u32 nr = bpf_frames__leading(cutting->glue, row->kstack, row->nr_kstack);

	cut.kstack += nr;
	cut.nr_kstack -= nr;
	return cutting->cb(cutting->data, &cut);
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct cutting cutting = { tp->glue, cb, data };

	return tally_table__collect(tp->programs.tally, cut_glue, &cutting, err);
}

static const struct filter_missing *note_missing(struct tp_source *tp, const struct filter_counts *counts)
{
	filter_missing__fill(&tp->base.missing, &tp->base.filter, (const u64 *)counts->valueless);
	tally_values__add_missing(tp->base.values, &tp->base.missing, (const u64 *)counts->valueless);
	return &tp->base.missing;
}

static const char what[] = "the counts of a tracepoint";

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct tp_counts sum;
	u64 untracked;
	int ret;

	ret = tp_programs__counts(&tp->programs, &sum, &untracked, what, err) ?: tp_programs__tally_counts(&tp->programs, counts, err);
	if (ret)
		return ret;
	counts->dropped = sum.filter.dropped;
	counts->missed = tp_programs__missed(&tp->programs, "tp_record") + sum.missed;
	counts->blind = sum.blind;
	counts->missing = note_missing(tp, &sum.filter);
	counts->seen = counts->dropped + counts->counted + counts->lost_keys + counts->lost_spill;
	return 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct tp_counts sum;
	int ret = tp_programs__counts(&tp->programs, &sum, &counts->untracked, what, err);

	if (!ret && source->tables)
		ret = unwind_totals__read(&tp->unwound, bpf_programs__map(tp->programs.programs, "unwind_counts"), &tp->finisher, err);
	if (ret)
		return ret;
	counts->unwound = source->tables ? &tp->unwound : NULL;
	counts->filtered = tp->place.config.filtered;
	counts->lost_known = true;
	counts->seen = sum.kept + sum.filter.dropped;
	counts->dropped = sum.filter.dropped;
	counts->lost = sum.lost + sum.missed + sum.blind;
	counts->blind = sum.blind;
	counts->missing = note_missing(tp, &sum.filter);
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	const struct tp_source *tp = of(source);

	if (tp->place.kind == TP_OTHER || tp->place.kind == TP_PROBE)
		fprintf(fp, "engine: a BPF program on the %s", tp->place.kind == TP_PROBE ? "uprobe" : "tracepoint");
	else
		fprintf(fp, "engine: a BPF program on sys_%s, for syscall %u", tp->place.kind == TP_SYSCALL_ENTER ? "enter" : "exit",
			tp->place.config.syscall);
	if (tp->table)
		fprintf(fp, ", %u entr%s", tp->table->nr, plural_y(tp->table->nr));
	if (source->tallied)
		fprintf(fp, ", counting%s", source->tally.both ? " and writing" : "");
	fputc('\n', fp);
}

static void delete(struct source *source)
{
	struct tp_source *tp = of(source);

	unload(tp);
	free(tp->table);
	source__free(source);
}

const struct source_ops tracepoint_source_ops = {
	.name = "tracepoint",
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
