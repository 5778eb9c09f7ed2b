/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs may move their text to huge pages, as node --use-largepages=on does: then its memory is of no file. The mapping before it still is
 * of the program's file, and the file says that the text belongs there.
 */
#ifndef PERF_SYNTH_MOVED_TEXT_H
#define PERF_SYNTH_MOVED_TEXT_H

#include <stdbool.h>
#include "util/synth/proc-maps.h"

/*
 * Is map, which is of no file, part of the text of the file that is mapped before it? Then it becomes the file's. dir: the process's directory
 * ("/proc/1").
 */
bool moved_text__find(const char *dir, const struct proc_map *before, struct proc_map *map);

#endif
