/* SPDX-License-Identifier: GPL-2.0 */
/* What messages advise a user to do. */
#ifndef PERF_LIB_ADVICE_H
#define PERF_LIB_ADVICE_H

#include <stddef.h>

/*
 * "Run perf as root". To root, who lacks a right in containers and user namespaces: "Run perf outside of the container or user
 * namespace". In the second form the first letter is small.
 */
const char *advice__root(void);
const char *advice__root_within(void);

static inline const char *plural(unsigned long long nr) /* the end of a noun behind that number */
{
	return nr == 1 ? "" : "s";
}

static inline const char *plural_y(unsigned long long nr) /* the same behind "entr" */
{
	return nr == 1 ? "y" : "ies";
}

static inline const char *were(unsigned long long nr) /* what that many things did */
{
	return nr == 1 ? "was" : "were";
}

/*
 * Makes "1 wait was lost" or "2 waits were lost" of "{wait|waits} {was|were} lost", in buf, which may cut it. Returns buf. For the phrases of
 * tables; a message of its own takes plural() and were().
 */
const char *counted(char *buf, size_t size, unsigned long long nr, const char *phrase);

#endif
