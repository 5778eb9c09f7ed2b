// SPDX-License-Identifier: GPL-2.0
#include "util/machine/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/machine/maps.h"

#define PID_UNKNOWN ((u32)-1)

struct thread_node {
	struct thread thread;
	UT_hash_handle hh;
};

struct comm_name {
	UT_hash_handle hh;
	char name[];
};

void threads__exit(struct threads *threads)
{
	struct thread_node *node, *next;
	struct comm_name *comm, *next_comm;

	HASH_ITER(hh, threads->by_tid, node, next) {
		HASH_DEL(threads->by_tid, node);
		maps__put(node->thread.maps);
	}
	arena__exit(&threads->arena);
	HASH_ITER(hh, threads->comms, comm, next_comm) {
		HASH_DEL(threads->comms, comm);
		free(comm);
	}
}

static struct comm_name *find_name(struct threads *threads, const char *name)
{
	struct comm_name *comm;

	HASH_FIND_BYHASHVALUE(hh, threads->comms, name, strlen(name), hash_text(name), comm);
	return comm;
}

static const char *threads__intern(struct threads *threads, const char *name)
{
	struct comm_name *comm = find_name(threads, name), *same;

	if (comm)
		return comm->name;
	comm = calloc(1, sizeof(*comm) + strlen(name) + 1);
	if (!comm)
		return NULL;
	strcpy(comm->name, name);
	if (printable__clean_bytes(comm->name, strlen(name))) {
		same = find_name(threads, comm->name);
		if (same) {
			free(comm);
			return same->name;
		}
	}
	HASH_ADD_BYHASHVALUE(hh, threads->comms, name, strlen(comm->name), hash_text(comm->name), comm);
	if (!hash_added(comm)) {
		free(comm);
		return NULL;
	}
	return comm->name;
}

int threads__set_comm(struct threads *threads, struct thread *thread, const char *comm)
{
	const char *name = threads__intern(threads, comm);

	if (!name)
		return -ENOMEM;
	thread->comm = name;
	if (!thread->comm_set)
		thread->first_comm = name;
	thread->comm_set = true;
	return 0;
}

static struct thread_node **recent_place(struct threads *threads, u32 tid)
{
	return &threads->recent[tid % ARRAY_SIZE(threads->recent)];
}

static u32 tid_hash(u32 tid)
{
	return hash_mix(0, tid);
}

static struct thread_node *threads__find_node(struct threads *threads, u32 tid)
{
	struct thread_node **recent = recent_place(threads, tid), *node = *recent;

	if (node && node->thread.tid == tid)
		return node;
	HASH_FIND_BYHASHVALUE(hh, threads->by_tid, &tid, sizeof(tid), tid_hash(tid), node);
	if (node)
		*recent = node;
	return node;
}

int threads__for_each(struct threads *threads, int (*cb)(const struct thread *thread, void *data), void *data)
{
	struct thread_node *node, *next;
	int ret = 0;

	HASH_ITER(hh, threads->by_tid, node, next) {
		ret = cb(&node->thread, data);
		if (ret)
			break;
	}
	return ret;
}

const char *comm__shown(const char *comm)
{
	return *comm ? comm : "[no name]";
}

struct thread *threads__find(struct threads *threads, u32 tid)
{
	struct thread_node *node = threads__find_node(threads, tid);

	return node ? &node->thread : NULL;
}

/* The name of a thread without a name in records. */
static int threads__init_comm(struct threads *threads, struct thread *thread)
{
	char comm[16];

	if (thread->tid == 0)
		return threads__set_comm(threads, thread, "swapper");
	snprintf(comm, sizeof(comm), ":%d", (int)thread->tid);
	thread->comm = threads__intern(threads, comm);
	return thread->comm ? 0 : -ENOMEM;
}

/* Another thread took over its tid. Samples and entries may still refer to it, but none of its samples is resolved any more. */
static void thread_node__retire(struct thread_node *node)
{
	maps__put(node->thread.maps);
	node->thread.maps = NULL;
}

/*
 * Takes over the reference on maps, even if it fails; maps NULL: the caller ran out of memory. parent: it has its name, if that is set; NULL:
 * none is known.
 */
static struct thread *threads__add(struct threads *threads, u32 pid, u32 tid, struct maps *maps, const struct thread *parent)
{
	struct thread_node *old = threads__find_node(threads, tid), *node = arena__add(&threads->arena, sizeof(*node));

	if (!node || !maps)
		goto err;
	*node = (struct thread_node){ .thread = { .pid = tid == 0 ? 0 : pid, .tid = tid, .ppid = PID_UNKNOWN } };
	if (parent && parent->comm_set) {
		node->thread.comm = node->thread.first_comm = parent->comm;
		node->thread.comm_set = true;
	} else if (threads__init_comm(threads, &node->thread)) {
		goto err;
	}
	if (old)
		HASH_DEL(threads->by_tid, old);
	HASH_ADD_BYHASHVALUE(hh, threads->by_tid, thread.tid, sizeof(tid), tid_hash(tid), node);
	if (old)
		thread_node__retire(old);
	*recent_place(threads, tid) = NULL;
	if (!hash_added(node))
		goto err;
	node->thread.maps = maps;
	return &node->thread;
err:
	maps__put(maps);
	return NULL;
}

/* Get the maps of process pid for a thread that is not its leader. Returns a reference, or NULL: -ENOMEM. */
static struct maps *threads__process_maps(struct threads *threads, u32 pid)
{
	struct thread *leader = threads__get(threads, pid, pid);

	return leader ? maps__get(leader->maps) : NULL;
}

static int threads__set_pid(struct threads *threads, struct thread *thread, u32 pid)
{
	if (thread->tid != pid) {
		struct maps *maps = threads__process_maps(threads, pid);

		if (!maps)
			return -ENOMEM;
		maps__put(thread->maps);
		thread->maps = maps;
	}
	thread->pid = pid;
	return 0;
}

struct thread *threads__get(struct threads *threads, u32 pid, u32 tid)
{
	struct thread *thread = threads__find(threads, tid);

	if (thread && (thread->pid == pid || pid == PID_UNKNOWN || tid == 0))
		return thread;
	if (thread && thread->pid == PID_UNKNOWN)
		return threads__set_pid(threads, thread, pid) ? NULL : thread;
	/* A new thread, or one in another process than before: the tid was reused, and the FORK record was lost. */
	if (pid == tid || pid == PID_UNKNOWN)
		return threads__add(threads, pid, tid, maps__new(), NULL);
	return threads__add(threads, pid, tid, threads__process_maps(threads, pid), NULL);
}

struct thread *threads__fork(struct threads *threads, u32 pid, u32 tid, struct thread *parent, bool clone_maps)
{
	struct thread *thread;
	struct maps *maps;

	if (pid != tid)
		maps = threads__process_maps(threads, pid);
	else
		maps = clone_maps ? maps__clone(parent->maps) : maps__new();
	thread = threads__add(threads, pid, tid, maps, parent);
	if (thread)
		thread->ppid = pid == parent->pid ? parent->ppid : parent->pid;
	return thread;
}
