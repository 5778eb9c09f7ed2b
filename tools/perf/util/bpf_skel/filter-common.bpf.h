/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What terms are made of on every kernel; where that comes from is in filter-sample.bpf.h and filter-sample-old.bpf.h. */
#ifndef PERF_BPF_FILTER_COMMON_BPF_H
#define PERF_BPF_FILTER_COMMON_BPF_H

#include "filter-fetch.bpf.h"
#include "filter-words.bpf.h"

#define EBUSY 16
#define FILTER_PAGE_SHIFT 12 /* vm_pgoff counts pages; kernels with other ones are refused by user space */

/* The mapped file that the sample's ip is in, looked up when the first test asks for it. */
struct filter_file {
	enum { FILTER_FILE_UNKNOWN, FILTER_FILE_NONE, FILTER_FILE_FOUND, FILTER_FILE_BUSY } state;
	__u64 ip;
	__u64 dev;
	__u64 ino;
	__u64 offset;
	char name[FILTER_FILE_LEN] __attribute__((aligned(8)));
};

/* In the two accessors: what bpf_find_vma() is to call. */
static long note_file(struct task_struct *task, struct vm_area_struct *vma, struct filter_file *found);

static __always_inline void filter_file__find(struct filter_file *file, __u64 ip)
{
	struct filter_file found = { .state = FILTER_FILE_NONE, .ip = ip }; /* the helper wants a place on this stack */

	if ((__s64)ip > 0 && /* else the kernel's half, or not in the sample */
	    bpf_find_vma(bpf_get_current_task_btf(), ip, note_file, &found, 0) == -EBUSY)
		found.state = FILTER_FILE_BUSY;
	*file = found;
}

/*
 * A sample's cpumode, as perf_misc_flags() derives it from the same registers. (A sample of a guest, which perf marks
 * GUEST_USER or GUEST_KERNEL, has the host's registers and counts as kernel.)
 */
static __always_inline __u64 context_mode(struct bpf_perf_event_data *ctx)
{
	barrier_var(ctx); /* the verifier wants ctx itself as base; clang would hoist ctx + offset */
#if defined(__TARGET_ARCH_x86)
	return ctx->regs.cs & 3 ? FILTER_MODE_USER : FILTER_MODE_KERNEL;
#elif defined(__TARGET_ARCH_arm64)
	return ctx->regs.pstate & 0xf ? FILTER_MODE_KERNEL : FILTER_MODE_USER; /* EL0 is 0 */
#endif
}

/* What few filters ask for is in functions of its own, as each slot of the table has its copy of what is inlined. */
FILTER_FUNCTION __u64 file_member(struct filter_file *file, const volatile struct filter_words *words, __u64 ip, __u32 term,
				  __u32 index)
{
	if (!file || !words)
		return 0;
	if (file->state == FILTER_FILE_UNKNOWN)
		filter_file__find(file, ip);
	switch (term) {
#define FILE_CASE(name, shown, bit, guard, group, ...) FILTER_IF(group, FILE, case FILTER_TERM_##name: return FILE_##name;)
	FILTER_FIELDS(FILE_CASE)
	FILTER_TESTS(FILE_CASE)
	default:
		return 0;
	}
}

FILTER_FUNCTION __u64 ip_is_in_set(const volatile struct filter_words *words, __u64 ip, __u32 index)
{
	return words && filter_set__has(words, index, ip);
}

#endif
