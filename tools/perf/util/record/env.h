/* SPDX-License-Identifier: GPL-2.0 */
/* What a perf.data file says of the machine that it was recorded on. */
#ifndef PERF_RECORD_ENV_H
#define PERF_RECORD_ENV_H

#include "util/event/evsel.h"
#include "util/perfdata/features.h"

/* Ask the system. A value that it does not tell is left out; -ENOMEM, after which the others are there, is the only error. End with perfdata_features__exit(). */
int env__collect(struct perfdata_features *f, const char *version, int argc, const char *const *argv);

/* The formats of the evlist's tracepoints, and what else printing their raw data needs. */
int env__collect_tracing(struct perfdata_features *f, const struct evlist *evlist);

#endif
