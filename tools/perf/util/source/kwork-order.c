// SPDX-License-Identifier: GPL-2.0
#include "util/source/kwork-order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

static int add_one(struct kwork_order *order, const struct kwork_record *record)
{
	if (array__grow(order->record, order->nr, order->alloc))
		return -ENOMEM;
	order->record[order->nr++] = *record;
	return 0;
}

int kwork_order__add(struct kwork_order *order, const void *records, size_t size)
{
	const struct kwork_record *record = records;
	int ret = 0;

	for (; size >= sizeof(*record) && record->bytes == sizeof(*record) && !ret; size -= sizeof(*record))
		ret = add_one(order, record++);
	return ret ?: size ? -EIO : 0;
}

static int compare_ends(const void *a, const void *b)
{
	const struct kwork_record *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->begin < y->begin ? 1 : x->begin > y->begin ? -1 : 0; /* the inner one has ended first */
}

int kwork_order__pass(struct kwork_order *order, u64 before, const struct kwork_opts *opts, struct errmsg *err)
{
	size_t nr = 0;
	int ret = 0;

	if (!order->nr)
		return 0;
	qsort(order->record, order->nr, sizeof(*order->record), compare_ends);
	while (nr < order->nr && order->record[nr].end < before && !ret)
		ret = opts->record(opts->data, &order->record[nr++], err);
	memmove(order->record, order->record + nr, (order->nr - nr) * sizeof(*order->record));
	order->nr -= nr;
	return ret;
}

void kwork_order__exit(struct kwork_order *order)
{
	free(order->record);
	*order = (struct kwork_order){ 0 };
}
