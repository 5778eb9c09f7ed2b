// SPDX-License-Identifier: GPL-2.0
#include "util/source/bpf-target.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

int bpf_target__configure(const struct sampler_target *target, struct target_config *config, struct errmsg *err)
{
	int i;

	memset(config, 0, sizeof(*config));
	config->all_tasks = target->system_wide;
	config->some_cpus = target->cpus != NULL;
	config->opened_at = target->inherit && target->opened_at ? target->opened_at : UINT64_MAX;
	for (i = 0; target->cpus && i < target->cpus->nr; i++) {
		unsigned int cpu = target->cpus->cpu[i];

		if (cpu >= TARGET_MAX_CPUS)
			return errmsg__set(err, ERANGE, "BPF programs of perf know CPUs up to %u only, not CPU %u", TARGET_MAX_CPUS - 1, cpu);
		config->cpus[cpu / 64] |= 1ULL << (cpu % 64);
	}
	return 0;
}

u32 bpf_target__nr_seeds(const struct sampler_target *target)
{
	return !target->system_wide && target->nr_tids > 0 ? target->nr_tids : 1;
}

/* Reading an iterator runs its program over all tasks; there is nothing to read. */
static int run_iterator(int prog_fd)
{
	int link, iter, ret = 0;
	ssize_t n;
	char buf[8];

	link = bpf_link_create(prog_fd, 0, BPF_TRACE_ITER, NULL);
	if (link < 0)
		return -errno;
	iter = bpf_iter_create(link);
	if (iter < 0)
		ret = -errno;
	while (!ret && (n = read(iter, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			ret = -errno;
	}
	if (iter >= 0)
		close(iter);
	close(link);
	return ret;
}

int bpf_target__follow(struct bpf_target *t, const struct sampler_target *target, bool waits_for_exec, struct errmsg *err)
{
	const struct target_task mark = { .waits_for_exec = waits_for_exec };
	int i, ret = 0;

	if (target->system_wide)
		return 0;
	/* First who follows, then whom: what a marked task starts is never missed. */
	if (target->inherit) {
		t->fork_link_fd = bpf_raw_tracepoint_open(NULL, t->fork_prog_fd);
		if (t->fork_link_fd < 0)
			return errmsg__set(err, errno, "cannot follow what the target starts in BPF: %s", strerror(errno));
	}
	for (i = 0; i < target->nr_tids && !ret; i++) {
		u32 tid = target->tids[i];

		ret = bpf_map_update_elem(t->seeds_map_fd, &tid, &mark, BPF_ANY) ? -errno : 0;
	}
	if (!ret)
		ret = run_iterator(t->seed_prog_fd);
	/* What a task has started before it was marked may have a lower number, which the iterator had passed already. */
	if (!ret && target->inherit)
		ret = run_iterator(t->seed_prog_fd);
	if (ret)
		bpf_target__unfollow(t);
	return ret ? errmsg__set(err, -ret, "cannot mark the tasks of the target in BPF: %s", strerror(-ret)) : 0;
}

void bpf_target__unfollow(struct bpf_target *t)
{
	if (t->fork_link_fd >= 0)
		close(t->fork_link_fd);
	t->fork_link_fd = -1;
}
