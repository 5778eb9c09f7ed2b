// SPDX-License-Identifier: GPL-2.0
#include "util/lib/advice.h"

#include <unistd.h>

const char *advice__root(void)
{
	return geteuid() ? "Run perf as root" : "Run perf outside of the container or user namespace";
}

const char *advice__root_within(void)
{
	return geteuid() ? "run perf as root" : "run perf outside of the container or user namespace";
}
