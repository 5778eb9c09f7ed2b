// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/type-hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/symbol/resolve.h"

static int add_hit(struct type_hits *types, const struct code_function_hits *function, const struct code_hit *hit, struct resolver *resolver)
{
	const struct data_type *type;
	struct type_hit new = { .dso = function->loc.dso, .event = function->event, .nr = hit->nr, .period = hit->period, .loc = function->loc };

	new.loc.number = 0; /* that of another instruction */
	new.loc.addr += function->loc.sym->start + hit->offset - function->loc.sym_addr;
	new.loc.sym_addr = function->loc.sym->start + hit->offset;
	type = resolver__data_type(resolver, &new.loc);
	if (!type->member)
		return 0;
	new.type = type;
	if (array__extend(types->hit, types->nr_hits))
		return -ENOMEM;
	types->hit[types->nr_hits++] = new;
	return 0;
}

static int cmp_numbers(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Each unit of a program describes its types anew. Those of one name and size are one, unless they have no name. */
static int cmp_types(const struct type_hit *pa, const struct type_hit *pb)
{
	const struct data_type *a = pa->type, *b = pb->type;
	int ret = pa->dso == pb->dso ? 0 : strcmp(pa->dso->name, pb->dso->name) ?: cmp_numbers((uintptr_t)pa->dso, (uintptr_t)pb->dso);

	ret = ret ?: strcmp(a->name, b->name) ?: cmp_numbers(a->size, b->size);
	return ret || !strstr(a->name, "(unnamed)") ? ret : cmp_numbers(a->described_at, b->described_at);
}

static int cmp_hits(const void *pa, const void *pb)
{
	const struct type_hit *a = pa, *b = pb;

	return cmp_types(a, b) ?: cmp_numbers(a->type->offset, b->type->offset);
}

static u64 period_of(const struct type_use *use, u32 event)
{
	u64 nr = 0, period = 0;

	type_use__sum(use, event, 0, UINT64_MAX, &nr, &period);
	return period;
}

/* Those of equal periods stay in the order of their files and names. */
static int cmp_uses(const void *pa, const void *pb, void *data)
{
	const struct type_use *a = pa, *b = pb;
	const u32 *event = data;
	const u64 pa_sum = period_of(a, *event), pb_sum = period_of(b, *event);

	return pa_sum != pb_sum ? (pa_sum > pb_sum ? -1 : 1) : cmp_types(a->hit, b->hit);
}

static int find_uses(struct type_hits *types)
{
	for (u32 i = 0; i < types->nr_hits; i++) {
		if (i && !cmp_types(&types->hit[i - 1], &types->hit[i])) {
			types->use[types->nr_uses - 1].nr_hits++;
			continue;
		}
		if (array__extend(types->use, types->nr_uses))
			return -ENOMEM;
		types->use[types->nr_uses++] = (struct type_use){ &types->hit[i], 1 };
	}
	return 0;
}

static bool is_one_of(u32 event, const u32 *events, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		if (events[i] == event)
			return true;
	}
	return false;
}

int type_hits__fill(struct type_hits *types, const struct code_hits *hits, struct resolver *resolver, const u32 *event, u32 nr_events)
{
	int ret = 0;

	for (u32 i = 0; i < hits->nr_hits && !ret; i++) {
		const struct code_function_hits *function = &hits->function[hits->hit[i].function];

		if (is_one_of(function->event, event, nr_events))
			ret = add_hit(types, function, &hits->hit[i], resolver);
	}
	if (ret)
		return ret;
	if (types->nr_hits)
		qsort(types->hit, types->nr_hits, sizeof(*types->hit), cmp_hits);
	ret = find_uses(types);
	if (!ret && types->nr_uses)
		qsort_r(types->use, types->nr_uses, sizeof(*types->use), cmp_uses, (void *)event);
	return ret;
}

void type_hits__exit(struct type_hits *types)
{
	free(types->hit);
	free(types->use);
	*types = (struct type_hits){};
}

/* The first hit at that offset or behind */
static u32 first_hit(const struct type_use *use, u64 offset)
{
	u32 from = 0, to = use->nr_hits;

	while (from < to) {
		const u32 middle = from + (to - from) / 2;

		if (use->hit[middle].type->offset < offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void type_use__sum(const struct type_use *use, u32 event, u64 offset, u64 size, u64 *nr, u64 *period)
{
	for (u32 i = first_hit(use, offset); i < use->nr_hits; i++) {
		const struct type_hit *hit = &use->hit[i];

		if (hit->type->offset - offset >= size)
			return;
		if (hit->event != event)
			continue;
		*nr += hit->nr;
		*period += hit->period;
	}
}
