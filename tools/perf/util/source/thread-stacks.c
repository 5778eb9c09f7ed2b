// SPDX-License-Identifier: GPL-2.0
#include "util/source/thread-stacks.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/array.h"
#include "util/lib/clock.h"
#include "util/lib/memory-reader.h"
#include "util/lib/task-memory.h"

#define MAX_TRIES 10 /* to read a thread that runs now and then */

struct taking {
	struct thread_stacks *all;
	const struct thread_stacks_opts *opts;
	struct task_memory *memory; /* of the process at hand; NULL: it is closed, or there is none */
	int closed;		    /* why, as -errno */
	const struct snapshot_task *task; /* whose stack is walked */
};

static void drop(struct thread_stack *stack)
{
	free(stack->task);
	free(stack->chain);
	*stack = (struct thread_stack){ .task = NULL };
}

void thread_stacks__exit(struct thread_stacks *all)
{
	for (u32 i = 0; i < all->nr; i++)
		drop(&all->stack[i]);
	free(all->stack);
	*all = (struct thread_stacks){ .stack = NULL };
}

/* The first look: all tasks */

static int add_task(void *data, const struct snapshot_task *task)
{
	struct thread_stacks *all = data;

	if (task->pid == (u32)getpid() || memory_reader__is(task->pid))
		return 0;
	if (array__grow(all->stack, all->nr, all->room))
		return -ENOMEM;
	all->stack[all->nr] = (struct thread_stack){ .task = malloc(task->size), .quality = STACK_TORN };
	if (!all->stack[all->nr].task)
		return -ENOMEM;
	memcpy(all->stack[all->nr++].task, task, task->size);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct snapshot_task *first = ((const struct thread_stack *)a)->task, *second = ((const struct thread_stack *)b)->task;

	if (first->pid != second->pid)
		return first->pid < second->pid ? -1 : 1;
	return first->tid < second->tid ? -1 : first->tid > second->tid;
}

/* Walking */

/* Where the registers of samples are in struct pt_regs: those of THREAD_STACKS_REGS, in the order of their bits */
#if defined(__x86_64__)
#define CS_AT 17
#define USER32_CS 0x23 /* arch/x86/include/asm/segment.h */
#define PLACE_REGS (1ULL << 7 | 1ULL << 8)
static const u8 reg_at[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 9, 8, 7, 6, 3, 2, 1, 0 };
#elif defined(__aarch64__)
#define PLACE_REGS (1ULL << 31 | 1ULL << 32)
static const u8 reg_at[] = { 0,	 1,  2,	 3,  4,	 5,  6,	 7,  8,	 9,  10, 11, 12, 13, 14, 15, 16,
			     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };
#endif

static bool is_32bit(const struct snapshot_task *task)
{
#if defined(__x86_64__)
	if (task->has_regs == SNAPSHOT_PLACE_ONLY)
		return !(task->regs[SNAPSHOT_SP] >> 32);
	return task->compat || task->regs[CS_AT] == USER32_CS;
#else
	return task->compat;
#endif
}

/* Words of a callchain: the kernel's part. */
static u32 put_kernel(u64 *chain, const struct snapshot_task *task)
{
	if (!task->nr_kernel)
		return 0;
	chain[0] = PERF_CONTEXT_KERNEL;
	memcpy(chain + 1, task->frame, task->nr_kernel * sizeof(*chain));
	return 1 + task->nr_kernel;
}

static int keep_chain(struct thread_stack *stack, const u64 *chain, u32 nr)
{
	free(stack->chain);
	stack->chain = malloc((nr ?: 1) * sizeof(*chain));
	if (!stack->chain)
		return -ENOMEM;
	memcpy(stack->chain, chain, nr * sizeof(*chain));
	stack->nr = nr;
	return 0;
}

/* Returns which they are. */
static u64 put_regs(u64 *regs, const struct snapshot_task *task)
{
	if (task->has_regs == SNAPSHOT_PLACE_ONLY) {
		regs[0] = task->regs[SNAPSHOT_SP];
		regs[1] = task->regs[SNAPSHOT_IP];
		return PLACE_REGS;
	}
	for (u32 i = 0; i < ARRAY_SIZE(reg_at); i++)
		regs[i] = task->regs[reg_at[i]];
	return THREAD_STACKS_REGS;
}

static bool is_late(const struct taking *t)
{
	return t->opts->until && clock__ns(CLOCK_MONOTONIC) >= t->opts->until;
}

/* Read the whole stack of a task; whether it slept all the time is seen afterwards. */
static int walk(struct taking *t, struct thread_stack *stack)
{
	const struct snapshot_task *task = stack->task;
	u64 kernel[1 + SNAPSHOT_MAX_FRAMES], regs[ARRAY_SIZE(reg_at)];
	struct perf_sample sample = { .cpumode = PERF_RECORD_MISC_KERNEL, .callchain = kernel };
	struct thread *thread;

	sample.nr_callchain = put_kernel(kernel, task);
	if (!t->memory || !task->has_regs)
		return keep_chain(stack, kernel, sample.nr_callchain);
	thread = machine__thread(t->opts->machine, task->pid, task->tid);
	if (!thread)
		return -ENOMEM;
	sample.user_regs = regs;
	sample.user_regs_mask = put_regs(regs, task);
	sample.user_regs_abi = is_32bit(task) ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
	task_memory__forget(t->memory);
	t->task = task;
	futex_wait__read(&stack->wait, task, t->memory);
	if (unwinder__unwind(t->opts->unwinder, thread, &sample, t->opts->max_frames))
		return -ENOMEM;
	return keep_chain(stack, sample.callchain, sample.nr_callchain);
}

/* Put the return addresses that return probes have replaced into what was read of the stack. */
static void put_returns(const struct snapshot_task *task, u64 address, char *to, size_t size)
{
	const __u64 *entry = task->frame + task->nr_kernel;
	u64 word;

	for (u32 i = 0; i < task->nr_returns; i++, entry += 2) {
		const u64 at = entry[0] - address;

		if (at >= size || size - at < sizeof(word))
			continue;
		memcpy(&word, to + at, sizeof(word));
		if (word == task->trampoline)
			memcpy(to + at, &entry[1], sizeof(word));
	}
}

static bool read_memory(void *data, u64 address, void *to, size_t size)
{
	const struct taking *t = data;

	if (!task_memory__read(t->memory, address, to, size))
		return false;
	put_returns(t->task, address, to, size);
	return true;
}

/* One process */

static void open_memory(struct taking *t, const struct snapshot_task *task)
{
	t->memory = NULL;
	t->closed = task->has_regs ? task_memory__new(task->tid, &t->memory) : 0;
}

/* What is known of a stack that was read while its thread slept. */
static u8 quality_of(const struct taking *t, const struct snapshot_task *task)
{
	if (t->memory || !task->has_regs)
		return STACK_WHOLE;
	return t->closed == -EACCES || t->closed == -EPERM ? STACK_CLOSED : STACK_TORN;
}

static int walk_process(struct taking *t, u32 begin, u32 end, struct errmsg *err)
{
	struct thread_stack *stack = t->all->stack;
	int ret = 0;

	open_memory(t, stack[begin].task);
	if (stack[begin].task->has_regs)
		ret = t->opts->meet(t->opts->data, stack[begin].task->pid, err);
	for (u32 i = begin; i < end && !ret && !is_late(t); i++) {
		if (t->closed == -ESRCH) /* the thread before has ended */
			open_memory(t, stack[i].task);
		ret = stack[i].task->state == OFFCPU_RUNNING ? 0 : walk(t, &stack[i]);
		if (ret)
			errmsg__set(err, -ret, "out of memory for stacks");
		stack[i].quality = quality_of(t, stack[i].task);
	}
	task_memory__delete(t->memory);
	t->memory = NULL;
	return ret;
}

static u32 end_of_process(const struct thread_stacks *all, u32 i)
{
	const u32 pid = all->stack[i].task->pid;

	while (i < all->nr && all->stack[i].task->pid == pid)
		i++;
	return i;
}

/* The second look: which of them have not run since the first one? */

struct confirming {
	struct thread_stacks *all;
	bool *slept; /* by index */
};

static int confirm(void *data, const struct snapshot_task *task)
{
	struct confirming *c = data;
	const struct thread_stack key = { .task = (struct snapshot_task *)task };
	const struct thread_stack *stack = c->all->nr ? bsearch(&key, c->all->stack, c->all->nr, sizeof(key), compare) : NULL;

	if (stack)
		c->slept[stack - c->all->stack] = snapshot_task__slept(stack->task, task);
	return 0;
}

/* A thread that has run: look at it alone, which takes less time than it takes to look at all. */
static int read_again(struct taking *t, struct thread_stack *stack)
{
	const u64 started = stack->task->started;
	struct snapshot_task *task = realloc(stack->task, sizeof(*task)), after;
	u8 quality = STACK_RUNS;
	int ret = 0;

	if (!task)
		return -ENOMEM;
	stack->task = task;
	for (int i = 0; i < MAX_TRIES && !ret; i++) {
		ret = snapshot__look(t->opts->snapshot, task->tid, task);
		ret = !ret && task->started != started ? -ESRCH : ret; /* the tid is another thread's */
		if (ret || task->state == OFFCPU_RUNNING)
			continue;
		quality = STACK_TORN;
		ret = walk(t, stack) ?: snapshot__look(t->opts->snapshot, task->tid, &after);
		if (!ret && snapshot_task__slept(task, &after)) {
			stack->quality = quality_of(t, task);
			return 0;
		}
	}
	stack->quality = quality;
	stack->nr = 0;
	return ret;
}

/* It has ended, or may not be looked at any more. */
static bool is_gone(int ret)
{
	return ret == -ESRCH || ret == -EACCES || ret == -EPERM;
}

/* Maps may have changed since: the process may even be another program. met: the process before */
static int meet_again(struct taking *t, const struct snapshot_task *task, u32 *met, struct errmsg *err)
{
	if (!task->has_regs || task->pid == *met)
		return 0;
	*met = task->pid;
	return t->opts->meet(t->opts->data, task->pid, err);
}

static int read_one(struct taking *t, struct thread_stack *stack, struct errmsg *err)
{
	int ret;

	open_memory(t, stack->task);
	ret = read_again(t, stack);
	task_memory__delete(t->memory);
	t->memory = NULL;
	return !ret || is_gone(ret) ? ret : errmsg__set(err, -ret, "cannot look at a task again: %s", strerror(-ret));
}

static int leave_torn(struct thread_stack *stack)
{
	stack->quality = STACK_TORN;
	stack->nr = 0;
	return 0;
}

/* Those that are gone meanwhile are left out. */
static int read_rest(struct taking *t, const bool *slept, struct errmsg *err)
{
	struct thread_stacks *all = t->all;
	u32 nr = 0, met = 0;
	int ret = 0;

	for (u32 i = 0; i < all->nr; i++) {
		struct thread_stack *stack = &all->stack[i];

		if (!ret && (!slept[i] || stack->quality == STACK_TORN))
			ret = is_late(t) ? leave_torn(stack) : meet_again(t, stack->task, &met, err) ?: read_one(t, stack, err);
		if (is_gone(ret))
			drop(stack);
		else
			all->stack[nr++] = *stack;
		ret = is_gone(ret) ? 0 : ret;
	}
	all->nr = nr;
	return ret;
}

/* Owners of what threads wait for */

const struct thread_stack *thread_stacks__find(const struct thread_stacks *all, u32 pid, u32 tid)
{
	struct snapshot_task task = { .pid = pid, .tid = tid };
	const struct thread_stack key = { .task = &task };

	return all->nr ? bsearch(&key, all->stack, all->nr, sizeof(key), compare) : NULL;
}

static int compare_inner(const void *a, const void *b)
{
	const struct snapshot_task *first = (*(struct thread_stack *const *)a)->task, *second = (*(struct thread_stack *const *)b)->task;

	if (first->pid_ns != second->pid_ns)
		return first->pid_ns < second->pid_ns ? -1 : 1;
	return first->inner_tid < second->inner_tid ? -1 : first->inner_tid > second->inner_tid;
}

/* A thread that is none of the target */
static bool exists(u32 pid, u32 tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, tid);
	return !access(path, F_OK);
}

/* A futex that processes share: FUTEX_PRIVATE_FLAG is not set. */
static bool is_shared(const struct snapshot_task *waiter)
{
	return !(waiter->arg[1] & FUTEX_PRIVATE_FLAG);
}

/* The owner has its tid in the waiter's namespace, which mostly is that of perf. by_inner: all threads, by compare_inner() */
static void set_owner(struct thread_stack *waiter, struct thread_stack *const *by_inner, u32 nr)
{
	struct snapshot_task task = { .pid_ns = waiter->task->pid_ns, .inner_tid = waiter->wait.owner };
	const struct thread_stack key = { .task = &task }, *const at = &key;
	struct thread_stack *const *found = bsearch(&at, by_inner, nr, sizeof(*by_inner), compare_inner);
	const u32 pid = waiter->task->pid, tid = waiter->wait.owner;

	if (found && ((*found)->task->pid == pid || (is_shared(waiter->task) && task.pid_ns))) {
		waiter->owner = (*found)->task->tid;
		waiter->owner_pid = (*found)->task->pid;
	} else if (waiter->task->inner_tid == waiter->task->tid && (exists(pid, tid) || (is_shared(waiter->task) && exists(tid, tid)))) {
		waiter->owner = tid;
		waiter->owner_pid = exists(pid, tid) ? pid : tid;
	}
}

bool thread_stack__waits_in_kernel(const struct thread_stack *stack)
{
	return stack->task->lock.address && (stack->quality == STACK_WHOLE || stack->quality == STACK_CLOSED);
}

static void find_owner(struct thread_stack *stack, struct thread_stack *const *by_inner, u32 nr)
{
	stack->owner = stack->owner_pid = 0;
	if (stack->quality != STACK_WHOLE || thread_stack__waits_in_kernel(stack))
		stack->wait = (struct futex_wait){ .kind = FUTEX_KIND_NONE };
	if (stack->wait.owner)
		set_owner(stack, by_inner, nr);
	if (!thread_stack__waits_in_kernel(stack))
		return;
	stack->owner = stack->task->lock.owner;
	stack->owner_pid = stack->task->lock.owner_pid;
}

static int find_owners(struct thread_stacks *all)
{
	struct thread_stack **by_inner = calloc(all->nr ?: 1, sizeof(*by_inner));

	if (!by_inner)
		return -ENOMEM;
	for (u32 i = 0; i < all->nr; i++)
		by_inner[i] = &all->stack[i];
	qsort(by_inner, all->nr, sizeof(*by_inner), compare_inner);
	for (u32 i = 0; i < all->nr; i++)
		find_owner(&all->stack[i], by_inner, all->nr);
	free(by_inner);
	return 0;
}

static bool still_waits_for_futex(const struct thread_stack *stack)
{
	struct task_memory *memory;
	struct futex_wait wait;

	if (task_memory__new(stack->task->tid, &memory))
		return false;
	futex_wait__read(&wait, stack->task, memory);
	task_memory__delete(memory);
	return wait.kind == stack->wait.kind && wait.address == stack->wait.address && wait.owner == stack->wait.owner;
}

bool thread_stack__still_waits(const struct thread_stack *stack, struct snapshot *snapshot)
{
	const struct snapshot_lock *lock = &stack->task->lock;
	struct snapshot_task now;

	if (!thread_stack__waits_in_kernel(stack) && !still_waits_for_futex(stack))
		return false;
	if (snapshot__look(snapshot, stack->task->tid, &now) || !snapshot_task__slept(stack->task, &now))
		return false;
	return now.lock.address == lock->address && now.lock.owner == lock->owner;
}

static int settle(struct taking *t, struct errmsg *err)
{
	struct confirming c = { .all = t->all, .slept = calloc(t->all->nr ?: 1, sizeof(bool)) };
	int ret = c.slept ? snapshot__list_again(t->opts->snapshot, confirm, &c, err) : errmsg__set(err, ENOMEM, "out of memory");

	ret = ret ?: read_rest(t, c.slept, err);
	free(c.slept);
	if (!ret && find_owners(t->all))
		ret = errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

int thread_stacks__take(struct thread_stacks *all, const struct thread_stacks_opts *opts, struct errmsg *err)
{
	struct taking t = { .all = all, .opts = opts };
	const struct unwind_memory memory = { .read = read_memory, .data = &t };
	int ret;

	thread_stacks__exit(all);
	unwinder__set_memory(opts->unwinder, &memory);
	ret = snapshot__list(opts->snapshot, add_task, all, err);
	if (all->nr)
		qsort(all->stack, all->nr, sizeof(*all->stack), compare);
	for (u32 i = 0, end; i < all->nr && !ret && !is_late(&t); i = end) {
		end = end_of_process(all, i);
		ret = walk_process(&t, i, end, err);
	}
	ret = ret ?: settle(&t, err);
	unwinder__set_memory(opts->unwinder, NULL);
	return ret;
}
