// SPDX-License-Identifier: GPL-2.0
/*
 * Creates BPF maps and closes them. The kernel frees each in a work of its own: bpf_map_free_deferred(). That of a map of sockets waits until no
 * reader is left.
 */
#include "tests/workload.h"

#include <err.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int workload_make_maps(int argc, char **argv)
{
	const bool sleeping = argc == 2 && !strcmp(argv[1], "sleeping");
	const long nr = argc == 1 || sleeping ? atol(argv[0]) : 0;
	union bpf_attr attr;

	if (nr < 1) {
		warnx("make_maps takes a number of maps, and \"sleeping\" for maps of sockets");
		return 1;
	}
	for (long i = 0; i < nr; i++) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.map_type = sleeping ? BPF_MAP_TYPE_SOCKMAP : BPF_MAP_TYPE_ARRAY;
		attr.key_size = attr.value_size = 4;
		attr.max_entries = 1;
		fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
		if (fd < 0) {
			warn("cannot create a map");
			return 1;
		}
		close(fd);
	}
	return 0;
}
