// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel makes the samples; the BPF program that judges them also counts them, and lets only those into a ring that are to be
 * written, too.
 */
#include <errno.h>
#include "util/lib/advice.h"
#include "util/source/sources.h"
#include "util/source/tally-values.h"

struct tally_source {
	struct source base;
	struct tally *tally; /* NULL: not loaded */
	struct unwind_totals unwound;
};

static struct tally *tally_of(const struct source *source)
{
	return ((const struct tally_source *)source)->tally;
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	struct tally_source *t;

	if (!wish->tally)
		return 0;
	t = source__new(sizeof(*t), &tally_source_ops, wish);
	if (!t)
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	*source = &t->base;
	t->base.has_program = true;
	t->base.takes_stacks = wish->tally->key & (TALLY_KEY_KSTACK | TALLY_KEY_USTACK);
	wish->evsel->attr.sample_type |= tally__sample_type(wish->tally);
	return source__set_values(&t->base, wish, err);
}

static int load(struct source *source, const struct source_setup *setup, struct errmsg *err)
{
	struct tally_source *t = (struct tally_source *)source;
	int ret = t->tally ? 0 : tally__load(&source->tally, source->filter.table, &t->tally, err);

	if (ret == -EOPNOTSUPP && !source->tally.tables)
		event_filter__name_refused_test(&source->filter, err);
	return ret;
}

static int attach(struct source *source, int fd, struct errmsg *err)
{
	return tally__attach(tally_of(source), fd, err);
}

static int fd(const struct source *source)
{
	return tally__fd(tally_of(source));
}

static struct bpf_ring *ring(struct source *source)
{
	return tally__ring(tally_of(source));
}

/* Into the tables of keys: cb gets no records, collect() passes rows. */
static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	return tally_of(source) ? tally__drain(tally_of(source)) : 0;
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	return tally__collect(tally_of(source), cb, data, err);
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	int ret = tally__counts(tally_of(source), counts, err);

	if (!ret) {
		filter_missing__fill(&source->missing, &source->filter, counts->valueless);
		tally_values__add_missing(source->values, &source->missing, counts->valueless);
		counts->missing = &source->missing;
	}
	return ret;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct tally_source *t = (struct tally_source *)source;
	struct tally_counts tallied;
	int ret;

	if (!t->tally)
		return 0;
	ret = tally__counts(t->tally, &tallied, err);
	if (!ret && source->tally.tables)
		ret = tally__unwound(t->tally, &t->unwound, err);
	if (ret)
		return ret;
	counts->unwound = source->tally.tables ? &t->unwound : NULL;
	counts->filtered = true;
	counts->seen = tallied.seen;
	counts->dropped = tallied.dropped;
	counts->unmended = tallied.unmended;
	counts->undecided = tallied.undecided;
	counts->period = tallied.period;
	counts->untaken = tallied.untaken;
	counts->late = tallied.late;
	counts->untimed = tallied.untimed;
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	if (source->filter.table)
		fprintf(fp, "engine: the BPF program that counts the samples, %u entr%s\n", source->filter.table->nr,
			plural_y(source->filter.table->nr));
}

static void delete(struct source *source)
{
	tally__delete(tally_of(source));
	source__free(source);
}

const struct source_ops tally_source_ops = {
	.name = "tally",
	.choose = choose,
	.load = load,
	.attach = attach,
	.fd = fd,
	.ring = ring,
	.drain = drain,
	.collect = collect,
	.tally_counts = tally_counts,
	.counts = counts,
	.explain = explain,
	.delete = delete,
};
