/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bpffs of what is pinned, at FILTER_PINS_DIR. The mount is read-only from its first moment on: who owns a file could otherwise
 * change its mode and let others in. (What is pinned in there is written to all the same: for that the file's mode counts.) Root changes
 * the directory through a mount of its own, which nobody else sees.
 */
#ifndef PERF_JUDGE_PINS_MOUNT_H
#define PERF_JUDGE_PINS_MOUNT_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

bool pins_mount__is_there(void);
/* Mount it if it is not there. One that can be written to, as other builds of perf have made it, becomes read-only. */
int pins_mount__add(struct errmsg *err);
/* A descriptor of its root, through which it can be written to; the caller closes it. -errno */
int pins_mount__open_writable(struct errmsg *err);
/* 0, too, if there is something in it, or nothing to remove */
int pins_mount__remove_if_empty(struct errmsg *err);

#endif
