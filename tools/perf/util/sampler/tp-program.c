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
#include "util/lib/cpumap.h"
#include "util/lib/log.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/bpf-target.h"

struct verifier_log {
	char *buf;
	size_t size;
};

/* 0 in the skeleton says that there is nothing to close. */
#define TAKE_FD(from)			\
	({				\
		int fd_ = (from);	\
					\
		(from) = 0;		\
		fd_;			\
	})
#define DEFINE_PROGRAM(name)									\
static int load_##name(struct tp_program *p, const struct tp_program_setup *setup,		\
		       const struct target_config *target, const struct verifier_log *log)	\
{												\
	struct name *skel = name##__open();							\
	int ret;										\
												\
	if (!skel)										\
		return -ENOMEM;									\
	if (setup->table) {									\
		memcpy(skel->rodata->filter_table, setup->table->entry,				\
		       sizeof(skel->rodata->filter_table));					\
		skel->rodata->filter_words = setup->table->words;				\
	}											\
	skel->rodata->sample_layout = setup->layout;						\
	skel->rodata->target_config = *target;							\
	skel->rodata->tp_config = *setup->config;						\
	if (setup->counting) {									\
		skel->rodata->count_config = setup->counting->config;				\
		skel->maps.count_slots.max_entries = setup->counting->nr_slots;			\
		skel->maps.count_ring.max_entries = setup->counting->ring_size;			\
	}											\
	skel->maps.tp_ring.max_entries = setup->ring_size;					\
	skel->maps.target_seeds.max_entries = bpf_target__nr_seeds(setup->target);		\
	skel->ctx.log_level = log->buf ? 1 : 0;							\
	skel->ctx.log_size = log->size;								\
	skel->ctx.log_buf = (uintptr_t)log->buf;						\
	ret = name##__load(skel);								\
	if (!ret) {										\
		p->record_fd = TAKE_FD(skel->progs.tp_record.prog_fd);				\
		p->fork_fd = TAKE_FD(skel->progs.target_fork.prog_fd);				\
		p->seed_fd = TAKE_FD(skel->progs.target_seed.prog_fd);				\
		p->ring_fd = TAKE_FD(skel->maps.tp_ring.map_fd);				\
		p->counts_fd = TAKE_FD(skel->maps.tp_counts.map_fd);				\
		p->seeds_fd = TAKE_FD(skel->maps.target_seeds.map_fd);				\
		p->bss_fd = TAKE_FD(skel->maps.bss.map_fd);					\
	}											\
	if (!ret && setup->counting) {								\
		p->counting.slots_fd = TAKE_FD(skel->maps.count_slots.map_fd);			\
		p->counting.ring_fd = TAKE_FD(skel->maps.count_ring.map_fd);			\
		p->counting.control_fd = TAKE_FD(skel->maps.count_control.map_fd);		\
		p->counting.scratch_fd = TAKE_FD(skel->maps.count_scratch.map_fd);		\
	}											\
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

#define LOG_SIZE (4 << 20)

/* Load once more for the verifier's words. */
static void debug_failed_load(const struct tp_program_setup *setup, const struct target_config *target)
{
	struct verifier_log log = { .buf = calloc(1, LOG_SIZE), .size = LOG_SIZE };
	struct tp_program p = TP_PROGRAM_NONE;
	size_t len;

	if (!log.buf)
		return;
	if (!loaders[setup->kind](&p, setup, target, &log))
		pr_debug("the second attempt to load the programs succeeded\n");
	len = strlen(log.buf);
	pr_debug("the verifier's last words:\n%s\n", log.buf + (len > 4000 ? len - 4000 : 0));
	tp_program__close(&p);
	free(log.buf);
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
	int nr_cpus = cpumap__possible_count(), ret = 0;
	struct tp_counts *percpu;
	u32 zero = 0;

	if (nr_cpus < 0)
		return errmsg__set(err, -nr_cpus, "cannot tell how many CPUs the system can have: %s", strerror(-nr_cpus));
	percpu = calloc(nr_cpus, sizeof(*percpu));
	if (!percpu)
		return errmsg__set(err, ENOMEM, "out of memory for counts");
	if (bpf_map_lookup_elem(p->counts_fd, &zero, percpu) || bpf_map_lookup_elem(p->bss_fd, &zero, untracked))
		ret = errmsg__set(err, errno, "cannot read the counts of a tracepoint: %s", strerror(errno));
	*sum = (struct tp_counts){ 0 };
	for (int i = 0; i < nr_cpus && !ret; i++) {
		sum->kept += percpu[i].kept;
		sum->filter.dropped += percpu[i].filter.dropped;
		sum->lost += percpu[i].lost;
	}
	free(percpu);
	return ret;
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
