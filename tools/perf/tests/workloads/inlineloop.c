// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#define INLINED static inline __attribute__((always_inline))

static volatile int spins;

/*
 * leaf() and middle() have no code of their own: a sample shows them as inlined functions, which parent() called.
 *
 * Tests tell them by their lines. Keep what they do
 *	in lines 20 to 29: leaf() and middle()
 *	in lines 30 to 39: parent()
 *
 * and move nothing across.
 */

INLINED void leaf(void)
{
	while (!workload_done)
		spins++;
}

INLINED void middle(void)
{
	leaf();
}

WORKLOAD_FUNCTION void parent(void)
{
	middle();
}

int workload_inlineloop(int argc, char **argv)
{
	if (workload__start(argc, argv))
		return 1;
	parent();
	return 0;
}
