// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "session"
#include "util/session/session-state.h"

#include <string.h>

#include "util/callchain/skip-frames.h"
#include "util/lib/log.h"

/* Count and skip a record whose contents contradict its event: one bad record must not cost the rest. */
static int skip_invalid(struct session *s, const struct order_item *item)
{
	s->stats.nr_invalid++;
	pr_debug("record of type %u at 0x%llx cannot be decoded\n", item->record->header.type,
		 (unsigned long long)item->file_offset);
	return 0;
}

/* Most likely the chain is new and unique. If the consumer knows the callers, only the frames of the place are needed. */
static int resolve_brief(struct session *s, const struct session_sample *of)
{
	if (s->brief->need == SESSION_NEEDS_PLACE)
		return callchain__number_place(&s->chain, s->resolver, of->thread, of->sample);
	return callchain__number(&s->chain, s->resolver, of->thread, of->sample, s->max_stack);
}

/* Its event has numbers, but there was no room for those of this sample: that happens to a few before numbering begins anew. */
static bool lacks_ids(const struct session *s, const struct session_sample *of)
{
	return s->numbers && !s->brief && sample_numbers__cover(s->numbers, of->evsel->idx);
}

/* Callers that were unwound hardly come again, and samples without ids may be few: to keep their frames would take memory for nothing. */
static bool takes_numbers(const struct session *s, const struct session_sample *of)
{
	return s->by_numbers && (s->brief || of->sample->user_stack_size || !s->caches_callers || lacks_ids(s, of));
}

static int resolve_chain(struct session *s, const struct session_sample *of)
{
	const struct perf_sample *sample = of->sample;
	struct thread *thread = of->thread;
	struct perf_sample unwound;

	if (s->brief)
		return resolve_brief(s, of);
	if (!sample->user_stack_size && takes_numbers(s, of))
		return callchain__number(&s->chain, s->resolver, thread, sample, s->max_stack);
	if (!sample->user_stack_size)
		return callchain__resolve(&s->chain, s->resolver, thread, sample, s->max_stack);
	if (!s->unwinder)
		s->unwinder = unwinder__new(s->machine, &s->places);
	unwound = *sample;
	if (!s->unwinder || unwinder__unwind(s->unwinder, thread, &unwound, s->max_stack))
		return -ENOMEM;
	if (takes_numbers(s, of))
		return callchain__number(&s->chain, s->resolver, thread, &unwound, s->max_stack);
	return callchain__resolve(&s->chain, s->resolver, thread, &unwound, s->max_stack);
}

/* Count the frames above the outermost function whose callees are ignored. */
static u32 nr_ignored(const struct session *s)
{
	for (u32 i = s->chain.nr; s->ignore_callees && i-- > 0;) {
		const struct symbol *sym = s->chain.frame[i].sym;

		if (sym && !regexec(s->ignore_callees, sym->name, 0, NULL, 0))
			return i;
	}
	return 0;
}

/* Drop frames; the sample then belongs to the function that is the innermost one. */
static void skip_frames(struct session *s, struct session_sample *sample, u32 nr)
{
	if (!nr)
		return;
	callchain__drop(&s->chain, nr);
	sample->loc = s->chain.frame[0];
}

static const struct location *frame_at(const struct session *s, u32 i)
{
	return s->chain.frame ? &s->chain.frame[i] : resolver__frame(s->resolver, s->chain.number[i]);
}

/*
 * Set the location of the sample's ip: that of the chain's leaf if the address is the same. Inlined functions are frames of the
 * chain only.
 */
static void resolve_ip(struct session *s, struct session_sample *sample)
{
	/* Without a chain, s->chain is that of an earlier sample, whose frames may be gone. */
	const struct location *leaf = sample->chain && s->chain.nr_leaf ? frame_at(s, s->chain.nr_leaf - 1) : NULL;

	if (leaf && leaf->addr == sample->sample->ip && leaf->cpumode == sample->sample->cpumode) {
		sample->loc = *leaf;
		sample->loc.code = NULL;
		return;
	}
	resolver__resolve(s->resolver, sample->thread, sample->sample->cpumode, sample->sample->ip, &sample->loc);
}

/* Are the frames themselves needed? */
static bool needs_frames(const struct session *s, const struct session_sample *of)
{
	return !takes_numbers(s, of) || s->skip_frames || s->ignore_callees || s->hide_unresolved;
}

static int resolve(struct session *s, struct session_sample *sample)
{
	if (!s->resolver || s->detail == SESSION_ADDRESSES) {
		sample->loc = (struct location){ .addr = sample->sample->ip, .cpumode = sample->sample->cpumode };
		return 0;
	}
	if (sample->sample->sample_type & PERF_SAMPLE_CALLCHAIN && s->detail == SESSION_CHAINS) {
		sample->chain = &s->chain;
		if (resolve_chain(s, sample) || (needs_frames(s, sample) && callchain__locate(&s->chain, s->resolver)))
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

/* sample->sample is decoded; fill in the rest. */
static int emit_sample(struct session *s, struct session_sample *sample)
{
	const struct perf_sample *decoded = sample->sample;

	session__count_sample(s, sample->evsel, decoded->count, decoded->period);
	if (!s->ops->sample)
		return 0;
	if (decoded->sample_type & PERF_SAMPLE_TID)
		sample->thread = machine__thread(s->machine, decoded->pid, decoded->tid);
	else
		sample->thread = machine__thread(s->machine, -1, -1);
	if (s->resolver)
		resolver__begin(s->resolver); /* one record may complete many samples */
	if (!sample->thread || resolve(s, sample))
		return -ENOMEM;
	return s->ops->sample(s, sample, s->data);
}

/* Deliver a sample for each event whose value the record carries, if the event has counted anything since. */
static int emit_values(struct session *s, struct session_sample *sample)
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
			ret = emit_sample(s, sample);
	}
	return ret;
}

static int emit(struct session *s, struct session_sample *sample)
{
	bool values = sample->sample->read && sample->evsel->event->attr.read_format & PERF_FORMAT_ID;

	sample->recorded_period = sample->sample->period;
	return values ? emit_values(s, sample) : emit_sample(s, sample);
}

static int deliver_sample(struct session *s, const struct order_item *item)
{
	struct session_event *event = session_events__of_sample(&s->events, item->record);
	struct perf_sample decoded;
	struct session_sample sample = {
		.evsel = event, .sample = &decoded, .record = item->record, .file_offset = item->file_offset,
		.ids = s->brief ? s->brief->ids : (struct stack_ids){},
	};

	if (!event) {
		s->stats.nr_unknown_id++;
		return 0;
	}
	if (perf_sample__decode(&decoded, &event->event->attr, item->record))
		return skip_invalid(s, item);
	if (s->deferred && s->detail == SESSION_CHAINS && deferred__is_awaited(&decoded))
		return deferred__add(s->deferred, &decoded, item->record, item->file_offset, session__deliver_deferred, s);
	return emit(s, &sample);
}

/* Deliver a sample that waited for its callchain. It was decoded before, so decoding cannot fail. */
int session__deliver_deferred(const struct deferred_sample *deferred, void *data)
{
	struct session *s = data;
	struct perf_sample decoded;
	struct session_sample sample = {
		.evsel = session_events__of_sample(&s->events, deferred->record),
		.sample = &decoded, .record = deferred->record, .file_offset = deferred->file_offset,
	};

	perf_sample__decode(&decoded, &sample.evsel->event->attr, deferred->record);
	if (deferred->callchain) {
		decoded.callchain = deferred->callchain;
		decoded.nr_callchain = deferred->nr;
	}
	return emit(s, &sample);
}

static void count_dropped(struct session *s, u64 id, u64 nr)
{
	struct session_event *event = session_events__of_id(&s->events, id);

	s->stats.nr_dropped_records++;
	s->stats.dropped_samples += nr;
	event->dropped_samples += nr;
}

static void count_update(struct session *s, const struct record_event_update *update)
{
	u64 nr;

	if (update->what != EVENT_UPDATE_DROPPED_ || update->header.size < sizeof(*update) + sizeof(nr))
		return;
	memcpy(&nr, update->data, sizeof(nr));
	count_dropped(s, update->id, nr);
}

static void count_losses(struct session *s, const union perf_record *record, const struct perf_sample *id)
{
	struct session_event *event;

	if (record->header.type == PERF_RECORD_EVENT_UPDATE)
		count_update(s, &record->event_update);

	if (record->header.type == PERF_RECORD_LOST)
		s->stats.lost_events += record->lost.lost;
	if (record->header.type != PERF_RECORD_LOST_SAMPLES)
		return;
	if (record->header.misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF_) {
		count_dropped(s, id->id, record->lost_samples.lost);
	} else {
		event = session_events__of_id(&s->events, id->id);
		s->stats.lost_samples += record->lost_samples.lost;
		event->nr_lost_samples++;
		event->lost_samples += record->lost_samples.lost;
	}
}

static int deliver_other(struct session *s, const struct order_item *item)
{
	const union perf_record *record = item->record;
	struct perf_sample id;
	int ret;

	if (session_events__decode_tail(&s->events, record, &id))
		return skip_invalid(s, item);
	ret = machine__process(s->machine, record);
	if (ret)
		return ret == -ENOMEM ? ret : skip_invalid(s, item);
	count_losses(s, record, &id);
	if (s->deferred && record->header.type == PERF_RECORD_CALLCHAIN_DEFERRED_)
		return deferred__deliver(s->deferred, id.tid, &record->callchain_deferred, session__deliver_deferred, s);
	return s->ops->record ? s->ops->record(s, record, &id, item->file_offset, s->data) : 0;
}

int session__deliver(struct session *s, const struct order_item *item)
{
	u32 type = item->record->header.type;

	if (item->file_offset == ORDER_NOT_IN_FILE)
		return machine__process(s->machine, item->record);
	session__count_record(s, type);
	return type == PERF_RECORD_SAMPLE ? deliver_sample(s, item) : deliver_other(s, item);
}
