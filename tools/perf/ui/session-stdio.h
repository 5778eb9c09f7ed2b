/* SPDX-License-Identifier: GPL-2.0 */
/* Messages on stderr about the file, for all commands that read a recording. */
#ifndef PERF_UI_SESSION_STDIO_H
#define PERF_UI_SESSION_STDIO_H

#include "util/session/session.h"

/* Print why session__open() returned ret (negative) for path. */
void session__explain_open(const char *path, int ret, const struct errmsg *err);

/* After session__run(): warn of losses, damage, skipped records, a kernel without symbols. */
void session__warn(struct session *s, const char *path);

#endif
