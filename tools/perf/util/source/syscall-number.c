// SPDX-License-Identifier: GPL-2.0
#include "util/source/syscall-number.h"

#include <asm/unistd.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "util/bpf_skel/trace.h"

struct syscall_row {
	const char *name;
	u32 number;
};

/* Generated from the headers, see Makefile.perf */
static const struct syscall_row syscalls[] = {
#include "util/source/syscall-numbers.inc"
	{}
};
static const struct syscall_row compat_syscalls[] = {
#include "util/source/syscall-compat-numbers.inc"
	{}
};

#define FIRST_COMMON 424

/*
 * Those that headers of older kernels lack. From FIRST_COMMON on, new calls have one number on all architectures, and for 32-bit programs, too:
 * include/uapi/asm-generic/unistd.h
 */
static const struct syscall_row newer_syscalls[] = {
#ifdef __x86_64__
	{ "uretprobe", 335 }, { "uprobe", 336 }, /* not of 32-bit programs, which have others there */
#endif
	{ "cachestat", 451 }, { "fchmodat2", 452 }, { "map_shadow_stack", 453 }, { "futex_wake", 454 }, { "futex_wait", 455 },
	{ "futex_requeue", 456 }, { "statmount", 457 }, { "listmount", 458 }, { "lsm_get_self_attr", 459 }, { "lsm_set_self_attr", 460 },
	{ "lsm_list_modules", 461 }, { "mseal", 462 }, { "setxattrat", 463 }, { "getxattrat", 464 }, { "listxattrat", 465 },
	{ "removexattrat", 466 }, { "open_tree_attr", 467 }, { "file_getattr", 468 }, { "file_setattr", 469 },
	{}
};

/* Tracepoints are named after the kernel's functions, most of which have the syscall's name. */
static const struct {
	const char *function, *name;
} others[] = {
	{ "newfstat", "fstat" }, { "newlstat", "lstat" }, { "newstat", "stat" }, { "newuname", "uname" },
	{ "sendfile64", "sendfile" }, { "umount", "umount2" },
};

static const char *find_name(const struct syscall_row *row, u32 number)
{
	while (row->name && row->number != number)
		row++;
	return row->name;
}

const char *syscall_name(u32 number)
{
	const bool compat = trace_is_compat(number);
	const u32 own = compat ? number - TRACE_COMPAT : number;
	const char *name = find_name(compat ? compat_syscalls : syscalls, own);

	if (name || (compat && (own < FIRST_COMMON || !compat_syscalls->name)))
		return name;
	return find_name(newer_syscalls, own);
}

const char *syscall_function(u32 number)
{
	const char *name = syscall_name(number);

	for (unsigned int i = 0; i < ARRAY_SIZE(others) && name && !trace_is_compat(number); i++) {
		if (!strcmp(others[i].name, name))
			return others[i].function;
	}
	return name;
}

static const struct syscall_row *find_row(const struct syscall_row *row, const char *name)
{
	while (row->name && strcmp(row->name, name))
		row++;
	return row->name ? row : NULL;
}

int syscall_number(const char *name)
{
	const struct syscall_row *row;

	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(others[i].function, name))
			name = others[i].name;
	}
	row = find_row(syscalls, name) ?: find_row(newer_syscalls, name);
	return row ? (int)row->number : -ENOENT;
}
