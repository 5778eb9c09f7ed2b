// SPDX-License-Identifier: GPL-2.0
/* On arm64 reading an id register traps into the kernel, which emulates it; on others the loop is empty. */
#include "tests/workload.h"

#define DEFAULT_LOOPS 999999

WORKLOAD_FUNCTION void trap_bench(void)
{
#ifdef __aarch64__
	unsigned long value;

	__asm__ volatile("mrs %0, ID_AA64ISAR0_EL1" : "=r"(value));
#else
	__asm__ volatile("");
#endif
}

int workload_traploop(int argc, char **argv)
{
	unsigned long loops = DEFAULT_LOOPS;

	if (workload__parse_loops(argc, argv, &loops))
		return 1;
	while (loops--)
		trap_bench();
	return 0;
}
