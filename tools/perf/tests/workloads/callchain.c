// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <err.h>
#include <sys/syscall.h>
#include <unistd.h>

WORKLOAD_FUNCTION void callchain_do_syscall(void)
{
	syscall(SYS_gettid);
}

WORKLOAD_FUNCTION void callchain_foo(void)
{
	callchain_do_syscall();
}

WORKLOAD_FUNCTION void callchain(void)
{
	callchain_foo();
}

int workload_callchain(int argc, char **argv)
{
	if (argc) {
		warnx("unexpected argument '%s'", argv[0]);
		return 1;
	}
	callchain();
	return 0;
}
