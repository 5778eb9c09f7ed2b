// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/heat-map.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "ui/tally/bars.h"
#include "util/lib/stream.h"

#define NR_BUCKETS 65 /* of log2, 0 and above */
#define PLAIN_COLUMNS 60
#define LABEL_COLUMNS 32

struct heat_map {
	struct heat_map_opts opts;
	const struct histogram_config *config;
	u64 (*cell)[NR_BUCKETS]; /* by column */
	unsigned int nr;	 /* columns that have ended */
	unsigned int lines;	 /* of the block on the terminal */
	time_t first, last;	 /* when the first and the last of them did */
};

void heat_map_opts__init(struct heat_map_opts *opts, FILE *fp)
{
	struct winsize size = { 0 };

	*opts = (struct heat_map_opts){ .fp = fp, .shades = heat_shades__of(fp), .columns = PLAIN_COLUMNS };
	if (!isatty(fileno(fp)) || ioctl(fileno(fp), TIOCGWINSZ, &size))
		return;
	opts->rows = size.ws_row;
	if (size.ws_col > 2 * LABEL_COLUMNS)
		opts->columns = size.ws_col - LABEL_COLUMNS;
}

struct heat_map *heat_map__new(const struct heat_map_opts *opts)
{
	struct heat_map *map = calloc(1, sizeof(*map));

	if (map)
		map->cell = calloc(opts->columns, sizeof(*map->cell));
	if (!map || !map->cell) {
		free(map);
		return NULL;
	}
	map->opts = *opts;
	return map;
}

void heat_map__add(struct heat_map *map, const struct histogram_config *config, s32 bucket, u64 count)
{
	map->config = config;
	if (bucket >= 0 && bucket < NR_BUCKETS)
		map->cell[map->nr][bucket] += count;
}

static u64 greatest(const struct heat_map *map, int bucket)
{
	u64 max = 0;

	for (unsigned int i = 0; i < map->nr; i++)
		max = map->cell[i][bucket] > max ? map->cell[i][bucket] : max;
	return max;
}

/* 0: none; nr: the maximum. In between by the logarithm to base 2: a few slow ones among many fast ones must be visible. */
static unsigned int shade_of(u64 count, u64 max, unsigned int nr)
{
	unsigned int bits = count ? 64 - __builtin_clzll(count) : 0, max_bits = 64 - __builtin_clzll(max);

	return !bits || max_bits == 1 ? (bits ? nr : 0) : 1 + (bits - 1) * (nr - 1) / (max_bits - 1);
}

static void print_shade(const struct heat_map *map, u64 count, u64 max)
{
	heat_shades__print(map->opts.shades, shade_of(count, max, heat_shades__nr(map->opts.shades)), map->opts.fp);
}

static void print_row(const struct heat_map *map, int bucket, int width, u64 max)
{
	char text[2 * WIDE_SIZE + 8];

	fprintf(map->opts.fp, "  %*s |", width, histogram_range__text(map->config, bucket, text, sizeof(text)));
	for (unsigned int i = 0; i < map->nr; i++)
		print_shade(map, map->cell[i][bucket], max);
	fputs("|\n", map->opts.fp);
}

static void print_example(const struct heat_map *map, u64 count, u64 max)
{
	fputc(' ', map->opts.fp);
	print_shade(map, count, max);
	fprintf(map->opts.fp, " %" PRIu64, count);
}

static void print_scale(const struct heat_map *map, u64 max)
{
	fputs("shades:", map->opts.fp);
	for (u64 count = 1; count <= max / 2; count *= 8)
		print_example(map, count, max);
	print_example(map, max, max);
	fputc('\n', map->opts.fp);
}

static void print_times(const struct heat_map *map, int width)
{
	char first[16], last[16];

	strftime(first, sizeof(first), "%T", localtime(&map->first));
	strftime(last, sizeof(last), "%T", localtime(&map->last));
	fprintf(map->opts.fp, "  %*s  %s", width, map->opts.unit ?: "", first);
	if (map->nr > 1)
		fprintf(map->opts.fp, " %*s", map->nr > 17 ? (int)map->nr - 9 : 8, last);
	fprintf(map->opts.fp, "  (%u ms a column)\n", map->opts.interval);
}

struct extent {
	int low, high; /* buckets; high is -1 if all are empty */
	int width;     /* of the ranges */
	u64 max;
};

static struct extent measure(const struct heat_map *map)
{
	struct extent e = { .low = NR_BUCKETS, .high = -1, .width = 4 };
	char text[2 * WIDE_SIZE + 8];

	for (int bucket = 0; bucket < NR_BUCKETS; bucket++) {
		u64 count = greatest(map, bucket);
		int len = count ? strlen(histogram_range__text(map->config, bucket, text, sizeof(text))) : 0;

		if (!count)
			continue;
		e.low = e.low < bucket ? e.low : bucket;
		e.high = bucket;
		e.max = count > e.max ? count : e.max;
		e.width = len > e.width ? len : e.width;
	}
	return e;
}

static unsigned int nr_lines(const struct extent *e)
{
	return e->high < 0 ? 1 : e->high - e->low + 3; /* two below the buckets */
}

static void print_block(const struct heat_map *map, const struct extent *e)
{
	if (e->high < 0) {
		fprintf(map->opts.fp, "nothing in %" PRIu64 " ms\n", (u64)map->nr * map->opts.interval);
		return;
	}
	for (int bucket = e->high; bucket >= e->low; bucket--)
		print_row(map, bucket, e->width, e->max);
	print_times(map, e->width);
	print_scale(map, e->max);
}

/* Overwrite the earlier drawing of this block */
static void draw(struct heat_map *map, const struct extent *e)
{
	if (map->lines)
		fprintf(map->opts.fp, "\033[%uA\r\033[J", map->lines);
	print_block(map, e);
	stream__flush(map->opts.fp);
	map->lines = nr_lines(e);
}

void heat_map__finish(struct heat_map *map)
{
	const struct extent e = measure(map);

	if (!map->nr)
		return;
	draw(map, &e);
	memset(map->cell, 0, map->opts.columns * sizeof(*map->cell));
	map->nr = 0;
	map->lines = 0;
}

/* A block that does not fit on the screen cannot be redrawn, so it is drawn once. */
static void show_progress(struct heat_map *map)
{
	const struct extent e = measure(map);

	if (nr_lines(&e) < map->opts.rows)
		draw(map, &e);
}

void heat_map__end_interval(struct heat_map *map, time_t now)
{
	if (!map->nr)
		map->first = now;
	map->last = now;
	if (++map->nr == map->opts.columns)
		heat_map__finish(map);
	else if (map->opts.rows)
		show_progress(map);
}

void heat_map__delete(struct heat_map *map)
{
	if (!map)
		return;
	free(map->cell);
	free(map);
}
