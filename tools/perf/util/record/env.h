/* SPDX-License-Identifier: GPL-2.0 */
/* Data about the recording machine in a perf.data file. */
#ifndef PERF_RECORD_ENV_H
#define PERF_RECORD_ENV_H

#include "util/event/evsel.h"
#include "util/perfdata/features.h"

/*
 * Query the system; leaves out values that it does not report. -ENOMEM, after which the other values are set, is the only error. End
 * with perfdata_features__exit().
 */
int env__collect(struct perfdata_features *f, const char *version, int argc, const char *const *argv);

struct env_format { /* of an event that perf makes; format is malloc'ed, and taken over; NULL: there is none */
	const char *sys;
	char *format;
	size_t size;
};

/*
 * Collect the formats of the evlist's tracepoints if each of their hits is written, the format that perf has made, and what else printing their
 * raw data needs.
 */
int env__collect_tracing(struct perfdata_features *f, const struct evlist *evlist, bool each, const struct env_format *made);

#endif
