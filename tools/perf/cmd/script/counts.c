// SPDX-License-Identifier: GPL-2.0
/* Counts of perf stat record: a table, whose lines have the time of their round. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/script/output.h"

struct counts {
	struct script_part part;
	struct record_stat *stat; /* of the round, whose time comes after them */
	size_t nr, room;
	struct record_thread_map *threads; /* a copy; NULL: not there yet */
	bool has_names;
};

static bool wanted(const struct script_options *o)
{
	return !o->dump;
}

static int keep(struct counts *c, const struct record_stat *stat)
{
	if (c->nr == c->room) {
		const size_t room = c->room * 2 ?: 64;
		struct record_stat *bigger = reallocarray(c->stat, room, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		c->stat = bigger;
		c->room = room;
	}
	c->stat[c->nr++] = *stat;
	return 0;
}

static int take_threads(struct counts *c, const union perf_record *record)
{
	free(c->threads);
	c->threads = malloc(record->header.size);
	if (!c->threads)
		return -ENOMEM;
	memcpy(c->threads, record, record->header.size);
	return 0;
}

static void print_count(const struct counts *c, FILE *fp, struct session *s, const struct record_stat *stat, u64 time)
{
	const struct perf_sample id = { .id = stat->id };
	const struct session_event *event = session__event_of(s, &id);
	const int tid = c->threads && stat->thread < c->threads->nr ? (int)c->threads->entry[stat->thread].pid : -1;

	fprintf(fp, "%3d %8d %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %s\n", (int)stat->cpu, tid, (uint64_t)stat->value,
		(uint64_t)stat->enabled, (uint64_t)stat->running, (uint64_t)time, event ? event->name : "unknown");
}

static int print_round(struct counts *c, struct session *s, u64 time)
{
	FILE *fp;

	script_writer__set_file(c->part.out->text.writer, stdout);
	fp = script_output__begin(c->part.out);
	if (!fp)
		return -ENOMEM;
	if (!c->has_names)
		fprintf(fp, "%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT");
	c->has_names = true;
	for (size_t i = 0; i < c->nr; i++)
		print_count(c, fp, s, &c->stat[i], time);
	c->nr = 0;
	script_output__end(c->part.out, fp);
	return 0;
}

static int take_record(struct script_part *p, struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset)
{
	struct counts *c = (struct counts *)p;

	switch (record->header.type) {
	case PERF_RECORD_STAT:
		return keep(c, &record->stat);
	case PERF_RECORD_THREAD_MAP:
		return take_threads(c, record);
	case PERF_RECORD_STAT_ROUND:
		return print_round(c, s, record->stat_round.time);
	default:
		return 0;
	}
}

static void counts__exit(struct script_part *p)
{
	struct counts *c = (struct counts *)p;

	free(c->stat);
	free(c->threads);
}

const struct script_part_ops script_counts = {
	.size = sizeof(struct counts),
	.wanted = wanted,
	.record = take_record,
	.exit = counts__exit,
};
