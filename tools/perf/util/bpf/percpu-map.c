// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/percpu-map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/cpumap.h"

void *percpu_map__read(int map_fd, u32 key, size_t size, int *nr_cpus, const char *what, struct errmsg *err)
{
	void *values;
	int error;

	*nr_cpus = cpumap__possible_count();
	if (*nr_cpus < 0) {
		errno = -errmsg__set(err, -*nr_cpus, "cannot tell how many CPUs the system can have: %s", strerror(-*nr_cpus));
		return NULL;
	}
	values = calloc(*nr_cpus, size);
	if (!values) {
		errno = -errmsg__set(err, ENOMEM, "out of memory for counts");
		return NULL;
	}
	if (!bpf_map_lookup_elem(map_fd, &key, values))
		return values;
	error = -errmsg__set(err, errno, "cannot read %s: %s", what, strerror(errno));
	free(values);
	errno = error;
	return NULL;
}
