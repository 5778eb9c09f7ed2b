/* SPDX-License-Identifier: GPL-2.0 */
/* --flamegraph of commands that take their stacks themselves. */
#ifndef PERF_CMD_FLAME_PAGE_H
#define PERF_CMD_FLAME_PAGE_H

#include "ui/profile/profile.h"

/* Before the run: can the page be written to path? 0 or -errno, with err */
int flame_page__check(const char *path, struct errmsg *err);
/* The stacks of one event. 0 or -errno, with err */
int flame_page__write(const struct profile_event *event, const char *path, struct errmsg *err);

#endif
