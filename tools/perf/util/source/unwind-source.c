// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel makes the samples, for a BPF program on the event that judges them, unwinds the user's stack and writes those that are
 * kept, with both parts of the callchain. The kernel writes none: --call-graph bpf.
 */
#define LOG_DOMAIN "unwind"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf/kernel-btf.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf_skel/sample-encode.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/filter-engine.h"
#include "util/judge/old-kernel.h"
#include "util/judge/program-table.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/source/sources.h"
#include "util/source/unwind-choice.h"
#include "util/source/unwind-finish.h"

#define WAKE_PART 8 /* fraction of the ring that is worth a wake-up */

struct unwind_source {
	struct source base;
	struct bpf_programs *programs; /* NULL: not loaded */
	struct bpf_filter filter; /* the members shared with filters, for attaching and counts; owned by programs */
	struct bpf_ring ring;
	struct unwind_finisher finisher;
	struct unwind_totals totals;
};

static struct unwind_source *of(const struct source *source)
{
	return (struct unwind_source *)source; /* its first member */
}

/* Choosing */

/* The program of older kernels reads a clock by itself, and samples that several events share may have the time of another recording. */
static bool has_one_clock(const struct evsel *evsel)
{
	return !kernel_offer__is_of_version(KERNEL_PREPARED_SAMPLES) || (evsel__shares_samples(evsel) && !evsel->attr.use_clockid);
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	struct unwind_source *u;

	if (!wish->tables)
		return 0;
	if (wish->evsel->attr.sample_max_stack > UNWIND_MAX_FRAMES)
		return errmsg__set(err, EINVAL, "--call-graph bpf takes at most %u frames of a stack: lower max-stack, now %u", UNWIND_MAX_FRAMES,
				   wish->evsel->attr.sample_max_stack);
	u = source__new(sizeof(*u), &unwind_source_ops, wish);
	if (!u)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding stacks");
	u->filter = (struct bpf_filter)BPF_FILTER_INIT;
	u->base.has_program = true;
	u->base.writes_samples = true;
	u->base.monotonic = has_one_clock(wish->evsel);
	*source = &u->base;
	return 0;
}

/* Loading */

/* What does not depend on the kernel */
struct program_setup {
	const struct filter_table *table; /* NULL: no filter */
	size_t ring_size;
};

static int configure(struct unwind_source *u, struct bpf_programs *p, const struct program_setup *setup, struct errmsg *err)
{
	const struct perf_event_attr *attr = &u->base.evsel->attr;
	struct filter_words *words = bpf_programs__var(p, "filter_words", NULL);
	const u32 max = attr->sample_max_stack ?: unwind_tables__max_stack();
	const struct unwind_config config = {
		.max_frames = max < UNWIND_MAX_FRAMES ? max : UNWIND_MAX_FRAMES,
		.max_kernel = max < UNWIND_MAX_STACK ? max : UNWIND_MAX_STACK,
		.wake_at = setup->ring_size / WAKE_PART,
		.wake_each = attr->wakeup_events == 1,
		.no_kernel = attr->exclude_callchain_kernel,
		.no_user = attr->exclude_callchain_user,
		.filtered = setup->table != NULL,
	};
	int ret = program_table__put(setup->table, p, err);

	words->own = event_filter__own(u->base.evsel, true);
	words->clocks = event_filter__clocks(u->base.evsel);
	bpf_programs__set(p, "unwind_config", config);
	bpf_programs__set(p, "sample_layout", ((struct sample_layout){ .sample_type = attr->sample_type }));
	bpf_programs__resize(p, "unwind_ring", setup->ring_size);
	/* A failure does not matter: old_kernel__refuses() has made sure that no entry then needs them. */
	if (bpf_programs__has_var(p, "filter_offsets"))
		kernel_btf__filter_offsets(bpf_programs__var(p, "filter_offsets", NULL));
	return ret;
}

static int explain_load(int errnum, size_t ring_size, struct errmsg *err)
{
	int ret;

	if (errnum == ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for unwinding stacks and a ring buffer of %zu bytes: take a smaller one (-m)",
				   ring_size);
	if (unwind_tables__explain(err))
		return -EOPNOTSUPP;
	ret = bpf_filter__explain_program(errnum, err);
	errmsg__prefix(err, "cannot unwind stacks in the kernel");
	return ret;
}

static void unload(struct unwind_source *u)
{
	bpf_ring__unmap(&u->ring);
	bpf_programs__delete(u->programs);
	u->programs = NULL;
}

/* -EDOM, with a message: it cannot read some term of the filter */
static int load_image(struct unwind_source *u, const struct bpf_image *image, const struct program_setup *setup, struct errmsg *err)
{
	int ret;

	u->programs = bpf_programs__open(image);
	if (!u->programs)
		return -ENOMEM;
	ret = configure(u, u->programs, setup, err) ?: source__share_tables(&u->base, u->programs) ?:
	      bpf_filter__share_marks(u->programs, u->base.marks) ?: bpf_programs__load(u->programs);
	if (ret)
		unload(u);
	return ret;
}

static int load_old(struct unwind_source *u, const struct program_setup *setup, struct errmsg *err)
{
	struct old_kernel_refusal refusal;
	int ret;

	if (setup->table && old_kernel__refuses(setup->table, &refusal))
		return old_kernel__explain(&refusal, err);
	ret = load_image(u, &bpf_image_unwind_samples_old, setup, err);
	return ret && ret != -EDOM ? explain_load(-ret, setup->ring_size, err) : ret;
}

static const struct bpf_image *image_for(const struct filter_table *table)
{
	if (!table)
		return &bpf_image_unwind_samples;
	return table->nr <= 16 ? &bpf_image_unwind_samples16 : &bpf_image_unwind_samples64;
}

static int load_for_kernel(struct unwind_source *u, const struct program_setup *setup, struct errmsg *err)
{
	int ret = load_image(u, image_for(setup->table), setup, err);

	if (!ret || ret == -EDOM)
		return ret;
	if (ret == -ENOMEM || *bpf_filter__missing_capabilities() || !old_kernel__is())
		return explain_load(-ret, setup->ring_size, err);
	pr_debug("this kernel is older than Linux 6.3: trying the program for those\n");
	return load_old(u, setup, err);
}

static int load_programs(struct unwind_source *u, const struct filter_table *table, const struct source_setup *setup, struct errmsg *err)
{
	const size_t ring_size = setup->ring_size ? bpf_ring__size(setup->ring_size) : bpf_ring__for_cpus(sysconf(_SC_NPROCESSORS_ONLN));
	int ret = load_for_kernel(u, &(struct program_setup){ table, ring_size }, err);

	if (ret)
		return ret;
	u->filter.prog_fd = bpf_programs__prog(u->programs, "unwind_samples");
	u->filter.counts_fd = bpf_programs__map(u->programs, "filter_counts");
	u->finisher = (struct unwind_finisher){ .feeder = unwind_tables__feeder(u->base.tables) };
	return bpf_ring__map(&u->ring, bpf_programs__map(u->programs, "unwind_ring"), ring_size, err);
}

static int load_all(struct unwind_source *u, const struct source_setup *setup, struct errmsg *err)
{
	const u64 others = u->base.evsel->attr.sample_type & ~unwind_choice__sample_types();
	struct filter_table *table = NULL;
	int ret = 0;

	if (others)
		return unwind_tables__refuse(err, "writes the place, task, time, CPU, period and callchain of a sample, but an option, the event or its filter "
			      "asks for more");
	if (u->base.filter.table)
		ret = program_table__new(u->base.filter.table, &table, err);
	if (!ret)
		ret = load_programs(u, table, setup, err);
	free(table);
	if (ret)
		unload(u);
	return ret;
}

static int load(struct source *source, const struct source_setup *setup, struct errmsg *err)
{
	struct unwind_source *u = of(source);

	return u->programs ? 0 : load_all(u, setup, err);
}

static int attach(struct source *source, int fd, struct errmsg *err)
{
	return bpf_filter__attach(&of(source)->filter, fd, err);
}

/* Running */

static int fd(const struct source *source)
{
	return bpf_programs__map(of(source)->programs, "unwind_ring");
}

static struct bpf_ring *ring(struct source *source)
{
	return &of(source)->ring;
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct unwind_source *u = of(source);

	return u->programs ? unwind_finisher__drain(&u->finisher, &u->ring, cb, data, nr_bytes) : 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct unwind_source *u = of(source);
	struct filter_counts judged;
	int ret;

	if (!u->programs)
		return 0;
	ret = bpf_filter__counts(&u->filter, 0, &judged, err) ?:
	      unwind_totals__read(&u->totals, bpf_programs__map(u->programs, "unwind_counts"), &u->finisher, err);
	if (ret)
		return ret;
	counts->filtered = source->filter.table;
	counts->seen = judged.seen;
	counts->dropped = judged.dropped;
	counts->undecided = judged.undecided;
	counts->period = judged.period;
	counts->untaken = judged.untaken;
	counts->late = judged.late;
	counts->untimed = judged.untimed;
	filter_missing__fill(&source->missing, &source->filter, (const u64 *)judged.valueless);
	counts->missing = &source->missing;
	counts->lost = u->totals.lost;
	counts->lost_known = true;
	counts->unwound = &u->totals;
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	if (source->filter.table)
		fprintf(fp, "engine: the BPF program that unwinds stacks, %u entr%s\n", source->filter.table->nr,
			plural_y(source->filter.table->nr));
}

static void delete(struct source *source)
{
	unload(of(source));
	source__free(source);
}

const struct source_ops unwind_source_ops = {
	.name = "unwind",
	.choose = choose,
	.load = load,
	.attach = attach,
	.fd = fd,
	.ring = ring,
	.drain = drain,
	.counts = counts,
	.explain = explain,
	.delete = delete,
};
