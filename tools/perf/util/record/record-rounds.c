// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <time.h>

/* A ring wakes us when it is half full; what a slow event leaves in it is fetched after this long, in case perf is killed. */
#define FLOW_MS 1000

u64 record__now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

void record__begin_rounds(struct record *rec)
{
	if (rec->opts->interval)
		rec->next_round = record__now_ms() + rec->opts->interval;
}

struct counted_evsel { /* whose keys are being collected */
	struct record *rec;
	unsigned int idx;
};

static int record__take_key(void *data, const struct tally_row *row)
{
	const struct counted_evsel *of = data;
	const struct record_rows *rows = of->rec->opts->rows;

	if (rows)
		return rows->row(rows->data, of->idx, row, of->rec->err);
	return counted_samples__add(of->rec->counted, of->idx, row, of->rec->err);
}

static int record__collect(struct record *rec)
{
	struct counted_evsel of = { .rec = rec };
	int ret = 0;

	for (; of.idx < rec->evlist->nr && !ret; of.idx++) {
		if (record__counts_event(rec, rec->evlist->evsel[of.idx]))
			ret = sampler__collect(rec->sampler, of.idx, record__take_key, &of, rec->err);
	}
	return ret ? ret : counted_samples__write(rec->counted, record__write, rec, rec->err);
}

/* Fetching the records of maps and tasks last makes sure that those that a sample needs are there. */
int record__end_round(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	const struct record_rows *rows = rec->opts->rows;
	int ret = record__collect(rec);

	if (!ret)
		ret = record__drain(rec);
	if (!ret)
		ret = record__write_marker(rec, PERF_RECORD_FINISHED_ROUND);
	if (!ret && sink)
		ret = sink->round(sink->data, rec->err);
	if (!ret && rows)
		ret = rows->round(rows->data, rec->err);
	return ret;
}

int record__handle_round(struct record *rec)
{
	u64 now = record__now_ms();

	if (!rec->next_round || now < rec->next_round)
		return 0;
	/* What was missed (perf was stopped, or too slow) is not made up for. */
	rec->next_round += (now - rec->next_round) / rec->opts->interval * rec->opts->interval + rec->opts->interval;
	return record__end_round(rec);
}

int record__patience(const struct record *rec)
{
	int span = record__span_patience(rec), patience = span >= 0 && span < FLOW_MS ? span : FLOW_MS;
	u64 now = record__now_ms(), next_file = rec->opts->switching.ms ? rec->file_start + rec->opts->switching.ms : UINT64_MAX;

	if (next_file < now + patience)
		patience = next_file > now ? next_file - now : 0;
	if (!rec->next_round || rec->next_round > now + patience)
		return patience;
	return rec->next_round > now ? rec->next_round - now : 0;
}
