// SPDX-License-Identifier: GPL-2.0
#include "util/event/kind.h"

#include <linux/perf_event.h>
#include <string.h>

#define TIMES "nanoseconds"
#define SLEEP_TYPES (PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT) /* see source/offcpu-record.h */

const struct event_kind cpu_clock_kind = { .name = "cpu-clock", .unit = TIMES, .value = "cpu" };
const struct event_kind task_clock_kind = { .name = "task-clock", .unit = TIMES, .value = "cpu" };
/* Its name is the same as in stock perf. */
const struct event_kind off_cpu_kind = {
	.name = "offcpu-time", .word = "off-cpu", .unit = TIMES, .value = "off_cpu", .sample_type = SLEEP_TYPES, .has_spans = true,
};
const struct event_kind wall_kind = { /* raw data is the state */
	.name = "wall-clock", .unit = TIMES, .value = "wall", .sample_type = SLEEP_TYPES | PERF_SAMPLE_RAW, .has_spans = true,
};
const struct event_kind contention_kind = { .name = "lock:contention", .unit = TIMES };
const struct event_kind kwork_kind = { .name = "kwork", .unit = TIMES };
const struct event_kind sched_kind = { .name = "sched", .unit = TIMES };
const struct event_kind trace_kind = { .name = "syscalls" };
const struct event_kind calls_kind = { .name = NULL };

const struct event_kind *event_kind__of_word(const char *word)
{
	static const struct event_kind *const kinds[] = { &off_cpu_kind, &wall_kind };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(word, kinds[i]->name) || (kinds[i]->word && !strcmp(word, kinds[i]->word)))
			return kinds[i];
	}
	return NULL;
}

const struct event_kind *event_kind__of_name(const char *name)
{
	/* The others are in no recording. */
	static const struct event_kind *const kinds[] = { &cpu_clock_kind, &task_clock_kind, &off_cpu_kind, &wall_kind, &contention_kind };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const size_t len = strlen(kinds[i]->name);

		if (!strncmp(name, kinds[i]->name, len) && (!name[len] || name[len] == ':' || name[len] == ' '))
			return kinds[i];
	}
	return NULL;
}
