// SPDX-License-Identifier: GPL-2.0
#include "util/source/counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include "util/judge/bpf-filter.h"
#include "util/source/count-program.h"
#include "util/source/count-table.h"

struct counter {
	struct bpf_filter filter; /* what the program shares with filters: to be attached, to tell what it dropped */
	struct count_table *table;
};

u64 counter__sample_type(const struct counter_opts *opts)
{
	u64 type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;

	if (opts->key & (COUNTER_KEY_PID | COUNTER_KEY_TID))
		type |= PERF_SAMPLE_TID;
	if (opts->key & (COUNTER_KEY_IP | COUNTER_KEY_SYM))
		type |= PERF_SAMPLE_IP;
	return type;
}

static int load(const struct counter_opts *opts, const struct filter_table *table, bool old, struct counter **counter,
		struct errmsg *err)
{
	struct count_program_setup setup = { .table = table, .own = opts->own, .old = old };
	struct count_program program;
	struct counter *c;
	int ret;

	ret = count_table__configure(opts, &setup.counting, err);
	if (ret)
		return ret;
	ret = count_program__load(&program, &setup, err);
	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c) {
		bpf_filter__close(&program.filter);
		count_maps__close(&program.maps);
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	}
	c->filter = program.filter;
	ret = count_table__new(&program.maps, &setup.counting, &c->table, err);
	if (ret)
		counter__delete(c);
	else
		*counter = c;
	return ret;
}

int counter__load(const struct counter_opts *opts, const struct filter_table *table, struct counter **counter, struct errmsg *err)
{
	return load(opts, table, false, counter, err);
}

int counter__load_old(const struct counter_opts *opts, const struct filter_table *table, struct counter **counter,
		      struct errmsg *err)
{
	return load(opts, table, true, counter, err);
}

int counter__attach(struct counter *c, int perf_fd, struct errmsg *err)
{
	return bpf_filter__attach(&c->filter, perf_fd, err);
}

int counter__fd(const struct counter *c)
{
	return count_table__fd(c->table);
}

int counter__drain(struct counter *c)
{
	return count_table__drain(c->table);
}

int counter__collect(struct counter *c, int (*cb)(void *data, const struct counter_row *row), void *data, struct errmsg *err)
{
	return count_table__collect(c->table, cb, data, err);
}

int counter__counts(struct counter *c, struct counter_counts *counts, struct errmsg *err)
{
	struct filter_counts judged;
	struct count_counts counted;
	int ret;

	ret = bpf_filter__counts(&c->filter, 0, &judged, err);
	if (!ret)
		ret = count_table__counts(c->table, &counted, err);
	if (ret)
		return ret;
	*counts = (struct counter_counts){
		.seen = judged.seen,
		.dropped = judged.dropped,
		.unmended = judged.unmended,
		.period = judged.period,
		.untaken = judged.untaken,
		.undecided = judged.undecided,
		.counted = counted.counted + counted.spilled,
		.lost_stacks = counted.lost_stacks,
		.spilled = counted.spilled,
		.lost_keys = counted.lost_keys,
		.lost_spill = counted.lost_spill,
		.map_bytes = count_table__bytes(c->table),
	};
	return 0;
}

void counter__delete(struct counter *c)
{
	if (!c)
		return;
	count_table__delete(c->table);
	bpf_filter__close(&c->filter);
	free(c);
}
