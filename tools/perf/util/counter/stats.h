/* SPDX-License-Identifier: GPL-2.0 */
/* Mean and noise of values that were measured several times (Welford's method). */
#ifndef PERF_COUNTER_STATS_H
#define PERF_COUNTER_STATS_H

struct stats { /* starts zeroed */
	unsigned int nr;
	double mean;
	double squares; /* sum of the squares of differences from the mean */
};

void stats__add(struct stats *s, double value);
/* Standard error of the mean; 0 if there are fewer than two values. */
double stats__error(const struct stats *s);
/* The same in percent of the mean; 0 if that is 0. */
double stats__error_percent(const struct stats *s);

#endif
