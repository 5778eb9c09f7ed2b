/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of a filter, read from the sample that the kernel is about to write and from the task it hit.
 *
 * A member of perf_sample_data is read only if sample_flags says that it is filled in; otherwise it holds whatever was on
 * the kernel's stack. Before Linux 6.3 the sample was prepared after the BPF program had run, so every term would read as
 * 0; dyn_size came with the same series, and the program refuses to load on a kernel that lacks it. filter-sample-old.bpf.h is for
 * those kernels.
 *
 * bpf_rdonly_cast() and not bpf_cast_to_kern_ctx(): what an untrusted pointer leads to is untrusted, full stop, while for a
 * trusted one the verifier looks up the kernel's BTF by name several times per pointer loaded (1 ms and more).
 */
#ifndef PERF_BPF_FILTER_SAMPLE_BPF_H
#define PERF_BPF_FILTER_SAMPLE_BPF_H

#include "filter-common.bpf.h"
#include "filter-current.bpf.h"
#include "filter-own.bpf.h"

/* *file and *counts are apart from it, so that clang keeps the members in registers. */
struct filter_source {
	struct bpf_perf_event_data *ctx;
	struct perf_sample_data *data;
	__u64 flags;
	const volatile struct filter_words *words;
	struct filter_counts *counts;
	struct filter_file *file;
	__u32 event; /* which of those that have the program; for who sets it */
#ifdef FILTER_OWN
	struct filter_own *own; /* filled in if words->own says so */
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
	/* Where dyn_size is missing, CO-RE makes this an invalid instruction; elsewhere the verifier removes it. */
	if (!bpf_core_field_exists(src->data->dyn_size)) {
		src->flags = src->data->dyn_size;
		barrier_var(src->flags); /* keeps it out of the way of kernels that have it */
	}
}

/* What the sample stands for: the kernel gives each one a period. */
static __always_inline __u64 filter_source__period(const struct filter_source *src)
{
	return src->data->period;
}

/* The barrier keeps clang from computing the masks of all terms in front of the table. */
#define filter_source__carried(src, bits, member)		\
	({							\
		__u64 flags_ = (src)->flags;			\
								\
		barrier_var(flags_);				\
		flags_ & (bits) ? (src)->data->member : 0;	\
	})

static __noinline __u64 rare_member(struct perf_sample_data *data, __u64 flags, __u32 term)
{
	switch (term) {
	case FILTER_TERM_WEIGHT:
		return flags & (PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT) ? data->weight.full : 0;
	case FILTER_TERM_TXN:
		return flags & PERF_SAMPLE_TRANSACTION ? data->txn : 0;
	case FILTER_TERM_PHYS_ADDR:
		return flags & PERF_SAMPLE_PHYS_ADDR ? data->phys_addr : 0;
	case FILTER_TERM_CODE_PGSZ:
		return flags & PERF_SAMPLE_CODE_PAGE_SIZE ? data->code_page_size : 0;
	case FILTER_TERM_DATA_PGSZ:
		return flags & PERF_SAMPLE_DATA_PAGE_SIZE ? data->data_page_size : 0;
	case FILTER_TERM_DATA_SRC:
		return flags & PERF_SAMPLE_DATA_SRC ? data->data_src.val : 0;
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

static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index)
{
	switch (term) {
	case FILTER_TERM_IP:
		return filter_source__carried(src, PERF_SAMPLE_IP, ip);
	case FILTER_TERM_ID:
		return filter_source__carried(src, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, id);
	case FILTER_TERM_TID:
		return filter_source__carried(src, PERF_SAMPLE_TID, tid_entry.tid);
	case FILTER_TERM_PID:
		return filter_source__carried(src, PERF_SAMPLE_TID, tid_entry.pid);
	case FILTER_TERM_CPU:
		return bpf_get_smp_processor_id();
	case FILTER_TERM_TIME:
		return filter_source__carried(src, PERF_SAMPLE_TIME, time);
	case FILTER_TERM_ADDR:
		return filter_source__carried(src, PERF_SAMPLE_ADDR, addr);
	case FILTER_TERM_PERIOD:
		return filter_source__carried(src, PERF_SAMPLE_PERIOD, period);
	case FILTER_TERM_UID:
		return (__u32)bpf_get_current_uid_gid();
	case FILTER_TERM_GID:
		return bpf_get_current_uid_gid() >> 32;
	case FILTER_TERM_CGROUP:
		return bpf_get_current_cgroup_id();
	case FILTER_TERM_MODE:
		return context_mode(src->ctx);
	case FILTER_TERM_COMM_LO:
		return current_comm(false);
	case FILTER_TERM_COMM_HI:
		return current_comm(true);
	case FILTER_TERM_RAND:
		return bpf_get_prandom_u32();
	case FILTER_TERM_WEIGHT ... FILTER_TERM_DATA_SRC:
		return rare_member(src->data, src->flags, term);
	case FILTER_TERM_PPID ... FILTER_TERM_IDLE:
		return task_member(term);
#ifdef FILTER_OWN
	case FILTER_TERM_OWN_ID ... FILTER_TERM_OWN_TIME:
		return own_member(src->own, term);
#endif
	case FILTER_TERM_COMM_GLOB:
		return current_comm_matches(src->words, index);
	case FILTER_TERM_IP_SET:
		return ip_is_in_set(src->words, filter_source__carried(src, PERF_SAMPLE_IP, ip), index);
	case FILTER_TERM_EVERY:
		return every_hit(src->words, src->counts, index);
	case FILTER_TERM_CGROUP_AT:
		return bpf_get_current_ancestor_cgroup_id(index);
	default:
		return file_member(src->file, src->words, filter_source__carried(src, PERF_SAMPLE_IP, ip), term, index);
	}
}

/* To be asked after the table has run: some test that it made had no outcome, and the sample must be kept. */
static __always_inline bool filter_source__undecided(const struct filter_source *src)
{
	return src->file->state == FILTER_FILE_BUSY;
}

#endif
