// SPDX-License-Identifier: GPL-2.0
#include "util/lib/clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/lib/fs.h"

#define NS_PER_S 1000000000LL
#define PROC_TIME_INIT_INO 0xeffffffaU /* include/linux/proc_ns.h */

static s64 monotonic_offset, boottime_offset;
static pthread_once_t offsets_read = PTHREAD_ONCE_INIT;

/* Clocks with an offset of their own; others that have one share it. -1: the clock has none. */
static clockid_t clock_of_offset(clockid_t clock)
{
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE)
		return CLOCK_MONOTONIC;
	return clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM ? CLOCK_BOOTTIME : -1;
}

/* Linux 5.6 has numbers of clocks in the file, later ones have names. */
static clockid_t clock_of_name(const char *name)
{
	if (!strcmp(name, "monotonic"))
		return CLOCK_MONOTONIC;
	return !strcmp(name, "boottime") ? CLOCK_BOOTTIME : atoi(name);
}

s64 clock__offset_in(const char *text, clockid_t clock)
{
	const clockid_t wanted = clock_of_offset(clock);
	char name[16];
	s64 s, ns;

	for (const char *line = text; wanted >= 0 && line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (sscanf(line, "%15s %" SCNd64 " %" SCNd64, name, &s, &ns) == 3 && clock_of_name(name) == wanted)
			return s * NS_PER_S + ns;
	}
	return 0;
}

/* The file has the offsets of the namespace for children, in which the process itself need not be. */
static void read_offsets(void)
{
	struct stat st;
	char *text;

	if (stat("/proc/self/ns/time", &st) || st.st_ino == PROC_TIME_INIT_INO)
		return;
	text = fs__read_file(AT_FDCWD, "/proc/self/timens_offsets", NULL);
	monotonic_offset = clock__offset_in(text, CLOCK_MONOTONIC);
	boottime_offset = clock__offset_in(text, CLOCK_BOOTTIME);
	free(text);
}

u64 clock__own_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

u64 clock__ns(clockid_t clock)
{
	const clockid_t of = clock_of_offset(clock);

	pthread_once(&offsets_read, read_offsets);
	return clock__own_ns(clock) - (of == CLOCK_MONOTONIC ? monotonic_offset : of == CLOCK_BOOTTIME ? boottime_offset : 0);
}
