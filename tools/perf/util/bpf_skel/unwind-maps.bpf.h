/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Which file is the code at an address from? A walk through the maple tree of the task's mappings, without its lock: helpers that
 * take the lock refuse nearly all calls from an interrupt. A helper copies nodes and mappings, which does not fault, whatever the
 * address. A tree that changes meanwhile may give another mapping, or none: the stack ends early or has a wrong frame then, as any
 * stack does that is walked while its code is unmapped. The memory of a mapping may serve for something else by then (before Linux 6.4
 * at once, and from 6.15 on for other mappings): what does not say that it is a mapping of this process is none.
 */
#ifndef PERF_BPF_UNWIND_MAPS_BPF_H
#define PERF_BPF_UNWIND_MAPS_BPF_H

#include "unwind-sample.h"

/* include/linux/maple_tree.h, lib/maple_tree.c: since Linux 6.1 */
#define MAPLE_NODE_MASK 255UL
#define MAPLE_NODE_TYPE(entry) ((entry) >> 3 & 15)
#define MAPLE_LEAF_64 1
#define MAPLE_RANGE_64 2
#define MAPLE_ARANGE_64 3
#define MAPLE_MAX_LEVELS 10 /* 65,530 mappings in nodes that are half full take 6 */
#define MAPLE_IS_NODE(root) (((root) & 3) == 2 && (root) > 4096) /* otherwise the tree has one entry: no process's has */

const volatile __u32 unwind_page_shift = 12; /* of the kernel's pages */

/* A copy of what we need of a struct vm_area_struct */
struct vma_copy {
	__u64 start, end, flags;
	__u64 offset; /* of start in the file, in bytes */
	__u64 file;   /* 0: none */
	__u64 mm;     /* the process's memory */
};

#define vma_read(copy, vma, member, field) bpf_core_read(&(copy)->member, sizeof((copy)->member), &(vma)->field)

/*
 * false: there is no mapping of that process. Which process it is of is read last: all else was the mapping's then. Programs that unwind
 * are near the limit of what all their calls may have on the stack, so the copy is elsewhere.
 */
static __always_inline bool vma_copy(struct vma_copy *copy, __u64 at, __u64 mm)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)at;

	vma_read(copy, vma, start, vm_start);
	vma_read(copy, vma, end, vm_end);
	vma_read(copy, vma, flags, vm_flags);
	vma_read(copy, vma, file, vm_file);
	vma_read(copy, vma, offset, vm_pgoff);
	vma_read(copy, vma, mm, vm_mm);
	copy->offset = copy->file ? copy->offset << unwind_page_shift : 0;
	return copy->mm == mm;
}

struct maple_search {
	__u64 node[32]; /* a copy: 256 bytes of one of the structs below */
	__u64 last;	/* the last address of the slot that was found; UINT64_MAX: or of all */
};

/* 1: pivot i of end is below the address, which is one of user space. Without a branch, which would be two paths for the verifier. */
static __always_inline __u64 maple_is_below(__u64 pivot, __u64 address, __u64 i, __u64 end)
{
	__u64 below = (pivot - address) & ~pivot & (i - end); /* negative if all are */

	barrier_var(below);
	return below >> 63;
}

/*
 * Which slot holds the address? Pivots, in ascending order, are the last address of each slot; the last slot has none. The end is
 * stored, unless all slots are in use.
 */
static __always_inline __u64 maple_slot(struct maple_search *m, __u64 address, __u32 pivots, const __u32 nr_pivots, __u32 slots, __u8 last)
{
	const __u64 *pivot = &m->node[pivots];
	__u64 full, end, i = 0;

	barrier_var(pivot); /* one register; clang would have an address on the stack for each */
	full = pivot[nr_pivots - 1];
	full |= -full; /* negative if it is in use, as the barrier does not tell clang, which would make a branch of it */
	barrier_var(full);
	end = last + (full >> 63) * (nr_pivots - last);
#pragma unroll
	for (__u32 k = 0; k < nr_pivots; k++)
		i += maple_is_below(pivot[k], address, k, end);
	if (i < end && i < nr_pivots)
		m->last = pivot[i];
	return m->node[(slots + i) % 32];
}

#define maple_find(m, type, address)											\
	maple_slot(m, address, bpf_core_field_offset(type, pivot) / sizeof(__u64),					\
		   sizeof(((type *)0)->pivot) / sizeof(__u64), bpf_core_field_offset(type, slot) / sizeof(__u64),	\
		   ((const __u8 *)(m)->node)[bpf_core_field_offset(type, meta) % sizeof((m)->node)])

/* The child, or in a leaf the mapping, that holds the address; 0: cannot be read. */
__noinline __u64 maple_descend(struct maple_search *m, __u64 entry, __u64 address)
{
	const __u32 type = MAPLE_NODE_TYPE(entry);

	if (!m || (__s64)address < 0 || bpf_probe_read_kernel(m->node, sizeof(m->node), (void *)(entry & ~MAPLE_NODE_MASK)))
		return 0;
	if (type == MAPLE_ARANGE_64)
		return maple_find(m, struct maple_arange_64, address);
	return type - MAPLE_LEAF_64 <= MAPLE_RANGE_64 - MAPLE_LEAF_64 ? maple_find(m, struct maple_range_64, address) : 0;
}

/* The leaf for that address; 0: cannot be read. Inline: programs that unwind are near the limit of 8 calls in one another. */
static __always_inline __u64 maple_leaf(struct maple_search *m, __u64 root, __u64 address)
{
	__u64 entry = MAPLE_IS_NODE(root) ? root : 0;

	m->last = ~0ULL;
	for (int level = 0; level < MAPLE_MAX_LEVELS && entry && MAPLE_NODE_TYPE(entry) != MAPLE_LEAF_64; level++)
		entry = maple_descend(m, entry, address);
	return entry;
}

/* The struct vm_area_struct, as a number; 0: none */
__noinline __u64 vma_at(struct maple_search *m, __u64 root, __u64 address)
{
	__u64 leaf = m ? maple_leaf(m, root, address) : 0;

	return leaf ? maple_descend(m, leaf, address) : 0;
}

#endif
