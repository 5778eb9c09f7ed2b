// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "tp-source"

#include "util/source/tp-source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "util/bpf/kernel-features.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf/ring.h"
#include "util/event/tracepoint.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/judge/bpf-filter.h"
#include "util/source/bpf-frames.h"
#include "util/source/bpf-target.h"
#include "util/source/tally-table.h"
#include "util/bpf/pid-namespace.h"
#include "util/source/tp-attach.h"
#include "util/source/tp-layout.h"
#include "util/source/tp-program.h"

/* Each has programs and a ring of its own, and each syscall runs the programs of all. */
#define MAX_EVENTS 16

#define DEFAULT_RING_SIZE (16 << 20) /* what a busy writer fills in some 100 ms */
#define WAKE_PART 8		     /* of the ring that is worth a wake-up */

struct tp_source {
	struct sample_source source;
	enum tp_kind kind;
	struct tp_config config;
	struct filter_table *table; /* as programs get it; NULL: none */
	struct perf_event_attr attr; /* of the evsel that it was loaded for */
	struct tp_program program;
	struct bpf_target target;
	struct bpf_ring ring;
	const struct tally_opts *count; /* NULL: hits are not counted */
	struct tally_table *counted;	  /* if they are, while it is loaded */
	struct bpf_frames *glue;	  /* what is to be cut from their stacks; NULL: nothing */
	int link_fd; /* while it is attached; -1 */
};

/* What is asked of an event that BPF does not do. */
static const char *unknown_setting(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;
	int max_stack;

	if (attr->freq || attr->sample_period != 1)
		return "it is not asked for each hit";
	if (attr->write_backward)
		return "only the latest samples are to be kept";
	if (attr->sample_type & ~(u64)SAMPLE_ENCODE_TYPES)
		return "its samples are to hold what BPF programs do not write";
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle)
		return "it has a modifier";
	if (evsel->leader || evsel->nr_members > 1)
		return "it is in a group";
	if (evsel->cgroup)
		return "it is for a cgroup";
	if (attr->use_clockid && attr->clockid != CLOCK_MONOTONIC)
		return "times are to be of another clock";
	if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return NULL;
	if (attr->sample_max_stack || attr->exclude_callchain_kernel || attr->exclude_callchain_user)
		return "its callchains are not the usual ones";
	if (fs__read_int("/proc/sys/kernel/perf_event_max_stack", &max_stack) || max_stack > TP_MAX_STACK)
		return "kernel.perf_event_max_stack is above 127";
	return NULL;
}

/* By its version, as a look into its types takes 20 ms; only one that seems to be old is looked into. */
static bool is_old_kernel(void)
{
	unsigned int major, minor;
	struct utsname uts;

	if (!uname(&uts) && sscanf(uts.release, "%u.%u", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 2)))
		return false;
	return kernel_offer__probe(KERNEL_KFUNC_CAST) != KERNEL_HAS;
}

const char *tp_source__refuses(const struct evsel *evsel, unsigned int nr_events, bool whole, char *buf, size_t size)
{
	const char *why = unknown_setting(evsel);
	struct tp_config config;
	char why_old[128];

	if (why || tp_layout__fill(evsel->tp, whole, &config, &why))
		return why;
	if (nr_events > MAX_EVENTS)
		return "there are more tracepoints than BPF programs should run for";
	if (*bpf_filter__missing_capabilities()) {
		snprintf(buf, size, "BPF programs need %s, which this process lacks", bpf_filter__missing_capabilities());
		return buf;
	}
	if (is_old_kernel()) {
		snprintf(buf, size, "it needs %s", kernel_offer__explain(KERNEL_KFUNC_CAST, why_old, sizeof(why_old)));
		return buf;
	}
	if (kernel_offer__probe(KERNEL_LOADER_PROGRAMS) != KERNEL_HAS || access("/sys/kernel/btf/vmlinux", R_OK))
		return "this kernel or its settings do not let BPF programs be loaded, or no memory is left for them";
	return pid_namespace__is_first() ? NULL : "BPF programs do not know the process ids of this namespace";
}

bool tp_source__is_cheaper(const struct evsel *evsel)
{
	struct tp_config config;
	const char *why;

	if (tracepoint__kind(evsel->tp) == TP_OTHER)
		return false;
	return tp_layout__fill(evsel->tp, true, &config, &why) || !config.nr_texts; /* the first is then told as the reason */
}

static struct tp_source *of(const struct sample_source *source)
{
	return (struct tp_source *)source; /* its first member */
}

static void tp_source__unload(struct tp_source *tp)
{
	bpf_target__unfollow(&tp->target);
	tally_table__delete(tp->counted);
	tp->counted = NULL;
	bpf_frames__delete(tp->glue);
	tp->glue = NULL;
	bpf_ring__unmap(&tp->ring);
	tp_program__close(&tp->program);
}

static int stop(struct sample_source *source)
{
	struct tp_source *tp = of(source);

	if (tp->link_fd >= 0)
		close(tp->link_fd);
	tp->link_fd = -1;
	return 0;
}

/* The maps are the table's from here on. */
static int map_counted(struct tp_source *tp, const struct tally_setup *counting, struct errmsg *err)
{
	const struct tally_maps maps = tp->program.counting;

	tp->program.counting = (struct tally_maps)TALLY_MAPS_NONE;
	return tally_table__new(&maps, counting, &tp->counted, err);
}

/*
 * Where a tracepoint has other users than perf events, stacks begin with what calls one after the other; so without this, stacks of one
 * place would differ by who came and went. Stacks of syscalls are the user's only.
 */
static void find_glue(struct tp_source *tp)
{
	struct errmsg err;

	if (tp->kind == TP_OTHER && tp->count->key & TALLY_KEY_KSTACK && bpf_frames__new(NULL, &tp->glue, &err))
		pr_debug("frames of the tracepoint itself stay in stacks: %s\n", err.text);
}

static int load_program(struct tp_source *tp, struct tp_program_setup *program, struct errmsg *err)
{
	struct tally_setup counting;
	int ret;

	if (tp->count) {
		ret = tally_table__configure(tp->count, &counting, err);
		if (ret)
			return ret;
		program->counting = &counting;
	}
	tp->config.wake_at = program->ring_size / WAKE_PART;
	ret = tp_program__load(&tp->program, program, err);
	if (!ret && tp->count) {
		find_glue(tp);
		ret = map_counted(tp, &counting, err);
	}
	if (!ret && tp->config.written)
		ret = bpf_ring__map(&tp->ring, tp->program.ring_fd, program->ring_size, err);
	return ret;
}

static int load(struct sample_source *source, const struct evsel *evsel, const struct sample_source_setup *setup,
		struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct tp_program_setup program = {
		.kind = tp->kind,
		.config = &tp->config,
		.table = tp->table,
		.target = setup->target,
		.ring_size = bpf_ring__size(1), /* there is one in any case */
	};
	int ret;

	if (tp->config.written) {
		program.layout = (struct sample_layout){ .sample_type = evsel->attr.sample_type, .id = setup->id };
		program.ring_size = bpf_ring__size(setup->ring_size ?: DEFAULT_RING_SIZE);
	}
	stop(source);
	tp_source__unload(tp);
	tp->attr = evsel->attr;
	ret = load_program(tp, &program, err);
	if (ret)
		return ret;
	tp->target = (struct bpf_target){
		.fork_prog_fd = tp->program.fork_fd,
		.seed_prog_fd = tp->program.seed_fd,
		.seeds_map_fd = tp->program.seeds_fd,
		.fork_link_fd = -1,
	};
	return bpf_target__follow(&tp->target, setup->target, evsel->attr.enable_on_exec, err);
}

static int start(struct sample_source *source, struct errmsg *err)
{
	struct tp_source *tp = of(source);

	return tp->link_fd >= 0 ? 0 : tp_attach(tp->kind, tp->attr.config, tp->program.record_fd, &tp->link_fd, err);
}

static int fd(const struct sample_source *source)
{
	const struct tp_source *tp = (const struct tp_source *)source;

	return tp->config.written ? tp->program.ring_fd : tally_table__fd(tp->counted);
}

static int drain(struct sample_source *source, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	struct tp_source *tp = of(source);

	int ret = tp->counted ? tally_table__drain(tp->counted) : 0; /* kept until it is collected */

	return !ret && tp->ring.consumer ? bpf_ring__drain(&tp->ring, cb, data, nr_bytes) : ret;
}

struct cutting {
	const struct bpf_frames *glue;
	int (*cb)(void *data, const struct tally_row *row);
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

static int collect(struct sample_source *source, int (*cb)(void *data, const struct tally_row *row), void *data, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct cutting cutting = { tp->glue, cb, data };

	return tally_table__collect(tp->counted, cut_glue, &cutting, err);
}

static int tally_counts(struct sample_source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct tally_totals counted;
	struct tp_counts sum;
	u64 untracked;
	int ret;

	ret = tp_program__counts(&tp->program, &sum, &untracked, err);
	if (!ret)
		ret = tally_table__counts(tp->counted, &counted, err);
	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.dropped = sum.filter.dropped,
		.counted = counted.counted + counted.spilled,
		.lost_stacks = counted.lost_stacks,
		.spilled = counted.spilled,
		.lost_keys = counted.lost_keys,
		.lost_spill = counted.lost_spill,
		.map_bytes = tally_table__bytes(tp->counted),
		.missed = tp_missed(tp->program.record_fd),
	};
	counts->seen = counts->dropped + counts->counted + counts->lost_keys + counts->lost_spill;
	return 0;
}

static int counts(struct sample_source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct tp_source *tp = of(source);
	struct tp_counts sum;
	int ret;

	ret = tp_program__counts(&tp->program, &sum, &counts->untracked, err);
	if (ret)
		return ret;
	counts->filtered = tp->config.filtered;
	counts->lost_known = true;
	counts->seen = sum.kept + sum.filter.dropped;
	counts->dropped = sum.filter.dropped;
	counts->lost = sum.lost;
	return 0;
}

static void dump(const struct sample_source *source, FILE *fp)
{
	const struct tp_source *tp = of(source);

	if (tp->kind == TP_OTHER)
		fprintf(fp, "engine: a BPF program on the tracepoint");
	else
		fprintf(fp, "engine: a BPF program on sys_%s, for syscall %u", tp->kind == TP_SYSCALL_ENTER ? "enter" : "exit",
			tp->config.syscall);
	if (tp->table)
		fprintf(fp, ", %u entries", tp->table->nr);
	if (tp->count)
		fprintf(fp, ", counting%s", tp->count->both ? " and writing" : "");
	fputc('\n', fp);
}

static void delete(struct sample_source *source)
{
	struct tp_source *tp = of(source);

	stop(source);
	tp_source__unload(tp);
	free(tp->table);
	free(tp);
}

static const struct sample_source_ops tp_source_ops = {
	.load = load,
	.start = start,
	.stop = stop,
	.fd = fd,
	.drain = drain,
	.counts = counts,
	.dump = dump,
	.delete = delete,
};

static const struct sample_source_ops counting_tp_source_ops = {
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

static int tp_source__configure(struct tp_source *tp, const struct evsel *evsel, const struct filter_table *table, struct errmsg *err)
{
	bool written = !tp->count || tp->count->both;
	const char *why;

	if (tp_layout__fill(evsel->tp, written, &tp->config, &why))
		return errmsg__set(err, EOPNOTSUPP, "BPF cannot record %s: %s", evsel->name, why);
	tp->config.counted = tp->count != NULL;
	tp->config.written = written;
	if (!table)
		return 0;
	tp->config.filtered = true;
	return tp_layout__take_table(evsel, table, &tp->table, err);
}

int tp_source__new(const struct evsel *evsel, const struct filter_table *table, const struct tally_opts *count,
		   struct sample_source **source, struct errmsg *err)
{
	struct tp_source *tp = calloc(1, sizeof(*tp));
	int ret;

	if (!tp)
		return errmsg__set(err, ENOMEM, "out of memory for a tracepoint");
	tp->source.ops = count ? &counting_tp_source_ops : &tp_source_ops;
	tp->count = count;
	tp->kind = tracepoint__kind(evsel->tp);
	tp->link_fd = -1;
	tp->target.fork_link_fd = -1;
	tp->program = TP_PROGRAM_NONE;
	ret = tp_source__configure(tp, evsel, table, err);
	if (ret) {
		delete(&tp->source);
		return ret;
	}
	*source = &tp->source;
	return 0;
}
