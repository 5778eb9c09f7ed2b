/* SPDX-License-Identifier: GPL-2.0 */
/* Draws histograms as text: range, count, bar. */
#ifndef PERF_UI_TALLY_BARS_H
#define PERF_UI_TALLY_BARS_H

#include <stdio.h>
#include "ui/tally/histogram.h"

struct histogram_bars_opts {
	const char *what; /* heading of the ranges: the number's name */
	const char *unit; /* unit of log2 buckets; NULL: none */
	const char *value_unit; /* unit of total, min, max and mean; NULL: none */
};

/* "12 values, total 144, min 1, max 100, mean 12.0" without newline */
void histogram__print_summary(const struct histogram *h, const struct histogram_bars_opts *opts, FILE *fp);
void histogram__print_bars(const struct histogram *h, const struct histogram_config *config, const struct histogram_bars_opts *opts, FILE *fp);

/* "1024 -> 2047", "7", "< -1024" or ">= 1024", with the unit instead of its steps; returns buf */
char *histogram_range__text(const struct histogram_config *config, s32 bucket, char *buf, size_t size);

#define WIDE_SIZE 44 /* digits, sign, NUL */
char *wide__text(wide value, char buf[WIDE_SIZE]); /* returns a part of buf */

#endif
