// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stacks"

#include "cmd/stacks/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "builtin.h"
#include "util/lib/hash-index.h"
#include "util/lib/log.h"
#include "util/lib/number-table.h"
#include "util/lib/text.h"
#include "util/perfdata/sample.h"
#include "util/record/header.h"

#define EVENT_NAME "threads"
#define EVENT_ID 1
#define SAMPLE_TYPES                                                                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |              \
	 PERF_SAMPLE_CALLCHAIN)

/* What the file knows of a process (records) and of a thread (its name). */
struct told {
	u64 hash; /* of the process's records, without their time; 0: nothing */
	char comm[sizeof(((struct snapshot_task *)NULL)->comm)];
};

struct stacks_recording {
	const char *path;
	bool is_pipe;
	struct perfdata_writer *w; /* NULL: not begun */
	struct perfdata_features features;
	struct record_opts opts; /* for the features */
	struct evlist *evlist;
	u64 time, first_time, nr;
	struct number_table told; /* struct told, by pid and tid */
	u32 pid;		  /* of part */
	struct text part;
	u64 sample[PERF_RECORD_MAX_SIZE / sizeof(u64)];
};

static void tell_note(void *data, const char *text)
{
	pr_info("%s\n", text);
}

/* As an event of a BPF program, which every perf shows by its name. */
static int add_event(struct stacks_recording *r)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);

	if (!evsel)
		return -ENOMEM;
	evsel->name = strdup(EVENT_NAME);
	evsel->attr.sample_type = SAMPLE_TYPES;
	evsel->attr.sample_period = 1;
	evsel->attr.sample_id_all = 1;
	evsel->attr.use_clockid = 1;
	evsel->attr.clockid = CLOCK_MONOTONIC;
	if (evsel->name && !evlist__append(r->evlist, evsel))
		return 0;
	evsel__delete(evsel);
	return -ENOMEM;
}

static int describe_event(struct stacks_recording *r)
{
	struct perfdata_event *event = calloc(1, sizeof(*event));

	if (!event)
		return -ENOMEM;
	r->features.event_desc = event;
	r->features.nr_event_desc = 1;
	event->attr = r->evlist->evsel[0]->attr;
	event->name = strdup(EVENT_NAME);
	event->ids = malloc(sizeof(*event->ids));
	if (!event->name || !event->ids)
		return -ENOMEM;
	event->ids[0] = EVENT_ID;
	event->nr_ids = 1;
	return 0;
}

struct stacks_recording *stacks_recording__new(const char *path, int argc, const char *const *argv)
{
	struct stacks_recording *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->path = path;
	r->is_pipe = !strcmp(path, "-");
	r->told.size = sizeof(struct told);
	r->opts.version = perf_version;
	r->opts.cmdline_argc = argc;
	r->opts.cmdline_argv = argv;
	r->opts.run.note = tell_note;
	r->evlist = evlist__new();
	if (r->evlist && !add_event(r) && !describe_event(r))
		return r;
	stacks_recording__delete(r);
	return NULL;
}

void stacks_recording__delete(struct stacks_recording *r)
{
	if (!r)
		return;
	perfdata_writer__delete(r->w);
	perfdata_features__exit(&r->features);
	evlist__delete(r->evlist);
	number_table__exit(&r->told);
	text__exit(&r->part);
	free(r);
}

const struct perfdata_event *stacks_recording__event(const struct stacks_recording *r)
{
	return r->features.event_desc;
}

int stacks_recording__begin(struct stacks_recording *r, struct errmsg *err)
{
	int ret;

	header__collect(&r->features, r->evlist, &r->opts);
	ret = perfdata_writer__open(r->path, &r->w, err) ?: perfdata_writer__set_events(r->w, r->features.event_desc, 1, err);
	return ret || !r->is_pipe ? ret : header__add(r->w, &r->features, true, &r->opts, err);
}

void stacks_recording__set_time(struct stacks_recording *r, u64 ns)
{
	r->time = ns;
	r->first_time = r->first_time ?: ns;
}

/* Parts */

static int no_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory");
}

/* Of whole records, which are words of 8 bytes */
static u64 hash_of(const struct text *records)
{
	u64 hash = records->len, word;

	for (size_t at = 0; at < records->len; at += sizeof(word)) {
		memcpy(&word, records->buf + at, sizeof(word));
		hash = hash_mix(hash, word);
	}
	return hash ?: 1;
}

static int set_times(struct stacks_recording *r, struct errmsg *err)
{
	const struct perf_event_attr *attr = &r->features.event_desc->attr;
	union perf_record *record;
	struct perf_sample tail;

	for (size_t at = 0; at < r->part.len; at += record->header.size) {
		record = (void *)(r->part.buf + at);
		if (perf_sample__decode_id(&tail, attr, record))
			return errmsg__set(err, EIO, "a record of a task is torn");
		tail.time = r->time;
		sample_id__encode((char *)record + record->header.size - sample_id__size(attr), attr, &tail);
	}
	return 0;
}

static int write_part(struct stacks_recording *r, struct errmsg *err)
{
	struct told *told = number_table__get(&r->told, r->pid);
	const u64 hash = hash_of(&r->part);
	int ret = 0;

	if (!told || r->part.failed)
		return no_memory(err);
	if (r->part.len && told->hash != hash)
		ret = set_times(r, err) ?: perfdata_writer__write(r->w, r->part.buf, r->part.len, err);
	told->hash = hash;
	r->part.len = 0;
	return ret;
}

int stacks_recording__part(struct stacks_recording *r, u32 pid, struct errmsg *err)
{
	int ret = r->part.len ? write_part(r, err) : 0;

	r->pid = pid;
	return ret;
}

int stacks_recording__tell(struct stacks_recording *r, const void *records, size_t size, struct errmsg *err)
{
	text__put(&r->part, records, size);
	return r->part.failed ? no_memory(err) : 0;
}

/* Stacks */

/* Threads of the kernel, and those that are newer than the records of their process, have no name yet; others may have a new one. */
static int write_name(struct stacks_recording *r, const struct snapshot_task *task, struct errmsg *err)
{
	const struct perf_event_attr *attr = &r->features.event_desc->attr;
	const struct perf_sample tail = { .pid = task->pid, .tid = task->tid, .time = r->time, .id = EVENT_ID, .cpu = task->cpu };
	struct told *told = number_table__get(&r->told, task->tid);
	struct {
		struct record_comm record;
		char comm[sizeof(task->comm)];
		char tail[64];
	} comm = { .record = { .header = { .type = PERF_RECORD_COMM }, .pid = task->pid, .tid = task->tid } };

	if (!told)
		return no_memory(err);
	if (!strncmp(told->comm, task->comm, sizeof(told->comm)))
		return 0;
	memcpy(told->comm, task->comm, sizeof(told->comm));
	memcpy(comm.comm, task->comm, sizeof(comm.comm));
	sample_id__encode(comm.tail, attr, &tail);
	comm.record.header.size = sizeof(comm) - sizeof(comm.tail) + sample_id__size(attr);
	return perfdata_writer__write(r->w, &comm, comm.record.header.size, err);
}

/* The first address in the chain, and whose it is. Without one the sample is the user's, at 0. */
static void set_place(struct perf_sample *sample)
{
	sample->misc = PERF_RECORD_MISC_USER;
	for (u64 i = 0; i < sample->nr_callchain && !sample->ip; i++) {
		if (sample->callchain[i] == PERF_CONTEXT_KERNEL)
			sample->misc = PERF_RECORD_MISC_KERNEL;
		else if (sample->callchain[i] < PERF_CONTEXT_MAX)
			sample->ip = sample->callchain[i];
	}
}

int stacks_recording__add(struct stacks_recording *r, const struct thread_stack *stack, struct errmsg *err)
{
	const struct perf_event_attr *attr = &r->features.event_desc->attr;
	const struct snapshot_task *task = stack->task;
	struct perf_sample sample = {
		.pid = task->pid, .tid = task->tid, .time = r->time, .id = EVENT_ID, .cpu = task->cpu, .period = 1,
		.callchain = stack->chain, .nr_callchain = stack->nr,
	};
	size_t size;
	int ret = stacks_recording__part(r, 0, err) ?: write_name(r, task, err);

	if (ret)
		return ret;
	set_place(&sample);
	size = perf_sample__size(attr, &sample);
	if (size > sizeof(r->sample)) { /* leave out the outermost callers: a record has 64 KiB */
		sample.nr_callchain -= (size - sizeof(r->sample)) / sizeof(u64);
		size = perf_sample__size(attr, &sample);
	}
	perf_sample__encode(r->sample, attr, &sample);
	r->nr++;
	return perfdata_writer__write(r->w, r->sample, size, err);
}

int stacks_recording__finish(struct stacks_recording *r, struct errmsg *err)
{
	int ret = stacks_recording__part(r, 0, err);

	r->features.present[HEADER_SAMPLE_TIME / 64] |= 1ULL << HEADER_SAMPLE_TIME % 64;
	r->features.sample_time_first = r->first_time;
	r->features.sample_time_last = r->time;
	ret = ret || r->is_pipe ? ret : header__add(r->w, &r->features, false, &r->opts, err);
	return ret ?: perfdata_writer__finish(r->w, err);
}

u64 stacks_recording__nr(const struct stacks_recording *r)
{
	return r->nr;
}
