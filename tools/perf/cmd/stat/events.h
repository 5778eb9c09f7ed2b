/* SPDX-License-Identifier: GPL-2.0 */
/* The events that perf stat counts. */
#ifndef PERF_CMD_STAT_EVENTS_H
#define PERF_CMD_STAT_EVENTS_H

#include "cmd/stat/options.h"

/* All return 0 or -errno with err; -EINVAL: a wrong command line. */

int stat_events__add_default(struct stat_options *o, struct errmsg *err);
int stat_events__add_metrics(struct stat_options *o, struct errmsg *err); /* those of -M that are not there yet */
int stat_events__add_detailed(struct evlist *evlist, int level, struct errmsg *err); /* -d, -dd, -ddd */
/* --all-user, --all-kernel: of the events from first on. The options exclude each other. */
void stat_events__set_levels(const struct stat_options *o, unsigned int first);
/* Can all of them be counted? */
int stat_events__check(const struct evlist *evlist, struct errmsg *err);
/* Do counts of perf itself go with filters, cgroups and counting in BPF? */
int stat_events__check_tools(const struct stat_options *o, struct errmsg *err);
/* All events once for each cgroup of --for-each-cgroup: names with commas between, or a regular expression */
int stat_events__for_each_cgroup(struct stat_options *o, struct errmsg *err);

#endif
