// SPDX-License-Identifier: GPL-2.0
/* The same few instructions each time, once. */
#include "tests/workload.h"

#include <err.h>

static volatile int sum;

WORKLOAD_FUNCTION void function1(void)
{
	sum += 1;
	sum += 2;
	sum += 3;
}

WORKLOAD_FUNCTION void function2(void)
{
	sum += 4;
	sum += 5;
	sum += 6;
}

WORKLOAD_FUNCTION void deterministic(void)
{
	sum += 7;
	function1();
	sum += 8;
	function2();
}

int workload_deterministic(int argc, char **argv)
{
	if (argc) {
		warnx("unexpected argument '%s'", argv[0]);
		return 1;
	}
	deterministic();
	return 0;
}
