/* SPDX-License-Identifier: GPL-2.0 */
/* Distance between two names, for suggestions. */
#ifndef PERF_LIB_NEAR_H
#define PERF_LIB_NEAR_H

#include <stddef.h>

/* Number of slips (a letter more, less, another, or two swapped) between the len characters of word and name; NEAR_FAR for long ones. */
#define NEAR_FAR 64
unsigned int near__distance(const char *word, size_t len, const char *name);

/* Finds the name that is spelled most like word, with at most one slip in three letters. Starts zeroed except for word. */
struct near_name {
	const char *word;
	char name[NEAR_FAR + 1]; /* "": none is near */
	unsigned int distance;
};
void near_name__try(struct near_name *near, const char *name); /* keeps a copy */

/* "; did you mean 'cycles'?", or "" if no name is near. Returns buf. */
const char *near_name__text(const struct near_name *near, char *buf, size_t size);

#endif
