/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Counts hits of a tracepoint by keys. Stacks are the same as in samples of perf's own event: user frames only for syscalls; for
 * other tracepoints from the place of the hit on, without BPF frames.
 */
#ifndef PERF_BPF_TP_TALLY_BPF_H
#define PERF_BPF_TP_TALLY_BPF_H

#include "tp-hit.bpf.h"
#include "sample-encode.bpf.h"
#include "tally-stack.bpf.h"
#include "tally-key.bpf.h"
#include "tally-values.bpf.h"

static __always_inline void fill_key(struct tally_key *key, const struct sample_head *head)
{
	struct filter_source src = { .words = &filter_words };

	tally_key__fill(key, &src);
	if (tally_config.key & TALLY_KEY_IP) {
		key->ip = head->ip;
		key->cpumode = head->misc;
	}
}

/* Kernel threads and exiting tasks have no user stack; that is no lost stack. */
static __always_inline bool has_user_stack(void)
{
	return bpf_get_current_task_btf()->mm != NULL;
}

static __always_inline void take_stacks(struct tally_scratch *s, void *ctx, bool in_kernel)
{
	const bool of_user = tally_config.key & TALLY_KEY_USTACK && has_user_stack();
	struct tally_record *r = &s->record;
	long kernel = 0, user = 0;

	if (tally_config.key & TALLY_KEY_KSTACK && in_kernel)
		kernel = bpf_get_stack(ctx, r->frame, tally_config.stack_size, 0);
	r->key.nr_kernel = kernel < 0 ? 0 : kernel / sizeof(__u64);
	if (r->key.nr_kernel > TALLY_MAX_STACK)
		return;
	if (of_user)
		user = user_stack(ctx, r->frame + r->key.nr_kernel, tally_config.stack_size);
	r->key.nr_user = user < 0 ? 0 : user / sizeof(__u64);
	if (kernel < 0 || user < 0)
		s->counts.lost_stacks++;
}

#endif
