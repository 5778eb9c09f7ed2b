/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Counting by keys, for any program that has samples: call tally_scratch__get(), fill in record.key, frames, time and period, and
 * call tally__add().
 *
 * The contents of a key are sent to user space once, through the ring; the program only keeps its digest with its counts, in a table
 * that user space maps. This way no stack can replace another one, as stacks with equal hashes do in a BPF_MAP_TYPE_STACK_TRACE, and
 * none is stored twice. A digest has 128 bits and starts from a random seed: among a million keys two have equal digests with a
 * probability of 2^-89, so keys are not compared any further.
 *
 * A key that finds no slot in a few steps, or that another CPU is just inserting, is sent as a whole, as a sample of its own, and
 * user space adds it. If the ring is full as well, the sample is lost, and counted as lost.
 *
 * There are two sets of slots. User space reads and clears one set while programs count in the other; before that, it changes
 * tally_control and waits until every program that may not have seen the change has ended.
 *
 * The includer must not be interrupted by itself on one CPU, which the kernel guarantees for perf_event and tracing programs. Any
 * other program may interrupt, in an NMI, too: they share only the slots, and take no lock but the ring's, which in an NMI they only
 * try. Compare-and-exchange needs Linux 5.12 on x86 and 5.18 on arm64.
 */
#ifndef PERF_BPF_TALLY_BPF_H
#define PERF_BPF_TALLY_BPF_H

#include "tally-digest.h"
#include "histogram.bpf.h"

#define BPF_F_MMAPABLE (1U << 10)

const volatile struct tally_config tally_config;

/* The loader sets the sizes of maps with 1 or 4096 entries. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tally_slot);
} tally_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} tally_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tally_control);
} tally_control SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tally_scratch);
} tally_scratch SEC(".maps");

static __always_inline struct tally_scratch *tally_scratch__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tally_scratch, &zero);
}

/* Another CPU may change the slot in between; the more CPUs do, the less likely this value is still an extreme. */
#define RANK_TRIES 8

static __always_inline void tally_slot__extend(struct tally_slot *slot, __u64 rank)
{
	__u64 seen = *(volatile __u64 *)&slot->least, old;

	for (int i = 0; i < RANK_TRIES && rank < seen; i++, seen = old) {
		old = __sync_val_compare_and_swap(&slot->least, seen, rank);
		if (old == seen)
			break;
	}
	seen = *(volatile __u64 *)&slot->greatest;
	for (int i = 0; i < RANK_TRIES && rank > seen; i++, seen = old) {
		old = __sync_val_compare_and_swap(&slot->greatest, seen, rank);
		if (old == seen)
			break;
	}
}

/* The sums are atomic; if two CPUs count at the same time, either sample may become the first or the last. */
static __always_inline void tally_slot__add(struct tally_slot *slot, const struct tally_record *r)
{
	__sync_fetch_and_add(&slot->count, 1);
	__sync_fetch_and_add(&slot->period, r->period);
	if (r->time < slot->first_time)
		slot->first_time = r->time;
	if (r->time > slot->last_time)
		slot->last_time = r->time;
	if (tally_config.histogram.kind || tally_config.extremes)
		tally_slot__extend(slot, r->rank);
}

/* Set the bucket in the key, and the value to sum up, for a histogram. */
static __always_inline void tally_record__set_value(struct tally_record *r, __u64 value)
{
	r->period = value;
	r->rank = histogram__rank(&tally_config.histogram, value);
	r->key.bucket = histogram__bucket(&tally_config.histogram, value);
}

static __always_inline bool tally_record__send(struct tally_record *r, __u32 slot)
{
	__u32 nr = r->key.nr_kernel + r->key.nr_user;
	__u64 wake = BPF_RB_NO_WAKEUP;

	if (nr > 2 * TALLY_MAX_STACK)
		return false;
	if (bpf_ringbuf_query(&tally_ring, BPF_RB_AVAIL_DATA) >= tally_config.wake_at)
		wake = BPF_RB_FORCE_WAKEUP;
	r->slot = slot;
	r->size = __builtin_offsetof(struct tally_record, frame) + nr * sizeof(__u64);
	return !bpf_ringbuf_output(&tally_ring, r, r->size, wake);
}

/* We own the slot: nobody counts in it before it has the complete digest, which happens after user space was told. */
static __noinline void tally_slot__bring_in(struct tally_slot *slot, struct tally_scratch *s, __u32 index)
{
	if (!tally_record__send(&s->record, index)) {
		slot->digest[0] = 0;
		s->counts.lost_spill++;
		return;
	}
	slot->first_time = s->record.time;
	slot->least = slot->greatest = s->record.rank;
	*(volatile __u64 *)&slot->digest[1] = s->record.digest[1];
	tally_slot__add(slot, &s->record);
	s->counts.counted++;
}

static __noinline void tally__spill(struct tally_scratch *s, bool full)
{
	if (tally_record__send(&s->record, TALLY_NO_SLOT))
		s->counts.spilled++;
	else if (full)
		s->counts.lost_keys++;
	else
		s->counts.lost_spill++;
}

static __always_inline __u32 tally__set(void)
{
	struct tally_control *control;
	__u32 zero = 0;

	control = bpf_map_lookup_elem(&tally_control, &zero);
	return control && *(volatile __u32 *)&control->set;
}

static __always_inline void tally__add_to(struct tally_scratch *s, __u32 set)
{
	struct tally_record *r = &s->record;
	bool full = true;
	__u32 begin;

	tally_record__digest(r, &tally_config);
	r->set = set;
	begin = set * (tally_config.last_slot + 1);
	for (__u32 i = 0; i < TALLY_PROBES; i++) {
		__u32 index = begin + ((r->digest[0] + i) & tally_config.last_slot);
		struct tally_slot *slot = bpf_map_lookup_elem(&tally_slots, &index);
		__u64 tag, check;

		if (!slot)
			break;
		tag = *(volatile __u64 *)&slot->digest[0];
		if (!tag) {
			tag = __sync_val_compare_and_swap(&slot->digest[0], 0, r->digest[0]);
			if (!tag)
				return tally_slot__bring_in(slot, s, index);
		}
		if (tag != r->digest[0])
			continue;
		check = *(volatile __u64 *)&slot->digest[1];
		if (check == r->digest[1]) {
			tally_slot__add(slot, r);
			s->counts.counted++;
			return;
		}
		if (!check) {
			full = false;
			break;
		}
	}
	tally__spill(s, full);
}

static __always_inline void tally__add(struct tally_scratch *s)
{
	tally__add_to(s, tally__set());
}

#endif
