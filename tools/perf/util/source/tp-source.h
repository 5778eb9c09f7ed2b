/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints that BPF programs record or count, and judge. Syscalls are, wherever it can be: it costs half of what perf's own event does.
 * Other tracepoints are where the kernel's own filter cannot express what is asked for.
 */
#ifndef PERF_SOURCE_TP_SOURCE_H
#define PERF_SOURCE_TP_SOURCE_H

#include "util/event/evsel.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/sample-source.h"

/*
 * Why BPF programs cannot make the samples of this tracepoint event; NULL: they can. nr_events: how many tracepoint events there
 * are in all. whole: as tp_layout__fill(). buf holds some of the answers.
 */
const char *tp_source__refuses(const struct evsel *evsel, unsigned int nr_events, bool whole, char *buf, size_t size);

/* Is it one that BPF records at less cost than the kernel, and as well? Texts that are not in memory the kernel waits for, and BPF cannot. */
bool tp_source__is_cheaper(const struct evsel *evsel);

/*
 * table: of fields and terms, copied; NULL: all hits are kept. count: hits are counted, see collect, and with count->both written,
 * too; must outlive the source; NULL: they are only written. Nothing is loaded. The source is ended by its delete.
 */
int tp_source__new(const struct evsel *evsel, const struct filter_table *table, const struct tally_opts *count,
		   struct sample_source **source, struct errmsg *err);

#endif
