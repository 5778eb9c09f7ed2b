// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "session"
#include "util/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/callchain/skip-frames.h"
#include "util/callchain/unwind.h"
#include "util/lib/log.h"
#include "util/session/deferred.h"
#include "util/session/events.h"
#include "util/session/known-parts.h"
#include "util/session/order.h"
#include "util/session/read-ahead.h"
#include "util/session/read-values.h"
#include "util/session/repeats.h"

#define DEFAULT_MAX_STACK 127

/* So many samples before a sample is delivered what it needs starts to be fetched from memory, in the steps of callchain.h. */
#define LOOK_FAR 16
#define LOOK_MIDDLE 10
#define LOOK_NEAR 5
#define LOOK_KIND 40 /* whether it will be delivered at all */
/* The record itself before that, in so many bytes: the thread that read it did so on another CPU. */
#define LOOK_RECORD 12 /* before LOOK_FAR */
#define RECORD_AHEAD 128
#define CACHE_LINE 64
/* Which symbol tables are needed is seen in so many of the first samples, a step of them at a time: maps come among them. */
#define LOAD_AHEAD 1000
#define LOAD_STEP 250
#define KINDS_STEP 512 /* items whose kinds are looked for at a time, where no other thread does */

struct look_ahead { /* at a sample */
	struct chain_key key; /* word NULL: none; maps_version is there in any case */
	const struct kind_of_sample *leaf; /* its own address is most likely all that is looked for; NULL: not so */
};

struct session {
	struct perfdata_reader *reader; /* NULL: live */
	struct look_ahead ahead[LOOK_FAR]; /* at those to be delivered next */
	u32 nr_loaded_ahead; /* samples */
	struct read_ahead *to_widen; /* NULL: it stays as it is, or will be */
	u64 last_sample;		/* live: latest time of a sample */
	struct machine *machine;
	struct resolver *resolver; /* NULL: no_resolve */
	struct tp_formats *formats;
	struct order *order; /* of a live one */
	struct sample_kinds *kinds; /* of the thread that reads ahead, while there is one; NULL: all samples are delivered in full */
	struct repeats *repeats; /* NULL: samples are not counted, see ops->again */
	struct known_parts *parts; /* NULL: nobody asks, see ops->known */
	/* of the sample that is being delivered */
	bool by_parts;
	u64 known_callers; /* token, if by_parts; 0: they are not known */
	struct session_again again;
	struct read_values values;
	struct deferred *deferred; /* NULL: callchains stay as they are in their records */
	char before_events[SESSION_APART]; /* see struct session_event */
	struct session_events events;
	char behind_events[SESSION_APART];
	struct session_stats stats;
	struct callchain chain; /* of the sample that is being delivered */
	struct unwinder *unwinder; /* NULL: no sample has had a copy of its stack yet */
	struct file_places places;
	u32 max_stack, skip_frames;
	bool hide_unresolved;
	const regex_t *ignore_callees;
	struct errmsg damage; /* empty: the file was read to its proper end */
	/* of the present run */
	const struct session_ops *ops;
	void *data;
};

static int load_formats(struct session *s, const struct perfdata_features *features)
{
	if (!features->nr_tracing)
		return 0;
	s->formats = tp_formats__new(features->tracing_bigendian, features->tracing_long_size);
	if (!s->formats)
		return -ENOMEM;
	for (u32 i = 0; i < features->nr_tracing; i++) {
		const struct perfdata_tracing *t = &features->tracing[i];
		int ret = tp_formats__add(s->formats, t->sys, t->format, t->size);

		if (ret == -ENOMEM)
			return ret;
		if (ret) /* its samples are printed without fields; others are not affected */
			pr_debug("format of an event of %s cannot be read\n", t->sys);
	}
	if (!features->printk_formats)
		return 0;
	return tp_formats__add_printk_formats(s->formats, features->printk_formats) == -ENOMEM ? -ENOMEM : 0;
}

/* The kernel's functions that tracepoints print by name; called by libtraceevent, which wants no const. */
static char *name_function(void *data, unsigned long long *addr, char **module)
{
	struct session *s = data;
	struct location loc;

	resolver__resolve(s->resolver, NULL, PERF_RECORD_MISC_KERNEL, *addr, &loc);
	if (!loc.sym)
		return NULL;
	*addr -= loc.sym_addr - loc.sym->start;
	*module = loc.dso->kind == DSO_MODULE ? loc.dso->short_name : NULL;
	return (char *)loc.sym->name;
}

static int set_build_ids(struct session *s, const struct perfdata_features *features)
{
	for (u32 i = 0; i < features->nr_build_id; i++) {
		if (machine__set_build_id(s->machine, features->build_id[i].filename, &features->build_id[i].id))
			return -ENOMEM;
	}
	return 0;
}

static int init_machine(struct session *s, const struct session_opts *opts)
{
	s->max_stack = opts->max_stack ?: DEFAULT_MAX_STACK;
	s->skip_frames = opts->skip_frames;
	s->chain.no_notes = opts->no_chain_notes;
	s->hide_unresolved = opts->hide_unresolved;
	s->ignore_callees = opts->ignore_callees;
	s->places = (struct file_places){ opts->resolver.symtab.symfs, opts->resolver.symtab.cache };
	s->order = order__new();
	s->machine = machine__new(resolver__free_dso);
	if (!opts->no_merge_callchains)
		s->deferred = deferred__new();
	if (!s->order || !s->machine || (!s->deferred && !opts->no_merge_callchains))
		return -ENOMEM;
	if (opts->no_resolve)
		return 0;
	s->resolver = resolver__new(s->machine, &opts->resolver);
	if (!s->resolver)
		return -ENOMEM;
	return s->formats ? tp_formats__set_resolver(s->formats, name_function, s) : 0;
}

int session__open(const struct session_opts *opts, struct session **sp, struct errmsg *err)
{
	const struct perfdata_features *features;
	const struct perfdata_event *event;
	struct session *s = calloc(1, sizeof(*s));
	u32 nr_events;
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = perfdata_reader__open(opts->input, &s->reader, err);
	if (ret)
		goto err_out;
	features = perfdata_reader__features(s->reader);
	if (load_formats(s, features) || init_machine(s, opts) || set_build_ids(s, features)) {
		ret = errmsg__set(err, ENOMEM, "out of memory");
		goto err_out;
	}
	event = perfdata_reader__events(s->reader, &nr_events);
	ret = session_events__init(&s->events, event, nr_events, s->formats, err);
	if (ret) {
		errmsg__prefix(err, "%s", opts->input);
		goto err_out;
	}
	*sp = s;
	return 0;
err_out:
	session__delete(s);
	return ret;
}

int session__open_live(const struct session_opts *opts, const struct perfdata_event *event, u32 nr_events, struct session **sp,
		       struct errmsg *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = init_machine(s, opts) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
	if (!ret)
		ret = session_events__init(&s->events, event, nr_events, NULL, err);
	if (ret) {
		session__delete(s);
		return ret;
	}
	*sp = s;
	return 0;
}

/* A live session's records are copies of its own; those of a file lie in the file. */
static int free_copies(const struct order_item *item, size_t nr, void *data)
{
	for (size_t i = 0; i < nr; i++)
		free((void *)item[i].record);
	return 0;
}

void session__delete(struct session *s)
{
	if (!s)
		return;
	if (s->order && !s->reader)
		order__flush(s->order, free_copies, NULL);
	callchain__exit(&s->chain);
	unwinder__delete(s->unwinder);
	repeats__delete(s->repeats);
	known_parts__delete(s->parts);
	sample_kinds__delete(s->kinds);
	deferred__delete(s->deferred);
	read_values__exit(&s->values);
	order__delete(s->order);
	session_events__exit(&s->events);
	resolver__delete(s->resolver);
	machine__delete(s->machine);
	tp_formats__delete(s->formats);
	perfdata_reader__delete(s->reader);
	free(s);
}

/* A record whose contents contradict its event is counted and left out: one bad record must not cost the rest. */
static int skip_invalid(struct session *s, const struct order_item *item)
{
	s->stats.nr_invalid++;
	pr_debug("record of type %u at 0x%llx cannot be decoded\n", item->record->header.type,
		 (unsigned long long)item->file_offset);
	return 0;
}

/* The chain, or what of it is not known. */
static int resolve_parts(struct session *s, const struct session_sample *of)
{
	struct perf_sample part = *of->sample;
	u8 cpumode;

	if (s->known_callers)
		part.nr_callchain = callchain__leaf(&part, &cpumode) + 1;
	return callchain__resolve_once(&s->chain, s->resolver, of->thread, &part, s->max_stack);
}

/* ahead: made of this sample earlier, when its thread may have had other maps; NULL: none was. */
static int resolve_chain(struct session *s, const struct session_sample *of, const struct chain_key *ahead)
{
	const struct perf_sample *sample = of->sample;
	struct thread *thread = of->thread;
	struct perf_sample unwound;

	if (s->by_parts)
		return resolve_parts(s, of);
	if (!sample->user_stack_size) {
		if (ahead && ahead->word == sample->callchain && ahead->maps_version == resolver__maps_version(s->resolver, thread))
			return callchain__resolve_key(&s->chain, s->resolver, thread, ahead);
		return callchain__resolve(&s->chain, s->resolver, thread, sample, s->max_stack, of->evsel->idx);
	}
	if (!s->unwinder)
		s->unwinder = unwinder__new(s->machine, &s->places);
	unwound = *sample;
	if (!s->unwinder || unwinder__unwind(s->unwinder, thread, &unwound, s->max_stack))
		return -ENOMEM;
	return callchain__resolve(&s->chain, s->resolver, thread, &unwound, s->max_stack, of->evsel->idx);
}

/* How many frames are called by the outermost function whose callees are of no interest. */
static u32 nr_ignored(const struct session *s)
{
	for (u32 i = s->chain.nr; s->ignore_callees && i-- > 0;) {
		const struct symbol *sym = s->chain.frame[i].sym;

		if (sym && !regexec(s->ignore_callees, sym->name, 0, NULL, 0))
			return i;
	}
	return 0;
}

/* The sample becomes one of the function that is on top then. */
static void skip_frames(struct session *s, struct session_sample *sample, u32 nr)
{
	if (!nr)
		return;
	callchain__drop(&s->chain, nr);
	sample->loc = s->chain.frame[0];
}

/* The place of the sample's ip: that of the chain's leaf, if it is the same address. What is inlined there is the chain's. */
static void resolve_ip(struct session *s, struct session_sample *sample)
{
	const struct location *leaf = s->chain.nr_leaf ? &s->chain.frame[s->chain.nr_leaf - 1] : NULL;

	if (sample->chain && leaf && leaf->addr == sample->sample->ip && leaf->cpumode == sample->sample->cpumode) {
		sample->loc = *leaf;
		sample->loc.code = NULL;
		return;
	}
	resolver__resolve(s->resolver, sample->thread, sample->sample->cpumode, sample->sample->ip, &sample->loc);
	s->chain.note = s->chain.callers_note = NULL; /* the same chain may come with another place */
}

static int resolve(struct session *s, struct session_sample *sample, const struct chain_key *ahead)
{
	if (!s->resolver) {
		sample->loc = (struct location){ .addr = sample->sample->ip, .cpumode = sample->sample->cpumode };
		return 0;
	}
	if (sample->sample->sample_type & PERF_SAMPLE_CALLCHAIN) {
		sample->chain = &s->chain;
		if (resolve_chain(s, sample, ahead))
			return -ENOMEM;
	}
	resolve_ip(s, sample);
	if (!sample->chain)
		return 0;
	if (s->skip_frames)
		skip_frames(s, sample, skip_frames__leading(&s->chain, s->skip_frames));
	skip_frames(s, sample, nr_ignored(s));
	return s->hide_unresolved ? callchain__drop_unnamed(&s->chain) : 0;
}

static void count_sample(struct session *s, struct session_event *event, u64 nr, u64 period)
{
	s->stats.nr_samples += nr;
	event->nr_samples += nr;
	event->total_period += period;
}

/* sample->sample is decoded; the rest follows from that. */
static int emit_sample(struct session *s, struct session_sample *sample, const struct chain_key *ahead)
{
	const struct perf_sample *decoded = sample->sample;

	count_sample(s, sample->evsel, decoded->count, decoded->period);
	if (!s->ops->sample)
		return 0;
	s->again = (struct session_again){ .by_parts = s->by_parts, .parts.callers = s->known_callers };
	if (decoded->sample_type & PERF_SAMPLE_TID)
		sample->thread = machine__thread(s->machine, decoded->pid, decoded->tid);
	else
		sample->thread = machine__thread(s->machine, -1, -1);
	if (!sample->thread || resolve(s, sample, ahead))
		return -ENOMEM;
	return s->ops->sample(s, sample, s->data);
}

/* A sample of each event whose value it carries, if the event has counted anything since. */
static int emit_values(struct session *s, struct session_sample *sample, const struct chain_key *ahead)
{
	const struct perf_event_attr *attr = &sample->evsel->event->attr;
	u64 id, value;
	int ret = 0;

	for (u64 i = 0; !ret && sample__read_value(sample->sample, attr, i, &id, &value); i++) {
		struct session_event *event = session_events__of_known_id(&s->events, id);

		if (!event) {
			s->stats.nr_unknown_id++;
			continue;
		}
		sample->evsel = event;
		ret = read_values__since_last(&s->values, id, attr->inherit ? sample->sample->tid : 0, value, &sample->sample->period);
		if (!ret && sample->sample->period)
			ret = emit_sample(s, sample, ahead);
	}
	return ret;
}

static int emit(struct session *s, struct session_sample *sample, const struct chain_key *ahead)
{
	bool values = sample->sample->read && sample->evsel->event->attr.read_format & PERF_FORMAT_ID;

	sample->recorded_period = sample->sample->period;
	return values ? emit_values(s, sample, ahead) : emit_sample(s, sample, ahead);
}

static int deliver_sample(struct session *s, const struct order_item *item, const struct chain_key *ahead)
{
	struct session_event *event = session_events__of_sample(&s->events, item->record);
	struct perf_sample decoded;
	struct session_sample sample = {
		.evsel = event, .sample = &decoded, .record = item->record, .file_offset = item->file_offset, .again = &s->again,
	};

	if (!event) {
		s->stats.nr_unknown_id++;
		return 0;
	}
	if (perf_sample__decode(&decoded, &event->event->attr, item->record))
		return skip_invalid(s, item);
	if (s->deferred && deferred__is_awaited(&decoded))
		return deferred__add(s->deferred, &decoded, item->record, item->file_offset);
	return emit(s, &sample, ahead);
}

/* A sample that had waited for the rest of its callchain. It was decoded before, so it can be. */
static int deliver_deferred(const struct deferred_sample *deferred, void *data)
{
	struct session *s = data;
	struct perf_sample decoded;
	struct session_sample sample = {
		.evsel = session_events__of_sample(&s->events, deferred->record),
		.sample = &decoded, .record = deferred->record, .file_offset = deferred->file_offset, .again = &s->again,
	};

	perf_sample__decode(&decoded, &sample.evsel->event->attr, deferred->record);
	if (deferred->callchain) {
		decoded.callchain = deferred->callchain;
		decoded.nr_callchain = deferred->nr;
	}
	return emit(s, &sample, NULL);
}

static void count_losses(struct session *s, const union perf_record *record, const struct perf_sample *id)
{
	struct session_event *event = session__event_of(s, id);

	if (record->header.type == PERF_RECORD_LOST)
		s->stats.lost_events += record->lost.lost;
	if (record->header.type != PERF_RECORD_LOST_SAMPLES)
		return;
	if (record->header.misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF_) {
		s->stats.nr_lost_samples_bpf++;
		s->stats.dropped_samples += record->lost_samples.lost;
		event->nr_lost_samples_bpf++;
		event->dropped_samples += record->lost_samples.lost;
	} else {
		s->stats.lost_samples += record->lost_samples.lost;
		event->nr_lost_samples++;
		event->lost_samples += record->lost_samples.lost;
	}
}

static int decode_tail(struct session *s, const union perf_record *record, struct perf_sample *id)
{
	int ret = perf_sample__decode_id(id, &s->events.event->event->attr, record);

	if (ret || !id->id || s->events.nr == 1)
		return ret;
	return perf_sample__decode_id(id, &session__event_of(s, id)->event->attr, record);
}

static int deliver_other(struct session *s, const struct order_item *item)
{
	const union perf_record *record = item->record;
	struct perf_sample id;
	int ret;

	if (decode_tail(s, record, &id))
		return skip_invalid(s, item);
	ret = machine__process(s->machine, record);
	if (ret)
		return ret == -ENOMEM ? ret : skip_invalid(s, item);
	count_losses(s, record, &id);
	if (s->deferred && record->header.type == PERF_RECORD_CALLCHAIN_DEFERRED_)
		return deferred__deliver(s->deferred, id.tid, &record->callchain_deferred, deliver_deferred, s);
	return s->ops->record ? s->ops->record(s, record, &id, item->file_offset, s->data) : 0;
}

static void count_record(struct session *s, u32 type)
{
	s->stats.nr_events++;
	if (type < PERF_RECORD_USER_MAX)
		s->stats.nr[type]++;
	else
		s->stats.nr_unknown++;
}

static int deliver(struct session *s, const struct order_item *item, const struct chain_key *ahead)
{
	u32 type = item->record->header.type;

	count_record(s, type);
	return type == PERF_RECORD_SAMPLE ? deliver_sample(s, item, ahead) : deliver_other(s, item);
}

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
static bool look_at_leaf(struct session *s, const struct kind_of_sample *kind, struct look_ahead *look)
{
	struct thread *thread;

	if (!s->repeats || !kind->kind || !kind->callers || !repeats__knows_callers(s->repeats, kind->callers))
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
	if (is_repeat(s, batch, i) || (s->parts && batch->kind[i].kind) || (batch->kind && look_at_leaf(s, &batch->kind[i], look)) || !is_sample(item))
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
	size_t record = i + LOOK_FAR + LOOK_RECORD;

	if (batch->kind && i + LOOK_KIND < batch->nr)
		fetch_kind(s, &batch->kind[i + LOOK_KIND]);
	if (record >= batch->nr || is_repeat(s, batch, record))
		return;
	fetch_record(&batch->item[record]);
	if (s->repeats)
		repeats__prefetch_callers(s->repeats, batch->kind[record].callers);
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
	count_record(s, PERF_RECORD_SAMPLE);
	count_sample(s, &s->events.event[kind->event], 1, kind->period);
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
	ret = deliver(s, item, ahead);
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
		count_record(s, PERF_RECORD_SAMPLE);
		count_sample(s, known.evsel, 1, known.period);
		return s->ops->known(s, &known, s->data);
	}
	s->again = (struct session_again){};
	s->by_parts = true;
	s->known_callers = known.tokens.callers;
	ret = deliver(s, item, NULL);
	s->by_parts = false;
	s->known_callers = 0;
	if (!ret && s->again.parts.place && s->again.parts.callers)
		known_parts__set(s->parts, kind, version, &s->again.parts);
	return ret;
}

/* To be counted, the first one of each batch is delivered in full: who shows progress hears of it. */
static int deliver_next(struct session *s, const struct read_batch *batch, size_t i)
{
	const struct kind_of_sample *kind = batch->kind && batch->kind[i].kind ? &batch->kind[i] : NULL;
	const struct chain_key *ahead = s->ahead[i % LOOK_FAR].key.word ? &s->ahead[i % LOOK_FAR].key : NULL;

	if (!kind)
		return deliver(s, &batch->item[i], ahead);
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

static bool looks_ahead(const struct session *s)
{
	return s->resolver && s->ops->sample;
}

static int deliver_batch(struct session *s, const struct read_batch *batch)
{
	int ret = 0;

	if (looks_ahead(s))
		return deliver_looking_ahead(s, batch);
	for (size_t i = 0; i < batch->nr && !ret; i++)
		ret = deliver(s, &batch->item[i], NULL);
	return ret;
}

/* Items whose kinds nobody has looked for yet. */
static int deliver_all(const struct order_item *item, size_t nr, void *data)
{
	struct session *s = data;
	struct kind_of_sample kind[KINDS_STEP];
	int ret = 0;

	if (!s->kinds)
		return deliver_batch(s, &(struct read_batch){ .item = item, .nr = nr });
	for (size_t i = 0; i < nr && !ret; i += KINDS_STEP) {
		struct read_batch batch = { .item = item + i, .nr = nr - i < KINDS_STEP ? nr - i : KINDS_STEP, .kind = kind };

		batch.kinds_anew = sample_kinds__find(s->kinds, batch.item, batch.nr, kind);
		ret = deliver_batch(s, &batch);
	}
	return ret;
}

static void note_damage(struct session *s)
{
	if (s->damage.text[0])
		return;
	if (perfdata_reader__truncated(s->reader))
		errmsg__set(&s->damage, EINVAL,
			    "the file ends in the middle of a record (the recording was killed, or the disk was full)");
	else if (perfdata_reader__unfinished(s->reader))
		errmsg__set(&s->damage, EINVAL, "the file was not finished (the recording was killed, or the disk was full)");
}

static void release(u64 pos, void *data)
{
	perfdata_reader__release(((struct session *)data)->reader, pos);
}

/* A negative return of a callback is handed on before the reading's. */
static int run_file(struct session *s)
{
	const struct read_sink sink = { deliver_all, release, s };
	bool hashes = looks_ahead(s) && !s->kinds; /* where kinds are looked for few are needed */
	struct read_ahead *ahead = read_ahead__start(s->reader, &s->events, s->kinds, hashes, &s->damage);
	struct read_batch batch;
	int ret = 0, ended;

	if (!ahead)
		return read_in_order(s->reader, &s->events, &sink, &s->damage);
	s->to_widen = s->kinds ? ahead : NULL; /* who takes samples one by one never catches up with it */
	while (!ret && read_ahead__next(ahead, &batch))
		ret = deliver_batch(s, &batch);
	if (s->resolver)
		resolver__end_notice(s->resolver);
	ended = read_ahead__end(ahead);
	return ret ?: ended;
}

static void tell_repeats(u64 token, u64 nr, u64 period, void *data)
{
	struct session *s = data;

	s->ops->again(s, token, nr, period, s->data);
}

/* Without them all samples are delivered. */
static int prepare_kinds(struct session *s)
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

int session__run(struct session *s, const struct session_ops *ops, void *data, struct errmsg *err)
{
	int ret;

	s->ops = ops;
	s->data = data;
	ret = prepare_kinds(s) ?: run_file(s);
	if (!ret && s->repeats)
		repeats__flush(s->repeats);
	if (!ret && s->deferred)
		ret = deferred__flush(s->deferred, deliver_deferred, s);
	if (!ret)
		note_damage(s);
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

static int deliver_copies(const struct order_item *item, size_t nr, void *data)
{
	int ret = deliver_all(item, nr, data);

	free_copies(item, nr, NULL);
	return ret;
}

/* Keep a record until its time has come. Those without a time are synthesized ones, which are about what was before. */
static int keep_copy(struct session *s, const union perf_record *record)
{
	struct order_item item = { .record = record, .time = session_events__time(&s->events, record) };
	union perf_record *copy;
	int ret;

	if (!item.time)
		return deliver(s, &item, NULL);
	copy = malloc(record->header.size);
	if (!copy)
		return -ENOMEM;
	item.record = memcpy(copy, record, record->header.size);
	ret = order__add(s->order, &item);
	if (ret)
		free(copy);
	else if (record->header.type == PERF_RECORD_SAMPLE && item.time > s->last_sample)
		s->last_sample = item.time;
	return ret;
}

int session__feed(struct session *s, const void *records, size_t size, const struct session_ops *ops, void *data,
		  struct errmsg *err)
{
	const char *at = records, *end = at + size;
	int ret = 0;

	s->ops = ops;
	s->data = data;
	for (; at < end && !ret; at += ((const struct perf_event_header *)at)->size) {
		const union perf_record *record = (const void *)at;

		if (record->header.type == PERF_RECORD_FINISHED_ROUND)
			ret = order__end_round(s->order, s->last_sample, deliver_copies, s);
		else
			ret = keep_copy(s, record);
	}
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

const struct callchain *session__resolve_deferred(struct session *s, struct thread *thread,
						  const struct record_callchain_deferred *record)
{
	const struct perf_sample sample = { .cpumode = PERF_RECORD_MISC_USER, .callchain = record->ips, .nr_callchain = record->nr };

	if (!s->resolver || callchain__resolve(&s->chain, s->resolver, thread, &sample, s->max_stack, 0))
		return NULL;
	return &s->chain;
}

void session__forget_parts(struct session *s)
{
	if (s->parts)
		known_parts__forget(s->parts);
}

const char *session__damage(const struct session *s)
{
	return s->damage.text[0] ? s->damage.text : NULL;
}

struct perfdata_reader *session__reader(struct session *s)
{
	return s->reader;
}

struct machine *session__machine(struct session *s)
{
	return s->machine;
}

struct resolver *session__resolver(struct session *s)
{
	return s->resolver;
}

const struct session_stats *session__stats(struct session *s)
{
	return &s->stats;
}

struct tp_formats *session__formats(struct session *s)
{
	return s->formats;
}

u32 session__nr_events(struct session *s)
{
	return s->events.nr;
}

struct session_event *session__event(struct session *s, u32 idx)
{
	return &s->events.event[idx];
}

struct session_event *session__event_of(struct session *s, const struct perf_sample *id)
{
	return session_events__of_id(&s->events, id->id);
}
