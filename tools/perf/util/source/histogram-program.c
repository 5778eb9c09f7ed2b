// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "histogram"

#include "util/source/histogram-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/programs.h"
#include "util/bpf_skel/tally.h"
#include "util/bpf_skel/target.h"
#include "util/lib/fs.h"
#include "util/judge/bpf-filter.h"
#include "util/source/bpf-target.h"
#include "util/judge/program-table.h"
#include "util/source/tp-attach.h"

static enum histogram_hook hook_of(const struct histogram_place *place)
{
	static const enum histogram_hook hooks[] = {
		[TP_SYSCALL_ENTER] = HISTOGRAM_HOOK_ENTER,
		[TP_SYSCALL_EXIT] = HISTOGRAM_HOOK_EXIT,
		[TP_OTHER] = HISTOGRAM_HOOK_ANY,
	};

	return place ? hooks[place->kind] : HISTOGRAM_HOOK_NONE;
}

static void configure_latency(struct bpf_programs *p, const struct histogram_program_setup *setup)
{
	bpf_programs__set(p, "second_config", setup->second->config);
	bpf_programs__set(p, "latency_config", *setup->latency);
	bpf_programs__resize(p, "latency_starts", setup->max_starts);
}

/* How much of the record programs have to read */
static u32 record_len(const struct histogram_program_setup *setup)
{
	u32 len = histogram_number__record_len(&setup->counting->config.histogram.number);

	for (u32 i = 0; setup->second && i < setup->latency->nr_keys; i++) {
		u32 key_len = histogram_number__record_len(&setup->latency->start[i]);

		len = key_len > len ? key_len : len;
	}
	return len;
}

static void configure(struct bpf_programs *p, const struct histogram_program_setup *setup, const struct target_config *target)
{
	const struct histogram_hooks hooks = { hook_of(setup->first), hook_of(setup->second) };
	struct filter_words *words = bpf_programs__var(p, "filter_words", NULL);
	struct tp_config *config = bpf_programs__var(p, "tp_config", NULL);

	program_table__put(setup->table, p);
	if (record_len(setup) > words->record_len)
		words->record_len = record_len(setup);
	bpf_programs__set(p, "histogram_hooks", hooks);
	*config = setup->first->config;
	config->filtered = setup->table != NULL;
	tally_setup__put(setup->counting, p);
	bpf_programs__set(p, "target_config", *target);
	bpf_programs__resize(p, "target_seeds", bpf_target__nr_seeds(setup->target));
	if (setup->second)
		configure_latency(p, setup);
}

static int take_hook(struct bpf_programs *p, const struct histogram_place *place, const char *const names[])
{
	return place ? bpf_programs__take_prog(p, names[place->kind]) : -1;
}

static void take_fds(struct histogram_program *program, const struct histogram_program_setup *setup, struct bpf_programs *p)
{
	static const char *const first[] = {
		[TP_SYSCALL_ENTER] = "first_enter", [TP_SYSCALL_EXIT] = "first_exit", [TP_OTHER] = "first_any",
	}, *const second[] = {
		[TP_SYSCALL_ENTER] = "second_enter", [TP_SYSCALL_EXIT] = "second_exit", [TP_OTHER] = "second_any",
	};

	program->first_fd = take_hook(p, setup->first, first);
	program->second_fd = take_hook(p, setup->second, second);
	program->fork_fd = bpf_programs__take_prog(p, "target_fork");
	program->seed_fd = bpf_programs__take_prog(p, "target_seed");
	program->hits_fd = bpf_programs__take_map(p, "tp_counts");
	program->starts_fd = bpf_programs__take_map(p, "latency_starts");
	program->latency_fd = bpf_programs__take_map(p, "latency_counts");
	program->seeds_fd = bpf_programs__take_map(p, "target_seeds");
	program->bss_fd = bpf_programs__take_map(p, "bss");
	tally_maps__take(&program->maps, p);
}

static int load(struct histogram_program *program, const struct histogram_program_setup *setup, const struct target_config *target)
{
	struct bpf_programs *p = bpf_programs__open(&bpf_image_histogram_tp);
	int ret;

	if (!p)
		return -ENOMEM;
	configure(p, setup, target);
	ret = bpf_programs__load(p);
	if (!ret)
		take_fds(program, setup, p);
	bpf_programs__delete(p);
	return ret;
}

int histogram_program__load(struct histogram_program *p, const struct histogram_program_setup *setup, struct errmsg *err)
{
	struct target_config target;
	int ret;

	*p = HISTOGRAM_PROGRAM_NONE;
	ret = bpf_target__configure(setup->target, &target, err);
	if (ret)
		return ret;
	ret = load(p, setup, &target);
	if (!ret)
		return 0;
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for a histogram of a tracepoint: take fewer keys (--max-keys)%s",
				   setup->second ? " or starts (--max-starts)" : "");
	ret = bpf_filter__explain_load(-ret, err);
	errmsg__prefix(err, "cannot make a histogram of a tracepoint");
	return ret;
}

static void add_hits(struct histogram_program_counts *counts, const struct tp_counts *cpu)
{
	counts->kept += cpu->kept;
	counts->dropped += cpu->filter.dropped;
}

static void add_latency(struct latency_counts *sum, const struct latency_counts *cpu)
{
	sum->starts += cpu->starts;
	sum->replaced += cpu->replaced;
	sum->lost += cpu->lost;
	sum->ends += cpu->ends;
	sum->lone_ends += cpu->lone_ends;
}

u64 histogram_program__bytes(const struct histogram_program *p)
{
	return p->second_fd < 0 ? 0 : map_bytes(p->starts_fd);
}

int histogram_program__counts(const struct histogram_program *p, struct histogram_program_counts *counts, struct errmsg *err)
{
	static const char what[] = "the counts of a histogram";
	struct latency_counts *latency = NULL;
	struct tp_counts *hits;
	int nr_cpus, ret = 0;
	u32 zero = 0;

	*counts = (struct histogram_program_counts){ 0 };
	if (bpf_map_lookup_elem(p->bss_fd, &zero, &counts->untracked))
		return errmsg__set(err, errno, "cannot read %s: %s", what, strerror(errno));
	hits = percpu_map__read(p->hits_fd, 0, sizeof(*hits), &nr_cpus, what, err);
	if (hits)
		latency = percpu_map__read(p->latency_fd, 0, sizeof(*latency), &nr_cpus, what, err);
	if (!latency)
		ret = -errno;
	for (int i = 0; i < nr_cpus && !ret; i++) {
		add_hits(counts, &hits[i]);
		add_latency(&counts->latency, &latency[i]);
	}
	free(latency);
	free(hits);
	counts->missed = tp_missed(p->first_fd) + tp_missed(p->second_fd);
	return ret;
}

void histogram_program__close(struct histogram_program *p)
{
	const int fds[] = { p->first_fd, p->second_fd, p->fork_fd, p->seed_fd, p->hits_fd, p->starts_fd, p->latency_fd, p->seeds_fd,
			    p->bss_fd };

	fs__close_many(fds, ARRAY_SIZE(fds));
	tally_maps__close(&p->maps);
	*p = HISTOGRAM_PROGRAM_NONE;
}
