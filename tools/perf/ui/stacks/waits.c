// SPDX-License-Identifier: GPL-2.0
#include "ui/stacks/waits.h"

#include <inttypes.h>
#include <string.h>
#include "ui/lock/frames.h"
#include "ui/trace/values.h"
#include "util/lib/printable.h"
#include "util/source/lock-places.h"
#include "util/source/trace-memory.h"

#define COPY_ROOM 8192 /* of the descriptors of a call */

int stacks_waits__init(struct stacks_waits *w, struct session *session, const struct thread_stacks *all, struct errmsg *err)
{
	bool wanted[TRACE_MAX_CALLS] = { false };
	int ret;

	*w = (struct stacks_waits){ .session = session, .all = all };
	for (u32 i = 0; i < all->nr; i++) {
		if (all->stack[i].task->call >= 0 && !all->stack[i].task->compat)
			wanted[trace_row(all->stack[i].task->call)] = true;
	}
	ret = syscall_formats__new(wanted, &w->formats, err);
	for (int i = 0; i < TRACE_MAX_CALLS && !ret; i++)
		w->formats->rule[i].nr_copies = 0; /* files alone */
	return ret;
}

void stacks_waits__exit(struct stacks_waits *w)
{
	syscall_formats__delete(w->formats);
	w->formats = NULL;
}

void stacks_waits__put_thread(struct text *to, const struct thread_stacks *all, u32 pid, u32 tid)
{
	const struct thread_stack *stack = thread_stacks__find(all, pid, tid);
	char name[sizeof(stack->task->comm) + 1];

	text__printf(to, "thread %u", tid);
	if (!stack)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(stack->task->comm), stack->task->comm);
	text__printf(to, " (%s)", comm__shown(printable__clean(name)));
}

/* "mutex 0x7fe5f2500040 (the_lock)" */
static void put_place(const struct stacks_waits *w, struct text *to, const struct thread_stack *stack, const char *what)
{
	const struct lock_frames frames = { .live = w->session };
	struct lock_data data;

	lock_frames__find_data(&frames, stack->task->pid, stack->wait.address, &data);
	text__printf(to, "%s %#" PRIx64, what, stack->wait.address);
	if (*data.name)
		text__printf(to, " (%s)", data.name);
}

static void put_futex(const struct stacks_waits *w, struct text *to, const struct thread_stack *stack)
{
	if (stack->owner && stack->wait.kind == FUTEX_KIND_THREAD) {
		text__str(to, "waits for the end of ");
		stacks_waits__put_thread(to, w->all, stack->owner_pid, stack->owner);
	} else if (stack->owner) {
		put_place(w, to, stack, "waits for mutex");
		text__str(to, ", held by ");
		stacks_waits__put_thread(to, w->all, stack->owner_pid, stack->owner);
	} else {
		put_place(w, to, stack, "waits for futex");
	}
}

/* "mutex 0xffff888104c3f0a0 (&inode_cache->i_rwsem)" */
static void put_lock_place(struct text *to, const struct snapshot_lock *lock)
{
	char name[160], whose[160] = "";

	text__printf(to, "%s %#" PRIx64, lock->flags & LOCK_FLAG_MUTEX ? "mutex" : lock->flags ? "rwsem" : "semaphore", (u64)lock->address);
	if (!lock_place__name(&lock->name, name, sizeof(name)))
		return;
	lock_place__whose(&lock->name, whose, sizeof(whose));
	text__printf(to, " (%s%s)", printable__clean(name), printable__clean(whose));
}

static void put_kernel_lock(const struct stacks_waits *w, struct text *to, const struct thread_stack *stack)
{
	const struct snapshot_lock *lock = &stack->task->lock;

	text__str(to, "waits for the kernel's ");
	put_lock_place(to, lock);
	if (lock->flags == LOCK_FLAG_READ)
		text__str(to, ", to read");
	if (lock->readers)
		text__str(to, ", held by readers");
	if (!stack->owner)
		return;
	text__str(to, ", held by ");
	stacks_waits__put_thread(to, w->all, stack->owner_pid, stack->owner);
}

/* A file of a call: readlink(2) does not tell the peer of a socket, but the kernel has. */
static void put_file(struct text *to, const struct snapshot_task *task, const struct trace_copy *copy)
{
	struct {
		struct trace_file file;
		struct trace_socket socket;
	} peer = { .socket = task->socket };

	memcpy(&peer.file, copy + 1, sizeof(peer.file));
	if (peer.file.kind == TRACE_FILE_SOCKET && !copy->arg && task->socket.family)
		trace_values__file(to, (const char *)&peer, sizeof(peer));
	else
		trace_values__file(to, (const char *)(copy + 1), copy->size);
}

/* first: the words before the first file */
static void put_files(const struct stacks_waits *w, struct text *to, const struct snapshot_task *task, const char *first)
{
	const struct trace_opts opts = { .rule = w->formats->rule };
	union {
		struct trace_call call;
		u64 room[COPY_ROOM / sizeof(u64)];
	} c = { .call = { .tid = task->tid, .nr = task->call } };
	const struct trace_copy *copy = (const void *)(&c.call + 1);

	memcpy(c.call.arg, task->arg, sizeof(task->arg));
	trace_memory__copy(&c.call, sizeof(c), &opts);
	for (int i = 0; i < c.call.nr_copies; i++) {
		text__printf(to, "%s file %d ", i ? "," : first, (int)c.call.arg[copy->arg]);
		put_file(to, task, copy);
		copy = (const void *)((const char *)(copy + 1) + ((copy->size + 7U) & ~7U));
	}
}

static bool may_use_files(const struct stacks_waits *w, const struct snapshot_task *task)
{
	return w->formats && task->call >= 0 && !task->compat && task->state != OFFCPU_RUNNING;
}

void stacks_waits__describe(const struct stacks_waits *w, struct text *to, const struct thread_stack *stack)
{
	const struct snapshot_task *task = stack->task;
	const bool in_kernel = thread_stack__waits_in_kernel(stack);

	if (in_kernel)
		put_kernel_lock(w, to, stack);
	if (stack->wait.kind != FUTEX_KIND_NONE)
		put_futex(w, to, stack);
	else if (may_use_files(w, task))
		put_files(w, to, task, in_kernel ? "; uses" : "uses");
}
