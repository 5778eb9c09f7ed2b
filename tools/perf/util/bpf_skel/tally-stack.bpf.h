/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Counting by keys with user stacks, some of which user space must finish before their key is known. */
#ifndef PERF_BPF_TALLY_STACK_BPF_H
#define PERF_BPF_TALLY_STACK_BPF_H

#include "tally.bpf.h"
#include "user-stack.bpf.h"

/* false: the stack in the record is finished, or there was no room to send it. */
static __always_inline bool tally__send_unfinished(struct tally_scratch *s)
{
	struct tally_record *r = &s->record;
	__u32 size;
	bool sent;

	if (!r->key.nr_user || !user_stack_is_unfinished())
		return false;
	r->nr = r->key.nr_kernel + r->key.nr_user;
	if (r->nr > 2 * TALLY_MAX_STACK)
		return false;
	size = __builtin_offsetof(struct tally_record, frame) + r->nr * sizeof(__u64);
	r->type = TALLY_FINISHED;
	r->set = tally__set();
	r->slot = TALLY_NO_SLOT;
	r->size = size;
	sent = user_stack_send(&tally_ring, r, size, __builtin_offsetof(struct tally_record, nr) / sizeof(__u64));
	r->type = 0;
	s->counts.unfinished += sent;
	return sent;
}

static __always_inline void tally__add_stack(struct tally_scratch *s)
{
	if (!tally__send_unfinished(s))
		tally__add(s);
}

#endif
