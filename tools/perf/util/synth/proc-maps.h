/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of /proc/PID/maps (Documentation/filesystems/proc.rst, fs/proc/task_mmu.c). */
#ifndef PERF_SYNTH_PROC_MAPS_H
#define PERF_SYNTH_PROC_MAPS_H

#include "util/lib/types.h"

struct proc_map {
	u64 start, end, pgoff, ino;
	u32 maj, min;
	u32 generation;	  /* tells files apart that had this ino one after the other; 0: unknown, as /proc does not show it */
	u32 prot, flags;  /* PROT_*, MAP_SHARED or MAP_PRIVATE */
	char *name;	  /* within the text; "" for anonymous memory */
	size_t name_len;
};

/*
 * Parse the next line of *text, which is modified and advanced: the line gets a NUL, "\012" in a name becomes a newline again. 1:
 * map is filled; 0: no more lines; -EINVAL: malformed line, skipped.
 */
int proc_map__next(char **text, struct proc_map *map);

#endif
