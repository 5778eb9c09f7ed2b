// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-choice.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include "util/bpf/kernel-table.h"
#include "util/bpf_skel/sample-encode.h"
#include "util/bpf_skel/unwind.h"
#include "util/event/tracepoint.h"

u64 unwind_choice__sample_types(void)
{
	return SAMPLE_ENCODE_TYPES & ~(u64)PERF_SAMPLE_RAW; /* which tracepoints have */
}

static const char *refuse_depth(const struct perf_event_attr *attr)
{
	if (attr->sample_max_stack > UNWIND_MAX_FRAMES)
		return "more frames are asked for than BPF takes (511)";
	if (!attr->sample_max_stack && unwind_tables__max_stack() > UNWIND_MAX_FRAMES)
		return "kernel.perf_event_max_stack is above 511";
	return NULL;
}

/* Before Linux 6.3 the program has no other clock. */
static const char *refuse_clock(const struct perf_event_attr *attr)
{
	if (!attr->use_clockid || attr->clockid == CLOCK_MONOTONIC || kernel_offer__is_of_version(KERNEL_PREPARED_SAMPLES))
		return NULL;
	return "times are to be of another clock";
}

const char *unwind_choice__refuse(const struct source_wish *wish)
{
	const struct perf_event_attr *attr = &wish->evsel->attr;

	if (wish->tally && wish->tally->both)
		return "samples are written and counted";
	if (wish->tally && !(wish->tally->key & TALLY_KEY_USTACK))
		return "no user stacks are counted";
	if (wish->tally && (wish->tally->exprs || (wish->filter.table && wish->filter.table->nr_walks)))
		return "the kernel's own data is read, for which the program with tables has no room";
	if (wish->tally || evsel__has_own_contents(wish->evsel))
		return NULL;
	if (attr->write_backward)
		return "only the latest samples are to be kept";
	if (attr->sample_type & ~unwind_choice__sample_types())
		return "samples are to hold more than BPF programs write";
	if (attr->exclude_callchain_user)
		return "there are no user stacks";
	return refuse_depth(attr) ?: refuse_clock(attr);
}

/* Those of TP_perf_assign(__perf_task()) in include/trace/events/sched.h: a program sees its own CPU's task only. */
const char *unwind_choice__refuse_tracepoint(const struct evsel *evsel)
{
	static const char *const woken[] = { "sched_waking", "sched_wakeup", "sched_wakeup_new" };

	if (strcmp(tracepoint__sys(evsel->tp), "sched"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(woken); i++) {
		if (!strcmp(tracepoint__name(evsel->tp), woken[i]))
			return "it also counts for the task that is woken";
	}
	return NULL;
}

void unwind_choice__give_up(struct source_wish *wish, const char *why)
{
	snprintf(wish->no_tables, sizeof(wish->no_tables), "%.*s", (int)strcspn(why, "\n"), why);
	wish->tables = NULL;
	wish->tables_by_choice = false;
}
