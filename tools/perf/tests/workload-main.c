// SPDX-License-Identifier: GPL-2.0
/* The workloads without perf: workload NAME [ARGUMENTS] does what `perf test -w NAME [ARGUMENTS]` does. */
#include "tests/workload.h"

#include <err.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(1, "usage: workload NAME [ARGUMENTS]");
	return workload__run(argv[1], argc - 2, argv + 2);
}
