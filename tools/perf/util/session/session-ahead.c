// SPDX-License-Identifier: GPL-2.0
#include "util/session/session-state.h"

#define RECORD_AHEAD 128 /* bytes of a record to prefetch: another CPU has read it */
#define CACHE_LINE 64

static const struct thread_state *note_thread(struct session *s, const struct numbered_sample *sample, struct thread *thread)
{
	struct thread_state *recent = &s->recent_thread[sample->tid % NR_RECENT_THREADS];

	*recent = (struct thread_state){ .state = s->state, .pid = sample->pid, .tid = sample->tid, .thread = thread,
					 .maps = { resolver__maps_version(s->resolver, NULL), resolver__maps_version(s->resolver, thread) } };
	return recent;
}

static const struct thread_state *find_thread(struct session *s, const struct numbered_sample *sample)
{
	struct thread *thread = machine__known_thread(s->machine, sample->tid);

	return thread && (thread->pid == sample->pid || !sample->tid) ? note_thread(s, sample, thread) : NULL;
}

const struct thread_state *session__known_thread(struct session *s, const struct numbered_sample *sample)
{
	const struct thread_state *recent = &s->recent_thread[sample->tid % NR_RECENT_THREADS];

	return recent->state == s->state && recent->tid == sample->tid && recent->pid == sample->pid ? recent : find_thread(s, sample);
}

const struct thread_state *session__thread(struct session *s, const struct numbered_sample *sample)
{
	const struct thread_state *known = session__known_thread(s, sample);
	struct thread *thread;

	if (known)
		return known;
	thread = machine__thread(s->machine, sample->pid, sample->tid);
	s->state++; /* it may have taken another thread's tid */
	return thread ? note_thread(s, sample, thread) : NULL;
}

void session__begin_brief(struct session *s, const struct thread_state *thread, const struct stack_parts *parts, struct session_brief *brief)
{
	struct stack_found found;

	stack_index__find(s->ids, parts, &thread->maps, &found);
	brief->evsel = &s->events.event[parts->event];
	brief->thread = thread->thread;
	brief->ids = found.ids;
	brief->handle = found.handle;
	brief->known = 0;
	brief->identity = found.identity;
	brief->has_identity = found.has_identity;
	brief->need = SESSION_NEEDS_ALL;
	brief->parts = parts;
	brief->state = thread->state;
}

/* Samples of threads that are not known yet get their ids when it is their turn. */
static void look_for_ids(struct session *s, const struct read_batch *block)
{
	struct session_brief *brief[BLOCK];
	size_t nr = 0;

	for (size_t i = 0; i < block->nr; i++)
		stack_index__prefetch(s->ids, &block->numbered[i].parts);
	for (size_t i = 0; i < block->nr; i++) {
		const struct numbered_sample *sample = &block->numbered[i];
		const struct thread_state *thread = sample->parts.place ? session__known_thread(s, sample) : NULL;

		s->ahead[i].brief.state = 0;
		if (!thread)
			continue;
		brief[nr] = &s->ahead[i].brief;
		session__begin_brief(s, thread, &sample->parts, brief[nr++]);
	}
	if (nr)
		brief[0]->file_offset = block->item->file_offset;
	if (s->ops->look_ahead)
		s->ops->look_ahead(s, brief, nr, s->data);
	for (size_t i = 0; i < block->nr; i++)
		s->ahead[i].in_full = !s->ahead[i].brief.state || s->ahead[i].brief.need != SESSION_NEEDS_NOTHING;
}

static void look_for_all(struct session *s, const struct read_batch *block)
{
	for (size_t i = 0; i < block->nr; i++)
		s->ahead[i].in_full = true;
}

static void look_for_records(struct session *s, const struct read_batch *block)
{
	for (size_t i = 0; i < block->nr; i++) {
		for (size_t at = 0; s->ahead[i].in_full && at < RECORD_AHEAD; at += CACHE_LINE)
			__builtin_prefetch((const char *)block->item[i].record + at);
	}
}

/* Records that need no look-ahead are not even prefetched. */
void session__look_ahead(struct session *s, const struct read_batch *block)
{
	if (s->ids)
		look_for_ids(s, block);
	else
		look_for_all(s, block);
	look_for_records(s, block);
}
