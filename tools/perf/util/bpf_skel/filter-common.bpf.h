/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What terms are made of on every kernel; the sources are in filter-sample.bpf.h and filter-sample-old.bpf.h. */
#ifndef PERF_BPF_FILTER_COMMON_BPF_H
#define PERF_BPF_FILTER_COMMON_BPF_H

#include "context-mode.bpf.h"
#include "filter-fetch.bpf.h"
#include "filter-words.bpf.h"

#define EBUSY 16
#define FILTER_PAGE_SHIFT 12 /* vm_pgoff counts pages; user space refuses kernels with other page sizes */

/* The mapped file of the sample's ip, looked up by the first test that needs it. */
struct filter_file {
	enum { FILTER_FILE_UNKNOWN, FILTER_FILE_NONE, FILTER_FILE_FOUND, FILTER_FILE_BUSY } state;
	__u64 ip;
	__u64 dev;
	__u64 ino;
	__u64 offset;
	char name[FILTER_FILE_LEN] __attribute__((aligned(8)));
};

/* Defined in filter-sample*.bpf.h: the callback of bpf_find_vma(). */
static long note_file(struct task_struct *task, struct vm_area_struct *vma, struct filter_file *found);

static __always_inline void filter_file__find(struct filter_file *file, __u64 ip)
{
	struct filter_file found = { .state = FILTER_FILE_NONE, .ip = ip }; /* the helper needs a buffer on this stack */

	if ((__s64)ip > 0 && /* otherwise a kernel address, or not in the sample */
	    bpf_find_vma(bpf_get_current_task_btf(), ip, note_file, &found, 0) == -EBUSY)
		found.state = FILTER_FILE_BUSY;
	*file = found;
}

/* Tests that few filters use are separate functions, as each slot of the table has a copy of what is inlined. */
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
