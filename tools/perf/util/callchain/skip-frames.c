// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/skip-frames.h"

#include <errno.h>
#include <string.h>
#include "util/lib/comma-list.h"

/*
 * A '*' at the end matches any rest. A suffix after '.' comes from the compiler and is ignored. Sources: kernel/bpf/,
 * kernel/trace/bpf_trace.c, include/trace/; kernel/sched/core.c, kernel/time/sleep_timeout.c; kernel/locking/.
 */
static const char *const bpf_names[] = {
	"bpf_prog_*", "___bpf_prog_run", "__bpf_prog_*", "bpf_trampoline_*", "bpf_dispatcher_*", "bpf_trace_run*", "__bpf_trace_*",
	"__traceiter_*", "trace_call_bpf", "perf_trace_*", "perf_syscall_*", "bpf_get_stack*", "__bpf_get_stack*",
	"bpf_get_task_stack*", "__bpf_get_task_stack*", "bpf_perf_event_output*", "bpf_ringbuf_*", "__bpf_ringbuf_*",
};

static const char *const sched_names[] = {
	"__schedule", "schedule", "schedule_idle", "schedule_preempt_disabled", "schedule_timeout*", "schedule_hrtimeout*",
	"schedule_rtlock", "preempt_schedule*", "io_schedule*", "__cond_resched*", "_cond_resched", "__switch_to*",
	"context_switch", "prepare_task_switch", "finish_task_switch", "do_task_dead", "yield", "yield_to",
};

static const char *const lock_names[] = {
	"mutex_lock*", "mutex_unlock", "mutex_trylock", "mutex_spin_on_owner", "__mutex_*", "ww_mutex_*", "rt_mutex_*", "__rt_mutex_*",
	"rtlock_*", "down_read*", "down_write*", "down_interruptible", "down_killable", "down_timeout", "down", "__down*", "up_read",
	"up_write", "up", "__up*", "rwsem_*", "percpu_down_*", "percpu_rwsem_*", "__percpu_down_*", "__percpu_up_*", "osq_lock",
	"osq_unlock", "_raw_spin_*", "_raw_read_*", "_raw_write_*", "native_queued_spin_*", "__pv_queued_spin_*",
	"queued_spin_*", "queued_read_*", "queued_write_*", "do_raw_spin_*",
};

static const struct {
	const char *name;
	enum skip_class bit;
	const char *const *names;
	u32 nr;
} classes_of[] = {
	{ "bpf", SKIP_BPF, bpf_names, ARRAY_SIZE(bpf_names) },
	{ "sched", SKIP_SCHED, sched_names, ARRAY_SIZE(sched_names) },
	{ "lock", SKIP_LOCK, lock_names, ARRAY_SIZE(lock_names) },
};

static int parse_class(struct list_word word, u32 *classes)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes_of); i++) {
		if (list_word__is(word, classes_of[i].name)) {
			*classes |= classes_of[i].bit;
			return 0;
		}
	}
	return -EINVAL;
}

int skip_frames__parse(const char *list, u32 *classes, struct errmsg *err)
{
	*classes = 0;
	comma_list__for_each(list, word) {
		if (parse_class(word, classes))
			return errmsg__set(err, EINVAL, "'%.*s' is not a kind of frames: take bpf, sched or lock, or several with "
							"commas", (int)word.len, word.text);
	}
	return 0;
}

static bool matches(const char *pattern, const char *name)
{
	size_t len = strcspn(pattern, "*");

	return !strncmp(pattern, name, len) && (pattern[len] || !name[len] || name[len] == '.');
}

static bool is_of_class(const struct location *loc, size_t class)
{
	if (classes_of[class].bit == SKIP_BPF && loc->dso && loc->dso->kind == DSO_BPF)
		return true;
	for (u32 i = 0; loc->sym && i < classes_of[class].nr; i++) {
		if (matches(classes_of[class].names[i], loc->sym->name))
			return true;
	}
	return false;
}

static bool is_skipped(const struct location *loc, u32 classes)
{
	if (loc->cpumode != PERF_RECORD_MISC_KERNEL)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(classes_of); i++) {
		if (classes & classes_of[i].bit && is_of_class(loc, i))
			return true;
	}
	return false;
}

u32 skip_frames__leading(const struct callchain *chain, u32 classes)
{
	u32 nr = 0;

	while (nr + 1 < chain->nr && is_skipped(&chain->frame[nr], classes))
		nr++;
	return nr;
}
