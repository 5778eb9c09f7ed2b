/* SPDX-License-Identifier: GPL-2.0 */
/* The terms between an event's slashes. */
#ifndef PERF_EVENT_PMU_TERMS_H
#define PERF_EVENT_PMU_TERMS_H

#include "util/event/evsel.h"
#include "util/event/pmu.h"
#include "util/event/spec.h"

/*
 * Apply terms to evsel, in their order. Any event accepts config, config1, config2 (numbers), name, period, freq and those of
 * sample-terms.h; an event of a PMU (otherwise pmu is NULL) also the PMU's own terms, its named events and rNNN. Errors point into
 * text.
 */
int pmu_terms__apply(struct evsel *evsel, const struct pmu *pmu, const struct spec_term *terms, const char *text,
		     struct errmsg *err);

#endif
