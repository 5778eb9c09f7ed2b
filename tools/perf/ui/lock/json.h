/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits for locks as one line of JSON:
 * {"interval_ms":n if there is one,
 *  "rounds":[{"time":seconds, "rows":[{"type":NAME,"caller":NAME or "pid":n,"comm":NAME or "address":HEX,"symbol":NAME,"type":NAME or
 *				       "cgroup":PATH; "contended":n, "total_wait":ns, "max_wait":ns, "min_wait":ns, "avg_wait":ns,
 *				       "stack":[NAME...] if stacks are shown}...]}...],
 *  "waits":{"seen":n, "ended":n, "lost":n, "unended":n, "open":n, "unjudged":n, "early":n, "seeded":n, "nested":n, "timed_out":n, "interrupted":n,
 *	    "no_stack":n, "late_owners":n, "missed":n, "full":n}}
 * The numbers at the end are those of struct lock_totals; seen = ended + lost + unended + open, and full of the ended ones found no room in
 * the tables. A time is there with an interval only.
 */
#ifndef PERF_UI_LOCK_JSON_H
#define PERF_UI_LOCK_JSON_H

#include "ui/lock/output.h"

struct lock_json;

/* Prints to opts->fp, which must be open until __finish(). opts must outlive it. NULL: no memory */
struct lock_json *lock_json__new(const struct lock_output_opts *opts);
int lock_json__round(struct lock_json *json, struct lock_rows *rows, const struct lock_frames *frames); /* 0 or -ENOMEM */
void lock_json__finish(struct lock_json *json, const struct lock_totals *totals, const struct tally_counts *counts);
void lock_json__delete(struct lock_json *json); /* NULL is fine */

#endif
