/* SPDX-License-Identifier: GPL-2.0 */
/* perf record --setup-filter: pins programs so that unprivileged users can filter. */
#ifndef PERF_CMD_RECORD_SETUP_FILTER_H
#define PERF_CMD_RECORD_SETUP_FILTER_H

/* action: pin[=OWNER], unpin[=OWNER] or status. Returns the exit status, after a message. */
int record_setup_filter__run(const char *action);

#endif
