// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* Calls whose stack is known, for the unit test stack-depth: 200 bytes, 100 in a callback, 40. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

__noinline int deep_forty(int at)
{
	volatile __u64 room[5];

	for (int i = 0; i < 5; i++)
		room[i] = at;
	return room[at & 3];
}

static long deep_hundred(__u32 i, void *unused)
{
	volatile __u32 room[25];

	for (int k = 0; k < 25; k++)
		room[k] = i;
	return deep_forty(i) + room[i & 15];
}

SEC("raw_tp/sys_enter")
int deep_main(void *ctx)
{
	volatile __u64 room[25];

	for (int i = 0; i < 25; i++)
		room[i] = (__u64)ctx;
	bpf_loop(2, deep_hundred, NULL, 0);
	return room[3];
}

/* 256 bytes of which only an address is taken */
SEC("raw_tp/sys_exit")
int flat_main(void *ctx)
{
	char room[256];

	return bpf_get_current_comm(room, sizeof(room));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
