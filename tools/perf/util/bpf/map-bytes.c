// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/map-bytes.h"

#include <inttypes.h>
#include <stdio.h>

/* kernel/bpf/syscall.c, bpf_map_show_fdinfo() */
u64 map_bytes(int map_fd)
{
	char path[64], line[128];
	u64 bytes = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", map_fd);
	fp = fopen(path, "re");
	if (!fp)
		return 0;
	while (fgets(line, sizeof(line), fp) && sscanf(line, "memlock: %" SCNu64, &bytes) != 1)
		;
	fclose(fp);
	return bytes;
}
