// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read-options.h"
#include "ui/record-stdio.h"
#include "ui/script-fields.h"
#include "ui/script-stdio.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/session/session.h"

#define OUTPUT_BUFFER (1 << 20) /* a sample is many small writes */

static struct read_options reading = READ_OPTIONS_INIT;
static bool full_source_path, nanoseconds, dump, show_task, show_mmap, show_lost, show_switch, show_cgroup;
static struct script_fields fields;

static int parse_fields(const struct option_row *row, const char *arg, bool unset)
{
	struct errmsg err;

	if (unset) {
		script_fields__init(&fields);
		return 0;
	}
	if (!script_fields__parse(&fields, arg, &err))
		return 0;
	pr_err("%s\n", err.text);
	return -1;
}

static const char *const script_usage[] = {
	"perf script [<options>]",
	NULL,
};

static const struct option_row script_options[] = {
	READ_OPTIONS(reading),
	OPT_CALLBACK('F', "fields", NULL, "[type:]field,...",
		     "what to print: comm, tid, pid, time, cpu, event, trace, ip, sym, dso, addr, symoff, srcline, period; +field "
		     "adds to the defaults, -field takes away; type: hw, sw, trace, raw, break", parse_fields),
	OPT_BOOL('D', "dump-raw-trace", &dump, "show the bytes and the contents of each record"),
	OPT_BOOL(0, "full-source-path", &full_source_path, "show source files with their directories"),
	OPT_BOOL(0, "ns", &nanoseconds, "show times in nanoseconds"),
	OPT_BOOL(0, "merge-callchains", &reading.merge_callchains,
		 "put user callchains that were deferred behind those of their samples (default)"),
	OPT_BOOL(0, "show-task-events", &show_task, "show fork, comm and exit records"),
	OPT_BOOL(0, "show-mmap-events", &show_mmap, "show mmap records"),
	OPT_BOOL(0, "show-lost-events", &show_lost, "show records of lost and of dropped samples"),
	OPT_BOOL(0, "show-switch-events", &show_switch, "show context switch records"),
	OPT_BOOL(0, "show-cgroup-events", &show_cgroup, "show cgroup records"),
	OPT_END(),
};

static int process_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct script_stdio *out = data;

	if (dump) {
		script__flush(out);
		record__fprintf_raw(out->fp, reading.input, sample->record, sample->file_offset);
		sample__fprintf_dump(out->fp, sample);
	}
	script__print_sample(out, s, sample);
	return 0;
}

static bool is_shown(u32 type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return show_task;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return show_mmap;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return show_lost;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return show_switch;
	case PERF_RECORD_CGROUP:
		return show_cgroup;
	case PERF_RECORD_CALLCHAIN_DEFERRED_:
		return !reading.merge_callchains && !dump;
	}
	return false;
}

/* Whose line it is: the task that the record is about, else the one in which it was written. */
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
	}
}

static int process_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset,
			  void *data)
{
	struct script_stdio *out = data;
	struct session_event *event = session__event_of(s, id);
	struct thread *thread;
	u32 pid, tid;

	if (dump) {
		script__flush(out);
		record__fprintf_raw(out->fp, reading.input, record, file_offset);
		record__fprintf_dump(out->fp, &event->event->attr, record, id, file_offset);
	}
	if (!is_shown(record->header.type))
		return 0;
	task_of(record, id, &pid, &tid);
	thread = machine__thread(session__machine(s), pid, tid);
	if (!thread)
		return -ENOMEM;
	if (record->header.type == PERF_RECORD_CALLCHAIN_DEFERRED_)
		return script__print_deferred(out, s, event, thread, record, id);
	script__print_start(out, event, thread, id);
	script__flush(out);
	record__fprintf(out->fp, record, id);
	return 0;
}

static int longest_event_name(struct session *s)
{
	int longest = 0;

	for (u32 i = 0; i < session__nr_events(s); i++) {
		int len = strlen(session__event(s, i)->name);

		if (len > longest)
			longest = len;
	}
	return longest;
}

/* Returns the exit status. */
static int run(struct session *s)
{
	static const struct session_ops ops = { .sample = process_sample, .record = process_record };
	struct script_stdio out = {
		.fp = stdout, .ns = nanoseconds, .full_paths = full_source_path, .name_width = longest_event_name(s),
	};
	u32 *mask = calloc(session__nr_events(s), sizeof(*mask));
	struct errmsg err;
	int ret = -ENOMEM;

	if (!mask) {
		errmsg__set(&err, ENOMEM, "out of memory");
	} else {
		out.mask = mask;
		ret = script_fields__apply(&fields, s, mask, &err);
		if (!ret)
			ret = session__run(s, &ops, &out, &err);
		if (script__flush(&out) && !ret)
			ret = errmsg__set(&err, ENOMEM, "out of memory");
		script__exit(&out);
	}
	free(mask);
	if (ret)
		pr_err("%s\n", err.text);
	else
		session__warn(s, reading.input);
	return ret ? EXIT_SETUP : 0;
}

int cmd_script(int argc, char **argv)
{
	struct session *session;
	int ret;

	script_fields__init(&fields);
	argc = options__parse(argc, argv, script_options, script_usage, false);
	if (argc)
		options__usage_exit(script_options, script_usage, "  Error: unexpected argument `%s'\n", argv[0]);
	setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
	reading.merge_callchains &= !dump;
	session = read_options__open(&reading, !dump && !script_fields__need_symbols(&fields));
	if (!session)
		return EXIT_SETUP;
	ret = run(session);
	session__delete(session);
	return ret;
}
