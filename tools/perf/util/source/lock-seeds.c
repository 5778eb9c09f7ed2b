// SPDX-License-Identifier: GPL-2.0
#include "util/source/lock-seeds.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include "util/lib/array.h"
#include "util/source/sleepers.h"

#define MAX_HOLDERS 1024  /* others choose how many there are */
#define NR_FUTEX_WAIT 455 /* futex_wait(2), Linux 6.7 */

struct waiter {
	u32 tid, holder; /* an index */
};

struct lock_seeds {
	struct sleepers *sleepers;
	u32 max_frames;
	const struct bpf_programs *programs; /* while the map is filled */
	struct waiter *waiters;
	u32 nr_waiters, room_waiters;
	struct lock_holder *holders;
	u32 nr_holders, room_holders;
};

int lock_seeds__new(const struct sampler_target *target, u32 max_frames, struct lock_seeds **seeds, struct errmsg *err)
{
	struct lock_seeds *s = calloc(1, sizeof(*s));
	int ret = s ? sleepers__new(target, &s->sleepers, err) : errmsg__set(err, ENOMEM, "out of memory");

	if (ret) {
		free(s);
		return ret;
	}
	s->max_frames = max_frames < LOCK_MAX_FRAMES ? max_frames : LOCK_MAX_FRAMES;
	*seeds = s;
	return 0;
}

void lock_seeds__delete(struct lock_seeds *s)
{
	if (!s)
		return;
	sleepers__delete(s->sleepers);
	free(s->waiters);
	free(s->holders);
	free(s);
}

/* The user's frames, without the markers. Their number */
static u32 copy_frames(const struct lock_seeds *s, const struct thread_stack *stack, u64 *frame)
{
	bool user = false;
	u32 nr = 0;

	for (u32 i = 0; i < stack->nr && nr < s->max_frames; i++) {
		user |= stack->chain[i] == PERF_CONTEXT_USER;
		if (user && stack->chain[i] < (u64)PERF_CONTEXT_MAX)
			frame[nr++] = stack->chain[i];
	}
	return nr;
}

/* The begin */

static int put_seed(void *data, const struct thread_stack *stack)
{
	const struct snapshot_task *task = stack->task;
	struct lock_seed seed = { .switches = task->switches, .started = task->started, .wait = { .user_frames = 1 } };
	struct lock_seeds *s = data;

	if (task->call != SYS_futex && task->call != NR_FUTEX_WAIT)
		return 0;
	seed.wait.nr_frames = copy_frames(s, stack, (u64 *)seed.wait.frame);
	/* More than -M has room for: perf counts them as missed, when they end. */
	if (bpf_map_update_elem(bpf_programs__map(s->programs, "lock_seeds"), &task->tid, &seed, BPF_ANY))
		return errno == E2BIG ? 0 : -errno;
	return 0;
}

/* Their memory is not needed any more. */
static void empty(const struct bpf_programs *programs)
{
	const int map_fd = bpf_programs__map(programs, "lock_seeds");
	u32 tid;

	while (!bpf_map_get_next_key(map_fd, NULL, &tid) && !bpf_map_delete_elem(map_fd, &tid))
		;
}

int lock_seeds__put(struct lock_seeds *s, const struct bpf_programs *programs, struct errmsg *err)
{
	u32 nr_left_out = 0;
	int ret;

	s->programs = programs;
	ret = sleepers__take(s->sleepers, s->max_frames, put_seed, s, &nr_left_out, err);
	if (!ret) {
		ret = bpf_programs__run_iterator(programs, "futex_seed");
		if (ret)
			errmsg__set(err, -ret, "cannot begin the waits that threads are in: %s", strerror(-ret));
	}
	empty(programs);
	return ret;
}

/* The end. Holders are found first, and their stacks come when all waiters are known. */

static struct lock_holder *find_holder(const struct lock_seeds *s, u32 pid, u32 tid)
{
	for (u32 i = 0; i < s->nr_holders; i++) {
		if (s->holders[i].pid == pid && s->holders[i].tid == tid)
			return &s->holders[i];
	}
	return NULL;
}

static void read_comm(struct lock_holder *holder)
{
	char path[64];
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", holder->pid, holder->tid);
	fp = fopen(path, "re");
	if (!fp)
		return;
	if (fgets(holder->comm, sizeof(holder->comm), fp))
		holder->comm[strcspn(holder->comm, "\n")] = '\0';
	fclose(fp);
}

static struct lock_holder *add_holder(struct lock_seeds *s, const struct thread_stack *stack)
{
	struct lock_holder *holder = find_holder(s, stack->owner_pid, stack->owner);

	if (holder)
		return holder;
	if (array__grow(s->holders, s->nr_holders, s->room_holders))
		return NULL;
	holder = &s->holders[s->nr_holders++];
	*holder = (struct lock_holder){ .pid = stack->owner_pid, .tid = stack->owner };
	read_comm(holder);
	return holder;
}

static int note_waiter(void *data, const struct thread_stack *stack)
{
	struct lock_seeds *s = data;
	struct lock_holder *holder;

	if (!stack->owner || s->nr_holders == MAX_HOLDERS)
		return 0;
	holder = add_holder(s, stack);
	if (!holder || array__grow(s->waiters, s->nr_waiters, s->room_waiters))
		return -ENOMEM;
	holder->of_mutex |= stack->wait.kind == FUTEX_KIND_MUTEX;
	holder->nr_waiters++;
	s->waiters[s->nr_waiters++] = (struct waiter){ .tid = stack->task->tid, .holder = holder - s->holders };
	return 0;
}

static int note_stack(void *data, const struct thread_stack *stack)
{
	struct lock_seeds *s = data;
	struct lock_holder *holder = find_holder(s, stack->task->pid, stack->task->tid);

	if (holder)
		holder->nr_frames = copy_frames(s, stack, holder->frame);
	return 0;
}

static int compare_waiters(const void *a, const void *b)
{
	const struct waiter *first = a, *second = b;

	return (first->tid > second->tid) - (first->tid < second->tid);
}

int lock_seeds__look(struct lock_seeds *s, struct errmsg *err)
{
	u32 nr_left_out = 0;
	int ret;

	s->nr_waiters = s->nr_holders = 0;
	ret = sleepers__take(s->sleepers, s->max_frames, note_waiter, s, &nr_left_out, err);
	if (!ret && s->nr_holders)
		ret = sleepers__take(s->sleepers, s->max_frames, note_stack, s, &nr_left_out, err);
	if (s->nr_waiters)
		qsort(s->waiters, s->nr_waiters, sizeof(*s->waiters), compare_waiters);
	return ret;
}

const struct lock_holder *lock_seeds__holder(const struct lock_seeds *s, u32 tid)
{
	const struct waiter wanted = { .tid = tid }, *found;

	found = s->nr_waiters ? bsearch(&wanted, s->waiters, s->nr_waiters, sizeof(wanted), compare_waiters) : NULL;
	return found ? &s->holders[found->holder] : NULL;
}

const struct lock_holder *lock_seeds__holders(const struct lock_seeds *s, u32 *nr)
{
	*nr = s->nr_holders;
	return s->holders;
}
