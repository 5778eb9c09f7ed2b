// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "tp-program"

#include "util/sampler/tp-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf_skel/target.h"
#include "util/bpf_skel/tp-any.lskel.h"
#include "util/bpf_skel/tp-enter.lskel.h"
#include "util/bpf_skel/tp-exit.lskel.h"
#include "util/lib/log.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/bpf-target.h"
#include "util/sampler/skeleton.h"

#define DEFINE_PROGRAM(name)									\
static int load_##name(struct tp_program *p, const struct tp_program_setup *setup,		\
		       const struct target_config *target, const struct verifier_log *log)	\
{												\
	struct name *skel = name##__open();							\
	int ret;										\
												\
	if (!skel)										\
		return -ENOMEM;									\
	SKELETON_SET_TABLE(skel, setup->table);							\
	skel->rodata->sample_layout = setup->layout;						\
	skel->rodata->target_config = *target;							\
	skel->rodata->tp_config = *setup->config;						\
	if (setup->counting)									\
		SKELETON_SET_COUNTING(skel, setup->counting);					\
	skel->maps.tp_ring.max_entries = setup->ring_size;					\
	skel->maps.target_seeds.max_entries = bpf_target__nr_seeds(setup->target);		\
	SKELETON_SET_LOG(skel, log);								\
	ret = name##__load(skel);								\
	if (!ret) {										\
		p->record_fd = take_fd(&skel->progs.tp_record.prog_fd);				\
		p->fork_fd = take_fd(&skel->progs.target_fork.prog_fd);				\
		p->seed_fd = take_fd(&skel->progs.target_seed.prog_fd);				\
		p->ring_fd = take_fd(&skel->maps.tp_ring.map_fd);				\
		p->counts_fd = take_fd(&skel->maps.tp_counts.map_fd);				\
		p->seeds_fd = take_fd(&skel->maps.target_seeds.map_fd);				\
		p->bss_fd = take_fd(&skel->maps.bss.map_fd);					\
	}											\
	if (!ret && setup->counting)								\
		SKELETON_TAKE_COUNT_MAPS(skel, &p->counting);					\
	name##__destroy(skel);									\
	return ret;										\
}
DEFINE_PROGRAM(tp_enter)
DEFINE_PROGRAM(tp_exit)
DEFINE_PROGRAM(tp_any)

typedef int (*load_fn)(struct tp_program *p, const struct tp_program_setup *setup, const struct target_config *target,
		       const struct verifier_log *log);
static const load_fn loaders[] = {
	[TP_SYSCALL_ENTER] = load_tp_enter,
	[TP_SYSCALL_EXIT] = load_tp_exit,
	[TP_OTHER] = load_tp_any,
};

/* Load once more for the verifier's words. */
static void debug_failed_load(const struct tp_program_setup *setup, const struct target_config *target)
{
	struct tp_program p = TP_PROGRAM_NONE;
	struct verifier_log log;

	if (verifier_log__new(&log))
		return;
	if (!loaders[setup->kind](&p, setup, target, &log))
		pr_debug("the second attempt to load the programs succeeded\n");
	tp_program__close(&p);
	verifier_log__tell(&log);
}

int tp_program__load(struct tp_program *p, const struct tp_program_setup *setup, struct errmsg *err)
{
	const struct verifier_log no_log = { 0 };
	struct target_config target;
	int ret;

	ret = bpf_target__configure(setup->target, &target, err);
	if (ret)
		return ret;
	ret = loaders[setup->kind](p, setup, &target, &no_log);
	if (!ret)
		return 0;
	if (log__enabled(LOG_DEBUG))
		debug_failed_load(setup, &target);
	if (ret == -ENOMEM && setup->counting)
		return count_setup__explain_memory(setup->counting, err);
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for a ring buffer of %zu bytes: take a smaller one (-m)",
				   setup->ring_size);
	return bpf_filter__explain_load(-ret, err);
}

int tp_program__counts(const struct tp_program *p, struct tp_counts *sum, u64 *untracked, struct errmsg *err)
{
	struct tp_counts *percpu;
	u32 zero = 0;
	int nr_cpus;

	if (bpf_map_lookup_elem(p->bss_fd, &zero, untracked))
		return errmsg__set(err, errno, "cannot read the counts of a tracepoint: %s", strerror(errno));
	percpu = percpu_map__read(p->counts_fd, 0, sizeof(*percpu), &nr_cpus, "the counts of a tracepoint", err);
	if (!percpu)
		return -errno;
	*sum = (struct tp_counts){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		sum->kept += percpu[i].kept;
		sum->filter.dropped += percpu[i].filter.dropped;
		sum->lost += percpu[i].lost;
	}
	free(percpu);
	return 0;
}

void tp_program__close(struct tp_program *p)
{
	const int fds[] = { p->record_fd, p->fork_fd, p->seed_fd, p->ring_fd, p->counts_fd, p->seeds_fd, p->bss_fd };

	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	count_maps__close(&p->counting);
	*p = TP_PROGRAM_NONE;
}
