/* SPDX-License-Identifier: GPL-2.0 */
/* The summary of user stacks that BPF programs have unwound: how many are whole, and why others are not. */
#ifndef PERF_CMD_RECORD_UNWOUND_H
#define PERF_CMD_RECORD_UNWOUND_H

#include <stdbool.h>
#include "util/event/evsel.h"
#include "util/record/record.h"

/* false: no program has unwound stacks. */
bool unwound__tell(const struct evlist *evlist, const struct record_result *result);

#endif
