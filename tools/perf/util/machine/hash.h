/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uthash as this folder uses it: when memory runs out an element is not added instead of the process being ended.
 * After HASH_ADD*, hash_added(elt) says whether it is in the table.
 */
#ifndef PERF_MACHINE_HASH_H
#define PERF_MACHINE_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define hash_added(elt) ((elt)->hh.tbl != NULL)

#endif
