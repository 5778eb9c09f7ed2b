/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms over time as a picture: a row for each bucket, the largest values on top, a column for each interval, a shade for the
 * count. The columns that fit make a block, which is printed when it is full, and on a terminal after each column; so memory is
 * bounded.
 */
#ifndef PERF_UI_TALLY_HEAT_MAP_H
#define PERF_UI_TALLY_HEAT_MAP_H

#include <stdio.h>
#include <time.h>
#include "ui/heat-shades.h"
#include "util/bpf_skel/histogram.h"
#include "util/lib/types.h"

struct heat_map;

struct heat_map_opts {
	FILE *fp;
	enum heat_shades shades;
	unsigned int rows;     /* of the terminal, which shows a block while it fills; 0: no terminal */
	unsigned int columns;  /* of a block, 1 or more */
	unsigned int interval; /* ms */
	const char *unit;      /* of the ranges; NULL: none */
};

/* Set what fp can show, by its terminal and the environment, and the number of columns besides the ranges. */
void heat_map_opts__init(struct heat_map_opts *opts, FILE *fp);

struct heat_map *heat_map__new(const struct heat_map_opts *opts); /* NULL: out of memory */
/* Add to the current interval. config must be the same each time, and must outlive the map; its kind is HISTOGRAM_LOG2. */
void heat_map__add(struct heat_map *map, const struct histogram_config *config, s32 bucket, u64 count);
/* End the interval at now, the time of day in seconds. Prints the block if it is due. */
void heat_map__end_interval(struct heat_map *map, time_t now);
/* Print the last block, which is not full. */
void heat_map__finish(struct heat_map *map);
void heat_map__delete(struct heat_map *map); /* NULL is fine */

#endif
