// SPDX-License-Identifier: GPL-2.0
#include "util/judge/filter-engine.h"

#include "util/judge/shared-filter.h"

static const struct filter_engine specialised = { "specialised BPF program", bpf_filter__load, true };
static const struct filter_engine explaining = { "specialised BPF program", bpf_filter__load_explaining, true };
static const struct filter_engine shared = { "shared BPF program", shared_filter__load, false };

const struct filter_engine *filter_engine__choose(bool explain)
{
	if (*bpf_filter__missing_capabilities())
		return &shared;
	return explain ? &explaining : &specialised;
}
