// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

static volatile int spins;

WORKLOAD_FUNCTION void leaf(void)
{
	while (!workload_done)
		spins++;
}

WORKLOAD_FUNCTION void parent(void)
{
	leaf();
}

int workload_leafloop(int argc, char **argv)
{
	if (workload__start(argc, argv))
		return 1;
	parent();
	return 0;
}
