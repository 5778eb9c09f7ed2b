// SPDX-License-Identifier: GPL-2.0
#include "util/source/trace-order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int trace_order__add(struct trace_order *order, const void *calls, size_t size)
{
	size_t alloc = order->alloc ?: 65536;
	char *bigger;

	while (alloc < order->len + size)
		alloc *= 2;
	if (alloc > order->alloc) {
		bigger = realloc(order->bytes, alloc);
		if (!bigger)
			return -ENOMEM;
		order->bytes = bigger;
		order->alloc = alloc;
	}
	memcpy(order->bytes + order->len, calls, size);
	order->len += size;
	return 0;
}

/* Is it a whole call, with as many bytes as its copies have? */
static bool is_whole(const struct trace_call *call, size_t size)
{
	size_t used = sizeof(*call);

	if (size < used || call->bytes > size)
		return false;
	for (unsigned int i = 0; i < call->nr_copies; i++) {
		const struct trace_copy *copy = (const void *)((const char *)call + used);

		if (used + sizeof(*copy) > call->bytes || copy->arg >= TRACE_MAX_ARGS)
			return false;
		used += sizeof(*copy) + ((copy->size + 7U) & ~7U);
	}
	return used == call->bytes;
}

static int broken(struct errmsg *err)
{
	return errmsg__set(err, EIO, "the ring buffer is broken: it holds bytes that are no system call. Tracing was stopped");
}

static int compare_ends(const void *a, const void *b)
{
	const struct trace_call *x = *(const struct trace_call *const *)a, *y = *(const struct trace_call *const *)b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* *nr calls, to be freed; *sorted: they need no sorting. */
static int list_calls(const struct trace_order *order, const struct trace_call ***listp, size_t *nr, bool *sorted, struct errmsg *err)
{
	const struct trace_call **list = malloc((order->len / sizeof(struct trace_call) + 1) * sizeof(*list));
	u64 last = 0;

	*nr = 0;
	*sorted = true;
	if (!list)
		return errmsg__set(err, ENOMEM, "out of memory for system calls");
	for (size_t at = 0; at < order->len;) {
		const struct trace_call *call = (const void *)(order->bytes + at);

		if (!is_whole(call, order->len - at)) {
			free(list);
			return broken(err);
		}
		*sorted &= call->end >= last;
		last = call->end;
		list[(*nr)++] = call;
		at += call->bytes;
	}
	*listp = list;
	return 0;
}

/* Keep these calls only. */
static int keep(struct trace_order *order, const struct trace_call *const *list, size_t nr, struct errmsg *err)
{
	struct trace_order kept = { 0 };

	if (!nr) {
		order->len = 0;
		return 0;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!trace_order__add(&kept, list[i], list[i]->bytes))
			continue;
		trace_order__exit(&kept);
		return errmsg__set(err, ENOMEM, "out of memory for system calls");
	}
	trace_order__exit(order);
	*order = kept;
	return 0;
}

int trace_order__pass(struct trace_order *order, u64 before, const struct trace_opts *opts, struct errmsg *err)
{
	const struct trace_call **list = NULL;
	size_t nr, i = 0;
	bool sorted;
	int ret;

	if (!order->len)
		return 0;
	ret = list_calls(order, &list, &nr, &sorted, err);
	if (ret)
		return ret;
	if (!sorted)
		qsort(list, nr, sizeof(*list), compare_ends);
	while (i < nr && list[i]->end < before)
		opts->call(opts->data, list[i++]);
	ret = keep(order, list + i, nr - i, err);
	free(list);
	return ret;
}

void trace_order__exit(struct trace_order *order)
{
	free(order->bytes);
	*order = (struct trace_order){ 0 };
}
