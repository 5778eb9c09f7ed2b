// SPDX-License-Identifier: GPL-2.0
#include "util/session/session-state.h"

/* Find the symbol tables to load in this many first samples, a step at a time: the records of maps are among them. */
#define LOAD_AHEAD 1000
#define LOAD_STEP 250
#define NUMBERS_STEP 512 /* items that get numbers at a time if no other thread finds them */

static void load_for_sample(struct session *s, const union perf_record *record)
{
	const struct session_event *event = session_events__of_sample(&s->events, record);
	struct perf_sample sample;
	struct thread *thread;
	bool in_chain;

	s->nr_loaded_ahead++;
	if (!event || perf_sample__decode(&sample, &event->event->attr, record))
		return;
	thread = machine__known_thread(s->machine, sample.tid);
	if (!thread)
		return;
	in_chain = s->detail == SESSION_CHAINS && sample.sample_type & PERF_SAMPLE_CALLCHAIN;
	if (in_chain)
		callchain__load_ahead(s->resolver, thread, &sample);
	if (sample.sample_type & PERF_SAMPLE_IP)
		resolver__load_ahead(s->resolver, thread, sample.cpumode, sample.ip, in_chain);
}

/* Start to load the symbols of samples whose maps are known already. Returns the number of items that were checked. */
static size_t load_for(struct session *s, const struct order_item *item, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && i < LOAD_STEP; i++) {
		if (order_item__is_sample(&item[i]))
			load_for_sample(s, item[i].record);
	}
	resolver__begin_loading(s->resolver);
	return i;
}

/* Call it before item i is delivered; items before loaded are done. */
static void load_ahead(struct session *s, const struct read_batch *batch, size_t i, size_t *loaded)
{
	if (i >= *loaded && s->nr_loaded_ahead < LOAD_AHEAD && s->detail != SESSION_ADDRESSES && order_item__is_sample(&batch->item[i]) &&
	    s->reader)
		*loaded = i + load_for(s, &batch->item[i], batch->nr - i);
}

static u64 find_identity(struct session *s, const struct session_brief *brief)
{
	const struct stack_parts *parts = brief->parts;
	struct thread *thread = (struct thread *)brief->thread;
	struct frames frames;

	if (s->detail == SESSION_ADDRESSES || parts->apart)
		return 0;
	resolver__begin(s->resolver);
	if (parts->no_chain)
		return resolver__identity(s->resolver, thread, parts->cpumode, parts->ip);
	frames = resolver__frames_at(s->resolver, thread, parts->cpumode, parts->ip);
	return frames.nr == 1 ? symbol__identity(resolver__frame(s->resolver, frames.first)->sym) : 0;
}

static void set_identity(struct session *s, struct session_brief *brief, u64 identity)
{
	brief->identity = identity;
	brief->has_identity = true;
	stack_index__set_identity(s->ids, brief->parts, &brief->ids, identity);
}

u64 session__identity(struct session *s, struct session_brief *brief)
{
	if (!brief->has_identity)
		set_identity(s, brief, find_identity(s, brief));
	return brief->identity;
}

void session__identify(struct session *s, struct session_brief *const *brief, size_t nr)
{
	struct place_fetch place[BLOCK];
	struct session_brief *of[BLOCK];
	size_t nr_places = 0;

	for (size_t i = 0; i < nr && s->detail != SESSION_ADDRESSES; i++) {
		const struct stack_parts *parts = brief[i]->parts;

		if (brief[i]->has_identity || parts->apart)
			continue;
		of[nr_places] = brief[i];
		place[nr_places++] = (struct place_fetch){ .thread = (struct thread *)brief[i]->thread, .addr = parts->ip, .cpumode = parts->cpumode,
							   .in_chain = !parts->no_chain };
	}
	resolver__fetch_places(s->resolver, place, nr_places);
	for (size_t i = 0; i < nr_places; i++) {
		if (place[i].loaded && !place[i].in_chain)
			set_identity(s, of[i], resolver__identity_of(s->resolver, &place[i]));
		else if (place[i].loaded)
			session__identity(s, of[i]);
	}
}

void session__set_handle(struct session *s, const struct session_brief *brief, u32 handle)
{
	stack_index__set_handle(s->ids, brief->parts, &brief->ids, handle);
}

/* Ask the consumer, and deliver what it needs. */
static int deliver_brief(struct session *s, const struct order_item *item, const struct numbered_sample *sample, struct session_brief *brief)
{
	int ret;

	brief->time = item->time;
	brief->period = sample->period;
	brief->file_offset = item->file_offset;
	brief->pid = sample->pid;
	brief->tid = sample->tid;
	brief->cpu = sample->cpu;
	ret = s->ops->seen(s, brief, s->data);
	if (ret < 0)
		return ret;
	brief->need = ret;
	if (ret == SESSION_NEEDS_NOTHING) {
		session__count_record(s, PERF_RECORD_SAMPLE);
		session__count_sample(s, brief->evsel, 1, brief->period);
		return 0;
	}
	s->brief = brief;
	ret = session__deliver(s, item);
	s->brief = NULL;
	return ret;
}

static int deliver_numbered(struct session *s, const struct order_item *item, const struct numbered_sample *sample, struct session_brief *brief)
{
	const struct thread_state *thread;

	if (brief->state != s->state) {
		thread = session__thread(s, sample);
		if (!thread)
			return -ENOMEM;
		session__begin_brief(s, thread, &sample->parts, brief);
	}
	return brief->ids.place && brief->ids.callers ? deliver_brief(s, item, sample, brief) : -ENOMEM;
}

static int deliver_next(struct session *s, const struct read_batch *block, size_t i)
{
	if (read_batch__has_number(block, i))
		return deliver_numbered(s, &block->item[i], &block->numbered[i], &s->ahead[i].brief);
	s->state++;
	return session__deliver(s, &block->item[i]);
}

static void widen(void *arg)
{
	read_ahead__widen(arg);
}

/*
 * While symbols are loaded at the start, reading far ahead would take a CPU from the jobs that the first sample waits for. When all
 * jobs have started, ask for a notice when a CPU is free.
 */
static void allow_read_ahead(struct session *s)
{
	if (!s->to_widen || !s->nr_loaded_ahead)
		return;
	resolver__notice_loaded(s->resolver, widen, s->to_widen);
	s->to_widen = NULL;
}

static struct read_batch block_of(const struct read_batch *batch, size_t from)
{
	return (struct read_batch){
		.item = batch->item + from, .nr = batch->nr - from < BLOCK ? batch->nr - from : BLOCK,
		.numbered = batch->numbered ? batch->numbered + from : NULL,
	};
}

static int deliver_block(struct session *s, const struct read_batch *batch, size_t from, size_t *loaded)
{
	const struct read_batch block = block_of(batch, from);
	int ret = 0;

	session__look_ahead(s, &block);
	for (size_t i = 0; i < block.nr && !ret; i++) {
		load_ahead(s, batch, from + i, loaded);
		allow_read_ahead(s);
		ret = deliver_next(s, &block, i);
	}
	return ret;
}

static int deliver_looking_ahead(struct session *s, const struct read_batch *batch)
{
	size_t loaded = 0;
	int ret = 0;

	if (batch->numbers_anew) {
		stack_index__empty(s->ids);
		s->ops->forget_ids(s, s->data);
	}
	for (size_t i = 0; i < batch->nr && !ret; i += BLOCK)
		ret = deliver_block(s, batch, i, &loaded);
	return ret;
}

int session__deliver_batch(struct session *s, const struct read_batch *batch)
{
	int ret = 0;

	if (session__looks_ahead(s))
		return deliver_looking_ahead(s, batch);
	for (size_t i = 0; i < batch->nr && !ret; i++)
		ret = session__deliver(s, &batch->item[i]);
	return ret;
}

/* Find numbers first: no other thread did. */
int session__deliver_items(const struct order_item *item, size_t nr, void *data)
{
	struct session *s = data;
	struct numbered_sample numbered[NUMBERS_STEP];
	int ret = 0;

	if (!s->numbers)
		return session__deliver_batch(s, &(struct read_batch){ .item = item, .nr = nr });
	for (size_t i = 0; i < nr && !ret; i += NUMBERS_STEP) {
		struct read_batch batch = { .item = item + i, .nr = nr - i < NUMBERS_STEP ? nr - i : NUMBERS_STEP, .numbered = numbered };

		batch.numbers_anew = sample_numbers__find(s->numbers, batch.item, batch.nr, numbered);
		ret = session__deliver_batch(s, &batch);
	}
	return ret;
}

/* Without them all samples are delivered in full. */
int session__prepare_numbers(struct session *s)
{
	if (!s->ops->seen || s->which_ids == SESSION_NO_IDS || !s->resolver || (s->which_ids == SESSION_IDS_OF_CHAINS && !s->has_chains))
		return 0;
	s->numbers = sample_numbers__new(&s->events, s->detail, s->which_ids);
	s->ids = stack_index__new(s->detail == SESSION_ADDRESSES);
	s->state = 1;
	return s->numbers && s->ids ? 0 : -ENOMEM;
}
