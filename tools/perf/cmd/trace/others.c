// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/others.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ui/trace/places.h"
#include "util/bpf/kernel-btf.h"
#include "util/event/tracepoint.h"
#include "util/lib/array.h"
#include "util/symbol/live-functions.h"

struct trace_late {
	u64 time;
	u64 turn; /* among those of one time */
	char *text;
	size_t len;
};

/* line is moved. 0 or -ENOMEM */
static int add_line(struct trace_others *others, u64 time, struct text *line)
{
	if (array__grow(others->late, others->nr, others->room)) {
		text__exit(line);
		return -ENOMEM;
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

enum fault_kind { FAULT_NONE, FAULT_MINOR, FAULT_MAJOR };

static enum fault_kind fault_kind(const struct session_event *evsel)
{
	const struct perf_event_attr *attr = &evsel->event->attr;

	if (attr->type != PERF_TYPE_SOFTWARE)
		return FAULT_NONE;
	if (attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ)
		return FAULT_MAJOR;
	return attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ? FAULT_MINOR : FAULT_NONE;
}

bool trace_others__is_fault(const struct session_event *evsel)
{
	return fault_kind(evsel) != FAULT_NONE;
}

static void add_event(struct trace_others *others, struct session *s, const struct session_sample *sample, struct text *line)
{
	const struct perf_sample *raw = sample->sample;
	const struct trace_event event = {
		.time = raw->time, .tid = raw->tid, .cpu = raw->cpu, .comm = sample->thread->comm, .name = sample->evsel->name,
		.formats = others->formats ?: session__formats(s), .raw = raw->raw, .raw_size = raw->raw_size,
	};

	trace_lines__add_event(others->lines, line, &event);
}

/* A copy of a call, as samples are not aligned. 0 or -ENOMEM */
static int add_call(struct trace_others *others, const struct perf_sample *raw, struct text *line)
{
	const struct trace_call *call;

	others->call = others->call ?: malloc(PERF_RECORD_MAX_SIZE);
	if (!others->call)
		return -ENOMEM;
	memcpy(others->call, raw->raw, raw->raw_size);
	call = (const struct trace_call *)others->call;
	trace_lines__add(others->lines, line, call);
	return 0;
}

int trace_others__take(struct trace_others *others, struct session *s, const struct session_sample *sample, struct text *line)
{
	const enum fault_kind fault = fault_kind(sample->evsel);
	int ret = 0;

	if (fault != FAULT_NONE && others->sums)
		ret = trace_sums__add_fault(others->sums, sample->sample->tid, sample->thread->comm, fault == FAULT_MAJOR);
	if (ret || !others->written || (sample->chain && sample->chain->nr < others->min_stack))
		return ret;
	if (others->has_calls && !sample->evsel->idx)
		ret = add_call(others, sample->sample, line);
	else if (!others->lines->first)
		others->lines->first = sample->sample->time;
	if (line->len || ret)
		; /* it was a call */
	else if (fault != FAULT_NONE)
		trace_places__add_fault(others->lines, line, s, sample, fault == FAULT_MAJOR);
	else
		add_event(others, s, sample, line);
	if (sample->chain)
		trace_places__add_callers(line, sample->chain);
	return ret ?: line->failed ? -ENOMEM : 0;
}

/* Perf's own faults would make new ones. */
static bool is_own(const struct session_sample *sample)
{
	return fault_kind(sample->evsel) != FAULT_NONE && sample->sample->pid == (u32)getpid();
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct trace_others *others = data;
	struct text line = {};
	int ret;

	if (is_own(sample))
		return 0;
	ret = trace_others__take(others, s, sample, &line);
	if (ret || !line.len) {
		text__exit(&line);
		return ret;
	}
	return add_line(others, sample->sample->time, &line);
}

static int open_session(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err)
{
	struct trace_others *others = data;
	const struct session_opts opts = { .max_stack = others->max_stack, .resolver.symtab.live = others->functions };
	int ret = session__open_live(&opts, event, nr, &others->session, err);

	if (!ret)
		session__want(others->session, others->detail, SESSION_NO_IDS);
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

static bool find_constant(void *data, const char *name, u64 *value)
{
	return kernel_btf__enumerator(name, value);
}

int trace_others__begin(struct trace_others *others, const struct evlist *evlist, struct errmsg *err)
{
	others->sink = (struct record_sink){ .begin = open_session, .records = take_records, .round = end_round, .fd = -1, .data = others };
	others->formats = tp_formats__new(false, sizeof(long));
	others->functions = live_functions__new();
	if (!others->formats || !others->functions)
		return errmsg__set(err, ENOMEM, "out of memory");
	tp_formats__set_constants(others->formats, find_constant, NULL);
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct tracepoint *tp = evlist->evsel[i]->tp;
		const char *format;
		size_t size;

		if (!tp || evlist->evsel[i]->kind)
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

u64 trace_others__flush(struct trace_others *others, u64 before, u64 max, struct text *text)
{
	u64 nr = 0;
	size_t i;

	if (others->nr)
		qsort(others->late, others->nr, sizeof(*others->late), compare);
	for (i = 0; i < others->nr && others->late[i].time < before; i++) {
		if (nr < max) {
			text__put(text, others->late[i].text, others->late[i].len);
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
	free(others->call);
	tp_formats__delete(others->formats);
	session__delete(others->session);
	live_functions__delete(others->functions);
}
