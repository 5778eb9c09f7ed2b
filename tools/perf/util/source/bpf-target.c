// SPDX-License-Identifier: GPL-2.0
#include "util/source/bpf-target.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf_skel/target.h"

int bpf_target__configure(const struct sampler_target *target, struct bpf_programs *programs, struct errmsg *err)
{
	struct target_config *config = bpf_programs__sized_var(programs, "target_config", sizeof(*config));
	int i;

	bpf_programs__resize(programs, "target_seeds", !target->system_wide && target->nr_tids > 0 ? target->nr_tids : 1);
	memset(config, 0, sizeof(*config));
	config->all_tasks = target->system_wide;
	config->some_cpus = target->cpus != NULL;
	config->no_events = target->no_events;
	config->opened_at = target->inherit && target->opened_at ? target->opened_at : UINT64_MAX;
	for (i = 0; target->cpus && i < target->cpus->nr; i++) {
		unsigned int cpu = target->cpus->cpu[i];

		if (cpu >= TARGET_MAX_CPUS)
			return errmsg__set(err, ERANGE, "BPF programs of perf know CPUs up to %u only, not CPU %u", TARGET_MAX_CPUS - 1, cpu);
		config->cpus[cpu / 64] |= 1ULL << (cpu % 64);
	}
	return 0;
}

int bpf_target__follow(struct bpf_target *t, const struct bpf_programs *programs, const struct sampler_target *target, bool waits_for_exec,
		       struct errmsg *err)
{
	const struct target_task mark = { .waits_for_exec = waits_for_exec };
	int i, ret = 0;

	if (target->system_wide)
		return 0;
	/* Attach the program that follows forks before marking tasks: children of a marked task are never missed. */
	if (target->inherit) {
		t->fork_link_fd = bpf_programs__attach_raw(programs, "target_fork");
		if (t->fork_link_fd < 0)
			return errmsg__set(err, -t->fork_link_fd, "cannot follow what the target starts in BPF: %s",
					   strerror(-t->fork_link_fd));
	}
	for (i = 0; i < target->nr_tids && !ret; i++) {
		u32 tid = target->tids[i];

		ret = bpf_map_update_elem(bpf_programs__map(programs, "target_seeds"), &tid, &mark, BPF_ANY) ? -errno : 0;
	}
	if (!ret)
		ret = bpf_programs__run_iterator(programs, "target_seed");
	/* Run it again: a child that a task started before it was marked may have a lower tid, which the iterator had already passed. */
	if (!ret && target->inherit)
		ret = bpf_programs__run_iterator(programs, "target_seed");
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
