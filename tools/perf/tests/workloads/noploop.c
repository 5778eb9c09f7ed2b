// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

WORKLOAD_FUNCTION void noploop(void)
{
	while (!workload_done)
		;
}

int workload_noploop(int argc, char **argv)
{
	if (workload__start(argc, argv))
		return 1;
	noploop();
	return 0;
}
