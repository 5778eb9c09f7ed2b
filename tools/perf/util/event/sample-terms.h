/* SPDX-License-Identifier: GPL-2.0 */
/* Terms for one event that set the contents of its samples and its inheritance: call-graph=dwarf, max-stack=8, no-inherit, ... */
#ifndef PERF_EVENT_SAMPLE_TERMS_H
#define PERF_EVENT_SAMPLE_TERMS_H

#include "util/event/evsel.h"
#include "util/event/spec.h"

#define SAMPLE_TERMS "call-graph, stack-size, max-stack, branch_type, inherit, no-inherit, no-overwrite, percore, time"

/* -ENOENT: none of these terms; -EINVAL: its value is wrong, err shows the place in text. */
int sample_term__apply(struct evsel *evsel, const struct spec_term *term, const char *text, struct errmsg *err);

#endif
