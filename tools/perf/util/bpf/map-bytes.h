/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_BPF_MAP_BYTES_H
#define PERF_BPF_MAP_BYTES_H

#include "util/lib/types.h"

/* The kernel's memory for a BPF map, as the kernel tells it: from Linux 6.4 on exactly. 0: it does not tell, or map_fd is negative. */
u64 map_bytes(int map_fd);

#endif
