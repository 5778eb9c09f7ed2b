/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of interpreters that a recording has met, and the file that says so to any perf: an ELF file without code, with a symbol for
 * each function, "name (file)", and a line table. Its address 0 is INTERP_BASE in every process. It is found by its build-id, which is made up
 * and known from the start, so that records of mappings can have it before the file is written.
 */
#ifndef PERF_INTERP_NAMES_H
#define PERF_INTERP_NAMES_H

#include "util/interp/interp.h"
#include "util/perfdata/record.h"
#include "util/symbol/live-functions.h"

struct interp_names;

/* live: gets all functions, too, and the build-id; NULL: nobody looks at them meanwhile. NULL: no memory, or no random numbers */
struct interp_names *interp_names__new(struct live_functions *live);
void interp_names__delete(struct interp_names *names); /* NULL is fine */

/* A function that a program has sent, and the file that its interpreter is in. What is wrong with it is left out. 0 or -ENOMEM */
int interp_names__add(struct interp_names *names, const struct interp_code *code, const struct interp_file *file);
/* See live_functions__set_fetch(); without live functions nothing is called. */
void interp_names__set_fetch(struct interp_names *names, void (*fetch)(void *data), void *data);
const struct build_id *interp_names__id(const struct interp_names *names);
u32 interp_names__nr(const struct interp_names *names);
/* Functions that were left out, as their names and lines had no room: INTERP_ALL_NAMES */
u64 interp_names__refused(const struct interp_names *names);

#define INTERP_NAMES_PATH "/python" /* what records of mappings call the file; it is only in the build-id cache */

/* The mapping of the file in a process, but for header.size and filename */
void interp_names__describe(const struct interp_names *names, u32 pid, u32 tid, struct record_mmap2 *mmap);

/* While a recording runs: has it grown enough to be written again? By a quarter, or any, if writing it last was less than a hundredth of the time since. */
bool interp_names__are_due(const struct interp_names *names);
/* Write the file with all functions so far to this build-id cache, if there are new ones. -errno with a text */
int interp_names__store(struct interp_names *names, const char *cache, struct errmsg *err);
/* The next recording begins: its file has another build-id, unless there are live functions. -errno */
int interp_names__begin_file(struct interp_names *names);

#endif
