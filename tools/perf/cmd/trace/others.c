// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/others.h"

#include <errno.h>
#include <stdlib.h>
#include "util/event/tracepoint.h"

struct trace_late {
	u64 time;
	u64 turn; /* among those of one time */
	char *text;
	size_t len;
};

/* line is moved. 0 or -ENOMEM */
static int add_line(struct trace_others *others, u64 time, struct text *line)
{
	struct trace_late *bigger;

	if (others->nr == others->room) {
		bigger = reallocarray(others->late, others->room ? others->room * 2 : 64, sizeof(*bigger));
		if (!bigger) {
			text__exit(line);
			return -ENOMEM;
		}
		others->late = bigger;
		others->room = others->room ? others->room * 2 : 64;
	}
	others->late[others->nr] = (struct trace_late){ .time = time, .turn = others->nr, .text = line->buf, .len = line->len };
	others->nr++;
	return line->failed ? -ENOMEM : 0;
}

int trace_others__add_call(struct trace_others *others, const struct trace_call *call)
{
	struct text line = {};

	trace_lines__add(others->lines, &line, call);
	return add_line(others, call->end, &line);
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct trace_others *others = data;
	const struct perf_sample *raw = sample->sample;
	const struct trace_event event = {
		.time = raw->time, .tid = raw->tid, .cpu = raw->cpu, .comm = sample->thread->comm, .name = sample->evsel->name,
		.formats = others->formats, .raw = raw->raw, .raw_size = raw->raw_size,
	};
	struct text line = {};

	if (!others->lines->first)
		others->lines->first = raw->time;
	trace_lines__add_event(others->lines, &line, &event);
	return add_line(others, raw->time, &line);
}

static int open_session(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err)
{
	struct trace_others *others = data;
	const struct session_opts opts = { 0 };
	int ret = session__open_live(&opts, event, nr, &others->session, err);

	if (!ret)
		session__want(others->session, SESSION_ADDRESSES, SESSION_NO_IDS);
	return ret;
}

static int take_records(void *data, const void *records, size_t size, struct errmsg *err)
{
	static const struct session_ops ops = { .sample = take_sample };
	struct trace_others *others = data;

	return session__feed(others->session, records, size, &ops, others, err);
}

static int end_round(void *data, struct errmsg *err)
{
	return 0;
}

int trace_others__begin(struct trace_others *others, const struct evlist *evlist, struct trace_lines *lines, struct errmsg *err)
{
	others->lines = lines;
	others->sink = (struct record_sink){ .begin = open_session, .records = take_records, .round = end_round, .fd = -1, .data = others };
	others->formats = tp_formats__new(false, sizeof(long));
	if (!others->formats)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct tracepoint *tp = evlist->evsel[i]->tp;
		const char *format;
		size_t size;

		if (!tp || evlist->evsel[i]->trace)
			continue;
		format = tracepoint__format(tp, &size);
		if (tp_formats__add(others->formats, tracepoint__sys(tp), format, size) == -ENOMEM)
			return errmsg__set(err, ENOMEM, "out of memory for the formats of events");
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct trace_late *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->turn < y->turn ? -1 : 1;
}

u64 trace_others__flush(struct trace_others *others, u64 before, u64 max)
{
	u64 nr = 0;
	size_t i;

	if (others->nr)
		qsort(others->late, others->nr, sizeof(*others->late), compare);
	for (i = 0; i < others->nr && others->late[i].time < before; i++) {
		if (nr < max) {
			fwrite(others->late[i].text, 1, others->late[i].len, others->lines->fp);
			nr++;
		}
		free(others->late[i].text);
	}
	others->nr -= i;
	for (size_t j = 0; j < others->nr; j++) {
		others->late[j] = others->late[i + j];
		others->late[j].turn = j;
	}
	return nr;
}

void trace_others__exit(struct trace_others *others)
{
	for (size_t i = 0; i < others->nr; i++)
		free(others->late[i].text);
	free(others->late);
	tp_formats__delete(others->formats);
	session__delete(others->session);
}
