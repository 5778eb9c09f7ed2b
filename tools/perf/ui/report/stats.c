// SPDX-License-Identifier: GPL-2.0
#include "ui/report/stats.h"

static void print_count(FILE *fp, const char *name, u64 count)
{
	fprintf(fp, "%20s events: %10llu\n", name, (unsigned long long)count);
}

static void print_share(FILE *fp, const char *name, u64 count, u64 total)
{
	if (count)
		fprintf(fp, "%20s events: %10llu  (%4.1f%%)\n", name, (unsigned long long)count, count * 100.0 / total);
}

/* Print an event's samples, and those that it lost or its filter dropped: counts samples here, not records. */
static void print_event(FILE *fp, const struct session_event *event)
{
	if (!event->nr_samples && !event->lost_samples && !event->dropped_samples)
		return;
	fprintf(fp, "%s stats:\n", event->name);
	if (event->nr_samples)
		print_count(fp, "SAMPLE", event->nr_samples);
	if (event->lost_samples)
		print_count(fp, "LOST_SAMPLES", event->lost_samples);
	if (event->dropped_samples)
		print_count(fp, "LOST_SAMPLES (BPF)", event->dropped_samples);
}

void stats__fprintf(FILE *fp, struct session *s)
{
	const struct session_stats *stats = session__stats(s);

	fputs("\nAggregated stats:\n", fp);
	print_count(fp, "TOTAL", stats->nr_events);
	for (u32 type = 0; type < PERF_RECORD_USER_MAX; type++)
		print_share(fp, perf_record__type_name(type) ?: "UNKNOWN", stats->nr[type], stats->nr_events);
	print_share(fp, "UNKNOWN", stats->nr_unknown, stats->nr_events);
	for (u32 i = 0; i < session__nr_events(s); i++)
		print_event(fp, session__event(s, i));
}
