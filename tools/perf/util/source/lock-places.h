/* SPDX-License-Identifier: GPL-2.0 */
/* What a lock of the running kernel belongs to, beyond what the programs on its waits have found out (see struct lock_name). */
#ifndef PERF_SOURCE_LOCK_PLACES_H
#define PERF_SOURCE_LOCK_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include "util/bpf_skel/lock.h"
#include "util/lib/types.h"

struct lock_places;

/*
 * run_queues: a map from the addresses of the run queues' locks to their CPUs. some_page: the address of a struct page; 0: none is known.
 * NULL: no memory
 */
struct lock_places *lock_places__new(int run_queues, u64 some_page);
/* If the name's kind is LOCK_OF_UNKNOWN, look for the lock in per-CPU variables, struct pages and the kernel's image. */
void lock_places__find(const struct lock_places *places, u64 lock, struct lock_name *name);
void lock_places__delete(struct lock_places *places); /* NULL is fine */

/* "mmap_lock", "timer_bases[0].lock", "&task_struct": what it belongs to, without whose it is. false: this is not known. */
bool lock_place__name(const struct lock_name *name, char *buf, size_t size);
/* What is added to tell it from others: " of CPU 1", " of PID 12 (java)", "->pi_lock" of an object; "": nothing. */
void lock_place__whose(const struct lock_name *name, char *buf, size_t size);
/* May lock_place__name() return this? */
bool lock_place__is_one(const char *name);

#endif
