/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Records for user space: samples whose file could not be looked up, as user space can do so later, and corrections for records. */
#ifndef PERF_BPF_FILTER_SEND_BPF_H
#define PERF_BPF_FILTER_SEND_BPF_H

/* What to send; user space makes sure that it includes all that the table needs. 0: send nothing. */
const volatile __u64 filter_sends_terms;   /* bits by enum filter_term */
const volatile __u32 filter_sends_cgroups; /* by level */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, FILTER_UNDECIDED_RING);
} filter_undecided SEC(".maps");

static __noinline int send_undecided(struct bpf_perf_event_data *ctx, struct filter_counts *counts, struct filter_own *own,
				   struct filter_file *file, __u32 event)
{
	struct filter_undecided *u;
	struct filter_source src;

	if (!filter_sends_terms)
		return 0;
	u = bpf_ringbuf_reserve(&filter_undecided, sizeof(*u), 0);
	if (!u)
		return 0;
	filter_source__init(&src, ctx, &filter_words, counts, file);
	src.own = own;
	u->type = 0;
	u->misc = 0;
	u->size = sizeof(*u);
	u->event = event;
	u->pad = 0;
	u->sample_flags = src.flags;
#pragma unroll
	for (int term = 0; term < FILTER_TERM_FILE_DEV; term++)
		u->value[term] = filter_sends_terms & 1ULL << term ? filter_source__fetch(&src, own_term(&filter_words, term), 0) : 0;
#pragma unroll
	for (int level = 0; level < FILTER_SAMPLE_LEVELS; level++)
		u->cgroup_at[level] = filter_sends_cgroups & 1 << level ? bpf_get_current_ancestor_cgroup_id(level) : 0;
	bpf_ringbuf_submit(u, 0);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, FILTER_MENDS_RING);
} filter_mends SEC(".maps");

/* false: the ring is full. */
static __noinline bool send_mend(struct filter_own *own, struct perf_sample_data *data)
{
	struct filter_mend *m = bpf_ringbuf_reserve(&filter_mends, sizeof(*m), 0);
	__u64 wake = BPF_RB_NO_WAKEUP;

	if (!m)
		return false;
	m->type = 0;
	m->misc = 0;
	m->size = sizeof(*m);
	m->ip = data->ip;
	m->seen_time = data->time;
	m->seen_pid = data->tid_entry.pid;
	m->seen_tid = data->tid_entry.tid;
	m->id = own_member(own, FILTER_TERM_OWN_ID);
	m->time = own_time(own);
	m->pid = own_member(own, FILTER_TERM_OWN_PID);
	m->tid = own_member(own, FILTER_TERM_OWN_TID);
	/* Perf reads these together with the records to correct: wake it only if the ring fills up. */
	if (bpf_ringbuf_query(&filter_mends, BPF_RB_AVAIL_DATA) >= FILTER_MENDS_RING / 4)
		wake = BPF_RB_FORCE_WAKEUP;
	bpf_ringbuf_submit(m, wake);
	return true;
}

/*
 * For a sample that is kept: 1 makes the kernel write it; 0: its ids or its time are wrong, and the correction did not fit into the
 * ring.
 */
static __always_inline int write_sample(struct filter_source *src)
{
	if (filter_source__is_own(src) || send_mend(src->own, src->data))
		return 1;
	src->counts->unmended++;
	return 0;
}

#endif
