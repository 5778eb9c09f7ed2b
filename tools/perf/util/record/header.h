/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the header of a file says of the machine, the command and the events: its features. A reader does without any of them, so what
 * cannot be had is left out, and told to opts->note, instead of spoiling the recording.
 */
#ifndef PERF_RECORD_HEADER_H
#define PERF_RECORD_HEADER_H

#include "util/perfdata/features.h"
#include "util/perfdata/writer.h"
#include "util/record/record.h"

/* Ask the system, and opts. */
void header__collect(struct perfdata_features *f, const struct evlist *evlist, const struct record_opts *opts);

/*
 * Give w, before it is finished, all that f has; of a pipe at its beginning, without what is said there otherwise or known later. An error is
 * w's: it cannot write.
 */
int header__add(struct perfdata_writer *w, const struct perfdata_features *f, bool pipe, const struct record_opts *opts,
		struct errmsg *err);

#endif
