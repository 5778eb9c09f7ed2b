/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes may have another file of the path of a probe: in containers and below other roots, and after the file was replaced. Hits in that
 * one would be missed without a word.
 */
#ifndef PERF_SOURCE_PROBE_VIEW_H
#define PERF_SOURCE_PROBE_VIEW_H

#include "util/event/probe.h"
#include "util/source/target.h"

/* -EINVAL: a task of the target has another file and not the place's; err names it, and how to write that. */
int probe_view__check(const struct probe_place *place, const struct sampler_target *target, struct errmsg *err);

#endif
