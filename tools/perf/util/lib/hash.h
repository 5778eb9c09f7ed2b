/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uthash as libraries use it: when memory runs out an element is not added, while <uthash.h> by itself would end the process.
 * After HASH_ADD*, hash_added(elt) says whether it is in the table.
 */
#ifndef PERF_LIB_HASH_H
#define PERF_LIB_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define hash_added(elt) ((elt)->hh.tbl != NULL)

#endif
