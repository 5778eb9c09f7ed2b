/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The features in a file's header: the machine, the command and the events. Readers work without any of them, so a feature that
 * cannot be collected is left out, with a message to opts->note, instead of spoiling the recording.
 */
#ifndef PERF_RECORD_HEADER_H
#define PERF_RECORD_HEADER_H

#include "util/perfdata/features.h"
#include "util/perfdata/writer.h"
#include "util/record/record.h"

/* Collect the features from the system and from opts. */
void header__collect(struct perfdata_features *f, const struct evlist *evlist, const struct record_opts *opts);

/*
 * Write all features in f, before w is finished. A pipe gets them at its beginning, without those that it has as records or that are
 * known only later. Errors are those of writing.
 */
int header__add(struct perfdata_writer *w, const struct perfdata_features *f, bool pipe, const struct record_opts *opts,
		struct errmsg *err);

#endif
