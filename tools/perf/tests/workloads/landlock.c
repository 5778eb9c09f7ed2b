// SPDX-License-Identifier: GPL-2.0
/* A system call with an enum among its arguments, for tracers: both calls fail, as no such file is open. */
#include "tests/workload.h"

#include <err.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445 /* Linux 5.13, the same on all architectures */
#endif

#define RULESET_FD 11
#define FLAGS 45

/* From linux/landlock.h, which older systems lack */
enum { PATH_BENEATH = 1, NET_PORT = 2 };

struct path_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

struct net_port {
	uint64_t allowed_access, port;
};

int workload_landlock(int argc, char **argv)
{
	const struct path_beneath path = { .allowed_access = 1 << 2 /* read files */, .parent_fd = 14 };
	const struct net_port net = { .allowed_access = 1 << 1 /* connect */, .port = 19 };

	if (argc) {
		warnx("unexpected argument '%s'", argv[0]);
		return 1;
	}
	syscall(SYS_landlock_add_rule, RULESET_FD, PATH_BENEATH, &path, FLAGS);
	syscall(SYS_landlock_add_rule, RULESET_FD, NET_PORT, &net, FLAGS);
	return 0;
}
