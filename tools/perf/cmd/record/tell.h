/* SPDX-License-Identifier: GPL-2.0 */
/* The messages of perf record on stderr after a recording. */
#ifndef PERF_CMD_RECORD_TELL_H
#define PERF_CMD_RECORD_TELL_H

#include "cmd/record/options.h"

void record_tell__result(struct record_options *o, const struct record_result *result); /* a record_tell */

/* What a filter did not see: walks without a value (missing may be NULL), and hits without arguments. name: of the event; "": the only one */
void tell_missing(const char *name, const struct filter_missing *missing, u64 blind);

#endif
