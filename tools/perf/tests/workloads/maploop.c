// SPDX-License-Identifier: GPL-2.0
/* Time in bpf(2), a good part of it where the kernel takes no samples for BPF programs: while an element of a map is updated. */
#include "tests/workload.h"

#include <err.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ELEMENTS 1024

static int make_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_HASH, .key_size = sizeof(__u32), .value_size = sizeof(__u64), .max_entries = ELEMENTS };

	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

WORKLOAD_FUNCTION void update_element(int map, __u32 key)
{
	__u64 value = key;
	union bpf_attr attr = { .map_fd = map, .key = (__u64)(unsigned long)&key, .value = (__u64)(unsigned long)&value };

	syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

int workload_maploop(int argc, char **argv)
{
	int map = make_map();

	if (map < 0) {
		warn("cannot make a BPF map");
		return 1;
	}
	if (workload__start(argc, argv))
		return 1;
	for (__u32 key = 0; !workload_done; key++)
		update_element(map, key % ELEMENTS);
	return 0;
}
