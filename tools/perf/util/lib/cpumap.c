// SPDX-License-Identifier: GPL-2.0
#include "util/lib/cpumap.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/fs.h"

/* Far above any kernel's NR_CPUS (8192 on x86-64); keeps "0-4294967295" from asking for gigabytes. */
#define CPU_LIMIT 65536

static const char *parse_number(const char *s, unsigned int *value)
{
	unsigned int n = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		n = n * 10 + (*s - '0');
		if (n >= CPU_LIMIT)
			return NULL;
	}
	*value = n;
	return s;
}

/* Mark the CPUs of list in set[CPU_LIMIT], all below *end; 0 or -EINVAL with *at at the error. */
static int parse_into(const char *list, bool *set, unsigned int *end, const char **at)
{
	const char *s = list, *next;

	*end = 0;
	for (;;) {
		unsigned int first, last;

		*at = s;
		s = parse_number(s, &first);
		if (!s)
			return -EINVAL;
		last = first;
		if (*s == '-') {
			next = parse_number(s + 1, &last);
			if (!next || last < first)
				return -EINVAL;
			s = next;
		}
		memset(set + first, true, last - first + 1);
		if (last >= *end)
			*end = last + 1;
		if (*s != ',')
			break;
		s++;
	}
	*at = s;
	return *s ? -EINVAL : 0;
}

static struct cpumap *from_set(const bool *set, unsigned int end)
{
	struct cpumap *map;
	unsigned int cpu;
	int nr = 0;

	for (cpu = 0; cpu < end; cpu++)
		nr += set[cpu];
	map = malloc(sizeof(*map) + nr * sizeof(map->cpu[0]));
	if (!map)
		return NULL;
	map->nr = 0;
	for (cpu = 0; cpu < end; cpu++) {
		if (set[cpu])
			map->cpu[map->nr++] = cpu;
	}
	return map;
}

struct cpumap *cpumap__parse(const char *list, struct errmsg *err)
{
	struct cpumap *map;
	unsigned int end;
	const char *at;
	bool *set;

	set = calloc(CPU_LIMIT, sizeof(*set));
	if (!set)
		goto out_of_memory;
	if (parse_into(list, set, &end, &at)) {
		free(set);
		errmsg__set(err, EINVAL, "wrong CPU list \"%s\" at \"%s\": expected numbers below %d and ranges, as in 0-3,6",
			    list, at, CPU_LIMIT);
		errno = EINVAL;
		return NULL;
	}
	map = from_set(set, end);
	free(set);
	if (map)
		return map;
out_of_memory:
	errmsg__set(err, ENOMEM, "out of memory for a CPU list");
	errno = ENOMEM;
	return NULL;
}

struct cpumap *cpumap__read(const char *path, struct errmsg *err)
{
	char *list = fs__read_file(AT_FDCWD, path, NULL);
	struct cpumap *map;
	int error = errno;

	if (!list) {
		errmsg__set(err, error, "cannot read %s: %s", path, strerror(error));
		errno = error;
		return NULL;
	}
	list[strcspn(list, "\n")] = '\0';
	map = cpumap__parse(list, err);
	error = errno;
	if (!map)
		errmsg__prefix(err, "%s", path);
	free(list);
	errno = error;
	return map;
}

struct cpumap *cpumap__online(struct errmsg *err)
{
	return cpumap__read("/sys/devices/system/cpu/online", err);
}

bool cpumap__has(const struct cpumap *map, int cpu)
{
	int low = 0, high = map->nr - 1;

	while (low <= high) {
		int mid = low + (high - low) / 2;

		if (map->cpu[mid] == cpu)
			return true;
		if (map->cpu[mid] < cpu)
			low = mid + 1;
		else
			high = mid - 1;
	}
	return false;
}

struct cpumap *cpumap__possible(struct errmsg *err)
{
	return cpumap__read("/sys/devices/system/cpu/possible", err);
}

int cpumap__possible_count(void)
{
	struct cpumap *map = cpumap__possible(NULL);
	int nr;

	if (!map)
		return -errno;
	nr = map->nr;
	free(map);
	return nr;
}
