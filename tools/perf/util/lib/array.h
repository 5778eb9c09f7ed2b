/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow as elements come. Both return 0, or -ENOMEM: then the array is as it was. They start NULL, and end with free(). */
#ifndef PERF_LIB_ARRAY_H
#define PERF_LIB_ARRAY_H

#include <errno.h>
#include <stdlib.h>
#include "util/lib/types.h"

#define ARRAY_FIRST 16

/*
 * Make room for one more element behind the nr that array has. Its room is always the power of two that holds nr, so nobody needs to
 * remember it. For arrays that are filled once.
 */
#define array__extend(array, nr) ({ \
	void *more_ = array__extended(array, nr, sizeof(*(array))); \
	(array) = more_ ?: (array); \
	more_ ? 0 : -ENOMEM; \
})

/* The same for arrays that are emptied and filled again: alloc is the number of elements that have room, an unsigned integer. */
#define array__grow(array, nr, alloc) ({ \
	u64 wanted_ = (alloc) ? 2 * (u64)(alloc) : ARRAY_FIRST; \
	void *more_ = (array); \
	if ((nr) == (alloc)) { \
		more_ = (typeof(alloc))wanted_ == wanted_ ? reallocarray(array, wanted_, sizeof(*(array))) : NULL; \
		(array) = more_ ?: (array); \
		(alloc) = more_ ? wanted_ : (alloc); \
	} \
	more_ ? 0 : -ENOMEM; \
})

static inline void *array__extended(void *array, size_t nr, size_t size)
{
	return nr & (nr - 1) ? array : reallocarray(array, nr ? 2 * nr : 1, size);
}

#endif
