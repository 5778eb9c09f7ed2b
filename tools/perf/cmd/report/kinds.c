// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/kinds.h"

#include <errno.h>

#define STEP 64 /* samples to prefetch for at a time */

int report_kinds__init(struct report_kinds *k, bool by_function, stack_counts_cb cb, void *data)
{
	k->counts = stack_counts__new(cb, data);
	k->by_function = by_function;
	return k->counts ? 0 : -ENOMEM;
}

void report_kinds__exit(struct report_kinds *k)
{
	stack_counts__delete(k->counts);
	k->counts = NULL;
}

static struct sample_kind kind_of(const struct session_brief *brief, const struct symbol *function)
{
	return sample_kind(brief->thread->comm, stack_place(brief->ids.place, function), brief->ids.callers);
}

int report_kinds__seen(struct report_kinds *k, struct session *s, struct session_brief *brief)
{
	u32 handle = brief->handle;

	if (!handle) {
		k->last = kind_of(brief, k->by_function ? session__function(s, brief) : NULL);
		handle = stack_counts__find(k->counts, &k->last);
	}
	if (!handle)
		return SESSION_NEEDS_ALL;
	stack_counts__count(k->counts, handle, brief->period);
	return SESSION_NEEDS_NOTHING;
}

static void look_ahead(struct report_kinds *k, struct session_brief *const *brief, size_t nr)
{
	struct sample_kind kind[STEP];

	for (size_t i = 0; i < nr; i++)
		stack_counts__prefetch_callers(k->counts, brief[i]->ids.callers);
	for (size_t i = 0; i < nr; i++) {
		kind[i] = kind_of(brief[i], k->by_function ? brief[i]->function : NULL);
		stack_counts__prefetch_slot(k->counts, &kind[i]);
	}
	for (size_t i = 0; i < nr; i++)
		stack_counts__prefetch(k->counts, &kind[i]);
	for (size_t i = 0; i < nr; i++) {
		brief[i]->handle = stack_counts__find(k->counts, &kind[i]);
		brief[i]->need = brief[i]->handle ? SESSION_NEEDS_NOTHING : SESSION_NEEDS_ALL;
	}
}

void report_kinds__look_ahead(struct report_kinds *k, struct session_brief *const *brief, size_t nr)
{
	if (stack_counts__are_full(k->counts))
		stack_counts__flush(k->counts);
	for (size_t i = 0; i < nr; i += STEP)
		look_ahead(k, brief + i, nr - i < STEP ? nr - i : STEP);
}

void report_kinds__flush(struct report_kinds *k)
{
	if (k->counts)
		stack_counts__flush(k->counts);
}

void report_kinds__keep(struct report_kinds *k, const struct session_sample *sample, u64 where)
{
	if (k->counts && sample->ids.place && where)
		stack_counts__keep(k->counts, &k->last, where);
}
