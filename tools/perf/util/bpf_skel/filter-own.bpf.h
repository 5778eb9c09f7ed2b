/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Whose sample is this? For one hit of a software event (a page fault, a context switch, but no clock) the kernel makes one
 * perf_sample_data for all events that count it (kernel/events/core.c, do_perf_sw_event()), and since Linux 6.3 perf_prepare_sample() fills
 * in only what is not there yet. So what the first of these events has filled in stays for all others: ids of its PID namespace, the time
 * of its clock, its own id. Any user can have such an event on tasks of that user.
 *
 * So for these events the program finds out the members that an event could have filled in otherwise: from the task and the clock. All
 * other members come out the same for every event, but for the callchain, which no term reads.
 *
 * Programs that may have such an event define FILTER_OWN; words->own says whether they have, and which clock it has. To the others all
 * samples are their own.
 */
#ifndef PERF_BPF_FILTER_OWN_BPF_H
#define PERF_BPF_FILTER_OWN_BPF_H

#ifndef FILTER_OWN

struct filter_own {};
#define own_term(words, term) (term)
#define filter_source__find_own(src, own) (void)(own)
#define filter_source__is_own(src) true

#else

#define OWN_TIME_MARGIN 1000000 /* ns between what the kernel read and what we read for one sample: else it is another clock's */
#define PIDTYPE_TGID 1

struct filter_own {
	__u64 id;
	__u64 time;
	__u32 tid, pid;
	bool foreign; /* the sample says otherwise */
};

/* Which of the own terms stands for a term in an event of this kind. */
static __always_inline __u32 own_term(const volatile struct filter_words *words, __u32 term)
{
	if (!words->own)
		return term;
	switch (term) {
	case FILTER_TERM_ID:
		return FILTER_TERM_OWN_ID;
	case FILTER_TERM_TID:
		return FILTER_TERM_OWN_TID;
	case FILTER_TERM_PID:
		return FILTER_TERM_OWN_PID;
	case FILTER_TERM_TIME:
		return FILTER_TERM_OWN_TIME;
	default:
		return term;
	}
}

FILTER_FUNCTION __u64 own_member(const struct filter_own *own, __u32 term)
{
	if (!own)
		return 0;
	switch (term) {
	case FILTER_TERM_OWN_ID:
		return own->id;
	case FILTER_TERM_OWN_TID:
		return own->tid;
	case FILTER_TERM_OWN_PID:
		return own->pid;
	default:
		return own->time;
	}
}

/* The id that a task has in the namespace of the event's owner: 0 if it is not of that namespace, -1 when it has no id any more. */
static __always_inline __u32 id_in(struct pid *pid, struct pid_namespace *ns)
{
	struct upid upid = { 0 };
	__u32 level = ns->level;

	if (!pid)
		return -1;
	if (level > pid->level)
		return 0;
	bpf_probe_read_kernel(&upid, sizeof(upid), (char *)pid + bpf_core_field_offset(struct pid, numbers) + level * sizeof(upid));
	return upid.ns == ns ? upid.nr : 0;
}

static __always_inline __u64 own_clock(__u32 own)
{
	switch (own) {
	case FILTER_OWN_MONOTONIC:
		return bpf_ktime_get_ns();
	case FILTER_OWN_BOOTTIME:
		return bpf_ktime_get_boot_ns();
	case FILTER_OWN_TAI:
		return bpf_ktime_get_tai_ns();
	default:
		return 0;
	}
}

static __noinline int filter_own__find(struct filter_own *own, struct bpf_perf_event_data *ctx, const volatile struct filter_words *words)
{
	struct bpf_perf_event_data_kern *kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	struct task_struct *task = bpf_rdonly_cast((void *)bpf_get_current_task(), bpf_core_type_id_kernel(struct task_struct));
	struct perf_sample_data *data = kctx->data;
	struct perf_event *event = kctx->event, *parent = event->parent;
	__u64 flags = data->sample_flags, now = own_clock(words->own);

	own->id = parent ? parent->id : event->id;
	own->tid = event->ns->level ? id_in(task->thread_pid, event->ns) : (__u32)task->pid;
	own->pid = event->ns->level ? id_in(task->signal->pids[PIDTYPE_TGID], event->ns) : (__u32)task->tgid;
	own->time = flags & PERF_SAMPLE_TIME ? data->time : 0;
	own->foreign = flags & PERF_SAMPLE_TID && (own->tid != data->tid_entry.tid || own->pid != data->tid_entry.pid);
	if (now && now - own->time + OWN_TIME_MARGIN > 2 * OWN_TIME_MARGIN) {
		own->foreign |= flags & PERF_SAMPLE_TIME;
		own->time = now;
	}
	if (flags & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		own->foreign |= own->id != data->id;
	return 0;
}

/* Before the table is run. *own must live as long as the source. */
#define filter_source__find_own(src, own_)						\
	({										\
		(src)->own = (own_);							\
		if ((src)->words->own)							\
			filter_own__find((own_), (src)->ctx, (src)->words);		\
	})

/* Does the sample say what is so? */
#define filter_source__is_own(src) (!(src)->words->own || !(src)->own->foreign)

#endif

#endif
