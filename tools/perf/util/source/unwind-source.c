// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel makes the samples, for a BPF program on the event that judges them, unwinds the user's stack and writes those that are
 * kept, with both parts of the callchain. The kernel writes none: --call-graph bpf.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include "util/bpf/kernel-table.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/pid-namespace.h"
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf_skel/sample-encode.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/filter-engine.h"
#include "util/judge/program-table.h"
#include "util/lib/capability.h"
#include "util/source/sources.h"

#define DEFAULT_MEMORY (64 << 20)
#define DEFAULT_RING_SIZE (4 << 20)
#define WAKE_PART 8 /* fraction of the ring that is worth a wake-up */

struct unwind_source {
	struct source base;
	struct bpf_programs *programs; /* NULL: not loaded */
	struct unwind_feeder *feeder;
	struct bpf_filter filter; /* the members shared with filters, for attaching and counts; owned by programs */
	struct bpf_ring ring;
	struct unwind_totals totals;
	size_t memory;
};

static struct unwind_source *of(const struct source *source)
{
	return (struct unwind_source *)source; /* its first member */
}

/* Choosing */

#if defined(__x86_64__) || defined(__aarch64__)
#define CAN_UNWIND true
#else
#define CAN_UNWIND false
#endif

static int refuse(struct errmsg *err, const char *why)
{
	return errmsg__set(err, EOPNOTSUPP, "--call-graph bpf %s: take --call-graph fp or dwarf", why);
}

/* Besides those for BPF programs: /proc/PID/map_files opens files only for these, see proc_pid_map_files(5). */
static bool may_open_mappings(void)
{
	return capability__has(CAP_SYS_ADMIN) || capability__has(CAP_CHECKPOINT_RESTORE);
}

static int check_capabilities(struct errmsg *err)
{
	const char *missing = bpf_filter__missing_capabilities();
	const bool may_open = may_open_mappings();

	if (!*missing && may_open)
		return 0;
	return errmsg__set(err, EPERM, "--call-graph bpf needs %s%s%s, which this process lacks.\nRun perf as root, or give it the right: "
			   "setcap cap_bpf,cap_perfmon,cap_checkpoint_restore+ep $(command -v perf)", missing, *missing && !may_open ? " and " : "",
			   may_open ? "" : "CAP_CHECKPOINT_RESTORE");
}

static int check(struct errmsg *err)
{
	if (!CAN_UNWIND)
		return refuse(err, "unwinds programs of x86-64 and arm64 only");
	if (!pid_namespace__is_first())
		return refuse(err, "needs the initial PID namespace, since programs get their tasks' ids there");
	return check_capabilities(err);
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	struct unwind_source *u;
	int ret;

	if (!wish->unwinds)
		return 0;
	ret = check(err);
	if (ret)
		return ret;
	u = source__new(sizeof(*u), &unwind_source_ops, wish);
	if (!u)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding stacks");
	u->filter = (struct bpf_filter)BPF_FILTER_INIT;
	u->memory = wish->unwind_memory ?: DEFAULT_MEMORY;
	u->base.has_program = true;
	u->base.writes_samples = true;
	*source = &u->base;
	return 0;
}

/* Loading */

static void configure(struct unwind_source *u, struct bpf_programs *p, const struct filter_table *table, const struct source_setup *setup,
		      size_t ring_size)
{
	const struct perf_event_attr *attr = &u->base.evsel->attr;
	struct filter_words *words = bpf_programs__var(p, "filter_words", NULL);
	const struct unwind_config config = {
		.max_frames = attr->sample_max_stack && attr->sample_max_stack < UNWIND_MAX_STACK ? attr->sample_max_stack : UNWIND_MAX_STACK,
		.wake_at = ring_size / WAKE_PART,
		.wake_each = attr->wakeup_events == 1,
		.no_kernel = attr->exclude_callchain_kernel,
		.no_user = attr->exclude_callchain_user,
		.filtered = table != NULL,
	};

	program_table__put(table, p);
	unwind_feeder__configure(p);
	words->own = event_filter__own(u->base.evsel, true);
	bpf_programs__set(p, "unwind_config", config);
	bpf_programs__set(p, "sample_layout", ((struct sample_layout){ .sample_type = attr->sample_type }));
	bpf_programs__resize(p, "unwind_ring", ring_size);
}

static int explain_load(int errnum, size_t ring_size, struct errmsg *err)
{
	const enum kernel_offer lacked = kernel_offer__probe(KERNEL_BTF) == KERNEL_LACKS ? KERNEL_BTF : KERNEL_LOCKLESS_MAPPINGS;
	char why[256];
	int ret;

	if (errnum == ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for unwinding stacks and a ring buffer of %zu bytes: take a smaller one (-m)",
				   ring_size);
	if (!*bpf_filter__missing_capabilities() && kernel_offer__probe(lacked) == KERNEL_LACKS)
		return errmsg__set(err, EOPNOTSUPP, "--call-graph bpf needs %s: take --call-graph fp or dwarf",
				   kernel_offer__explain(lacked, why, sizeof(why)));
	ret = bpf_filter__explain_load(errnum, err);
	errmsg__prefix(err, "cannot unwind stacks in the kernel");
	return ret;
}

static int load_programs(struct unwind_source *u, const struct filter_table *table, const struct source_setup *setup, struct errmsg *err)
{
	const size_t ring_size = bpf_ring__size(setup->ring_size ?: DEFAULT_RING_SIZE);
	int ret;

	u->programs = bpf_programs__open(!table || table->nr <= 16 ? &bpf_image_unwind_samples16 : &bpf_image_unwind_samples64);
	if (!u->programs)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding stacks");
	configure(u, u->programs, table, setup, ring_size);
	ret = bpf_programs__load(u->programs);
	if (ret)
		return explain_load(-ret, ring_size, err);
	u->filter.prog_fd = bpf_programs__prog(u->programs, "unwind_samples");
	u->filter.counts_fd = bpf_programs__map(u->programs, "filter_counts");
	return unwind_feeder__new(u->programs, u->memory, &u->feeder, err) ?:
	       bpf_ring__map(&u->ring, bpf_programs__map(u->programs, "unwind_ring"), ring_size, err);
}

static void unload(struct unwind_source *u)
{
	bpf_ring__unmap(&u->ring);
	unwind_feeder__delete(u->feeder);
	u->feeder = NULL;
	bpf_programs__delete(u->programs);
	u->programs = NULL;
}

static int load_all(struct unwind_source *u, const struct source_setup *setup, struct errmsg *err)
{
	const u64 others = u->base.evsel->attr.sample_type & ~(u64)SAMPLE_ENCODE_TYPES;
	struct filter_table *table = NULL;
	int ret = 0;

	if (others)
		return refuse(err, "writes the place, task, time, CPU, period and callchain of a sample, but an option, the event or its filter "
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

/* What the target has mapped before it starts: a command has the libraries of perf until its exec. */
static int feed(struct unwind_source *u, const struct sampler_target *target, struct errmsg *err)
{
	int ret = 0;

	if (target->system_wide)
		return unwind_feeder__add_process(u->feeder, 0, err);
	for (int i = 0; i < target->nr_tids && !ret; i++)
		ret = unwind_feeder__add_process(u->feeder, target->tids[i], err);
	return ret;
}

static int load(struct source *source, const struct source_setup *setup, struct errmsg *err)
{
	struct unwind_source *u = of(source);
	int ret = u->programs ? 0 : load_all(u, setup, err);

	return ret ?: feed(u, setup->target, err);
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

static int request_fd(const struct source *source)
{
	return unwind_feeder__fd(of(source)->feeder);
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct unwind_source *u = of(source);

	if (!u->programs)
		return 0;
	return unwind_feeder__serve(u->feeder) ?: bpf_ring__drain(&u->ring, cb, data, nr_bytes);
}

static int read_totals(struct unwind_source *u, u64 *lost, struct errmsg *err)
{
	struct unwind_counts *percpu;
	int nr_cpus;

	percpu = percpu_map__read(bpf_programs__map(u->programs, "unwind_counts"), 0, sizeof(*percpu), &nr_cpus, "the counts of stacks", err);
	if (!percpu)
		return -errno;
	u->totals = (struct unwind_totals){ .feeder = unwind_feeder__counts(u->feeder) };
	for (int i = 0; i < nr_cpus; i++) {
		for (unsigned int end = 0; end < UNWIND_NR_SAMPLE_ENDS; end++)
			u->totals.ended[end] += percpu[i].ended[end];
		u->totals.frames += percpu[i].frames;
		*lost += percpu[i].lost;
	}
	free(percpu);
	return 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct unwind_source *u = of(source);
	struct filter_counts judged;
	u64 lost = 0;
	int ret;

	if (!u->programs)
		return 0;
	ret = bpf_filter__counts(&u->filter, 0, &judged, err) ?: read_totals(u, &lost, err);
	if (ret)
		return ret;
	counts->filtered = source->filter.table;
	counts->seen = judged.seen;
	counts->dropped = judged.dropped;
	counts->undecided = judged.undecided;
	counts->period = judged.period;
	counts->untaken = judged.untaken;
	counts->lost = lost;
	counts->lost_known = true;
	counts->unwound = &u->totals;
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	if (source->filter.table)
		fprintf(fp, "engine: the BPF program that unwinds stacks, %u entries\n", source->filter.table->nr);
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
	.request_fd = request_fd,
	.drain = drain,
	.counts = counts,
	.explain = explain,
	.delete = delete,
};
