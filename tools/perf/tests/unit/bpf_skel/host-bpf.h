/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a BPF program's source in user space, as a part of a test: include this first, then
 * util/bpf_skel/NAME.bpf.c. The test is the kernel: it has the clock, the CPUs and the tasks (struct host), and
 * calls the programs, as the kernel does, with what happens. So events that are rare, as a full map or a hidden
 * switch, come when the test wants them, and each result is known to the nanosecond.
 *
 * What the verifier thinks of a program, and what the kernel's helpers do, the tests in tests/cmd find out.
 */
#ifndef PERF_TESTS_HOST_BPF_H
#define PERF_TESTS_HOST_BPF_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* filter-table.bpf.h counts on optimization. Programs read numbers where the kernel has structs. */
#pragma GCC optimize("O2", "no-strict-aliasing")
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Waddress"
#pragma GCC diagnostic ignored "-Wstrict-aliasing"

#if defined(__x86_64__)
#define __TARGET_ARCH_x86
#elif defined(__aarch64__)
#define __TARGET_ARCH_arm64
#endif
#undef bool
#undef true
#undef false
#include "util/bpf_skel/vmlinux.h"

/* What follows is in place of libbpf's headers for programs, which then have nothing. */
#define __BPF_HELPERS__
#define __BPF_CORE_READ_H__
#define __BPF_TRACING_H__

#define SEC(name) __attribute__((unused))
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name
#define __array(name, val) typeof(val) **value /* of maps */
#define __ksym
#define __weak __attribute__((weak))
#define __noinline __attribute__((noinline))
#define BPF_PROG(name, args...) name(unsigned long long *ctx, ##args)
#define barrier_var(var) asm volatile("" : "+r"(var))
#define barrier() asm volatile("" : : : "memory")

struct host_value { /* an entry of a map */
	struct host_value *next;
	const void *map, *key;
	size_t key_size;
	__u32 cpu;
	void *value;
};

#define HOST_RECORDS 64
#define HOST_FRAMES 8

static struct host {
	__u64 now;
	__u32 cpu;
	struct task_struct *task; /* the current one */
	void *regs;		  /* its registers in user space */
	struct bpf_perf_event_value event; /* all counters of PMUs */
	/* What goes wrong */
	const void *full;	  /* this map takes no new entry */
	const void *no_storage;	  /* this storage of tasks neither */
	bool ring_full, no_stack;
	__u32 uid; /* the current task's */
	__u64 ring_waiting, ring_taken; /* bytes */
	__u64 frame[HOST_FRAMES]; /* all stacks, the kernel's and the user's */
	__u32 nr_frames;
	/* What rings and iterators were given */
	struct {
		__u32 size;
		__u64 flags;
		void *data;
	} record[HOST_RECORDS];
	__u32 nr_records;
	struct host_value *values;
} host;

static inline struct host_value *host_find(const void *map, const void *key, size_t key_size, __u32 cpu)
{
	struct host_value *v;

	for (v = host.values; v; v = v->next) {
		if (v->map == map && v->cpu == cpu && v->key_size == key_size &&
		    !memcmp(v->key, key, key_size))
			return v;
	}
	return NULL;
}

static inline void *host_copy(const void *from, size_t size)
{
	void *copy = calloc(1, size ?: 1);

	assert_non_null(copy);
	if (from)
		memcpy(copy, from, size);
	return copy;
}

static inline struct host_value *host_add(const void *map, const void *key, size_t key_size, __u32 cpu,
					  const void *value, size_t size)
{
	struct host_value *v = calloc(1, sizeof(*v));

	assert_non_null(v);
	*v = (struct host_value){
		.next = host.values,
		.map = map,
		.key = host_copy(key, key_size),
		.key_size = key_size,
		.cpu = cpu,
		.value = host_copy(value, size),
	};
	host.values = v;
	return v;
}

static inline void host_free(struct host_value *v)
{
	free((void *)v->key);
	free(v->value);
	free(v);
}

/* Arrays have all entries, and a per-CPU one one for each CPU. */
static inline void *host_lookup(const void *map, int type, const void *key, size_t key_size, size_t size)
{
	const bool is_array = type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
	const __u32 cpu = type == BPF_MAP_TYPE_PERCPU_ARRAY ? host.cpu : 0;
	struct host_value *v = host_find(map, key, key_size, cpu);

	if (!v && is_array && map != host.full)
		v = host_add(map, key, key_size, cpu, NULL, size);
	return v ? v->value : NULL;
}

static inline long host_update(const void *map, int type, const void *key, size_t key_size, const void *value,
			       size_t size, __u64 flags)
{
	void *old = host_lookup(map, type, key, key_size, size);

	if (old && flags == BPF_NOEXIST)
		return -EEXIST;
	if (old)
		memcpy(old, value, size);
	else if (map == host.full)
		return -E2BIG;
	else
		host_add(map, key, key_size, 0, value, size);
	return 0;
}

static inline long host_delete(const void *map, const void *key, size_t key_size)
{
	struct host_value **v = &host.values, *found = host_find(map, key, key_size, 0);

	if (!found)
		return -ENOENT;
	while (*v != found)
		v = &(*v)->next;
	*v = found->next;
	host_free(found);
	return 0;
}

static inline void *host_storage(const void *map, struct task_struct *task, const void *value, size_t size,
				 __u64 flags)
{
	struct host_value *v = host_find(map, &task, sizeof(task), 0);

	if (!v && flags & BPF_LOCAL_STORAGE_GET_F_CREATE && map != host.no_storage)
		v = host_add(map, &task, sizeof(task), 0, value, size);
	return v ? v->value : NULL;
}

static inline void *host_record(const void *data, __u32 size, __u64 flags)
{
	assert_true(host.nr_records < HOST_RECORDS);
	host.record[host.nr_records].size = size;
	host.record[host.nr_records].flags = flags;
	return host.record[host.nr_records++].data = host_copy(data, size);
}

/* Begin anew: all tasks, maps and records are gone. */
static inline void host_reset(void)
{
	struct host_value *v;

	while ((v = host.values)) {
		host.values = v->next;
		host_free(v);
	}
	while (host.nr_records)
		free(host.record[--host.nr_records].data);
	host = (struct host){ .nr_frames = 2, .frame = { 0x10, 0x20 } };
}

#define host_type(map) (int)(sizeof(*(map)->type) / sizeof(int))

/* A map that is a value of another one, of no type: a test that wants some says of which values. */
#ifndef HOST_INNER_VALUE
#define HOST_INNER_VALUE char
#endif
struct host_inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u32);
	__type(value, HOST_INNER_VALUE);
};
#define host_map(map) _Generic((map), void *: (struct host_inner *)(map), default: (map))

#define bpf_map_lookup_elem(map, key_) \
	host_lookup(map, host_type(host_map(map)), key_, sizeof(*host_map(map)->key), sizeof(*host_map(map)->value))
#define bpf_map_update_elem(map, key_, value_, flags) \
	host_update(map, host_type(map), key_, sizeof(*(map)->key), value_, sizeof(*(map)->value), flags)
#define bpf_map_delete_elem(map, key_) host_delete(map, key_, sizeof(*(map)->key))
#define bpf_task_storage_get(map, task, value_, flags) host_storage(map, task, value_, sizeof(*(map)->value), flags)

#define bpf_ktime_get_ns() (host.now)
#define bpf_get_smp_processor_id() (host.cpu)
#define bpf_get_current_task_btf() (host.task)
#define bpf_get_current_task() ((unsigned long)host.task)
#define bpf_get_current_pid_tgid() ((__u64)host.task->tgid << 32 | (__u32)host.task->pid)
#define bpf_get_current_uid_gid() ((__u64)host.uid)
#define bpf_get_current_cgroup_id() 1ULL
#define bpf_get_current_ancestor_cgroup_id(level) 0ULL
#define bpf_get_prandom_u32() 4U
static inline long bpf_get_current_comm(void *to, __u32 size)
{
	memcpy(to, host.task->comm, size);
	return 0;
}
#define bpf_task_pt_regs(task) (host.regs)

#define bpf_loop(nr, callback, data, flags)			\
	({							\
		__u32 i_;					\
								\
		for (i_ = 0; i_ < (nr) && !callback(i_, data); i_++)	\
			;					\
		i_;						\
	})

static inline long host_stack(void *to, __u32 size)
{
	const __u32 bytes = host.nr_frames * sizeof(__u64);

	if (host.no_stack || bytes > size)
		return -EFAULT;
	memcpy(to, host.frame, bytes);
	return bytes;
}
#define bpf_get_stack(ctx, to, size, flags) host_stack(to, size)
#define bpf_get_task_stack(task, to, size, flags) host_stack(to, size)

#define bpf_perf_event_read_value(map, index, to, size) ((void)(index), *(to) = host.event, 0)

static inline __u64 host_ring(__u64 what)
{
	switch (what) {
	case BPF_RB_RING_SIZE:
		return 4096;
	case BPF_RB_CONS_POS:
		return host.ring_taken;
	case BPF_RB_PROD_POS:
		return host.ring_taken + host.ring_waiting;
	default:
		return host.ring_waiting;
	}
}
#define bpf_ringbuf_query(ring, what) host_ring(what)
#define bpf_ringbuf_reserve(ring, size, flags) (host.ring_full ? NULL : host_record(NULL, size, 0))
#define bpf_ringbuf_submit(record, flags) ((void)(flags))
#define bpf_ringbuf_output(ring, data, size, flags) (host.ring_full ? -EAGAIN : !host_record(data, size, flags))
#define bpf_seq_write(seq, data, size) ((void)host_record(data, size, 0))

/* Addresses in the first page, and those that no user has, are not mapped. */
static inline bool host_is_mapped(const void *at)
{
	return (uintptr_t)at >= 4096 && (uintptr_t)at < 1ULL << 56;
}

static inline long host_read(void *to, __u32 size, const void *from)
{
	if (!host_is_mapped(from)) {
		memset(to, 0, size);
		return -EFAULT;
	}
	memcpy(to, from, size);
	return 0;
}

static inline long host_read_str(void *to, __u32 size, const void *from)
{
	if (!host_is_mapped(from))
		return -EFAULT;
	return snprintf(to, size, "%s", (const char *)from) + 1;
}
#define bpf_probe_read_kernel(to, size, from) host_read(to, size, from)
#define bpf_probe_read_user(to, size, from) host_read(to, size, from)
#define bpf_probe_read_kernel_str(to, size, from) host_read_str(to, size, from)
#define bpf_probe_read_user_str(to, size, from) host_read_str(to, size, from)
#define bpf_core_read(to, size, from) host_read(to, size, from)
#define bpf_core_read_str(to, size, from) host_read_str(to, size, from)

#define HOST_READ_2(from, a) (from)->a
#define HOST_READ_3(from, a, b) (from)->a->b
#define HOST_READ_4(from, a, b, c) (from)->a->b->c
#define HOST_READ_5(from, a, b, c, d) (from)->a->b->c->d
#define HOST_READ(_1, _2, _3, _4, _5, name, ...) name
#define BPF_CORE_READ(args...) HOST_READ(args, HOST_READ_5, HOST_READ_4, HOST_READ_3, HOST_READ_2, 0)(args)
#define BPF_CORE_READ_BITFIELD_PROBED(from, member) (from)->member
#define bpf_core_field_exists(...) 1
#define bpf_core_type_size(type) sizeof(type)
#define bpf_core_field_offset(type, member) offsetof(type, member)
#define bpf_core_type_id_kernel(type) 0

/* A task that all programs may ask anything of */
struct host_task {
	struct task_struct task;
	struct cred cred;
	struct css_set cgroups;
	struct cgroup cgroup;
	struct kernfs_node kn;
	struct cfs_rq cfs_rq;
};

static inline struct task_struct *host_task(struct host_task *t, int pid, int tgid, const char *comm)
{
	*t = (struct host_task){ .task = { .pid = pid, .tgid = tgid, .perf_event_ctxp = (void *)-1L } };
	strncpy(t->task.comm, comm, sizeof(t->task.comm) - 1);
	t->task.cred = &t->cred;
	t->task.cgroups = &t->cgroups;
	t->cgroups.dfl_cgrp = &t->cgroup;
	t->cgroup.kn = &t->kn;
	t->task.real_parent = t->task.group_leader = &t->task;
	t->task.se.cfs_rq = &t->cfs_rq;
	return &t->task;
}

#define const /* from here on: tests set the read-only data of programs, as the loader does */

#endif
