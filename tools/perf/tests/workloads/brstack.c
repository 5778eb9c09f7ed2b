// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#define DEFAULT_LOOPS 999999

static volatile unsigned long count;

WORKLOAD_FUNCTION void brstack_bar(void)
{
	count++;
}

WORKLOAD_FUNCTION void brstack_foo(void)
{
	brstack_bar();
	brstack_bar();
}

WORKLOAD_FUNCTION void brstack_bench(void)
{
	/* The volatile pointer makes an indirect call that the compiler cannot see through. */
	void (*volatile indirect)(void) = brstack_foo;

	if (count & 1)
		brstack_bar();
	brstack_foo();
	indirect();
}

WORKLOAD_FUNCTION void brstack(unsigned long loops)
{
	while (loops--)
		brstack_bench();
}

int workload_brstack(int argc, char **argv)
{
	unsigned long loops = DEFAULT_LOOPS;

	if (workload__parse_loops(argc, argv, &loops))
		return 1;
	brstack(loops);
	return 0;
}
