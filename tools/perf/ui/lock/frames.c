// SPDX-License-Identifier: GPL-2.0
#include "ui/lock/frames.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "util/source/bpf-frames.h"

#define MAX_PLUMBING 10 /* frames */

/* The tracepoint's own functions, where they are not inlined: include/linux/tracepoint.h */
static const char *const tracepoint[] = { "trace_contention_", "do_trace_contention_", "__do_trace_contention_", NULL };

/* Names of functions that wait for a lock begin so. */
static const char *const locking[] = {
	"mutex_lock", "__mutex_", "mutex_optimistic_spin", "ww_mutex_lock", "__ww_mutex_", "rt_mutex_", "__rt_mutex_", "rtlock_", "rt_spin_",
	"rt_read_", "rt_write_", "down_", "__down", "___down", "rwsem_", "__rwsem_", "percpu_down_", "__percpu_down_", "percpu_rwsem_",
	"queued_spin_", "queued_read_", "queued_write_", "native_queued_", "__pv_queued_", "pv_queued_", "resilient_", "_raw_", "__raw_", "raw_spin_",
	"do_raw_", "schedule", "__schedule", "preempt_schedule", NULL,
};

static bool begins_with_one(const char *name, const char *const *prefix)
{
	for (; *prefix; prefix++) {
		if (!strncmp(name, *prefix, strlen(*prefix)))
			return true;
	}
	return false;
}

static bool find_recorded(const struct lock_frames *f, u64 address, struct kernel_name *name)
{
	struct location loc;

	resolver__resolve(f->resolver, NULL, PERF_RECORD_MISC_KERNEL, address, &loc);
	if (!loc.sym)
		return false;
	*name = (struct kernel_name){ .start = address - (loc.sym_addr - loc.sym->start), .name = loc.sym->name, .is_code = true };
	return true;
}

/* A frame is a return address: the call is before it. */
static bool find_call(const struct lock_frames *f, u64 frame, struct kernel_name *name)
{
	const struct kernel_name *found;

	if (f->resolver)
		return find_recorded(f, frame - 1, name);
	found = f->names ? kernel_names__find(f->names, frame - 1) : NULL;
	if (found)
		*name = *found;
	return found;
}

void lock_frames__init(struct lock_frames *f, const struct kernel_names *names)
{
	const struct kernel_name *start = names ? kernel_names__find_name(names, "__lock_text_start") : NULL;
	const struct kernel_name *end = names ? kernel_names__find_name(names, "__lock_text_end") : NULL;

	const struct kernel_name *variable = names ? kernel_names__find_name(names, "jiffies_64") : NULL;

	*f = (struct lock_frames){ .names = names, .all_variables = variable };
	if (!start || !end)
		return;
	f->text_start = start->start;
	f->text_end = end->start;
}

/* Kernels need not list their BPF programs, so a frame without a name may come before the tracepoint's. */
u32 lock_frames__plumbing(const struct lock_frames *f, const u64 *frame, u32 nr)
{
	u32 skip = 0;

	for (u32 i = 0; i < nr && i < MAX_PLUMBING; i++) {
		struct kernel_name name;

		if (find_call(f, frame[i], &name) && (bpf_frames__is_one(name.name) || begins_with_one(name.name, tracepoint)))
			skip = i + 1;
	}
	return skip;
}

static bool is_locking(const struct lock_frames *f, u64 frame)
{
	struct kernel_name name;

	if (frame > f->text_start && frame <= f->text_end)
		return true;
	return find_call(f, frame, &name) && (begins_with_one(name.name, locking) || !strcmp(name.name, "down"));
}

/* User space */

/*
 * Files whose functions are all part of waiting, whoever calls them. The C library's often have no names, and it calls the program's first
 * function, too.
 */
static const char *const waiting_files[] = { "libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "libstdc++", "libjvm.so", "[vdso]", NULL };

/* Functions of programs that are linked statically, and of Go's and Rust's runtimes */
static const char *const waiting[] = {
	"pthread_", "__pthread_", "___pthread_", "__lll_lock_", "__futex_", "futex_", "__GI___futex_", "__new_sem_", "__timedwait", "syscall", "runtime.",
	"internal/runtime/", "sync.(", "internal/sync.(", "std::sys::", "std::sync::", "std::thread::park", "parking_lot", "__tsan_", NULL,
};

static struct thread *find_thread(const struct lock_frames *f, u32 pid)
{
	return f->live ? machine__known_thread(session__machine(f->live), pid) : NULL;
}

static bool find_user(const struct lock_frames *f, u32 pid, u64 address, struct location *loc)
{
	struct thread *thread = find_thread(f, pid);

	if (!thread)
		return false;
	resolver__resolve(session__resolver(f->live), thread, PERF_RECORD_MISC_USER, address, loc);
	return loc->dso;
}

static bool is_waiting(const struct lock_frames *f, u32 pid, u64 frame)
{
	struct location loc;

	if (!find_user(f, pid, frame - 1, &loc))
		return false;
	return begins_with_one(loc.dso->short_name, waiting_files) || (loc.sym && begins_with_one(loc.sym->name, waiting));
}

static u32 before_user_caller(const struct lock_frames *f, const struct lock_stack *stack)
{
	u32 i = 0;

	while (i < stack->nr && is_waiting(f, stack->pid, stack->frame[i]))
		i++;
	return i < stack->nr ? i : 0;
}

static const char *name_in_user(const struct lock_frames *f, u32 pid, u64 address, char *buf, size_t size)
{
	struct location loc;

	if (!find_user(f, pid, address - 1, &loc))
		snprintf(buf, size, "%#" PRIx64, address);
	else if (loc.sym)
		snprintf(buf, size, "%s+%#" PRIx64, loc.sym->name, loc.sym_addr + 1 - loc.sym->start);
	else
		snprintf(buf, size, "%s+%#" PRIx64, loc.dso->short_name, loc.sym_addr + 1);
	return buf;
}

static bool is_shared(const struct map *map)
{
	return map->of->flags & MAP_SHARED && map->of->ino_known && map->of->ino;
}

void lock_frames__find_data(const struct lock_frames *f, u32 pid, u64 address, struct lock_data *data)
{
	struct thread *thread = find_thread(f, pid);
	struct location loc;

	*data = (struct lock_data){ 0 };
	if (thread)
		resolver__resolve_data(session__resolver(f->live), thread, address, &loc);
	if (!thread || !loc.map)
		return;
	if (is_shared(loc.map)) {
		data->ino = loc.map->of->ino;
		data->offset = loc.sym_addr;
	}
	if (loc.sym && loc.sym->is_data && loc.sym_addr == loc.sym->start)
		snprintf(data->name, sizeof(data->name), "%s", loc.sym->name);
	else if (loc.sym && loc.sym->is_data)
		snprintf(data->name, sizeof(data->name), "%s+%#" PRIx64, loc.sym->name, loc.sym_addr - loc.sym->start);
	else
		snprintf(data->name, sizeof(data->name), "%s+%#" PRIx64, loc.dso->short_name, address - loc.map->start +
			 (loc.dso->name[0] == '/' && loc.dso->name[1] != '/' ? loc.map->pgoff : 0));
}

/* Both */

u32 lock_frames__before_caller(const struct lock_frames *f, const struct lock_stack *stack, int skip)
{
	u32 i = stack->pid ? 0 : lock_frames__plumbing(f, stack->frame, stack->nr);

	if (skip >= 0)
		return i + (u64)skip < stack->nr ? i + skip : stack->nr;
	if (stack->pid)
		return before_user_caller(f, stack);
	while (i < stack->nr && is_locking(f, stack->frame[i]))
		i++;
	return i;
}

const char *lock_frames__name(const struct lock_frames *f, u32 pid, u64 address, char *buf, size_t size)
{
	struct kernel_name name;

	if (pid)
		return name_in_user(f, pid, address, buf, size);
	if (find_call(f, address, &name))
		snprintf(buf, size, "%s+%#" PRIx64, name.name, address - name.start);
	else
		snprintf(buf, size, "%#" PRIx64, address);
	return buf;
}
