/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uthash for libraries: if memory runs out an element is not added, while plain <uthash.h> would end the process. After HASH_ADD*,
 * hash_added(elt) says whether it is in the table, and hash_added_by(handle, elt) for another handle than hh.
 */
#ifndef PERF_LIB_HASH_H
#define PERF_LIB_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define hash_added_by(handle, elt) ((elt)->handle.tbl != NULL)
#define hash_added(elt) hash_added_by(hh, elt)

#endif
