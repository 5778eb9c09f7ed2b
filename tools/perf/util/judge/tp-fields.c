// SPDX-License-Identifier: GPL-2.0
#include "util/judge/tp-fields.h"

#include "util/event/probe.h"

static int find_field(void *tp, const char *name, struct filter_field_desc *desc)
{
	return tracepoint__find_field(tp, name, desc);
}

static bool points_to_user_text(void *tp, const char *name)
{
	const struct probe_place *probe = tracepoint__probe(tp);

	return (probe ? !probe->in_kernel : tracepoint__kind(tp) == TP_SYSCALL_ENTER) && tracepoint__points_to_text(tp, name);
}

static int for_each_field(void *tp, int (*cb)(void *arg, const char *name), void *arg)
{
	return tracepoint__for_each_field(tp, cb, arg);
}

struct filter_env tp_fields__env(struct tracepoint *tp, bool texts)
{
	return (struct filter_env){
		.data = tp,
		.find_field = find_field,
		.for_each_field = for_each_field,
		.points_to_user_text = texts ? points_to_user_text : NULL,
	};
}
