/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Gathers what user space needs to finish a stack that BPF cannot: registers, the code that the process has mapped, and the stack
 * itself (struct unwind_unfinished). It is complete in itself, since the process may be gone when it is read.
 */
#ifndef PERF_BPF_UNWIND_UNFINISHED_BPF_H
#define PERF_BPF_UNWIND_UNFINISHED_BPF_H

#include "unwind.bpf.h"

#define UNWIND_MAX_LEAVES 256	  /* of the tree of mappings, each with up to 16; more take too long */
#define UNWIND_BELOW_SP 128	  /* the red zone has registers that were restored already */
#define UNWIND_UNFINISHED_DATA (UNWIND_MAX_UNFINISHED - sizeof(struct unwind_unfinished))

struct unwind_gathered {
	struct unwind_unfinished head;
	__u8 data[UNWIND_UNFINISHED_DATA];
};

/* An entry for each CPU, since a value of a per-CPU map is too small. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* the loader sets the number of CPUs */
	__type(key, __u32);
	__type(value, struct unwind_gathered);
} unwind_gathered SEC(".maps");

static __always_inline struct unwind_gathered *unwind_gathered__get(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&unwind_gathered, &cpu);
}

static __always_inline void unwind_note_map(struct unwind_gathered *g, const struct vma_copy *vma, __u64 vdso)
{
	__u32 nr = g->head.nr_maps;
	struct unwind_map *map;

	if (nr >= UNWIND_MAX_MAPS)
		return;
	map = (struct unwind_map *)g->data + nr;
	map->start = vma->start;
	map->size = vma->end - vma->start;
	map->offset = vma->offset;
	if (!unwind_key__read(&map->key, vma->file, vma->start, vdso))
		map->key.inode = UNWIND_NO_INODE;
	g->head.nr_maps = nr + 1;
}

#define MAPLE_SLOTS (sizeof(((struct maple_range_64 *)0)->slot) / sizeof(__u64))

/* Most mappings are none of code: one read tells. It goes to the copy, as there is no room on the stack. */
static __always_inline bool vma_is_code(struct vma_copy *copy, __u64 at)
{
	vma_read(copy, (const struct vm_area_struct *)at, flags, vm_flags);
	return copy->flags & VM_EXEC;
}

/* One slot of the leaf in s->maple. The last one may hold something else, and those behind the end anything. */
static long unwind_list_slot(__u32 i, void *unused)
{
	struct unwind_gathered *g = unwind_gathered__get();
	struct unwind_state *s = unwind_state__get();
	__u64 slot;

	if (!g || !s)
		return 1;
	slot = s->maple.node[(bpf_core_field_offset(struct maple_range_64, slot) / sizeof(__u64) + i) % 32];
	if ((__s64)slot >= 0 || !vma_is_code(&s->vma, slot) || !vma_copy(&s->vma, slot, s->mm)) /* no address of the kernel, or none of a mapping */
		return 0;
	if (s->vma.flags & VM_EXEC && s->vma.start >= s->listed && s->vma.start <= s->maple.last)
		unwind_note_map(g, &s->vma, s->vdso);
	return 0;
}

static long unwind_list_leaf(__u32 i, void *unused)
{
	struct unwind_gathered *g = unwind_gathered__get();
	struct unwind_state *s = unwind_state__get();
	__u64 leaf;

	if (!g || !s || g->head.nr_maps >= UNWIND_MAX_MAPS)
		return 1;
	leaf = maple_leaf(&s->maple, s->root, s->listed);
	if (!leaf || bpf_probe_read_kernel(s->maple.node, sizeof(s->maple.node), (void *)(leaf & ~MAPLE_NODE_MASK)))
		return 1;
	bpf_loop(MAPLE_SLOTS, unwind_list_slot, NULL, 0);
	s->listed = s->maple.last + 1;
	return !s->listed;
}

static __always_inline bool unwind_handles(const struct unwind_state *s, __u64 sp)
{
	return sp - s->handlers < s->handlers_size;
}

/* Where the stack is that the stack pointer is in. Above mm->start_stack are the program's arguments only. */
static __always_inline bool unwind_find_stack(struct unwind_state *s, __u64 sp, struct unwind_copied *stack)
{
	const struct mm_struct *mm = (const struct mm_struct *)s->mm;
	__u64 start_stack = BPF_CORE_READ(mm, start_stack), found = vma_at(&s->maple, s->root, sp), from, to;

	if (!found || !vma_copy(&s->vma, found, s->mm))
		return false;
	from = (sp & ~7ULL) - UNWIND_BELOW_SP;
	if (from < s->vma.start)
		from = s->vma.start;
	to = s->vma.end;
	if (unwind_handles(s, sp) && s->handlers + s->handlers_size < to)
		to = (s->handlers + s->handlers_size) & ~7ULL;
	if (start_stack >= sp && (start_stack & ~7ULL) + 64 < to)
		to = (start_stack & ~7ULL) + 64;
	if (from >= to)
		return false;
	stack->at = from;
	stack->wanted = to - from < UNWIND_MAX_UNFINISHED ? to - from : UNWIND_MAX_UNFINISHED;
	return true;
}

static __always_inline __u32 unwind_copied_end(const struct unwind_unfinished *head)
{
	return head->nr_maps * sizeof(struct unwind_map) + head->sample_size + head->stacks[0].size + head->stacks[1].size;
}

/* A page that cannot be read is left out: nothing was written there yet, as below the stack pointer, or in a large array. */
static long unwind_copy_page(__u32 i, void *unused)
{
	struct unwind_gathered *g = unwind_gathered__get();
	struct unwind_copied *stack;
	__u64 at, size, from;

	if (!g)
		return 1;
	stack = &g->head.stacks[!!g->head.stacks[1].wanted];
	at = unwind_copied_end(&g->head);
	from = stack->at + stack->size;
	size = stack->wanted - stack->size;
	if (!size)
		return 1;
	if (size > UNWIND_COPY - from % UNWIND_COPY)
		size = UNWIND_COPY - from % UNWIND_COPY;
	barrier_var(size);
	barrier_var(at);
	if (size > UNWIND_COPY || at > UNWIND_UNFINISHED_DATA - UNWIND_COPY)
		return 1;
	if (unwind_read_long(g->data + at, size, from))
		stack->missing |= 1U << i;
	stack->size += size;
	return 0;
}

static __always_inline void unwind_copy_stack(void)
{
	bpf_loop(UNWIND_MAX_UNFINISHED / UNWIND_COPY + 2, unwind_copy_page, NULL, 0);
}

/* In struct ucontext, words from uc_stack.ss_sp to the stack pointer: arch/.../include/uapi/asm/sigcontext.h */
#ifdef __TARGET_ARCH_arm64
#define UNWIND_UCONTEXT_SP 52
#else
#define UNWIND_UCONTEXT_SP 18
#endif
#define UNWIND_MAX_UCONTEXT 2048 /* words from the stack's begin; the processor's other registers lie between */

/*
 * A signal handler's own stack (sigaltstack(2)) begins with what the kernel has put there: struct ucontext has this stack's place and size
 * once more, and the interrupted code's registers. Ends of frames are looked at from the stack's begin on.
 */
static long unwind_find_interrupted(__u32 i, void *unused)
{
	struct unwind_gathered *g = unwind_gathered__get();
	struct unwind_state *s = unwind_state__get();
	const __u64 *word;
	__u64 at;

	if (!g || !s)
		return 1;
	i += UNWIND_UCONTEXT_SP + 1;
	if (i * sizeof(*word) > g->head.stacks[0].size)
		return 1;
	at = unwind_copied_end(&g->head) - i * sizeof(*word);
	barrier_var(at);
	if (at > UNWIND_UNFINISHED_DATA - (UNWIND_UCONTEXT_SP + 1) * sizeof(*word))
		return 1;
	word = (const __u64 *)(g->data + at);
	if (word[0] != s->handlers || word[2] != s->handlers_size || unwind_handles(s, word[UNWIND_UCONTEXT_SP]))
		return 0;
	s->interrupted = word[UNWIND_UCONTEXT_SP];
	return 1;
}

static __always_inline void unwind_copy_interrupted(struct unwind_state *s, struct unwind_gathered *g)
{
	s->interrupted = 0;
	if (unwind_handles(s, UNWIND_REGS_SP(s)))
		bpf_loop(UNWIND_MAX_UCONTEXT, unwind_find_interrupted, NULL, 0);
	if (s->interrupted && unwind_find_stack(s, s->interrupted, &g->head.stacks[1]))
		unwind_copy_stack();
}

/* Where the copied stack has the word of that address, in g->data; UNWIND_UNFINISHED_DATA: nowhere */
static __always_inline __u64 unwind_copied_at(const struct unwind_gathered *g, const struct unwind_copied *stack, __u64 before, __u64 address)
{
	const __u64 at = address - stack->at;

	if (at >= stack->size || stack->size - at < sizeof(__u64))
		return UNWIND_UNFINISHED_DATA;
	return g->head.nr_maps * sizeof(struct unwind_map) + g->head.sample_size + before + at;
}

/* Put the return addresses that return probes have replaced into the copy. On arm64 nobody knows where functions store them. */
static __always_inline void unwind_put_returns(struct unwind_state *s, struct unwind_gathered *g, struct task_struct *task)
{
	__u64 at, *word;

	unwind_returns__begin(&s->returns, task, (struct mm_struct *)s->mm);
	for (int i = 0; i < UNWIND_RETURNS_IN_STACK && s->returns.trampoline && s->returns.next; i++) {
		unwind_returns__read(&s->returns);
		at = unwind_copied_at(g, &g->head.stacks[0], 0, s->returns.stack);
		if (at == UNWIND_UNFINISHED_DATA)
			at = unwind_copied_at(g, &g->head.stacks[1], g->head.stacks[0].size, s->returns.stack);
		barrier_var(at);
		if (at > UNWIND_UNFINISHED_DATA - sizeof(*word))
			continue;
		word = (__u64 *)(g->data + at);
		if (*word == s->returns.trampoline)
			*word = s->returns.address;
	}
}

static __always_inline bool unwind_copy_sample(struct unwind_gathered *g, const struct unwind_state *s, __u64 size)
{
	__u64 at = g->head.nr_maps * sizeof(struct unwind_map);

	g->head.sample_size = size;
	barrier_var(size); /* here and below: else clang checks another register than it passes on */
	if (at > UNWIND_MAX_MAPS * sizeof(struct unwind_map) || size > UNWIND_MAX_SAMPLE)
		return false;
	return !bpf_probe_read_kernel(g->data + at, size, (const void *)s->record);
}

/* sample_size: of s->record, in bytes. Returns the size of all, in bytes; 0: cannot. */
__noinline __u64 unwind_gather(struct unwind_state *s, __u32 sample_size)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct unwind_gathered *g = unwind_gathered__get();

	if (!g || !s)
		return 0;
	s->handlers = BPF_CORE_READ(task, sas_ss_sp);
	s->handlers_size = BPF_CORE_READ(task, sas_ss_size);
	g->head.nr_maps = 0;
	g->head.stacks[0] = g->head.stacks[1] = (struct unwind_copied){ 0 };
	if (!unwind_find_stack(s, UNWIND_REGS_SP(s), &g->head.stacks[0]))
		return 0;
	s->listed = 0;
	bpf_loop(UNWIND_MAX_LEAVES, unwind_list_leaf, NULL, 0);
	if (!unwind_copy_sample(g, s, sample_size))
		return 0;
	unwind_copy_stack();
	unwind_copy_interrupted(s, g);
	unwind_put_returns(s, g, task);
	return sizeof(g->head) + unwind_copied_end(&g->head);
}

static __always_inline bool unwind_is_unfinished(__u32 end)
{
	return end == UNWIND_NO_TABLE || end == UNWIND_HARD || end == UNWIND_NO_ROOM;
}

/*
 * Send the record with the frames of the last unwind__take() to be finished, in its own place: chain is the place of its callchain. At
 * most half of the ring is for that. false: there is nothing to finish, or it was not sent.
 */
static __always_inline bool unwind_send_unfinished(struct unwind_state *s, struct unwind_counts *counts, void *ring, const void *record,
						   __u32 record_size, __u32 chain)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct unwind_gathered *g = unwind_gathered__get();
	__u64 size;

	if (!g || !BPF_CORE_READ(task, mm) || !unwind_is_unfinished(s->end))
		return false;
	if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 2) {
		counts->unsent++;
		return false;
	}
	s->record = (__u64)record;
	/* What takes calls comes first: callers have no room on the stack for size. */
	g->head.type = UNWIND_UNFINISHED;
	g->head.misc = 0;
	g->head.uid = bpf_get_current_uid_gid();
	g->head.pid = bpf_get_current_pid_tgid() >> 32;
	g->head.chain = chain;
	bpf_probe_read_kernel(g->head.regs, sizeof(g->head.regs), s->regs);
	size = unwind_gather(s, record_size);
	barrier_var(size);
	if (!size || size > sizeof(*g))
		return false;
	g->head.size = size;
	g->head.end = s->end;
	g->head.nr = s->nr;
	g->head.max = s->max;
	g->head.ra_mask = s->ra_mask;
	if (bpf_ringbuf_output(ring, g, size, BPF_RB_FORCE_WAKEUP))
		return false;
	counts->sent++;
	return true;
}

#endif
