/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands that read a recording tell on stderr about the file, the same in all of them. */
#ifndef PERF_UI_SESSION_STDIO_H
#define PERF_UI_SESSION_STDIO_H

#include "util/session/session.h"

/* One message why session__open() returned ret (negative) for path. */
void session__explain_open(const char *path, int ret, const struct errmsg *err);

/* After session__run(): losses, damage, records that were left out, a kernel without symbols. */
void session__warn(struct session *s, const char *path);

#endif
