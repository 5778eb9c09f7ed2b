// SPDX-License-Identifier: GPL-2.0
#include "util/source/probe-attr.h"

#include <errno.h>
#include <stdint.h>
#include "util/event/pmu.h"

/* Absent on old kernels, which take config's lowest bit for it. */
static void set_return(const struct pmu *pmu, struct perf_event_attr *attr)
{
	if (pmu__set_term(pmu, "retprobe", 1, attr, NULL))
		attr->config |= 1;
}

int probe_attr__fill(struct perf_event_attr *attr, const struct probe_place *place, unsigned int index)
{
	struct pmu *pmu;
	int ret = pmu__new(PMU_ROOT, place->in_kernel ? "kprobe" : "uprobe", &pmu, NULL);

	if (ret)
		return ret == -ENOENT ? -EOPNOTSUPP : ret;
	*attr = (struct perf_event_attr){
		.type = pmu__type(pmu),
		.size = sizeof(*attr),
		.config1 = (uintptr_t)(place->opened ?: place->target),
		.config2 = place->offset[index],
	};
	if (place->is_return)
		set_return(pmu, attr);
	if (place->semaphore)
		ret = pmu__set_term(pmu, "ref_ctr_offset", place->semaphore, attr, NULL);
	pmu__delete(pmu);
	return ret ? -EOPNOTSUPP : 0;
}
