// SPDX-License-Identifier: GPL-2.0
#include "util/session/read.h"

#include <errno.h>

#include "util/session/jit-maps.h"

struct reading {
	struct perfdata_reader *reader;
	const struct session_events *events;
	struct jit_maps *jit; /* NULL: none */
	const struct read_sink *sink;
	struct order *order;
	u64 round_start; /* data offset of the records since the last FINISHED_ROUND */
};

/* Deliver items with the maps of code that was made before them. */
static int deliver(const struct order_item *item, size_t nr, void *data)
{
	const struct reading *r = data;
	const struct order_item *code;
	size_t from = 0, nr_code;
	int ret = 0;

	for (size_t i = 0; i < nr && r->jit && jit_maps__is_waiting(r->jit) && !ret; i++) {
		nr_code = jit_maps__take(r->jit, item[i].time == UINT64_MAX ? 0 : item[i].time, &code);
		if (!nr_code)
			continue;
		ret = i > from ? r->sink->take(item + from, i - from, r->sink->data) : 0;
		ret = ret ?: r->sink->take(code, nr_code, r->sink->data);
		from = i;
	}
	return ret ?: r->sink->take(item + from, nr - from, r->sink->data);
}

static int take_one(struct reading *r, const struct order_item *item)
{
	return deliver(item, 1, r);
}

static int end_round(struct reading *r, const struct order_item *item)
{
	/* Deliver it before the records that it makes final, as stock perf counts and dumps it. */
	int ret = take_one(r, item);

	if (!ret)
		ret = order__end_round(r->order, 0, deliver, r);
	/* Everything before this round was taken, see order.h. */
	if (!ret)
		r->sink->passed(r->round_start, r->sink->data);
	r->round_start = item->file_offset - perfdata_reader__data_offset(r->reader);
	return ret;
}

/* Too much data is unpacked: deliver what is there so far. */
static int cut_round(struct reading *r)
{
	bool any = order__memory(r->order);
	int ret = order__flush(r->order, deliver, r);

	if (!ret && r->sink->settle)
		ret = r->sink->settle(r->sink->data);
	if (!ret)
		perfdata_reader__cut_round(r->reader, any);
	return ret;
}

static int process(struct reading *r, const union perf_record *record)
{
	struct order_item item = { .record = record, .file_offset = perfdata_reader__record_offset(r->reader) };
	int ret;

	if (record->header.type == PERF_RECORD_FINISHED_ROUND)
		return end_round(r, &item);
	item.time = session_events__time(r->events, record);
	if (r->jit && jit_maps__note(r->jit, &item))
		return -ENOMEM;
	/* All ones mean "no time", like 0: perf writes them into synthesized records. */
	ret = !item.time || item.time == UINT64_MAX ? take_one(r, &item) : order__add(r->order, &item);
	if (!ret && perfdata_reader__is_full(r->reader, order__memory(r->order)))
		ret = cut_round(r);
	return ret;
}

int read_in_order(struct perfdata_reader *reader, const struct session_events *events, struct jit_maps *jit, const struct read_sink *sink,
		  struct errmsg *damage)
{
	struct reading r = { reader, events, jit, sink, order__new(), 0 };
	const union perf_record *record;
	int more, ret = 0;
	u64 pos = 0;

	if (!r.order)
		return -ENOMEM;
	while (!ret && (more = perfdata_reader__next(reader, &pos, &record, damage)) > 0)
		ret = process(&r, record);
	if (!ret)
		ret = order__flush(r.order, deliver, &r);
	if (!ret && more < 0)
		errmsg__prefix(damage, "reading stopped early");
	order__delete(r.order);
	return ret;
}
