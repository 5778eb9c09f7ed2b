/* SPDX-License-Identifier: GPL-2.0 */
/* Locks in the running kernel's structures and per-CPU variables, by its type information (see kernel-btf.h): from offsets to names. */
#ifndef PERF_BPF_KERNEL_PLACES_H
#define PERF_BPF_KERNEL_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

/*
 * The lock that begins at this offset of a structure, or of a CPU's part of the per-CPU variables: "wait_chldexit.lock", "timer_bases[1].lock".
 * false: none begins there, or its name does not fit.
 */
bool kernel_places__in_struct(const char *type, u32 offset, char *buf, size_t size);
bool kernel_places__in_percpu(u32 offset, char *buf, size_t size);

/* Where a per-CPU variable is in a CPU's part, and in it a member (NULL: the variable itself). false: there is none. */
bool kernel_places__percpu_offset(const char *variable, const char *type, const char *member, u32 *offset);
u32 kernel_places__size(const char *type); /* of a structure; 0: there is none */
/* Is there a structure or a per-CPU variable with this name, of len characters? */
bool kernel_places__has(const char *name, size_t len);

#endif
