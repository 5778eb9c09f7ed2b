/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Hits of a tracepoint that are counted by keys. Their stacks are those that samples of perf's own event would have: of a syscall the
 * user's only; of other tracepoints from the place of the hit on, so that there are no frames of BPF in them.
 */
#ifndef PERF_BPF_TP_COUNT_BPF_H
#define PERF_BPF_TP_COUNT_BPF_H

#include "tp-hit.bpf.h"
#include "sample-encode.bpf.h"
#include "count.bpf.h"
#include "count-key.bpf.h"

static __always_inline void fill_key(struct count_key *key, const struct sample_head *head)
{
	struct filter_source src = { .words = &filter_words };

	count_key__fill(key, &src);
	if (count_config.key & COUNTER_KEY_IP) {
		key->ip = head->ip;
		key->cpumode = head->misc;
	}
}

/* Threads of the kernel have no user stack, which is nothing lost; nor has what is ending. */
static __always_inline bool has_user_stack(void)
{
	return bpf_get_current_task_btf()->mm != NULL;
}

static __always_inline void take_stacks(struct count_scratch *s, void *ctx, bool in_kernel)
{
	const bool of_user = count_config.key & COUNTER_KEY_USTACK && has_user_stack();
	struct count_record *r = &s->record;
	long kernel = 0, user = 0;

	if (count_config.key & COUNTER_KEY_KSTACK && in_kernel)
		kernel = bpf_get_stack(ctx, r->frame, count_config.stack_size, 0);
	r->key.nr_kernel = kernel < 0 ? 0 : kernel / sizeof(__u64);
	if (r->key.nr_kernel > COUNTER_MAX_STACK)
		return;
	if (of_user)
		user = bpf_get_stack(ctx, r->frame + r->key.nr_kernel, count_config.stack_size, BPF_F_USER_STACK);
	r->key.nr_user = user < 0 ? 0 : user / sizeof(__u64);
	if (kernel < 0 || user < 0)
		s->counts.lost_stacks++;
}

static __noinline int tp__count(void *ctx, const struct sample_head *head)
{
	struct count_scratch *s = count_scratch__get();

	if (!s)
		return 0;
	s->record.time = head->time;
	s->record.period = head->period;
	fill_key(&s->record.key, head);
	take_stacks(s, ctx, head->misc == PERF_RECORD_MISC_KERNEL);
	count__add(s);
	return 0;
}

#endif
