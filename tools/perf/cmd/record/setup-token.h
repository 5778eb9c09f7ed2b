/* SPDX-License-Identifier: GPL-2.0 */
/* perf record --setup-token: delegates BPF to a user namespace, so that perf filters and counts in there. */
#ifndef PERF_CMD_RECORD_SETUP_TOKEN_H
#define PERF_CMD_RECORD_SETUP_TOKEN_H

/* target: "PID", "/path/of/a/user/namespace" or "UNIT" of systemd, each with or without ",tracing". Returns the exit status. */
int record_setup_token__run(const char *target);

#endif
