// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/first-namespace.h"

#include <sys/stat.h>

/* include/linux/proc_ns.h */
#define PROC_USER_INIT_INO 0xeffffffdU
#define PROC_PID_INIT_INO 0xeffffffcU

static bool is(const char *path, ino_t first)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == first;
}

bool pid_namespace__is_first(void)
{
	return is("/proc/self/ns/pid", PROC_PID_INIT_INO);
}

bool user_namespace__is_first(void)
{
	return is("/proc/self/ns/user", PROC_USER_INIT_INO);
}
