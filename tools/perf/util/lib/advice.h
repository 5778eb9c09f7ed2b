/* SPDX-License-Identifier: GPL-2.0 */
/* What messages advise a user to do. */
#ifndef PERF_LIB_ADVICE_H
#define PERF_LIB_ADVICE_H

/*
 * "Run perf as root". To root, who lacks a right in containers and user namespaces: "Run perf outside of the container or user
 * namespace". In the second form the first letter is small.
 */
const char *advice__root(void);
const char *advice__root_within(void);

/* No part of perf takes the user stacks of threads that sleep already. */
#define ADVICE_SLEEPING_STACKS "'gdb -p PID -batch -ex \"thread apply all bt\"' shows their user stacks"

static inline const char *plural(unsigned long long nr) /* the end of a noun behind that number */
{
	return nr == 1 ? "" : "s";
}

#endif
