// SPDX-License-Identifier: GPL-2.0
#include "util/judge/tp-fields.h"

#include "util/event/probe.h"
#include "util/judge/kernel-walks.h"

static int find_field(void *tp, const char *name, struct filter_field_desc *desc)
{
	return tracepoint__find_field(tp, name, desc);
}

static bool points_to_user_text(void *tp, const char *name)
{
	const struct probe_place *probe = tracepoint__probe(tp);

	if (probe && probe->is_mark) /* the value that it is compared with says whether it is a text */
		return true;
	return (probe ? !probe->in_kernel : tracepoint__kind(tp) == TP_SYSCALL_ENTER) && tracepoint__points_to_text(tp, name);
}

static const char *why_missing(void *tp, const char *name)
{
	const struct probe_place *probe = tracepoint__probe(tp);

	return probe ? probe_place__why_missing(probe, name) : NULL;
}

static int for_each_field(void *tp, int (*cb)(void *arg, const char *name), void *arg)
{
	return tracepoint__for_each_field(tp, cb, arg);
}

static int find_walk(void *tp, const char *text, size_t len, struct type_walk *walk, struct walk_error *error)
{
	return kernel_walks__find(tp, text, len, walk, error);
}

static int walk_value(void *tp, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size)
{
	return kernel_walks__value(tp, type, name, len, value, why, size);
}

struct filter_env tp_fields__env(struct tracepoint *tp, bool texts)
{
	return (struct filter_env){
		.data = tp,
		.find_field = find_field,
		.why_missing = why_missing,
		.for_each_field = for_each_field,
		.find_walk = find_walk,
		.walk_value = walk_value,
		.points_to_user_text = texts ? points_to_user_text : NULL,
	};
}
