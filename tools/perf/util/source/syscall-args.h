/* SPDX-License-Identifier: GPL-2.0 */
/* What arguments of system calls mean beyond their types: constants with names, structs and buffers in memory, descriptors. */
#ifndef PERF_SOURCE_SYSCALL_ARGS_H
#define PERF_SOURCE_SYSCALL_ARGS_H

#include "util/bpf_skel/trace.h"
#include "util/source/syscall-names.h"

/* How copied memory is shown. */
enum syscall_shape {
	SYSCALL_SHAPE_TEXT, /* a string or bytes */
	SYSCALL_SHAPE_SOCKADDR,
	SYSCALL_SHAPE_TIMESPEC,
	SYSCALL_SHAPE_UTIMES, /* two of them, for utimensat(2) */
	SYSCALL_SHAPE_TIMEVAL,
	SYSCALL_SHAPE_ITIMERVAL,
	SYSCALL_SHAPE_ITIMERSPEC,
	SYSCALL_SHAPE_STAT,
	SYSCALL_SHAPE_STATX,
	SYSCALL_SHAPE_STATFS,
	SYSCALL_SHAPE_RLIMIT,
	SYSCALL_SHAPE_RUSAGE,
	SYSCALL_SHAPE_INT,   /* one or several */
	SYSCALL_SHAPE_UINT64,
	SYSCALL_SHAPE_OPTION, /* the value of a socket's option: a number, if it has the size of one */
	SYSCALL_SHAPE_STATUS, /* of wait(2) */
	SYSCALL_SHAPE_SIGSET,
	SYSCALL_SHAPE_SIGACTION,
	SYSCALL_SHAPE_SIGINFO,
	SYSCALL_SHAPE_POLLFD,
	SYSCALL_SHAPE_EPOLL_EVENT,
	SYSCALL_SHAPE_EPOLL_EVENTS,
	SYSCALL_SHAPE_UTSNAME,
	SYSCALL_SHAPE_SYSINFO,
	SYSCALL_SHAPE_DIRENT,
	SYSCALL_SHAPE_VECTOR,
	SYSCALL_SHAPE_MESSAGE,
	SYSCALL_SHAPE_STRINGS,
	SYSCALL_SHAPE_FLOCK,
	SYSCALL_SHAPE_CLONE_ARGS,
	SYSCALL_SHAPE_OPEN_HOW,
	SYSCALL_SHAPE_WINSIZE,
	SYSCALL_SHAPE_CPUS,
	SYSCALL_SHAPE_IO_URING,
};

struct syscall_arg_rule {
	const char *call; /* a glob; NULL: any call */
	const char *arg;  /* name in the format */
	const struct syscall_names *names; /* constants; NULL: none */
	u8 kind;	  /* enum syscall_arg_kind, if it is not what the type says; 0: it is */
	u8 shape;	  /* enum syscall_shape */
	const char *size; /* of copy.from TRACE_SIZE_ARG, TRACE_SIZE_POINTER, and vectors: the argument */
	struct trace_copy_rule copy; /* without arg and size */
};

/* The rules in their order; NULL: no more. The first one that matches counts. */
const struct syscall_arg_rule *syscall_arg_rule(unsigned int i);

#endif
