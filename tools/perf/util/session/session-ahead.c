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

struct part_versions session__versions(const struct session *s, const struct sample_parts *parts, u64 maps_version)
{
	u64 kernel = resolver__maps_version(s->resolver, NULL);

	return (struct part_versions){ .place = parts->cpumode == PERF_RECORD_MISC_KERNEL ? kernel : maps_version,
				       .callers = parts->kernel_callers ? kernel : maps_version };
}

static void make_repeat_key(struct session *s, const struct sample_parts *parts, const struct thread_state *thread, struct look_ahead *ahead)
{
	const struct part_versions versions = session__versions(s, parts, thread->maps_version);

	ahead->state = thread->state;
	ahead->place_version = versions.place;
	ahead->key = (struct repeat_key){ .comm = thread->comm, .callers = parts->callers,
					  /* the later one: that of the process, if anything depends on it */
					  .maps_version = versions.place > versions.callers ? versions.place : versions.callers,
					  .where = repeats__where(s->repeats, parts->place, versions.place) };
}

void session__find_repeat(struct session *s, const struct sample_parts *parts, const struct thread_state *thread, struct look_ahead *ahead)
{
	make_repeat_key(s, parts, thread, ahead);
	ahead->repeat = repeats__find(s->repeats, &ahead->key);
}

static void look_for_repeats(struct session *s, const struct read_batch *block)
{
	for (size_t i = 0; i < block->nr; i++) {
		const struct sample_parts *parts = read_batch__parts(block, i);

		if (parts)
			repeats__prefetch(s->repeats, parts->place, parts->callers);
	}
	for (size_t i = 0; i < block->nr; i++) {
		const struct sample_parts *parts = read_batch__parts(block, i);
		const struct thread_state *thread = parts ? session__known_thread(s, parts) : NULL;

		s->ahead[i].key = (struct repeat_key){};
		s->ahead[i].repeat = 0;
		if (!thread)
			continue;
		make_repeat_key(s, parts, thread, &s->ahead[i]);
		repeats__prefetch_slot(s->repeats, &s->ahead[i].key);
	}
	for (size_t i = 0; i < block->nr; i++) {
		if (s->ahead[i].key.where)
			repeats__prefetch_repeat(s->repeats, &s->ahead[i].key);
	}
	for (size_t i = 0; i < block->nr; i++) {
		if (s->ahead[i].key.where)
			s->ahead[i].repeat = repeats__find(s->repeats, &s->ahead[i].key);
		s->ahead[i].in_full = !s->ahead[i].repeat;
	}
}

static void look_for_parts(struct session *s, const struct read_batch *block)
{
	for (size_t i = 0; i < block->nr; i++) {
		if (read_batch__parts(block, i))
			known_parts__prefetch(s->parts, &block->parts[i]);
	}
	for (size_t i = 0; i < block->nr; i++)
		s->ahead[i].in_full = !read_batch__parts(block, i) || !known_parts__has(s->parts, &block->parts[i]);
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
	if (!s->ahead[i].in_full || ((s->parts || s->counts_repeats) && read_batch__parts(block, i)) || !order_item__is_sample(item))
		return;
	event = session_events__of_sample(&s->events, item->record);
	if (!session_event__peek(event, item->record, &sample))
		return;
	thread = machine__known_thread(s->machine, sample.tid);
	if (thread)
		callchain__make_key(&s->ahead[i].chain, &s->chain, s->resolver, thread, &sample,
				    block->hash ? block->hash[i] : callchain__hash(&sample), s->max_stack, event->idx);
}

static void look_for_chains(struct session *s, const struct read_batch *block)
{
	for (size_t i = 0; i < block->nr; i++)
		make_chain_key(s, block, i);
	for (size_t i = 0; i < block->nr; i++) {
		if (s->ahead[i].chain.word)
			callchain__prefetch_chain(&s->chain, s->resolver, &s->ahead[i].chain);
	}
	for (size_t i = 0; i < block->nr; i++) {
		if (s->ahead[i].chain.word)
			callchain__prefetch_callers(&s->chain, s->resolver, &s->ahead[i].chain);
	}
}

/* Records that need no look-ahead are not even prefetched. */
void session__look_ahead(struct session *s, const struct read_batch *block)
{
	if (s->repeats)
		look_for_repeats(s, block);
	else if (s->parts)
		look_for_parts(s, block);
	else
		look_for_all(s, block);
	look_for_records(s, block);
	if (s->detail == SESSION_CHAINS)
		look_for_chains(s, block);
}
