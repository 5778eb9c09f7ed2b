// SPDX-License-Identifier: GPL-2.0
#include "util/session/session-state.h"

#define RECORD_AHEAD 128 /* bytes of a record to prefetch: another CPU has read it */
#define CACHE_LINE 64

static const struct thread_state *note_thread(struct session *s, const struct sample_parts *parts, struct thread *thread)
{
	struct thread_state *recent = &s->recent_thread[parts->tid % NR_RECENT_THREADS];

	*recent = (struct thread_state){ .state = s->state, .pid = parts->pid, .tid = parts->tid, .thread = thread,
					 .comm = thread->comm, .maps_version = resolver__maps_version(s->resolver, thread) };
	return recent;
}

const struct thread_state *session__known_thread(struct session *s, const struct sample_parts *parts)
{
	const struct thread_state *recent = &s->recent_thread[parts->tid % NR_RECENT_THREADS];
	struct thread *thread;

	if (recent->state == s->state && recent->tid == parts->tid && recent->pid == parts->pid)
		return recent;
	thread = machine__known_thread(s->machine, parts->tid);
	return thread && (thread->pid == parts->pid || !parts->tid) ? note_thread(s, parts, thread) : NULL;
}

const struct thread_state *session__thread(struct session *s, const struct sample_parts *parts)
{
	const struct thread_state *known = session__known_thread(s, parts);
	struct thread *thread;

	if (known)
		return known;
	thread = machine__thread(s->machine, parts->pid, parts->tid);
	s->state++; /* it may have taken another thread's tid */
	return thread ? note_thread(s, parts, thread) : NULL;
}

void session__set_ids(struct session *s, const struct thread_state *thread, struct session_brief *brief)
{
	const struct sample_parts *parts = brief->parts;
	u64 kernel = resolver__maps_version(s->resolver, NULL);
	/* What is not looked up depends on no maps, and so is the same in all processes. */
	bool of_kernel = (parts->cpumode == PERF_RECORD_MISC_KERNEL && !parts->apart) || s->detail == SESSION_ADDRESSES;

	const struct stack_numbers numbers = { parts->place, parts->callers, of_kernel ? kernel : thread->maps_version,
					       parts->kernel_callers ? kernel : thread->maps_version };
	struct stack_found found;

	stack_index__find(s->ids, &numbers, &found);
	brief->ids = found.ids;
	brief->function = found.function;
	brief->has_function = found.has_function;
	brief->thread = thread->thread;
	brief->state = thread->state;
	brief->handle = 0;
}

static void begin_brief(struct session *s, const struct order_item *item, const struct sample_parts *parts, struct session_brief *brief)
{
	*brief = (struct session_brief){ .evsel = &s->events.event[parts->event], .pid = parts->pid, .tid = parts->tid, .cpu = parts->cpu,
					 .time = item->time, .period = parts->period,
					 .file_offset = item->file_offset, .need = SESSION_NEEDS_ALL, .parts = parts };
}

/* Samples of threads that are not known yet get their ids when it is their turn. */
static void look_for_ids(struct session *s, const struct read_batch *block)
{
	struct session_brief *brief[BLOCK];
	size_t nr = 0;

	for (size_t i = 0; i < block->nr; i++) {
		const struct sample_parts *parts = read_batch__parts(block, i);

		s->ahead[i].in_full = true;
		if (!parts)
			continue;
		stack_index__prefetch(s->ids, parts->place, parts->callers);
		begin_brief(s, &block->item[i], parts, &s->ahead[i].brief);
	}
	for (size_t i = 0; i < block->nr; i++) {
		const struct sample_parts *parts = read_batch__parts(block, i);
		const struct thread_state *thread = parts ? session__known_thread(s, parts) : NULL;

		if (!thread)
			continue;
		brief[nr] = &s->ahead[i].brief;
		session__set_ids(s, thread, brief[nr++]);
	}
	if (s->ops->look_ahead)
		s->ops->look_ahead(s, brief, nr, s->data);
	for (size_t i = 0; i < block->nr; i++)
		s->ahead[i].in_full = !read_batch__parts(block, i) || s->ahead[i].brief.need != SESSION_NEEDS_NOTHING;
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

static void make_chain_key(struct session *s, const struct read_batch *block, size_t i)
{
	const struct order_item *item = &block->item[i];
	const struct session_event *event;
	struct perf_sample sample;
	struct thread *thread;

	s->ahead[i].chain.word = NULL;
	if (!s->ahead[i].in_full || read_batch__parts(block, i) || !order_item__is_sample(item))
		return;
	event = session_events__of_sample(&s->events, item->record);
	if (!session_event__peek(event, item->record, &sample))
		return;
	thread = machine__known_thread(s->machine, sample.tid);
	if (thread)
		callchain__make_key(&s->ahead[i].chain, &s->chain, s->resolver, thread, &sample,
				    block->hash ? block->hash[i] : callchain__hash(&sample), s->max_stack);
}

static void look_for_chains(struct session *s, const struct read_batch *block)
{
	for (size_t i = 0; i < block->nr; i++)
		make_chain_key(s, block, i);
	for (size_t i = 0; i < block->nr; i++) {
		if (s->ahead[i].chain.word)
			callchain__prefetch_callers(&s->chain, s->resolver, &s->ahead[i].chain);
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
	if (s->detail == SESSION_CHAINS && s->has_chains)
		look_for_chains(s, block);
}
