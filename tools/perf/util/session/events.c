// SPDX-License-Identifier: GPL-2.0
#include "util/session/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evsel.h" /* attr__name */
#include "util/lib/printable.h"

struct event_id {
	u64 id;
	u32 idx;
};

static char *event_name(const struct perfdata_event *event, const struct tp_formats *formats)
{
	const char *name = event->name;
	char buf[128], *copy;

	if (!name && formats && event->attr.type == PERF_TYPE_TRACEPOINT)
		name = tp_formats__name(formats, event->attr.config);
	copy = strdup(name ?: attr__name(&event->attr, buf, sizeof(buf)));
	return copy ? printable__clean(copy) : NULL;
}

static const struct event_id *find_by_hash(const struct session_events *events, u64 id)
{
	u32 hash = hash_mix(0, id), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&events->by_id, hash, &i))) {
		if (events->id[slot->place - 1].id == id)
			return &events->id[slot->place - 1];
	}
	return NULL;
}

static u32 *likely_place(struct session_events *events, u64 id)
{
	return &events->likely[id % ARRAY_SIZE(events->likely)];
}

/* NULL: unknown. Each record is looked up several times. */
static const struct event_id *find_id(const struct session_events *events, u64 id)
{
	u32 likely = *likely_place((struct session_events *)events, id);

	return likely < events->nr_ids && events->id[likely].id == id ? &events->id[likely] : find_by_hash(events, id);
}

/* There is room for it. */
static int add_id(struct session_events *events, u64 id, u32 idx)
{
	if (find_id(events, id)) /* the first event with the id counts, as in stock perf */
		return 0;
	events->id[events->nr_ids] = (struct event_id){ id, idx };
	*likely_place(events, id) = events->nr_ids;
	return hash_index__add(&events->by_id, hash_mix(0, id), events->nr_ids++);
}

/* Room for all ids. */
static int alloc_ids(struct session_events *events, const struct perfdata_event *event, u32 nr)
{
	size_t all = 0;

	for (u32 i = 0; i < nr; i++)
		all += event[i].nr_ids;
	events->id = all < UINT32_MAX ? calloc(all ?: 1, sizeof(*events->id)) : NULL;
	return events->id ? 0 : -ENOMEM;
}

static int init_event(struct session_events *events, u32 idx, const struct perfdata_event *event,
		      const struct tp_formats *formats)
{
	struct session_event *se = &events->event[idx];

	se->event = event;
	se->idx = idx;
	se->time_pos = sample__time_pos(&event->attr);
	se->callchain_pos = sample__callchain_pos(&event->attr);
	se->name = event_name(event, formats);
	if (!se->name)
		return -ENOMEM;
	for (u32 i = 0; i < event->nr_ids; i++) {
		if (add_id(events, event->ids[i], idx))
			return -ENOMEM;
	}
	return 0;
}

/* Can a record's id be found while its event, and so its layout, is unknown? All events must have it at the same position. */
static bool have_common_id(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	int pos = sample__id_pos(a->sample_type);

	return pos >= 0 && sample__id_pos(b->sample_type) == pos && a->sample_id_all == b->sample_id_all &&
	       (!a->sample_id_all || sample_id__id_pos(a->sample_type) == sample_id__id_pos(b->sample_type));
}

/* perf stat record writes such events into a pipe: there are no samples of them. */
static bool have_only_counts(const struct session_events *events)
{
	for (u32 i = 0; i < events->nr; i++) {
		if (events->event[i].event->attr.sample_type)
			return false;
	}
	return true;
}

static int find_id_pos(struct session_events *events, struct errmsg *err)
{
	const struct session_event *event = events->event;

	events->sample_id_pos = -1;
	if (events->nr == 1 || have_only_counts(events))
		return 0;
	for (u32 i = 1; i < events->nr; i++) {
		if (!have_common_id(&event[0].event->attr, &event[i].event->attr))
			return errmsg__set(err, EINVAL,
					   "cannot tell the records of events '%s' and '%s' apart: their ids are at different places",
					   event[0].name, event[i].name);
	}
	events->sample_id_pos = sample__id_pos(event[0].event->attr.sample_type);
	return 0;
}

int session_events__init(struct session_events *events, const struct perfdata_event *event, u32 nr,
			 const struct tp_formats *formats, struct errmsg *err)
{
	if (!nr)
		return errmsg__set(err, EINVAL, "the file describes no events, so its samples cannot be read");
	events->event = calloc(nr, sizeof(*events->event));
	if (!events->event || alloc_ids(events, event, nr))
		return errmsg__set(err, ENOMEM, "out of memory");
	events->nr = nr;
	for (u32 i = 0; i < events->nr; i++) {
		if (init_event(events, i, &event[i], formats))
			return errmsg__set(err, ENOMEM, "out of memory");
	}
	events->one_tail = true;
	for (u32 i = 1; i < nr; i++)
		events->one_tail &= sample_id__is_same(&event[0].attr, &event[i].attr);
	return find_id_pos(events, err);
}

void session_events__exit(struct session_events *events)
{
	hash_index__exit(&events->by_id);
	free(events->id);
	for (u32 i = 0; i < events->nr; i++)
		free(events->event[i].name);
	free(events->event);
	memset(events, 0, sizeof(*events));
}

/* Read the u64 at position pos after the header; false if the record is too short. Records are 8-byte aligned in the file. */
static bool word_at(const union perf_record *record, int pos, u64 *word)
{
	size_t offset = sizeof(record->header) + (size_t)pos * sizeof(u64);

	if (offset + sizeof(u64) > record->header.size)
		return false;
	memcpy(word, (const char *)record + offset, sizeof(*word));
	return true;
}

struct session_event *session_events__of_known_id(const struct session_events *events, u64 id)
{
	const struct event_id *found = find_id(events, id);

	return found ? &events->event[found->idx] : NULL;
}

struct session_event *session_events__of_sample(const struct session_events *events, const union perf_record *record)
{
	u64 id;

	if (events->sample_id_pos < 0)
		return events->event;
	return word_at(record, events->sample_id_pos, &id) ? session_events__of_known_id(events, id) : NULL;
}

struct session_event *session_events__of_id(const struct session_events *events, u64 id)
{
	return session_events__of_known_id(events, id) ?: events->event;
}

static u64 sample_time(const struct session_events *events, const union perf_record *record)
{
	const struct session_event *event = session_events__of_sample(events, record);
	u64 time;

	return event && event->time_pos >= 0 && word_at(record, event->time_pos, &time) ? time : 0;
}

/* Tails of all events have their ids at the same position, or there is only one event. */
int session_events__decode_tail(const struct session_events *events, const union perf_record *record, struct perf_sample *id)
{
	int ret = perf_sample__decode_id(id, &events->event->event->attr, record);

	if (ret || !id->id || events->one_tail)
		return ret;
	return perf_sample__decode_id(id, &session_events__of_id(events, id->id)->event->attr, record);
}

u64 session_events__time(const struct session_events *events, const union perf_record *record)
{
	struct perf_sample id;

	if (record->header.type == PERF_RECORD_SAMPLE)
		return sample_time(events, record);
	return session_events__decode_tail(events, record, &id) ? 0 : id.time;
}
