// SPDX-License-Identifier: GPL-2.0
#include "util/judge/filter-engine.h"

#include "util/judge/shared-filter.h"

static int load_shared(const struct filter_table *table, u32 nr_events, const struct bpf_programs *marks, struct bpf_filter **filter,
		       struct errmsg *err)
{
	return shared_filter__load(table, nr_events, filter, err);
}

static const struct filter_engine specialised = { "specialised BPF program", bpf_filter__load_marked, true };
static const struct filter_engine explaining = { "specialised BPF program", bpf_filter__load_explaining, true };
static const struct filter_engine shared = { "shared BPF program", load_shared, false };

const struct filter_engine *filter_engine__choose(bool explain)
{
	if (*bpf_filter__missing_capabilities())
		return &shared;
	return explain ? &explaining : &specialised;
}
