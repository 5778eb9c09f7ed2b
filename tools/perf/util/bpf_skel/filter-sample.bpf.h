/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of a filter, read from the sample that the kernel is about to write and from the task it hit.
 *
 * A member of perf_sample_data is read only if sample_flags says that it is filled in; otherwise it holds whatever was on
 * the kernel's stack. Before Linux 6.3 the sample was prepared after the BPF program had run, so every term would read as
 * 0; dyn_size came with the same series, and the program refuses to load on a kernel that lacks it.
 *
 * bpf_rdonly_cast() and not bpf_cast_to_kern_ctx(): what an untrusted pointer leads to is untrusted, full stop, while for a
 * trusted one the verifier looks up the kernel's BTF by name several times per pointer loaded (1 ms and more).
 */
#ifndef PERF_BPF_FILTER_SAMPLE_BPF_H
#define PERF_BPF_FILTER_SAMPLE_BPF_H

extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym __weak;

const volatile struct filter_glob filter_globs[FILTER_MAX_GLOBS];

struct filter_source {
	struct bpf_perf_event_data *ctx;
	struct perf_sample_data *data;
	__u64 flags;
};

static __always_inline void filter_source__init(struct filter_source *src, struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kctx;

	kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	src->ctx = ctx;
	src->data = kctx->data;
	src->flags = src->data->sample_flags;
	/* Where dyn_size is missing, CO-RE makes this an invalid instruction; elsewhere the verifier removes it. */
	if (!bpf_core_field_exists(src->data->dyn_size)) {
		src->flags = src->data->dyn_size;
		barrier_var(src->flags); /* keeps it out of the way of kernels that have it */
	}
}

/* The barrier keeps clang from computing the masks of all terms in front of the table. */
#define filter_source__carried(src, bits, member)		\
	({							\
		__u64 flags_ = (src)->flags;			\
								\
		barrier_var(flags_);				\
		flags_ & (bits) ? (src)->data->member : 0;	\
	})

/*
 * A sample's cpumode, as perf_misc_flags() derives it from the same registers. (A sample of a guest, which perf marks
 * GUEST_USER or GUEST_KERNEL, has the host's registers and counts as kernel.)
 */
static __always_inline __u64 filter_source__mode(struct filter_source *src)
{
	struct bpf_perf_event_data *ctx = src->ctx;

	barrier_var(ctx); /* the verifier wants ctx itself as base; clang would hoist ctx + offset */
#if defined(__TARGET_ARCH_x86)
	return ctx->regs.cs & 3 ? FILTER_MODE_USER : FILTER_MODE_KERNEL;
#elif defined(__TARGET_ARCH_arm64)
	return ctx->regs.pstate & 0xf ? FILTER_MODE_KERNEL : FILTER_MODE_USER; /* EL0 is 0 */
#endif
}

/* 0x80 in the lowest byte of v that is 0; above it anything */
static __always_inline __u64 first_nul(__u64 v)
{
	const __u64 ones = 0x0101010101010101ULL;

	return (v - ones) & ~v & (ones << 7);
}

/*
 * Half of the task's command name, for a few nanoseconds where bpf_get_current_comm() takes 15 to 30. What follows the NUL
 * is not the name's and is cleared. Not inlined: it would be there twice per slot.
 */
static __noinline __u64 current_comm(bool high)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	const __u64 *words = (const __u64 *)task->comm;
	__u64 v = words[0];
	__u64 nul = first_nul(v);

	if (high) {
		if (nul)
			return 0;
		v = words[1];
		nul = first_nul(v);
	}
	if (nul)
		v &= ((nul & -nul) >> 7) - 1;
	return v;
}

static __noinline __u64 current_comm_matches(__u32 glob)
{
	const volatile struct filter_glob *g = &filter_globs[glob & (FILTER_MAX_GLOBS - 1)];
	__u64 words[2] = { current_comm(false), current_comm(true) };
	const unsigned char *comm = (const unsigned char *)words;
	__u32 state = 1;

	for (int i = 0; i < FILTER_COMM_LEN && comm[i]; i++)
		state = (state & g->step[comm[i]]) << 1 | (state & g->loop);
	return (state & g->final) != 0;
}

static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 glob)
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
		return filter_source__mode(src);
	case FILTER_TERM_COMM_LO:
		return current_comm(false);
	case FILTER_TERM_COMM_HI:
		return current_comm(true);
	case FILTER_TERM_COMM_GLOB:
		return current_comm_matches(glob);
	default:
		return 0;
	}
}

#endif
