/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints whose numbers, or the times between whose hits, are counted by bucket in the kernel (bpf_skel/histogram-tp.bpf.c): a sample
 * source of which collect() tells all.
 */
#ifndef PERF_SOURCE_HISTOGRAM_SOURCE_H
#define PERF_SOURCE_HISTOGRAM_SOURCE_H

#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/judge/event-filter.h"
#include "util/source/histogram-opts.h"
#include "util/source/sample-source.h"

/*
 * Compiles evsel's filter, if it has one, into filter. nr_events: tracepoints there are in all. counting and opts must outlive the source.
 * -EINVAL: the number, the keys or the filter are wrong; -EOPNOTSUPP: BPF cannot have this event as it is asked for.
 */
int histogram_source__new(const struct histogram_opts *opts, const struct tally_opts *counting, struct evsel *evsel,
		     struct event_filter *filter, unsigned int nr_events, struct sample_source **source, struct errmsg *err);

#endif
