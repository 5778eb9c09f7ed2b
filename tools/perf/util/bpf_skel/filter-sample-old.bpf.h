/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of a filter on kernels before Linux 6.3, where the program runs before the sample is prepared: read from the program's
 * context, from helpers, and from the task. Terms that only a prepared sample has are 0 here; user space refuses tables with them
 * (they are marked in filter-terms.h).
 *
 * No CO-RE, since before 5.17 the kernel cannot relocate light skeletons. filter_offsets has the offsets of members; user space
 * fills it from the kernel's BTF.
 */
#ifndef PERF_BPF_FILTER_SAMPLE_OLD_BPF_H
#define PERF_BPF_FILTER_SAMPLE_OLD_BPF_H

#include "filter-common.bpf.h"
#include "filter-own.bpf.h"

const volatile struct filter_offsets filter_offsets;

/* These programs make no walks. */
struct filter_walked {
	__u8 none;
};
#define filter_source__set_walked(src, at) (void)(at)

struct filter_source {
	struct bpf_perf_event_data *ctx;
	const volatile struct filter_words *words;
	struct filter_counts *counts;
	struct filter_file *file;
	__u32 event; /* index among the events of the program; set by the includer */
};

static __always_inline void filter_source__init(struct filter_source *src, struct bpf_perf_event_data *ctx,
						const volatile struct filter_words *words,
						struct filter_counts *counts, struct filter_file *file)
{
	src->ctx = ctx;
	src->words = words;
	src->counts = counts;
	src->file = file;
	file->state = FILTER_FILE_UNKNOWN;
}

/* The 8 bytes at an address in the kernel, or the first ones if type is smaller; 0 if the address is invalid. */
#define READ_AT(type, base, offset)								\
	({											\
		type value_ = 0;								\
												\
		bpf_probe_read_kernel(&value_, sizeof(value_), (const char *)(base) + (offset));	\
		value_;										\
	})

static __always_inline __u64 context_period(struct bpf_perf_event_data *ctx)
{
	barrier_var(ctx);
	return ctx->sample_period;
}

static __always_inline __u64 filter_source__period(const struct filter_source *src)
{
	return context_period(src->ctx);
}

/*
 * Since 6.1 the kernel leaves the address unset in samples that have none, and says so in sample_flags; the record's is 0 then.
 * Reads the context as plain memory: there it is a struct bpf_perf_event_data_kern.
 */
static __noinline __u64 context_addr(struct bpf_perf_event_data *ctx)
{
	if (filter_offsets.has_sample_flags) {
		void *data = READ_AT(void *, ctx, filter_offsets.context_data);

		if (!(READ_AT(__u64, data, filter_offsets.sample_flags) & PERF_SAMPLE_ADDR))
			return 0;
	}
	return ctx->addr;
}

static __noinline __u64 current_comm(bool high)
{
	__u64 words[2] = { 0, 0 };

	bpf_get_current_comm(words, sizeof(words)); /* pads with NULs */
	return words[high];
}

static __noinline __u64 current_comm_matches(const volatile struct filter_words *words, __u32 index)
{
	char comm[FILTER_COMM_LEN] = "";

	bpf_get_current_comm(comm, sizeof(comm));
	return filter_glob__matches(words, index, comm, FILTER_COMM_LEN);
}

static __noinline __u64 task_member(__u32 term)
{
	char *task = (char *)bpf_get_current_task();

	switch (term) {
#define OLD_TASK_CASE(name, shown, bit, guard, group, ...) FILTER_IF(group, TASK, case FILTER_TERM_##name: return OLD_##name;)
	FILTER_FIELDS(OLD_TASK_CASE)
	default:
		return 0;
	}
}

static long note_file(struct task_struct *task, struct vm_area_struct *vma, struct filter_file *found)
{
	char *file = READ_AT(char *, vma, filter_offsets.vma_file), *inode, *dentry;

	if (!file)
		return 0;
	inode = READ_AT(char *, file, filter_offsets.file_inode);
	found->dev = READ_AT(__u32, READ_AT(char *, inode, filter_offsets.inode_sb), filter_offsets.sb_dev);
	found->ino = READ_AT(__u64, inode, filter_offsets.inode_ino);
	found->offset = found->ip - READ_AT(__u64, vma, filter_offsets.vma_start) +
			(READ_AT(__u64, vma, filter_offsets.vma_pgoff) << FILTER_PAGE_SHIFT);
	dentry = READ_AT(char *, file, filter_offsets.file_dentry);
	bpf_probe_read_kernel_str(found->name, sizeof(found->name), READ_AT(char *, dentry, filter_offsets.dentry_name));
	found->state = FILTER_FILE_FOUND;
	return 0;
}

#define SOURCE_IP(src) context_ip((src)->ctx)
#define OLD_CASE(name, shown, bit, guard, group, old, ...) FILTER_UNLESS(old, PREPARED,				\
	FILTER_IF(group, MEMBER, case FILTER_TERM_##name: return OLD_##name;)					\
	FILTER_IF(group, OWN, case FILTER_TERM_##name: return OLD_##name;)					\
	FILTER_IF(group, CURRENT, case FILTER_TERM_##name: return CURRENT_##name;)				\
	FILTER_IF(group, TASK, case FILTER_TERM_##name: goto task;)				\
	FILTER_IF(group, FILE, case FILTER_TERM_##name: goto file;)						\
	FILTER_IF(group, OTHER, case FILTER_TERM_##name: return OTHER_##name;))

static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index)
{
	switch (term) {
	FILTER_FIELDS(OLD_CASE)
	task:
		return task_member(term);
	FILTER_TESTS(OLD_CASE)
	file:
		return file_member(src->file, src->words, SOURCE_IP(src), term, index);
	default:
		return 0;
	}
}

#define OLD_READS(name, shown, bit, guard, group, old, ...)							\
	[FILTER_TERM_##name] = 0 FILTER_UNLESS(old, PREPARED, FILTER_UNLESS(group, RECORD, + 1)),
FILTER_READS(OLD_READS);

/* As in filter-sample.bpf.h. */
static __always_inline bool filter_source__undecided(const struct filter_source *src)
{
	return src->file->state == FILTER_FILE_BUSY;
}

#endif
