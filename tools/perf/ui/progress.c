// SPDX-License-Identifier: GPL-2.0
#include "ui/progress.h"

#include <stdio.h>
#include <unistd.h>
#include "util/lib/clock.h"

#define STEPS 200	     /* lines of a whole reading, at most */
#define PATIENCE 500000000ULL /* ns without a line: short readings need none */
#define BAR 40

void progress__start(struct progress *p, u64 total)
{
	*p = (struct progress){ .total = total, .next = UINT64_MAX };
	if (!total || !isatty(STDERR_FILENO))
		return;
	p->start = clock__ns(CLOCK_MONOTONIC);
	p->next = total / STEPS;
}

void progress__show(struct progress *p, u64 done)
{
	u64 part = done < p->total ? done : p->total;
	int bar = (double)part / p->total * BAR;

	p->next = done + p->total / STEPS + 1;
	if (!p->shown && clock__ns(CLOCK_MONOTONIC) - p->start < PATIENCE)
		return;
	p->shown = true;
	fprintf(stderr, "\rreading %3d%% [%.*s%*s] %llu of %llu MB", (int)((double)part / p->total * 100), bar,
		"########################################", BAR - bar, "", (unsigned long long)part >> 20,
		(unsigned long long)p->total >> 20);
	fflush(stderr);
}

void progress__finish(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
	p->next = UINT64_MAX;
}
