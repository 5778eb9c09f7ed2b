/* SPDX-License-Identifier: GPL-2.0 */
/* Build-ids of mapped files, each file read once for all the processes that map it. */
#ifndef PERF_SYNTH_BUILD_IDS_H
#define PERF_SYNTH_BUILD_IDS_H

#include "util/perfdata/features.h" /* struct build_id */
#include "util/perfdata/record.h"
#include "util/synth/kept-files.h"
#include "util/synth/proc-maps.h"

struct build_ids;

/* NULL: out of memory. kept is offered each file, and may be NULL; it must outlive ids. */
struct build_ids *build_ids__new(struct kept_files *kept);
void build_ids__delete(struct build_ids *ids);

/* Look whether files with code have an interpreter (interp/interp.h), too. Did the file that was looked up last have one? */
void build_ids__find_interpreters(struct build_ids *ids);
bool build_ids__was_interpreter(const struct build_ids *ids);

/*
 * The build-id of the mapped file of a process whose /proc directory is dir ("/proc/1"); size 0 if it has none or is not readable.
 * Owned by ids, valid until the next call. NULL: out of memory.
 */
const struct build_id *build_ids__get(struct build_ids *ids, const char *dir, const struct proc_map *map);

/* That file, opened by regular-file.h; -1: it is not found. */
int build_ids__open(const char *dir, const struct proc_map *map);

/* A process has started another one. Where the file of one that has ended is looked for, too: the two are mostly in the same container. */
void build_ids__note_fork(struct build_ids *ids, u32 pid, u32 parent);

/*
 * perf adds the build-ids of files to the kernel's records, in place of the files' numbers, as attr.build_id would do. That bit is
 * never set: Linux (6.18; kernel/events/core.c, perf_event_mmap_output) leaves PERF_RECORD_MISC_MMAP_BUILD_ID of one event's record
 * set for the next events, so other recordings take numbers for a build-id, which crashes stock perf 6.1. If another perf sets it,
 * our records have the wrong bit: so clear it first.
 */
void build_ids__clear(struct record_mmap2 *mmap);
/* mmap was cleared and checked. Only handles code. 0 or -ENOMEM. */
int build_ids__fill(struct build_ids *ids, struct record_mmap2 *mmap);

#endif
