// SPDX-License-Identifier: GPL-2.0
/* Records other than samples: --show-...-events. */
#include <errno.h>

#include "cmd/script/output.h"
#include "ui/dump/record.h"

static bool wanted(const struct script_options *o)
{
	return o->shown;
}

static bool is_shown(const struct script_options *o, u32 type)
{
	static const u16 shown[PERF_RECORD_USER_MAX] = {
		[PERF_RECORD_COMM] = SCRIPT_SHOW_TASK,
		[PERF_RECORD_FORK] = SCRIPT_SHOW_TASK,
		[PERF_RECORD_EXIT] = SCRIPT_SHOW_TASK,
		[PERF_RECORD_MMAP] = SCRIPT_SHOW_MMAP,
		[PERF_RECORD_MMAP2] = SCRIPT_SHOW_MMAP,
		[PERF_RECORD_LOST] = SCRIPT_SHOW_LOST,
		[PERF_RECORD_LOST_SAMPLES] = SCRIPT_SHOW_LOST,
		[PERF_RECORD_SWITCH] = SCRIPT_SHOW_SWITCH,
		[PERF_RECORD_SWITCH_CPU_WIDE] = SCRIPT_SHOW_SWITCH,
		[PERF_RECORD_CGROUP] = SCRIPT_SHOW_CGROUP,
		[PERF_RECORD_NAMESPACES] = SCRIPT_SHOW_NAMESPACES,
		[PERF_RECORD_KSYMBOL] = SCRIPT_SHOW_BPF | SCRIPT_SHOW_TEXT_POKE,
		[PERF_RECORD_BPF_EVENT] = SCRIPT_SHOW_BPF,
		[PERF_RECORD_TEXT_POKE] = SCRIPT_SHOW_TEXT_POKE,
		[PERF_RECORD_FINISHED_ROUND] = SCRIPT_SHOW_ROUND,
		[PERF_RECORD_CALLCHAIN_DEFERRED_] = SCRIPT_SHOW_DEFERRED,
	};

	return type < PERF_RECORD_USER_MAX && o->shown & shown[type];
}

/* The task of the line: the one that the record describes, otherwise the one in which it was written. */
static void task_of(const union perf_record *record, const struct perf_sample *id, u32 *pid, u32 *tid)
{
	*pid = id->pid;
	*tid = id->tid;
	switch (record->header.type) {
	case PERF_RECORD_COMM:
		*pid = record->comm.pid;
		*tid = record->comm.tid;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*pid = record->fork.pid;
		*tid = record->fork.tid;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		*pid = record->mmap.pid;
		*tid = record->mmap.tid;
		break;
	case PERF_RECORD_NAMESPACES:
		*pid = record->namespaces.pid;
		*tid = record->namespaces.tid;
		break;
	}
}

static int print_record(struct script_output *out, struct session *s, const union perf_record *record, const struct perf_sample *id)
{
	const struct session_event *event = session__event_of(s, id);
	FILE *fp = script_output__begin(out);
	u32 type = record->header.type, pid, tid;
	struct thread *thread;

	if (!fp)
		return -ENOMEM;
	if (type < PERF_RECORD_HEADER_ATTR) { /* perf's own have no task and no time */
		task_of(record, id, &pid, &tid);
		thread = machine__thread(session__machine(s), pid, tid);
		if (!thread)
			return -ENOMEM;
		if (type == PERF_RECORD_CALLCHAIN_DEFERRED_)
			return script__print_deferred(&out->text, s, event, thread, record, id);
		script__print_start(&out->text, event, thread, id, type);
	}
	perf_record__fprintf(fp, record, id);
	script_output__end(out, fp);
	return 0;
}

static int take_record(struct script_part *p, struct session *s, const union perf_record *record, const struct perf_sample *id,
		       u64 file_offset)
{
	const struct script_options *o = p->out->options;

	if (!is_shown(o, record->header.type) || !selection__has_cpu(&o->selection, id->cpu))
		return 0;
	script_writer__set_file(p->out->text.writer, stdout);
	return print_record(p->out, s, record, id);
}

const struct script_part_ops script_records = {
	.size = sizeof(struct script_part),
	.wanted = wanted,
	.record = take_record,
};
