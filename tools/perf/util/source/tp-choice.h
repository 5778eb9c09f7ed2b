/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who makes the samples of a tracepoint: the kernel, or a BPF program of ours. Syscalls are for BPF wherever it can be, others only
 * where the kernel's own filter cannot express what is asked for; what BPF cannot do is the kernel's, as long as its filter can.
 */
#ifndef PERF_SOURCE_TP_CHOICE_H
#define PERF_SOURCE_TP_CHOICE_H

#include <stdio.h>
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/judge/event-filter.h"
#include "util/source/sample-source.h"

struct tp_choice {
	struct sample_source *source; /* NULL: the kernel; to be ended by its delete */
	char why[200]; /* not BPF, where it would have been; else "" */
};

/*
 * Compiles evsel's filter, if it has one, for the one that is chosen. nr_events: tracepoint events there are in all; count: their
 * samples are to be counted, which only BPF does; NULL: written. -EINVAL: a wrong filter, or nobody can judge by it, or count.
 */
int tp_choice__make(struct tp_choice *choice, const struct evsel *evsel, struct event_filter *filter, unsigned int nr_events,
		    const struct tally_opts *count, struct errmsg *err);

void tp_choice__dump(const struct tp_choice *choice, FILE *fp);

#endif
