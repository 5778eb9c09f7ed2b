/* SPDX-License-Identifier: GPL-2.0 */
/* The build-ids of what was mapped in a recording. */
#ifndef PERF_CMD_READ_RECORDED_IDS_H
#define PERF_CMD_READ_RECORDED_IDS_H

#include <stdbool.h>

#include "util/session/session.h"

/*
 * Run the session, and call cb for each dso that has a build-id, in the order in which they were first mapped; hits_only: only for those that
 * samples, or their callchains, are in. 0; negative after a message.
 */
int recorded_ids__for_each(struct session *s, const char *input, bool hits_only, void (*cb)(const struct dso *dso, void *data), void *data);

/* The same for each dso, with or without a build-id, with the number of samples and frames of callchains that are in it. */
int recorded_files__for_each(struct session *s, const char *input, void (*cb)(const struct dso *dso, u64 nr_hits, void *data), void *data);

/* One line: the build-id and the path. For cb, without data. */
void recorded_id__print(const struct dso *dso, void *data);

#endif
