// SPDX-License-Identifier: GPL-2.0
#include "ui/record-progress.h"
#include "util/lib/advice.h"

#include <inttypes.h>
#include <stdio.h>

static bool shown;

void record_progress__show(const struct record_progress *p)
{
	fprintf(stderr, "\r[ perf record: %" PRIu64 " sample%s", p->nr_samples, plural(p->nr_samples));
	if (p->filtered)
		fprintf(stderr, ", %" PRIu64 " kept, %" PRIu64 " dropped", p->seen - p->dropped, p->dropped);
	fprintf(stderr, ", %" PRIu64 " lost, %.1f MB ]\033[K", p->lost, p->bytes / 1024.0 / 1024.0);
	fflush(stderr);
	shown = true;
}

void record_progress__clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
