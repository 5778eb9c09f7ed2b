/* SPDX-License-Identifier: GPL-2.0 */
/* Options that choose the target, for every command that watches a running system. */
#ifndef PERF_CMD_COMMON_TARGET_H
#define PERF_CMD_COMMON_TARGET_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/event/evsel.h"
#include "util/run/run.h"

/* perf's rules for contradictory options: ids take precedence over CPUs, both over neither; all tasks without a command, or if all is set. */
void target__settle(struct run_opts *run, char **argv, bool all);

/* Give the next events without a -G these cgroups, with commas between; *nr_cgroups counts such events. 0, or -1 after a message. */
int target__add_cgroups(struct evlist *evlist, unsigned int *nr_cgroups, const char *list);

/* A user's name or number. 0, or -1 after a message that names the option -u. */
int target__parse_user(const char *arg, uid_t *uid);

#endif
