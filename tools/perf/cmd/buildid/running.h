/* SPDX-License-Identifier: GPL-2.0 */
/* The build-ids of the running kernel and its modules, on stdout. Each returns 0, or negative after a message. */
#ifndef PERF_CMD_BUILDID_RUNNING_H
#define PERF_CMD_BUILDID_RUNNING_H

int running_kernel__print_id(void);
/* A line for each: build-id, start and end of its code, name. Modules without a build-id are left out. */
int running_kernel__print_maps(void);

#endif
