// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "hist"

#include "util/sampler/hist-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf_skel/count.h" /* the skeleton uses its types */
#include "util/bpf_skel/target.h"
#include "util/bpf_skel/hist-tp.lskel.h"
#include "util/lib/log.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/bpf-target.h"
#include "util/sampler/map-bytes.h"
#include "util/sampler/skeleton.h"
#include "util/sampler/tp-attach.h"

static enum hist_hook hook_of(const struct hist_place *place)
{
	static const enum hist_hook hooks[] = {
		[TP_SYSCALL_ENTER] = HIST_HOOK_ENTER,
		[TP_SYSCALL_EXIT] = HIST_HOOK_EXIT,
		[TP_OTHER] = HIST_HOOK_ANY,
	};

	return place ? hooks[place->kind] : HIST_HOOK_NONE;
}

static void configure(struct hist_tp *skel, const struct hist_program_setup *setup)
{
	struct hist_tp__rodata *ro = skel->rodata;
	u32 len = hist_number__record_len(&setup->counting->config.hist.number);

	SKELETON_SET_TABLE(skel, setup->table);
	for (u32 i = 0; setup->second && i < setup->latency->nr_keys; i++) {
		u32 key_len = hist_number__record_len(&setup->latency->start[i]);

		len = key_len > len ? key_len : len;
	}
	if (len > ro->filter_words.record_len)
		ro->filter_words.record_len = len;
	ro->hist_hooks.first = hook_of(setup->first);
	ro->hist_hooks.second = hook_of(setup->second);
	ro->tp_config = setup->first->config;
	ro->tp_config.filtered = setup->table != NULL;
	SKELETON_SET_COUNTING(skel, setup->counting);
	skel->maps.target_seeds.max_entries = bpf_target__nr_seeds(setup->target);
	if (!setup->second)
		return;
	ro->second_config = setup->second->config;
	ro->latency_config = *setup->latency;
	skel->maps.latency_starts.max_entries = setup->max_starts;
}

static int *second_fd(struct hist_tp *skel, enum tp_kind kind)
{
	return kind == TP_SYSCALL_ENTER ? &skel->progs.second_enter.prog_fd :
	       kind == TP_SYSCALL_EXIT ? &skel->progs.second_exit.prog_fd : &skel->progs.second_any.prog_fd;
}

static int *first_fd(struct hist_tp *skel, enum tp_kind kind)
{
	return kind == TP_SYSCALL_ENTER ? &skel->progs.first_enter.prog_fd :
	       kind == TP_SYSCALL_EXIT ? &skel->progs.first_exit.prog_fd : &skel->progs.first_any.prog_fd;
}

static void take_fds(struct hist_program *p, struct hist_tp *skel, const struct hist_program_setup *setup)
{
	p->first_fd = take_fd(first_fd(skel, setup->first->kind));
	p->second_fd = setup->second ? take_fd(second_fd(skel, setup->second->kind)) : -1;
	p->fork_fd = take_fd(&skel->progs.target_fork.prog_fd);
	p->seed_fd = take_fd(&skel->progs.target_seed.prog_fd);
	p->hits_fd = take_fd(&skel->maps.tp_counts.map_fd);
	p->starts_fd = take_fd(&skel->maps.latency_starts.map_fd);
	p->latency_fd = take_fd(&skel->maps.latency_counts.map_fd);
	p->seeds_fd = take_fd(&skel->maps.target_seeds.map_fd);
	p->bss_fd = take_fd(&skel->maps.bss.map_fd);
	SKELETON_TAKE_COUNT_MAPS(skel, &p->maps);
}

static int load(struct hist_program *p, const struct hist_program_setup *setup, const struct target_config *target,
		const struct verifier_log *log)
{
	struct hist_tp *skel = hist_tp__open();
	int ret;

	if (!skel)
		return -ENOMEM;
	configure(skel, setup);
	skel->rodata->target_config = *target;
	SKELETON_SET_LOG(skel, log);
	ret = hist_tp__load(skel);
	if (!ret)
		take_fds(p, skel, setup);
	hist_tp__destroy(skel);
	return ret;
}

/* Load once more for the verifier's words. */
static void debug_failed_load(const struct hist_program_setup *setup, const struct target_config *target)
{
	struct hist_program p = HIST_PROGRAM_NONE;
	struct verifier_log log;

	if (verifier_log__new(&log))
		return;
	if (!load(&p, setup, target, &log))
		pr_debug("the second attempt to load the programs succeeded\n");
	hist_program__close(&p);
	verifier_log__tell(&log);
}

int hist_program__load(struct hist_program *p, const struct hist_program_setup *setup, struct errmsg *err)
{
	const struct verifier_log no_log = { 0 };
	struct target_config target;
	int ret;

	*p = HIST_PROGRAM_NONE;
	ret = bpf_target__configure(setup->target, &target, err);
	if (ret)
		return ret;
	ret = load(p, setup, &target, &no_log);
	if (!ret)
		return 0;
	if (log__enabled(LOG_DEBUG))
		debug_failed_load(setup, &target);
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for a histogram of a tracepoint: take fewer keys (--max-keys)%s",
				   setup->second ? " or starts (--max-starts)" : "");
	ret = bpf_filter__explain_load(-ret, err);
	errmsg__prefix(err, "cannot make a histogram of a tracepoint");
	return ret;
}

static void add_hits(struct hist_program_counts *counts, const struct tp_counts *cpu)
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

u64 hist_program__bytes(const struct hist_program *p)
{
	return p->second_fd < 0 ? 0 : map_bytes(p->starts_fd);
}

int hist_program__counts(const struct hist_program *p, struct hist_program_counts *counts, struct errmsg *err)
{
	static const char what[] = "the counts of a histogram";
	struct latency_counts *latency = NULL;
	struct tp_counts *hits;
	int nr_cpus, ret = 0;
	u32 zero = 0;

	*counts = (struct hist_program_counts){ 0 };
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

void hist_program__close(struct hist_program *p)
{
	const int fds[] = { p->first_fd, p->second_fd, p->fork_fd, p->seed_fd, p->hits_fd, p->starts_fd, p->latency_fd, p->seeds_fd,
			    p->bss_fd };

	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	count_maps__close(&p->maps);
	*p = HIST_PROGRAM_NONE;
}
