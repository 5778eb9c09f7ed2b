/* SPDX-License-Identifier: GPL-2.0 */
/* evlist__parse() with another place for PMUs; for unit tests. */
#ifndef PERF_EVENT_RESOLVE_H
#define PERF_EVENT_RESOLVE_H

#include "util/event/evsel.h"

/* As evlist__parse(), with PMUs looked up below pmu_root (see pmu.h). */
int evlist__parse_at(struct evlist *evlist, const char *spec, const char *pmu_root, unsigned int *first, struct errmsg *err);

#endif
