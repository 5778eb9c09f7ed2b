// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

struct counted_evsel { /* the event whose keys are being collected */
	struct record *rec;
	unsigned int idx;
};

static int record__take_key(void *data, const struct tally_row *row)
{
	const struct counted_evsel *of = data;
	const struct record_rows *rows = of->rec->opts->rows;
	struct tally_row copy = *row;
	int ret = rows ? rows->row(rows->data, of->idx, &copy, of->rec->err) : 0;

	if (ret || !copy.count || record__writes_nothing(of->rec))
		return ret;
	return counted_samples__add(of->rec->counted, of->idx, &copy, of->rec->err);
}

static int record__collect(struct record *rec)
{
	struct counted_evsel of = { .rec = rec };
	int ret = 0;

	counted_samples__set_files(rec->counted, sampler__unwind_files(rec->sampler));
	if (rec->names)
		counted_samples__set_names(rec->counted, rec->names);
	for (; of.idx < rec->evlist->nr && !ret; of.idx++) {
		if (record__counts_event(rec, rec->evlist->evsel[of.idx]))
			ret = sampler__collect(rec->sampler, of.idx, record__take_key, &of, rec->err);
	}
	return ret ? ret : counted_samples__write(rec->counted, record__write, rec, rec->err);
}

static int record__tell_counts(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	struct tally_counts counts;
	int ret = 0;

	for (unsigned int i = 0; sink && sink->counts && i < rec->evlist->nr && !ret; i++) {
		if (!record__counts_event(rec, rec->evlist->evsel[i]))
			continue;
		ret = sampler__tally_counts(rec->sampler, i, &counts, rec->err);
		if (!ret)
			sink->counts(sink->data, i, &counts);
	}
	return ret;
}

/* Read the records of maps and tasks last, so that none that a sample needs is missing. */
int record__end_round(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	const struct record_rows *rows = rec->opts->rows;
	int ret = record__collect(rec);

	if (!ret)
		ret = record__drain(rec);
	if (!ret)
		ret = record__write_marker(rec, PERF_RECORD_FINISHED_ROUND);
	if (!ret)
		ret = record__tell_counts(rec);
	if (!ret && sink)
		ret = sink->round(sink->data, rec->err);
	if (!ret && rows)
		ret = rows->round(rows->data, rec->err);
	return ret;
}
