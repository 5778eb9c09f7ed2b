// SPDX-License-Identifier: GPL-2.0
#include "util/source/tally.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>
#include "util/judge/bpf-filter.h"
#include "util/source/tally-program.h"
#include "util/source/tally-table.h"
#include "util/source/unwind-tables.h"

struct tally {
	struct bpf_filter filter; /* the members shared with filters: for attaching, and for its counts */
	struct tally_table *table;
	int unwound_fd; /* counts of unwound stacks; -1: none */
	struct unwind_finisher finisher;
};

u64 tally__sample_type(const struct tally_opts *opts)
{
	u64 type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;

	if (opts->key & (TALLY_KEY_PID | TALLY_KEY_TID))
		type |= PERF_SAMPLE_TID;
	if (opts->key & (TALLY_KEY_IP | TALLY_KEY_SYM))
		type |= PERF_SAMPLE_IP;
	return type;
}

static int load(const struct tally_opts *opts, const struct filter_table *table, bool old, struct tally **tally,
		struct errmsg *err)
{
	struct tally_program_setup setup = {
		.table = table, .own = opts->own, .clocks = opts->clocks, .tables = opts->tables, .marks = opts->marks, .old = old,
	};
	struct tally_program program;
	struct tally *c;
	int ret;

	ret = tally_table__configure(opts, &setup.counting, err);
	if (ret)
		return ret;
	ret = tally_program__load(&program, &setup, err);
	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c) {
		bpf_filter__close(&program.filter);
		tally_maps__close(&program.maps);
		if (program.unwound_fd >= 0)
			close(program.unwound_fd);
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	}
	c->filter = program.filter;
	c->unwound_fd = program.unwound_fd;
	ret = tally_table__new(&program.maps, &setup.counting, &c->table, err);
	if (ret) {
		tally__delete(c);
		return ret;
	}
	if (opts->tables) {
		c->finisher.feeder = unwind_tables__feeder(opts->tables);
		tally_table__finish_by(c->table, &c->finisher);
	}
	*tally = c;
	return 0;
}

int tally__load(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally, struct errmsg *err)
{
	return load(opts, table, false, tally, err);
}

int tally__load_old(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally,
		      struct errmsg *err)
{
	return load(opts, table, true, tally, err);
}

int tally__attach(struct tally *c, int perf_fd, struct errmsg *err)
{
	return bpf_filter__attach(&c->filter, perf_fd, err);
}

int tally__fd(const struct tally *c)
{
	return tally_table__fd(c->table);
}

struct bpf_ring *tally__ring(struct tally *c)
{
	return c ? tally_table__ring(c->table) : NULL;
}

int tally__drain(struct tally *c)
{
	return tally_table__drain(c->table);
}

int tally__collect(struct tally *c, int (*cb)(void *data, const struct tally_row *row), void *data, struct errmsg *err)
{
	return tally_table__collect(c->table, cb, data, err);
}

int tally__counts(struct tally *c, struct tally_counts *counts, struct errmsg *err)
{
	struct filter_counts judged;
	struct tally_totals counted;
	int ret;

	ret = bpf_filter__counts(&c->filter, 0, &judged, err);
	if (!ret)
		ret = tally_table__counts(c->table, &counted, err);
	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.seen = judged.seen,
		.dropped = judged.dropped,
		.unmended = judged.unmended,
		.period = judged.period,
		.untaken = judged.untaken,
		.late = judged.late,
		.untimed = judged.untimed,
		.undecided = judged.undecided,
		.counted = counted.counted + counted.spilled + counted.unfinished,
		.lost_stacks = counted.lost_stacks,
		.spilled = counted.spilled,
		.lost_keys = counted.lost_keys,
		.lost_spill = counted.lost_spill,
		.map_bytes = tally_table__bytes(c->table),
	};
	memcpy(counts->valueless, judged.valueless, sizeof(counts->valueless));
	return 0;
}

int tally__unwound(const struct tally *c, struct unwind_totals *totals, struct errmsg *err)
{
	return unwind_totals__read(totals, c->unwound_fd, &c->finisher, err);
}

void tally__delete(struct tally *c)
{
	if (!c)
		return;
	tally_table__delete(c->table);
	bpf_filter__close(&c->filter);
	if (c->unwound_fd >= 0)
		close(c->unwound_fd);
	free(c);
}
