// SPDX-License-Identifier: GPL-2.0
#include "util/source/syscall-number.h"

#include <asm/unistd.h>
#include <errno.h>
#include <string.h>
#include "util/lib/types.h"

static const struct {
	const char *name;
	int number;
} syscalls[] = {
#include "util/source/syscall-numbers.inc" /* generated from <asm/unistd.h>, see Makefile.perf */
};

/* Tracepoints are named after the kernel's functions, most of which have the syscall's name. */
static const struct {
	const char *function, *name;
} others[] = {
	{ "newfstat", "fstat" }, { "newlstat", "lstat" }, { "newstat", "stat" }, { "newuname", "uname" },
	{ "sendfile64", "sendfile" }, { "umount", "umount2" },
};

const char *syscall_name(int number)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(syscalls); i++) {
		if (syscalls[i].number == number)
			return syscalls[i].name;
	}
	return NULL;
}

const char *syscall_function(int number)
{
	const char *name = syscall_name(number);

	for (unsigned int i = 0; i < ARRAY_SIZE(others) && name; i++) {
		if (!strcmp(others[i].name, name))
			return others[i].function;
	}
	return name;
}

int syscall_number(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(others[i].function, name))
			name = others[i].name;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(syscalls); i++) {
		if (!strcmp(syscalls[i].name, name))
			return syscalls[i].number;
	}
	return -ENOENT;
}
