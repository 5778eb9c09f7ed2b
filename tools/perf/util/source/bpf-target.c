// SPDX-License-Identifier: GPL-2.0
#include "util/source/bpf-target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf_skel/target.h"

int bpf_target__configure(const struct sampler_target *target, struct bpf_programs *programs, struct errmsg *err)
{
	struct target_config *config = bpf_programs__sized_var(programs, "target_config", sizeof(*config));
	int i;

	if (bpf_programs__has_map(programs, "target_seeds"))
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

#define MAX_TRIES 1000

/* -EAGAIN: just now the last map that had something of this task has gone. The kernel does not try again by itself. */
static int update(int map_fd, int pidfd, const struct target_task *mark)
{
	int ret = -EAGAIN;

	for (int i = 0; i < MAX_TRIES && ret == -EAGAIN; i++)
		ret = bpf_map_update_elem(map_fd, &pidfd, mark, BPF_ANY) ? -errno : 0;
	return ret;
}

/* A command has one thread, which does nothing before its exec: a descriptor of the process tells the kernel which. No task is searched. */
static int mark_command(const struct bpf_programs *programs, pid_t pid, const struct target_task *mark)
{
	int fd = syscall(SYS_pidfd_open, pid, 0), ret;

	if (fd < 0)
		return -errno;
	ret = update(bpf_programs__map(programs, "target_tasks"), fd, mark);
	close(fd);
	return ret;
}

static int mark_threads(const struct bpf_programs *programs, const struct sampler_target *target, const struct target_task *mark)
{
	int ret = 0;

	for (int i = 0; i < target->nr_tids && !ret; i++) {
		u32 tid = target->tids[i];

		ret = bpf_map_update_elem(bpf_programs__map(programs, "target_seeds"), &tid, mark, BPF_ANY) ? -errno : 0;
	}
	if (!ret)
		ret = bpf_programs__run_iterator(programs, "target_seed");
	/* Run it again: a child that a task started before it was marked may have a lower tid, which the iterator had already passed. */
	return !ret && target->inherit ? bpf_programs__run_iterator(programs, "target_seed") : ret;
}

int bpf_target__follow(struct bpf_target *t, const struct bpf_programs *programs, const struct sampler_target *target, bool waits_for_exec,
		       struct errmsg *err)
{
	const struct target_task mark = { .waits_for_exec = waits_for_exec };
	int ret;

	if (target->system_wide)
		return 0;
	/* Attach the program that follows forks before marking tasks: children of a marked task are never missed. */
	if (target->inherit) {
		t->fork_link_fd = bpf_programs__attach_raw(programs, "target_fork");
		if (t->fork_link_fd < 0)
			return errmsg__set(err, -t->fork_link_fd, "cannot follow what the target starts in BPF: %s",
					   strerror(-t->fork_link_fd));
	}
	if (target->waits && target->nr_tids == 1)
		ret = mark_command(programs, target->tids[0], &mark);
	else
		ret = mark_threads(programs, target, &mark);
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

#define MAX_SEEDS 65536 /* threads of the target when it is opened; they are not known when the programs are loaded */

struct task_marks {
	struct bpf_programs *programs;
	struct bpf_target target;
};

struct task_marks *task_marks__new(const struct sampler_target *target, struct errmsg *err)
{
	struct task_marks *marks = calloc(1, sizeof(*marks));
	int ret;

	if (!marks) {
		errmsg__set(err, ENOMEM, "out of memory for following tasks");
		errno = ENOMEM;
		return NULL;
	}
	marks->target = (struct bpf_target)BPF_TARGET_NONE;
	marks->programs = bpf_programs__open(target->waits ? &bpf_image_target_command : &bpf_image_target);
	ret = marks->programs ? bpf_target__configure(target, marks->programs, err) : errmsg__set(err, ENOMEM, "out of memory for following tasks");
	if (!ret) {
		if (!target->waits)
			bpf_programs__resize(marks->programs, "target_seeds", MAX_SEEDS);
		ret = bpf_programs__load(marks->programs);
		if (ret)
			errmsg__set(err, -ret, "cannot load the BPF programs that follow tasks: %s", strerror(-ret));
	}
	if (!ret)
		return marks;
	task_marks__delete(marks);
	errno = -ret;
	return NULL;
}

const struct bpf_programs *task_marks__programs(const struct task_marks *marks)
{
	return marks->programs;
}

int task_marks__follow(struct task_marks *marks, const struct sampler_target *target, bool waits_for_exec, struct errmsg *err)
{
	bpf_target__unfollow(&marks->target);
	if (target->nr_tids > MAX_SEEDS)
		return errmsg__set(err, E2BIG, "--clock cpu follows at most %u threads: take --clock task", MAX_SEEDS);
	return bpf_target__follow(&marks->target, marks->programs, target, waits_for_exec, err);
}

u64 task_marks__untracked(const struct task_marks *marks)
{
	return bpf_programs__get(marks->programs, "target_untracked", u64);
}

u64 task_marks__late_ns(const struct task_marks *marks)
{
	return bpf_programs__get(marks->programs, "target_late_ns", u64);
}

void task_marks__delete(struct task_marks *marks)
{
	if (!marks)
		return;
	bpf_target__unfollow(&marks->target);
	bpf_programs__delete(marks->programs);
	free(marks);
}
