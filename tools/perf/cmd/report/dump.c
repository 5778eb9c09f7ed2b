// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "cmd/report/view.h"
#include "ui/dump/record.h"
#include "ui/report/stats.h"

static bool wanted(const struct report_view_options *o)
{
	return o->dump;
}

static int init(struct report_view *v, struct errmsg *err)
{
	read_options__start_pager(&v->options->reading);
	report_view__print_header(v);
	return 0;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	const struct report_view *v = data;

	perf_record__fprintf_raw(stdout, v->options->reading.input, sample->record, sample->file_offset);
	sample__fprintf_dump(stdout, sample, perfdata_reader__features(session__reader(s))->arch);
	sample__fprintf_owner(stdout, sample);
	return 0;
}

static int take_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data)
{
	const struct session_event *event = session__event_of(s, id);
	const struct report_view *v = data;

	perf_record__fprintf_raw(stdout, v->options->reading.input, record, file_offset);
	if (record->header.type == PERF_RECORD_READ)
		perf_record__fprintf_read(stdout, event, record, id, file_offset);
	else
		perf_record__fprintf_dump(stdout, &event->event->attr, record, id, file_offset);
	/* As in perf, whose script prints nothing for these. */
	if (record->header.type == PERF_RECORD_THREAD_MAP || record->header.type == PERF_RECORD_CPU_MAP)
		puts(": unhandled!");
	return 0;
}

static int finish(struct report_view *v)
{
	stats__fprintf(stdout, v->session);
	return 0;
}

const struct report_view_ops dump_view = {
	.size = sizeof(struct report_view),
	.wanted = wanted,
	.init = init,
	.reading = { .sample = take_sample, .record = take_record },
	.finish = finish,
};
