// SPDX-License-Identifier: GPL-2.0
#include "util/counter/stats.h"

#include <math.h>

void stats__add(struct stats *s, double value)
{
	const double delta = value - s->mean;

	s->nr++;
	s->mean += delta / s->nr;
	s->squares += delta * (value - s->mean);
}

double stats__error(const struct stats *s)
{
	if (s->nr < 2)
		return 0;
	return sqrt(s->squares / (s->nr - 1) / s->nr);
}

double stats__error_percent(const struct stats *s)
{
	return s->mean != 0 ? 100 * stats__error(s) / fabs(s->mean) : 0;
}
