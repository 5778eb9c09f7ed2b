/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Whose values does this sample hold? For one hit of a software event (a page fault, a context switch, but no clock) the kernel
 * makes one perf_sample_data for all events that count it (kernel/events/core.c, do_perf_sw_event()), and since Linux 6.3
 * perf_prepare_sample() only fills in members that are still missing. So the values of the first event stay for all others: ids in
 * its PID namespace, the time of its clock, its own id. Any user can have such an event on tasks of that user.
 *
 * So for these events the program determines the affected members itself: from the task and the clock. All other members are the
 * same for every event, except the callchain, which no term reads.
 *
 * Programs for such events define FILTER_OWN; words->own says whether the event is one, and which clock it has. For other events the
 * sample's values are always their own.
 */
#ifndef PERF_BPF_FILTER_OWN_BPF_H
#define PERF_BPF_FILTER_OWN_BPF_H

#ifndef FILTER_OWN

struct filter_own {};
#define own_term(words, term) (term)
#define filter_source__find_own(src, own) (void)(own)
#define filter_source__has_own_ids(src) true
#define filter_source__is_own(src) true

#else

#define OWN_TIME_MARGIN 20000 /* limit in ns between the kernel's reading of the clock and ours: a larger difference means another clock */
#define PIDTYPE_TGID 1

struct filter_own {
	__u64 event, data; /* struct perf_event *, struct perf_sample_data *: as numbers, since functions get them in plain memory */
	__u64 time;	   /* 0: not read yet */
	__u32 clock;	   /* filter_words.own */
	__u32 pad;
};

#define own_event(own) ((struct perf_event *)bpf_rdonly_cast((void *)(own)->event, bpf_core_type_id_kernel(struct perf_event)))
#define own_data(own)                                                                                   \
	((struct perf_sample_data *)bpf_rdonly_cast((void *)(own)->data, bpf_core_type_id_kernel(struct perf_sample_data)))

/* The own term that replaces a term in an event of this kind. */
static __always_inline __u32 own_term(const volatile struct filter_words *words, __u32 term)
{
	if (!words->own)
		return term;
	switch (term) {
	FILTER_OWN_TERMS(FILTER_OWN_CASE)
	default:
		return term;
	}
}

/*
 * A task's id in the namespace of the event's owner, of that level: 0 if it is not in that namespace, -1 if it has no id any more. A function of its
 * own: to find struct pid in its BTF the kernel takes 0.3 ms, and again after struct pid_namespace, as it remembers one of the two only. Static in all
 * programs, as a global function may take no pointer of the kernel.
 */
static __noinline __attribute__((unused)) __u32 id_in(struct pid *pid, struct pid_namespace *ns, __u32 level)
{
	struct upid upid = { 0 };

	if (!pid)
		return -1;
	if (level > pid->level)
		return 0;
	bpf_probe_read_kernel(&upid, sizeof(upid), (char *)pid + bpf_core_field_offset(struct pid, numbers) + level * sizeof(upid));
	return upid.ns == ns ? upid.nr : 0;
}

/*
 * The PID namespace of the task that opened the event; for an inherited event, that of the task that forked (kernel/events/core.c,
 * perf_event_pid_type()).
 */
static __always_inline struct pid_namespace *own_namespace(const struct perf_event *event)
{
	return event->parent ? event->parent->ns : event->ns;
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

FILTER_FUNCTION __u64 own_time(struct filter_own *own)
{
	__u64 now;

	if (!own)
		return 0;
	if (own->time)
		return own->time;
	now = own_clock(own->clock);
	own->time = own_data(own)->time;
	if (now && now - own->time + OWN_TIME_MARGIN > 2 * OWN_TIME_MARGIN)
		own->time = now;
	return own->time;
}

FILTER_FUNCTION __u64 own_member(struct filter_own *own, __u32 term)
{
	struct perf_event *event;
	struct pid_namespace *ns;
	struct task_struct *task;
	__u32 level;

	if (!own)
		return 0;
	event = own_event(own);
	ns = own_namespace(event);
	level = ns->level;
	task = bpf_rdonly_cast((void *)bpf_get_current_task(), bpf_core_type_id_kernel(struct task_struct));
	switch (term) {
	case FILTER_TERM_OWN_TID:
		return level ? id_in(task->thread_pid, ns, level) : (__u32)task->pid;
	case FILTER_TERM_OWN_PID:
		return level ? id_in(task->signal->pids[PIDTYPE_TGID], ns, level) : (__u32)task->tgid;
	case FILTER_TERM_OWN_ID:
		return event->parent ? event->parent->id : event->id;
	default:
		return own_time(own);
	}
}

/* Do the ids of the task in the sample differ from its own? The event's id is not compared: the ring shows which event it is. */
FILTER_FUNCTION __u64 own_ids_differ(struct filter_own *own)
{
	struct perf_sample_data *data;
	struct task_struct *task;

	if (!own)
		return 0;
	data = own_data(own);
	if (own_namespace(own_event(own))->level)
		return data->tid_entry.tid != (__u32)own_member(own, FILTER_TERM_OWN_TID) ||
		       data->tid_entry.pid != (__u32)own_member(own, FILTER_TERM_OWN_PID);
	task = bpf_rdonly_cast((void *)bpf_get_current_task(), bpf_core_type_id_kernel(struct task_struct));
	return data->tid_entry.tid != (__u32)task->pid || data->tid_entry.pid != (__u32)task->tgid;
}

FILTER_FUNCTION __u64 own_time_differs(struct filter_own *own)
{
	return own && own_data(own)->time != own_time(own);
}

/* Call it before the table runs. *own must live as long as the source. */
#define filter_source__find_own(src, own_)									\
	({													\
		(src)->own = (own_);										\
		if ((src)->words->own) {									\
			*(own_) = (struct filter_own){ .clock = (src)->words->own };				\
			(own_)->data = (__u64)(src)->data;							\
			(own_)->event = (__u64)((struct bpf_perf_event_data_kern *)bpf_rdonly_cast((src)->ctx,	\
						bpf_core_type_id_kernel(struct bpf_perf_event_data_kern)))->event; \
		}												\
	})

/* Are the sample's ids and time its own? Each sample has both: see SAMPLE_ALWAYS of util/record/attrs.c. */
#define filter_source__has_own_ids(src) (!(src)->words->own || !own_ids_differ((src)->own))
#define filter_source__is_own(src) (filter_source__has_own_ids(src) && (!(src)->words->own || !own_time_differs((src)->own)))

#endif
#endif
