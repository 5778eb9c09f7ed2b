// SPDX-License-Identifier: GPL-2.0
#include "util/session/session-state.h"

/* Find the symbol tables to load in this many first samples, a step at a time: the records of maps are among them. */
#define LOAD_AHEAD 1000
#define LOAD_STEP 250
#define NUMBERS_STEP 512 /* items that get part numbers at a time if no other thread assigns them */

/* Start to load the symbols of samples whose maps are known already. Returns the number of items that were checked. */
static size_t load_for(struct session *s, const struct order_item *item, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && i < LOAD_STEP; i++) {
		struct perf_sample sample;
		struct thread *thread = NULL;

		if (order_item__is_sample(&item[i]) &&
		    session_event__peek(session_events__of_sample(&s->events, item[i].record), item[i].record, &sample))
			thread = machine__known_thread(s->machine, sample.tid);
		if (!thread)
			continue;
		callchain__load_ahead(s->resolver, thread, &sample);
		s->nr_loaded_ahead++;
	}
	resolver__begin_loading(s->resolver);
	return i;
}

/* Call it before item i is delivered; items before loaded are done. */
static void load_ahead(struct session *s, const struct read_batch *batch, size_t i, size_t *loaded)
{
	if (i >= *loaded && s->nr_loaded_ahead < LOAD_AHEAD && order_item__is_sample(&batch->item[i]) && s->reader)
		*loaded = i + load_for(s, &batch->item[i], batch->nr - i);
}

/* The function of all these samples; NULL: unknown, or functions are inlined there, or their chains begin elsewhere. */
static const struct symbol *function_of(struct session *s, struct thread *thread, const struct sample_parts *parts)
{
	struct location loc;

	if (s->detail == SESSION_ADDRESSES)
		return NULL;
	if (parts->no_chain) {
		resolver__resolve(s->resolver, thread, parts->cpumode, parts->ip, &loc);
		return loc.sym;
	}
	return parts->apart || resolver__resolve_frame(s->resolver, thread, parts->cpumode, parts->ip, &loc) ? NULL : loc.sym;
}

static void set_where(struct session *s, const struct sample_parts *parts, const struct symbol *function, struct look_ahead *ahead)
{
	ahead->key.where = repeats__set_where(s->repeats, parts->place, ahead->place_version, function);
}

/* Update the result of looking ahead. 0 or -ENOMEM. */
static int find_repeat(struct session *s, const struct sample_parts *parts, struct look_ahead *ahead)
{
	const struct thread_state *state = session__thread(s, parts);

	if (!state)
		return -ENOMEM;
	session__find_repeat(s, parts, state, ahead);
	if (ahead->key.where)
		return 0;
	set_where(s, parts, function_of(s, state->thread, parts), ahead);
	ahead->repeat = repeats__find(s->repeats, &ahead->key);
	return 0;
}

/* Deliver in full. If this sample leaves a token, similar ones are counted. */
static int deliver_first(struct session *s, const struct order_item *item, const struct sample_parts *parts, struct look_ahead *ahead)
{
	struct repeat_key *key = &ahead->key;
	int ret;

	s->again = (struct session_again){};
	s->chain_is_new = s->counts_repeats;
	ret = session__deliver(s, item, ahead->chain.word ? &ahead->chain : NULL);
	s->chain_is_new = false;
	if (ret)
		return ret;
	s->counts_repeats = s->again.token;
	if (s->again.token && !s->again.of_function && key->where != parts->place)
		set_where(s, parts, NULL, ahead);
	repeats__set(s->repeats, key, s->again.token);
	return 0;
}

/* always: deliver in full in any case */
static int deliver_counted(struct session *s, const struct order_item *item, const struct sample_parts *parts, struct look_ahead *ahead,
			   bool always)
{
	if ((ahead->state != s->state || !ahead->repeat) && find_repeat(s, parts, ahead))
		return -ENOMEM;
	if (!ahead->repeat || always)
		return deliver_first(s, item, parts, ahead);
	repeats__count(s->repeats, ahead->repeat, parts->period);
	session__count_record(s, PERF_RECORD_SAMPLE);
	session__count_sample(s, &s->events.event[parts->event], 1, parts->period);
	return 0;
}

/* Deliver by the tokens of the parts, or in full. */
static int deliver_parts(struct session *s, const struct order_item *item, const struct sample_parts *parts)
{
	const struct thread_state *of = session__thread(s, parts);
	struct session_known known = { .evsel = &s->events.event[parts->event], .pid = parts->pid, .tid = parts->tid,
				       .cpu = parts->cpu, .time = item->time, .period = parts->period };
	struct part_versions versions;
	int ret;

	if (!of)
		return -ENOMEM;
	known.thread = of->thread;
	versions = session__versions(s, parts, of->maps_version);
	if (known_parts__find(s->parts, parts, &versions, &known.tokens)) {
		session__count_record(s, PERF_RECORD_SAMPLE);
		session__count_sample(s, known.evsel, 1, known.period);
		return s->ops->known(s, &known, s->data);
	}
	s->again = (struct session_again){ .by_parts = true, .parts.callers = known.tokens.callers };
	ret = session__deliver(s, item, NULL);
	if (!ret && s->again.parts.place && s->again.parts.callers)
		known_parts__set(s->parts, parts, &versions, &s->again.parts);
	s->again = (struct session_again){};
	return ret;
}

/* Deliver one sample of each kind per batch in full: the consumer may show progress. */
static int deliver_next(struct session *s, const struct read_batch *block, size_t i, bool is_first)
{
	const struct sample_parts *parts = read_batch__parts(block, i);
	struct look_ahead *ahead = &s->ahead[i];

	if (parts && s->repeats)
		return deliver_counted(s, &block->item[i], parts, ahead, is_first);
	if (parts && !parts->apart)
		return deliver_parts(s, &block->item[i], parts);
	s->state++;
	return session__deliver(s, &block->item[i], ahead->chain.word ? &ahead->chain : NULL);
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

static void forget_numbers(struct session *s)
{
	if (s->parts)
		known_parts__forget(s->parts);
	else
		repeats__flush(s->repeats);
}

static struct read_batch block_of(const struct read_batch *batch, size_t from)
{
	return (struct read_batch){
		.item = batch->item + from, .nr = batch->nr - from < BLOCK ? batch->nr - from : BLOCK,
		.parts = batch->parts ? batch->parts + from : NULL, .hash = batch->hash ? batch->hash + from : NULL,
	};
}

static int deliver_block(struct session *s, const struct read_batch *batch, size_t from, size_t *loaded)
{
	const struct read_batch block = block_of(batch, from);
	int ret = 0;

	if (s->repeats && repeats__are_full(s->repeats))
		repeats__flush(s->repeats);
	session__look_ahead(s, &block);
	for (size_t i = 0; i < block.nr && !ret; i++) {
		load_ahead(s, batch, from + i, loaded);
		allow_read_ahead(s);
		ret = deliver_next(s, &block, i, !from && !i);
	}
	return ret;
}

static int deliver_looking_ahead(struct session *s, const struct read_batch *batch)
{
	size_t loaded = 0;
	int ret = 0;

	if (batch->numbers_anew)
		forget_numbers(s);
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
		ret = session__deliver(s, &batch->item[i], NULL);
	return ret;
}

/* Assign part numbers first: no other thread did. */
int session__deliver_items(const struct order_item *item, size_t nr, void *data)
{
	struct session *s = data;
	struct sample_parts parts[NUMBERS_STEP];
	int ret = 0;

	if (!s->numbers)
		return session__deliver_batch(s, &(struct read_batch){ .item = item, .nr = nr });
	for (size_t i = 0; i < nr && !ret; i += NUMBERS_STEP) {
		struct read_batch batch = { .item = item + i, .nr = nr - i < NUMBERS_STEP ? nr - i : NUMBERS_STEP, .parts = parts };

		batch.numbers_anew = part_numbers__find(s->numbers, batch.item, batch.nr, parts);
		ret = session__deliver_batch(s, &batch);
	}
	return ret;
}

static void tell_repeats(u64 token, u64 nr, u64 period, void *data)
{
	struct session *s = data;

	s->ops->again(s, token, nr, period, s->data);
}

/* Without them all samples are delivered in full. */
int session__prepare_numbers(struct session *s)
{
	bool takes_away = s->skip_frames || s->ignore_callees || s->hide_unresolved; /* the options drop frames of one part depending on the other */
	const struct session_ops *ops = s->ops;

	if (!((ops->again && !s->no_repeats) || (ops->known && !takes_away)) || !ops->sample || !s->resolver)
		return 0;
	s->numbers = part_numbers__new(&s->events, s->detail, ops->known);
	if (ops->known)
		s->parts = known_parts__new();
	else
		s->repeats = repeats__new(tell_repeats, s);
	s->state = 1;
	return s->numbers && (s->parts || s->repeats) ? 0 : -ENOMEM;
}
