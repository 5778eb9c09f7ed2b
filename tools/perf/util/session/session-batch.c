// SPDX-License-Identifier: GPL-2.0
#include "util/session/session-state.h"

/* The further steps of LOOK_FAR, as in callchain.h. */
#define LOOK_MIDDLE 10
#define LOOK_NEAR 5
#define LOOK_KIND 46 /* whether it will be delivered at all */
#define LOOK_CALLERS 37 /* whether it will be so in full */
/* Then the record itself comes before LOOK_FAR, in so many bytes: the thread that read it did so on another CPU. */
#define LOOK_RECORD 28
#define RECORD_AHEAD 128
#define CACHE_LINE 64
/* Which symbol tables are needed is seen in so many of the first samples, a step of them at a time: maps come among them. */
#define LOAD_AHEAD 1000
#define LOAD_STEP 250
#define KINDS_STEP 512 /* items whose kinds are looked for at a time, where no other thread does */

static bool is_sample(const struct order_item *item)
{
	return item->record->header.type == PERF_RECORD_SAMPLE;
}

static void fetch_record(const struct order_item *item)
{
	for (size_t at = 0; at < RECORD_AHEAD; at += CACHE_LINE)
		__builtin_prefetch((const char *)item->record + at);
}

/* It most likely will not be delivered in full. */
static bool is_repeat(const struct session *s, const struct read_batch *batch, size_t i)
{
	const struct kind_of_sample *kind = batch->kind ? &batch->kind[i] : NULL;

	if (!kind || !kind->kind)
		return false;
	return s->parts ? known_parts__has(s->parts, kind) : repeats__knows(s->repeats, kind->kind);
}

/* A new kind, but one with callers that were met in some function, most likely the same one. */
static bool has_known_callers(const struct session *s, const struct kind_of_sample *kind)
{
	return s->repeats && kind->kind && kind->callers && repeats__knows_callers(s->repeats, kind->callers);
}

static bool look_at_leaf(struct session *s, const struct kind_of_sample *kind, struct look_ahead *look)
{
	struct thread *thread;

	if (!has_known_callers(s, kind))
		return false;
	thread = machine__known_thread(s->machine, kind->tid);
	if (!thread)
		return true;
	look->leaf = kind;
	look->key.maps_version = resolver__maps_version(s->resolver, thread);
	resolver__prefetch_slot(s->resolver, look->key.maps_version, kind->cpumode, kind->ip);
	return true;
}

static void look_far_ahead(struct session *s, const struct read_batch *batch, size_t i)
{
	struct look_ahead *look = &s->ahead[i % LOOK_FAR];
	const struct order_item *item = &batch->item[i];
	const struct session_event *event;
	struct perf_sample sample;
	struct thread *thread;

	look->key.word = NULL;
	look->leaf = NULL;
	/* the record itself last: it is far away, and most are not looked at */
	if (is_repeat(s, batch, i) || (s->parts && batch->kind[i].kind) || (batch->kind && look_at_leaf(s, &batch->kind[i], look)) ||
	    !is_sample(item))
		return;
	event = session_events__of_sample(&s->events, item->record);
	if (!session_event__peek(event, item->record, &sample))
		return;
	thread = machine__known_thread(s->machine, sample.tid);
	if (thread)
		callchain__make_key(&look->key, &s->chain, s->resolver, thread, &sample,
				    batch->hash ? batch->hash[i] : callchain__hash(&sample), s->max_stack, event->idx);
}

static void fetch_kind(const struct session *s, const struct kind_of_sample *kind)
{
	if (s->parts)
		known_parts__prefetch(s->parts, kind);
	else
		repeats__prefetch(s->repeats, kind->kind);
}

/* What decides how far a sample has to be looked at. */
static void look_at_kinds(struct session *s, const struct read_batch *batch, size_t i)
{
	const struct kind_of_sample *kind = batch->kind;
	size_t callers = i + LOOK_CALLERS, record = i + LOOK_RECORD;

	if (kind && i + LOOK_KIND < batch->nr)
		fetch_kind(s, &kind[i + LOOK_KIND]);
	if (s->repeats && callers < batch->nr && kind[callers].kind && !is_repeat(s, batch, callers))
		repeats__prefetch_callers(s->repeats, kind[callers].callers);
	if (record < batch->nr && !is_repeat(s, batch, record) && !(kind && has_known_callers(s, &kind[record])))
		fetch_record(&batch->item[record]);
}

/* Before item i is delivered: what later ones need, step by step. */
static void look_ahead(struct session *s, const struct read_batch *batch, size_t i)
{
	const struct look_ahead *middle = &s->ahead[(i + LOOK_MIDDLE) % LOOK_FAR], *near = &s->ahead[(i + LOOK_NEAR) % LOOK_FAR];

	look_at_kinds(s, batch, i);
	if (i + LOOK_MIDDLE < batch->nr && middle->leaf)
		resolver__prefetch(s->resolver, middle->key.maps_version, middle->leaf->cpumode, middle->leaf->ip);
	if (i + LOOK_MIDDLE < batch->nr && middle->key.word)
		callchain__prefetch_chain(&s->chain, s->resolver, &middle->key);
	if (i + LOOK_NEAR < batch->nr && near->key.word)
		callchain__prefetch_callers(&s->chain, s->resolver, &near->key);
}

/* What the next samples need, as far as their maps are known already. Returns the number of items that were looked at. */
static size_t load_ahead(struct session *s, const struct order_item *item, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && i < LOAD_STEP; i++) {
		struct perf_sample sample;
		struct thread *thread = NULL;

		if (is_sample(&item[i]) && session_event__peek(session_events__of_sample(&s->events, item[i].record), item[i].record, &sample))
			thread = machine__known_thread(s->machine, sample.tid);
		if (!thread)
			continue;
		callchain__load_ahead(s->resolver, thread, &sample);
		s->nr_loaded_ahead++;
	}
	resolver__begin_loading(s->resolver);
	return i;
}

static struct repeat_state state_of(struct session *s, const struct thread *thread)
{
	return (struct repeat_state){ .comm = thread->comm, .maps_version = resolver__maps_version(s->resolver, thread) };
}

/* The function that a sample of this kind is in; NULL: unknown, or there are others inlined. */
static const struct symbol *function_of(struct session *s, struct thread *thread, const struct kind_of_sample *kind)
{
	struct location loc;

	return resolver__resolve_frame(s->resolver, thread, kind->cpumode, kind->ip, &loc) ? NULL : loc.sym;
}

static bool count_in_function(struct session *s, struct thread *thread, const struct kind_of_sample *kind,
			      const struct repeat_state *state)
{
	const struct symbol *sym;

	if (!kind->callers || !repeats__knows_callers(s->repeats, kind->callers))
		return false;
	sym = function_of(s, thread, kind);
	return sym && repeats__count_in_function(s->repeats, kind, state, sym);
}

static bool count_repeat(struct session *s, const struct kind_of_sample *kind)
{
	struct thread *thread = machine__thread(s->machine, kind->pid, kind->tid);
	struct repeat_state state;

	if (!thread)
		return false;
	state = state_of(s, thread);
	if (!repeats__count(s->repeats, kind, &state) && !count_in_function(s, thread, kind, &state))
		return false;
	session__count_record(s, PERF_RECORD_SAMPLE);
	session__count_sample(s, &s->events.event[kind->event], 1, kind->period);
	return true;
}

/* In full: others of its kind need not be if it leaves a token. */
static int deliver_first(struct session *s, const struct order_item *item, const struct kind_of_sample *kind,
			 const struct chain_key *ahead)
{
	struct repeat_state state;
	const struct symbol *sym;
	struct thread *thread;
	int ret;

	s->again = (struct session_again){};
	ret = session__deliver(s, item, ahead);
	thread = ret ? NULL : machine__known_thread(s->machine, kind->tid);
	if (!thread)
		return ret;
	state = state_of(s, thread);
	repeats__set(s->repeats, kind->kind, &state, s->again.token);
	sym = s->again.token && s->again.of_function && kind->callers ? function_of(s, thread, kind) : NULL;
	if (sym)
		repeats__set_function(s->repeats, kind->callers, &state, sym, s->again.token);
	return 0;
}

/* By what is known of its parts, or in full. */
static int deliver_parts(struct session *s, const struct order_item *item, const struct kind_of_sample *kind)
{
	struct session_known known = {
		.evsel = &s->events.event[kind->event], .thread = machine__thread(s->machine, kind->pid, kind->tid),
		.pid = kind->pid, .tid = kind->tid, .cpu = kind->cpu, .time = item->time, .period = kind->period,
	};
	u64 version;
	int ret;

	if (!known.thread)
		return -ENOMEM;
	version = resolver__maps_version(s->resolver, known.thread);
	if (known_parts__find(s->parts, kind, version, &known.tokens)) {
		session__count_record(s, PERF_RECORD_SAMPLE);
		session__count_sample(s, known.evsel, 1, known.period);
		return s->ops->known(s, &known, s->data);
	}
	s->again = (struct session_again){ .by_parts = true, .parts.callers = known.tokens.callers };
	ret = session__deliver(s, item, NULL);
	if (!ret && s->again.parts.place && s->again.parts.callers)
		known_parts__set(s->parts, kind, version, &s->again.parts);
	s->again = (struct session_again){};
	return ret;
}

/* To be counted, the first one of each batch is delivered in full: who shows progress hears of it. */
static int deliver_next(struct session *s, const struct read_batch *batch, size_t i)
{
	const struct kind_of_sample *kind = batch->kind && batch->kind[i].kind ? &batch->kind[i] : NULL;
	const struct chain_key *ahead = s->ahead[i % LOOK_FAR].key.word ? &s->ahead[i % LOOK_FAR].key : NULL;

	if (!kind)
		return session__deliver(s, &batch->item[i], ahead);
	if (s->parts)
		return deliver_parts(s, &batch->item[i], kind);
	return i && count_repeat(s, kind) ? 0 : deliver_first(s, &batch->item[i], kind, ahead);
}

static void widen(void *arg)
{
	read_ahead__widen(arg);
}

/*
 * While symbols are loaded at the start, reading far ahead would only take a CPU from those that the first sample waits for. When all is
 * begun, tell that it may as soon as there is one to spare.
 */
static void allow_read_ahead(struct session *s)
{
	if (!s->to_widen || !s->nr_loaded_ahead)
		return;
	resolver__notice_loaded(s->resolver, widen, s->to_widen);
	s->to_widen = NULL;
}

static void forget_kinds(struct session *s)
{
	if (s->parts)
		known_parts__forget(s->parts);
	else
		repeats__flush(s->repeats);
}

static int deliver_looking_ahead(struct session *s, const struct read_batch *batch)
{
	const struct order_item *item = batch->item;
	size_t loaded = 0;
	int ret = 0;

	if (batch->kinds_anew)
		forget_kinds(s);
	for (size_t i = 0; i < batch->nr && i < LOOK_FAR; i++)
		look_far_ahead(s, batch, i);
	for (size_t i = 0; i < batch->nr && !ret; i++) {
		if (i >= loaded && s->nr_loaded_ahead < LOAD_AHEAD && is_sample(&item[i]) && s->reader)
			loaded = i + load_ahead(s, &item[i], batch->nr - i);
		allow_read_ahead(s);
		look_ahead(s, batch, i);
		ret = deliver_next(s, batch, i);
		if (i + LOOK_FAR < batch->nr)
			look_far_ahead(s, batch, i + LOOK_FAR);
	}
	return ret;
}

int session__deliver_batch(struct session *s, const struct read_batch *batch)
{
	int ret = 0;

	if (session__looks_ahead(s))
		return deliver_looking_ahead(s, batch);
	for (size_t i = 0; i < batch->nr && !ret; i++)
		ret = session__deliver(s, &batch->item[i], NULL);
	return ret;
}

/* Items whose kinds nobody has looked for yet. */
int session__deliver_items(const struct order_item *item, size_t nr, void *data)
{
	struct session *s = data;
	struct kind_of_sample kind[KINDS_STEP];
	int ret = 0;

	if (!s->kinds)
		return session__deliver_batch(s, &(struct read_batch){ .item = item, .nr = nr });
	for (size_t i = 0; i < nr && !ret; i += KINDS_STEP) {
		struct read_batch batch = { .item = item + i, .nr = nr - i < KINDS_STEP ? nr - i : KINDS_STEP, .kind = kind };

		batch.kinds_anew = sample_kinds__find(s->kinds, batch.item, batch.nr, kind);
		ret = session__deliver_batch(s, &batch);
	}
	return ret;
}

static void tell_repeats(u64 token, u64 nr, u64 period, void *data)
{
	struct session *s = data;

	s->ops->again(s, token, nr, period, s->data);
}

/* Without them all samples are delivered. */
int session__prepare_kinds(struct session *s)
{
	bool takes_away = s->skip_frames || s->ignore_callees || s->hide_unresolved; /* from one part because of the other */
	const struct session_ops *ops = s->ops;

	if (!(ops->again || (ops->known && !takes_away)) || !ops->sample || !s->resolver)
		return 0;
	s->kinds = sample_kinds__new(&s->events, ops->known);
	if (ops->known)
		s->parts = known_parts__new();
	else
		s->repeats = repeats__new(tell_repeats, s);
	return s->kinds && (s->parts || s->repeats) ? 0 : -ENOMEM;
}
