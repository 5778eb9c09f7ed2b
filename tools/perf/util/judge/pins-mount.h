/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bpffs with the pins, at FILTER_PINS_DIR. The mount is read-only from its first moment on: otherwise the owner of a file could
 * change its mode and let others in. (Processes write to pinned maps all the same: only the file's mode counts for that.) Root
 * changes the directory through a private mount, which nobody else sees.
 */
#ifndef PERF_JUDGE_PINS_MOUNT_H
#define PERF_JUDGE_PINS_MOUNT_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

bool pins_mount__is_there(void);
/* Mount it if necessary. A writable mount of another build of perf becomes read-only. */
int pins_mount__add(struct errmsg *err);
/* Return a descriptor of its root in a writable mount; the caller closes it. -errno */
int pins_mount__open_writable(struct errmsg *err);
/* 0, also if it is not empty, or not there */
int pins_mount__remove_if_empty(struct errmsg *err);

#endif
