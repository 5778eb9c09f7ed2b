/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Reads the current task's memory in user space, on any kernel. With CONFIG_HARDENED_USERCOPY bpf_probe_read_user() looks at where it
 * writes to. Before Linux 6.4 it takes a lock for that if it is memory of vmalloc(), as the stacks of interrupts and the values of most
 * maps are, and the code that was interrupted may hold that lock. Memory of kmalloc() needs none: there we read into the element of a
 * hash map, which has its memory from there, and copy that. Each CPU makes its own element when it first reads.
 */
#ifndef PERF_BPF_UNWIND_READ_BPF_H
#define PERF_BPF_UNWIND_READ_BPF_H

#define UNWIND_MAX_READ 1024 /* bytes at once */

struct unwind_bounce {
	__u8 byte[UNWIND_MAX_READ];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* the loader sets the number of CPUs */
	__type(key, __u32);
	__type(value, struct unwind_bounce);
} unwind_bounces SEC(".maps");

const volatile __u64 unwind_empty[UNWIND_MAX_READ / sizeof(__u64)]; /* a new element */

/* NULL: cannot, or not now */
static __always_inline struct unwind_bounce *unwind_bounce__get(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct unwind_bounce *bounce = bpf_map_lookup_elem(&unwind_bounces, &cpu);

	if (bounce)
		return bounce;
	bpf_map_update_elem(&unwind_bounces, &cpu, (const void *)unwind_empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&unwind_bounces, &cpu);
}

#define UNWIND_NEEDS_NO_LOCK bpf_core_field_exists(((struct vm_area_struct *)0)->vm_lock_seq) /* came with 6.4, too */

/*
 * Leave if size is above max, a constant. clang may keep a copy of size on the stack from before a check, and pass that on: the verifier of
 * Linux 6.1 then does not know its bounds. So check right before each use.
 */
#define UNWIND_BOUND(size, max)			\
	do {					\
		barrier_var(size);		\
		if (size > (max))		\
			return -1;		\
	} while (0)

/* size: at most max, a constant that is at most UNWIND_MAX_READ. Returns as the helper: 0, or less. */
static __always_inline long unwind_read_some(void *to, __u32 size, const __u32 max, __u64 from)
{
	struct unwind_bounce *bounce;

	if (UNWIND_NEEDS_NO_LOCK) {
		UNWIND_BOUND(size, max);
		return bpf_probe_read_user(to, size, (const void *)from);
	}
	bounce = unwind_bounce__get();
	if (!bounce)
		return -1;
	UNWIND_BOUND(size, max);
	if (bpf_probe_read_user(bounce, size, (const void *)from))
		return -1;
	UNWIND_BOUND(size, max);
	return bpf_probe_read_kernel(to, size, bounce);
}

/* The same for a constant size. */
static __always_inline long unwind_read_user(void *to, const __u32 size, __u64 from)
{
	struct unwind_bounce *bounce;

	if (UNWIND_NEEDS_NO_LOCK)
		return bpf_probe_read_user(to, size, (const void *)from);
	bounce = unwind_bounce__get();
	if (!bounce)
		return -1;
	return bpf_probe_read_user(bounce, size, (const void *)from) ?: bpf_probe_read_kernel(to, size, bounce);
}

/* Up to UNWIND_COPY bytes */
static __always_inline long unwind_read_long(void *to, __u32 size, __u64 from)
{
	if (UNWIND_NEEDS_NO_LOCK)
		return bpf_probe_read_user(to, size, (const void *)from);
	for (__u32 i = 0; i < UNWIND_COPY / UNWIND_MAX_READ; i++) {
		__u32 at = i * UNWIND_MAX_READ, part = UNWIND_MAX_READ;

		if (at >= size)
			break;
		part = size - at < UNWIND_MAX_READ ? size - at : UNWIND_MAX_READ;
		if (unwind_read_some(to + at, part, UNWIND_MAX_READ, from + at))
			return -1;
	}
	return 0;
}

#endif
