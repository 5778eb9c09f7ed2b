/* SPDX-License-Identifier: GPL-2.0 */
/* Names of new events that no other event has. */
#ifndef PERF_PROBE_NAMES_H
#define PERF_PROBE_NAMES_H

#include "util/probe/event.h"
#include "util/probe/store.h"

/*
 * Where a name is taken, also by an event of another definition: with force a number is appended, _1 or more; otherwise -EEXIST. Events of one definition
 * with the same name stay one event with several places, if their arguments are the same. store NULL: no names are taken yet.
 */
int probe_names__choose(struct probe_events *events, const struct probe_store *store, bool force, struct errmsg *err);

#endif
