/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of a filter, read from the sample that the kernel is about to write and from the current task.
 *
 * A member of perf_sample_data is read only if sample_flags says that it is filled in; otherwise it holds whatever was on the
 * kernel's stack. Before Linux 6.3 the sample was prepared after the BPF program had run, so every term would read as 0; dyn_size
 * came with the same series, and the program refuses to load on a kernel without it. filter-sample-old.bpf.h is for those kernels.
 *
 * bpf_rdonly_cast() and not bpf_cast_to_kern_ctx(): everything behind an untrusted pointer is untrusted, which is simple, while for
 * a trusted one the verifier looks up the kernel's BTF by name several times per loaded pointer (1 ms and more).
 */
#ifndef PERF_BPF_FILTER_SAMPLE_BPF_H
#define PERF_BPF_FILTER_SAMPLE_BPF_H

#include "filter-common.bpf.h"
#include "filter-current.bpf.h"
#include "filter-own.bpf.h"
#ifdef FILTER_WALKS
#include "filter-walk.bpf.h"
#endif

/* *file and *counts are separate, so that clang keeps the members in registers. */
struct filter_source {
	struct bpf_perf_event_data *ctx;
	struct perf_sample_data *data;
	__u64 flags;
	const volatile struct filter_words *words;
	struct filter_counts *counts;
	struct filter_file *file;
	__u32 event; /* index among the events of the program; set by the includer */
#ifdef FILTER_OWN
	struct filter_own *own; /* filled in if words->own is set */
#endif
#ifdef FILTER_WALKS
	struct filter_walked *walked; /* see filter_source__set_walked() */
#endif
};

static __always_inline void filter_source__init(struct filter_source *src, struct bpf_perf_event_data *ctx,
						const volatile struct filter_words *words,
						struct filter_counts *counts, struct filter_file *file)
{
	struct bpf_perf_event_data_kern *kctx;

	kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	src->ctx = ctx;
	src->words = words;
	src->counts = counts;
	src->file = file;
	file->state = FILTER_FILE_UNKNOWN;
	src->data = kctx->data;
	src->flags = src->data->sample_flags;
	/* Without dyn_size, CO-RE makes this an invalid instruction; otherwise the verifier removes it. */
	if (!bpf_core_field_exists(src->data->dyn_size)) {
		src->flags = src->data->dyn_size;
		barrier_var(src->flags); /* keeps the invalid instruction out of other kernels */
	}
}

/* Set it before the table runs; its contents need no initialization. Other programs read no term that needs it. */
#ifdef FILTER_WALKS
#define filter_source__set_walked(src, at) ((src)->walked = (at))
#else
struct filter_walked {
	__u8 none;
};
#define filter_source__set_walked(src, at) (void)(at)
#endif

#define filter_source__arguments(src) NULL

/* The sample's share of the event's count: the kernel gives each sample a period. */
static __always_inline __u64 filter_source__period(const struct filter_source *src)
{
	return src->data->period;
}

/* The barrier stops clang from computing the masks of all terms before the table. */
#define filter_source__carried(src, name)						\
	({										\
		__u64 flags_ = (src)->flags;						\
											\
		barrier_var(flags_);							\
		flags_ & FILTER_GUARD_##name ? (src)->data->SAMPLE_##name : 0;		\
	})
#define SOURCE_IP(src) filter_source__carried(src, IP)

static __noinline __u64 rare_member(struct perf_sample_data *data, __u64 flags, __u32 term)
{
	switch (term) {
#define RARE_CASE(name, shown, bit, guard, group, ...) \
	FILTER_IF(group, RARE, case FILTER_TERM_##name: return flags & FILTER_GUARD_##name ? data->SAMPLE_##name : 0;)
	FILTER_FIELDS(RARE_CASE)
	default:
		return 0;
	}
}

static long note_file(struct task_struct *task, struct vm_area_struct *vma, struct filter_file *found)
{
	struct file *file;

	vma = bpf_rdonly_cast(vma, bpf_core_type_id_kernel(struct vm_area_struct));
	file = vma->vm_file;
	if (!file)
		return 0;
	found->dev = file->f_inode->i_sb->s_dev;
	found->ino = file->f_inode->i_ino;
	found->offset = found->ip - vma->vm_start + (vma->vm_pgoff << FILTER_PAGE_SHIFT);
	bpf_probe_read_kernel_str(found->name, sizeof(found->name), file->f_path.dentry->d_name.name);
	found->state = FILTER_FILE_FOUND;
	return 0;
}

#ifdef FILTER_OWN
#define OWN_CASE(name) case FILTER_TERM_##name: goto own;
#else
#define OWN_CASE(name)
#endif
#ifdef FILTER_WALKS
#define WALK_CASE(name) case FILTER_TERM_##name: goto walk;
#define WALK_READS + 1
#else
#define WALK_CASE(name)
#define WALK_READS
#endif
/* One case for each group that has a function: clang would not merge them, and each slot of the table has a copy of this. */
#define SAMPLE_CASE(name, shown, bit, guard, group, ...)						\
	FILTER_IF(group, MEMBER, case FILTER_TERM_##name: return filter_source__carried(src, name);)	\
	FILTER_IF(group, RARE, case FILTER_TERM_##name: goto rare;)					\
	FILTER_IF(group, CURRENT, case FILTER_TERM_##name: return CURRENT_##name;)			\
	FILTER_IF(group, TASK, case FILTER_TERM_##name: goto task;)					\
	FILTER_IF(group, OWN, OWN_CASE(name))								\
	FILTER_IF(group, WALK, WALK_CASE(name))								\
	FILTER_IF(group, OTHER, case FILTER_TERM_##name: return OTHER_##name;)

static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index)
{
	switch (term) {
	FILTER_FIELDS(SAMPLE_CASE)
	rare:
		return rare_member(src->data, src->flags, term);
	task:
		return task_member(term);
#ifdef FILTER_OWN
	own:
		return own_member(src->own, term);
#endif
#ifdef FILTER_WALKS
	case FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST:
		return src->walked->value[term - FILTER_TERM_WALK];
	walk:
		return walk_member(src->words, src->counts, NULL, src->walked, term, index);
#endif
	FILTER_TESTS(SAMPLE_CASE)
	default: /* FILE */
		return file_member(src->file, src->words, SOURCE_IP(src), term, index);
	}
}

#ifdef FILTER_OWN
#define OWN_READS + 1
#else
#define OWN_READS
#endif
/* All groups but RECORD; OWN and WALK where they are compiled in. */
#define SAMPLE_READS(name, shown, bit, guard, group, ...)								\
	[FILTER_TERM_##name] = 0 FILTER_IF(group, OWN, OWN_READS) FILTER_IF(group, WALK, WALK_READS)			\
		FILTER_UNLESS(group, RECORD, FILTER_UNLESS(group, OWN, FILTER_UNLESS(group, WALK, + 1))),
FILTER_READS(SAMPLE_READS, [FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST] = 0 WALK_READS);

/* Call it after the table has run: true if a test could not be made, so that the sample must be kept. */
static __always_inline bool filter_source__undecided(const struct filter_source *src)
{
	return src->file->state == FILTER_FILE_BUSY;
}

#endif
