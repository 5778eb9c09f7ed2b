// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/filter-engine.h"

#include "util/sampler/shared-filter.h"

static const struct filter_engine specialised = { "specialised BPF program", bpf_filter__load };
static const struct filter_engine shared = { "shared BPF program", shared_filter__load };

const struct filter_engine *filter_engine__choose(void)
{
	return *bpf_filter__missing_capabilities() ? &shared : &specialised;
}
