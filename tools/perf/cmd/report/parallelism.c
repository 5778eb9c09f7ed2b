// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/parallelism.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/kind.h"

#define MAX_TID (1u << 22) /* as the kernel's PID_MAX_LIMIT; others are of no task */

struct parallelism {
	u32 nr_running;
	u64 running[MAX_TID / 64]; /* a bit for each tid */
};

bool parallelism__is_recorded(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (session__event(s, i)->event->attr.context_switch)
			return true;
	}
	return false;
}

int parallelism__new(struct session *s, struct parallelism **p, struct errmsg *err)
{
	if (!parallelism__is_recorded(s))
		return errmsg__set(err, ENODATA, "Latency and parallelism need a recording with context switches: record with --latency.");
	*p = calloc(1, sizeof(**p));
	return *p ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

void parallelism__delete(struct parallelism *p)
{
	free(p);
}

/* 0 is the idle task of each CPU. */
static void set_running(struct parallelism *p, u32 tid, bool runs)
{
	u64 bit = 1ULL << (tid % 64), *word;

	if (!tid || tid >= MAX_TID)
		return;
	word = &p->running[tid / 64];
	if (!(*word & bit) == !runs)
		return;
	*word ^= bit;
	p->nr_running += runs ? 1 : -1;
}

void parallelism__take_record(struct parallelism *p, const union perf_record *record, const struct perf_sample *id)
{
	switch (record->header.type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		set_running(p, id->tid, !(record->header.misc & PERF_RECORD_MISC_SWITCH_OUT));
		break;
	case PERF_RECORD_EXIT:
		set_running(p, record->fork.tid, false);
		break;
	}
}

/* Do its samples stand for sleeps? True for the event of --off-cpu, of this perf and others. */
static bool is_off_cpu(const struct session_event *event)
{
	const struct perf_event_attr *attr = &event->event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT && event_kind__of_name(event->name) == &off_cpu_kind;
}

u32 parallelism__take_sample(struct parallelism *p, const struct session_sample *sample)
{
	if (is_off_cpu(sample->evsel))
		return 0;
	set_running(p, sample->thread->tid, true);
	return p->nr_running ?: 1;
}
