/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_BPF_MAP_BYTES_H
#define PERF_BPF_MAP_BYTES_H

#include "util/lib/types.h"

/* The memory of a BPF map in the kernel, as the kernel reports it: exact from Linux 6.4 on. 0: not reported, or map_fd is negative. */
u64 map_bytes(int map_fd);

#endif
