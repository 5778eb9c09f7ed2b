// SPDX-License-Identifier: GPL-2.0
#include "util/counter/tool-count.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/clock.h"
#include "util/lib/fs.h"

struct cpu_time { /* ns */
	u64 user, system;
};

static u64 from_ticks(u64 ticks)
{
	return ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

static u64 from_timeval(const struct timeval *tv)
{
	return tv->tv_sec * 1000000000ULL + tv->tv_usec * 1000ULL;
}

static struct cpu_time of_cpu(int cpu)
{
	char *text = fs__read_file(AT_FDCWD, "/proc/stat", NULL), name[24];
	const char *line = text;
	u64 user, nice, system;
	struct cpu_time time = {};

	snprintf(name, sizeof(name), "\ncpu%d ", cpu);
	line = text ? strstr(text, name) : NULL;
	if (line && sscanf(line + strlen(name), "%" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice, &system) == 3)
		time = (struct cpu_time){ from_ticks(user + nice), from_ticks(system) };
	free(text);
	return time;
}

/* Fields 14 to 17, after a name that may contain anything */
static struct cpu_time of_task(pid_t tid, bool whole_process)
{
	char path[48], *text;
	const char *rest;
	u64 user, system, children_user, children_system;
	struct cpu_time time = {};

	snprintf(path, sizeof(path), whole_process ? "/proc/%d/stat" : "/proc/%d/task/%d/stat", tid, tid);
	text = fs__read_file(AT_FDCWD, path, NULL);
	rest = text ? strrchr(text, ')') : NULL;
	if (rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &user, &system,
			   &children_user, &children_system) == 4) {
		time.user = from_ticks(user + (whole_process ? children_user : 0));
		time.system = from_ticks(system + (whole_process ? children_system : 0));
	}
	free(text);
	return time;
}

/* Of all threads of a process, the first one has its count. */
static bool is_leader(pid_t tid)
{
	char path[32], *text;
	const char *line;
	bool is;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	text = fs__read_file(AT_FDCWD, path, NULL);
	line = text ? strstr(text, "\nTgid:") : NULL;
	is = line && atoi(line + strlen("\nTgid:")) == tid;
	free(text);
	return is;
}

bool tool_count__has(enum evsel_tool tool, const struct tool_place *place, bool is_first)
{
	if (tool == TOOL_DURATION_TIME)
		return is_first;
	return place->tid < 0 || (place->cpu < 0 && (!place->whole_process || is_leader(place->tid)));
}

u64 tool_count__now(enum evsel_tool tool, const struct tool_place *place)
{
	struct cpu_time time;

	if (tool == TOOL_DURATION_TIME)
		return clock__ns(CLOCK_MONOTONIC);
	if (place->usage)
		time = (struct cpu_time){ from_timeval(&place->usage->ru_utime), from_timeval(&place->usage->ru_stime) };
	else
		time = place->tid < 0 ? of_cpu(place->cpu) : of_task(place->tid, place->whole_process);
	return tool == TOOL_USER_TIME ? time.user : time.system;
}
