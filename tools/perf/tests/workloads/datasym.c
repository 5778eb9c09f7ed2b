// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

/* Of a cache line's size and alignment, so that an address within it belongs to no other variable. */
static struct {
	char data1;
	char reserved[55];
	char data2;
} __attribute__((aligned(64))) volatile buf1;

WORKLOAD_FUNCTION void datasym(void)
{
	while (!workload_done) {
		buf1.data1++;
		buf1.data2 += buf1.data1;
	}
}

int workload_datasym(int argc, char **argv)
{
	if (workload__start(argc, argv))
		return 1;
	datasym();
	return 0;
}
