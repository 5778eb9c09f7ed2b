/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps of code made at run time: for each function in a jitdump file (util/symbol/jitdump.h) a MMAP2 record that was not recorded, at the time
 * when the code was there. They go through the session like others, but are not delivered (ORDER_NOT_IN_FILE).
 *
 * Times in the file are those of CLOCK_MONOTONIC. If the recording's are others, the record of the file's own map tells the difference: the
 * compiler makes the file and maps it at once. (Node.js writes another clock's time there: then the first code counts.) So it does for a
 * process in another time namespace, whose CLOCK_MONOTONIC differs. Without that, as for a process that ran already, or if times are a
 * counter's of the CPU, code counts as there since the file was mapped, and what came last has an address.
 */
#ifndef PERF_SESSION_JIT_MAPS_H
#define PERF_SESSION_JIT_MAPS_H

#include <stdbool.h>

#include "util/session/events.h"
#include "util/perfdata/order.h"

struct file_places;
struct jit_maps;

/* NULL: no memory. events must outlive it, and is not used before the first record. places: where the files may be; features: have their
 * ids. */
struct jit_maps *jit_maps__new(const struct session_events *events, const struct file_places *places, const struct perfdata_features *features);
void jit_maps__delete(struct jit_maps *jit);

int jit_maps__note_map(struct jit_maps *jit, const struct order_item *item); /* private to __note() */
/* Call it for each record of the recording, in the order of the file. One of a map of a jitdump file makes it read that. 0 or -ENOMEM. */
static inline int jit_maps__note(struct jit_maps *jit, const struct order_item *item)
{
	u32 type = item->record->header.type;

	return type == PERF_RECORD_MMAP2 || type == PERF_RECORD_MMAP ? jit_maps__note_map(jit, item) : 0;
}

/* Is there code that was not taken yet? */
bool jit_maps__is_waiting(const struct jit_maps *jit);
/*
 * Take the records of code that was there at that time, in time order. Returns their number. They are valid until the next __note(), what they point
 * to as long as jit.
 */
size_t jit_maps__take(struct jit_maps *jit, u64 time, const struct order_item **items);

/* What a user must know of the files: lines of text, or NULL. */
const char *jit_maps__notes(const struct jit_maps *jit);

#endif
