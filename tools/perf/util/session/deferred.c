// SPDX-License-Identifier: GPL-2.0
#include "util/session/deferred.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "util/lib/hash.h"

struct waiting {
	struct waiting *prev, *next;		/* list of all, in their order */
	struct waiting *task_prev, *task_next;	/* list of one task */
	u64 file_offset;
	u64 *word;     /* the callchain in record; its last two words are the marker and the cookie */
	u64 nr;
	union perf_record record; /* header.size bytes */
};

struct deferred_task {
	u32 tid;
	struct waiting *samples;
	struct record_callchain_deferred *last; /* copy of its last record; NULL: none */
	UT_hash_handle hh;
};

struct deferred {
	struct waiting *all;
	struct deferred_task *task; /* hash table */
	u64 *chain;		   /* the chain that was joined last */
};

struct deferred *deferred__new(void)
{
	return calloc(1, sizeof(struct deferred));
}

void deferred__delete(struct deferred *d)
{
	struct deferred_task *task, *next_task;
	struct waiting *w, *next;

	if (!d)
		return;
	DL_FOREACH_SAFE(d->all, w, next)
		free(w);
	HASH_ITER(hh, d->task, task, next_task) {
		HASH_DEL(d->task, task);
		free(task->last);
		free(task);
	}
	free(d->chain);
	free(d);
}

bool deferred__is_awaited(const struct perf_sample *sample)
{
	return sample->sample_type & PERF_SAMPLE_TID && perf_sample__deferred_cookie(sample);
}

static struct deferred_task *get_task(struct deferred *d, u32 tid)
{
	struct deferred_task *task;

	HASH_FIND(hh, d->task, &tid, sizeof(tid), task);
	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tid = tid;
	HASH_ADD(hh, d->task, tid, sizeof(task->tid), task);
	if (hash_added(task))
		return task;
	free(task);
	return NULL;
}

/* Join the first nr words of the sample's chain and the task's chain, which replaces marker and cookie. */
static int put_together(struct deferred *d, const u64 *word, u64 nr, const struct record_callchain_deferred *record,
			struct deferred_sample *sample)
{
	u64 *chain = reallocarray(d->chain, nr + record->nr, sizeof(*chain)), own = nr - 2;

	if (!chain)
		return -ENOMEM;
	d->chain = chain;
	memcpy(chain, word, own * sizeof(*chain));
	if (!record->nr || record->ips[0] < (u64)PERF_CONTEXT_MAX) /* the kernel writes it, but it may be missing */
		chain[own++] = PERF_CONTEXT_USER;
	memcpy(chain + own, record->ips, record->nr * sizeof(*chain));
	sample->callchain = chain;
	sample->nr = own + record->nr;
	return 0;
}

static int keep(struct deferred *d, struct deferred_task *task, const struct perf_sample *sample, const union perf_record *record,
		u64 file_offset)
{
	struct waiting *w = malloc(offsetof(struct waiting, record) + record->header.size);

	if (!w)
		return -ENOMEM;
	memcpy(&w->record, record, record->header.size);
	w->file_offset = file_offset;
	w->word = (u64 *)((char *)&w->record + ((const char *)sample->callchain - (const char *)record));
	w->nr = sample->nr_callchain;
	DL_APPEND(d->all, w);
	DL_APPEND2(task->samples, w, task_prev, task_next);
	return 0;
}

int deferred__add(struct deferred *d, const struct perf_sample *sample, const union perf_record *record, u64 file_offset, deferred_cb cb,
		  void *data)
{
	struct deferred_task *task = get_task(d, sample->tid);
	struct deferred_sample complete = { .record = record, .file_offset = file_offset };

	if (!task)
		return -ENOMEM;
	if (!task->last || task->last->cookie != *perf_sample__deferred_cookie(sample))
		return keep(d, task, sample, record, file_offset);
	return put_together(d, sample->callchain, sample->nr_callchain, task->last, &complete) ?: cb(&complete, data);
}

static int deliver(struct deferred *d, struct waiting *w, const struct record_callchain_deferred *record, deferred_cb cb, void *data)
{
	struct deferred_sample sample = { .record = &w->record, .file_offset = w->file_offset };
	int ret = 0;

	if (record && w->word[w->nr - 1] == record->cookie)
		ret = put_together(d, w->word, w->nr, record, &sample);
	if (!ret)
		ret = cb(&sample, data);
	DL_DELETE(d->all, w);
	free(w);
	return ret;
}

static int note_last(struct deferred_task *task, const struct record_callchain_deferred *record)
{
	struct record_callchain_deferred *copy = realloc(task->last, record->header.size);

	if (!copy)
		return -ENOMEM;
	task->last = memcpy(copy, record, record->header.size);
	return 0;
}

int deferred__deliver(struct deferred *d, u32 tid, const struct record_callchain_deferred *record, deferred_cb cb, void *data)
{
	struct deferred_task *task = get_task(d, tid);
	int ret = task ? note_last(task, record) : -ENOMEM;
	struct waiting *w, *next;

	if (ret)
		return ret;
	DL_FOREACH_SAFE2(task->samples, w, next, task_next) {
		if (ret)
			break;
		task->samples = next;
		ret = deliver(d, w, record, cb, data);
	}
	return ret;
}

int deferred__flush(struct deferred *d, deferred_cb cb, void *data)
{
	struct deferred_task *task, *next_task;
	struct waiting *w, *next;
	int ret = 0;

	HASH_ITER(hh, d->task, task, next_task)
		task->samples = NULL;
	DL_FOREACH_SAFE(d->all, w, next) {
		ret = deliver(d, w, NULL, cb, data);
		if (ret)
			break;
	}
	return ret;
}
