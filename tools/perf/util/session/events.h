/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a file: their names, and which event a record belongs to. */
#ifndef PERF_SESSION_EVENTS_H
#define PERF_SESSION_EVENTS_H

#include "util/lib/hash-index.h"
#include "util/session/session.h"

struct session_events {
	struct session_event *event;
	u32 nr;
	struct event_id *id; /* all ids, with the index of their event */
	u32 nr_ids;
	struct hash_index by_id; /* of id */
	u32 likely[256]; /* by the last bits of ids, which mostly follow each other: the index of one with these bits */
	int sample_id_pos;     /* sample__id_pos() of all events; -1 if samples carry no id */
	bool one_tail;	       /* the records of all events have the same sample_id tail */
};

/*
 * events is zeroed; event has nr rows and must outlive it. formats may be NULL. -EINVAL: the event of a sample cannot be determined.
 * Call __exit, after an error too.
 */
int session_events__init(struct session_events *events, const struct perfdata_event *event, u32 nr,
			 const struct tp_formats *formats, struct errmsg *err);
void session_events__exit(struct session_events *events);

/* The event of a SAMPLE record; NULL: its id is of no event, or it is too short for one. */
struct session_event *session_events__of_sample(const struct session_events *events, const union perf_record *record);
struct session_event *session_events__of_known_id(const struct session_events *events, u64 id); /* NULL: unknown id */
/* The event of an id in a sample_id tail; the first event if the id is unknown (synthesized records have 0), NULL without events. */
struct session_event *session_events__of_id(const struct session_events *events, u64 id);

/* Decode the sample_id tail of a record that is no sample, by its event. Returns as perf_sample__decode_id(). */
int session_events__decode_tail(const struct session_events *events, const union perf_record *record, struct perf_sample *id);

/* The time of a record before it is decoded; 0 if it has none. */
u64 session_events__time(const struct session_events *events, const union perf_record *record);

#endif
