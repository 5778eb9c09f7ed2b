// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/wall-state.h"

#include <string.h>
#include "util/bpf_skel/offcpu.h"

static const struct {
	u32 state;
	char name[WALL_STATE_SIZE];
} states[] = {
	{ OFFCPU_USER, "user" },
	{ OFFCPU_KERNEL, "kernel" },
	{ OFFCPU_RUNNING, "running" },
	{ OFFCPU_PREEMPTED, "runnable" },
	{ OFFCPU_SLEEPING, "sleeping" },
	{ OFFCPU_DISK, "disk" },
	{ OFFCPU_FUTEX, "futex" },
	{ OFFCPU_LOCK, "lock" },
	{ OFFCPU_IDLE, "idle" },
	{ OFFCPU_STOPPED, "stopped" },
	{ 0, "unknown" },
};

const char *wall_state__name(u32 state)
{
	size_t i = 0;

	while (states[i].state && states[i].state != state)
		i++;
	return states[i].name;
}

const char *wall_state__of(const struct perf_sample *sample)
{
	if (!(sample->sample_type & PERF_SAMPLE_RAW) || sample->raw_size != WALL_STATE_SIZE)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (!memcmp(states[i].name, sample->raw, WALL_STATE_SIZE))
			return states[i].name;
	}
	return NULL;
}
