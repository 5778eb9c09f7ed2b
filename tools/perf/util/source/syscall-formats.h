/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of system calls: names and types from the kernel's formats of their tracepoints, and what programs copy of the memory
 * that they point to.
 */
#ifndef PERF_SOURCE_SYSCALL_FORMATS_H
#define PERF_SOURCE_SYSCALL_FORMATS_H

#include <stdbool.h>
#include "util/bpf_skel/trace.h"
#include "util/event/tracepoint.h"
#include "util/lib/errmsg.h"
#include "util/source/syscall-names.h"

enum syscall_arg_kind {
	SYSCALL_ARG_UNSIGNED,
	SYSCALL_ARG_SIGNED, /* of `size` bytes */
	SYSCALL_ARG_POINTER,
	SYSCALL_ARG_FD,	    /* a file descriptor */
	SYSCALL_ARG_DIR,    /* the same, of a directory, or AT_FDCWD */
	SYSCALL_ARG_MODE,   /* permissions */
	SYSCALL_ARG_ADDRESS, /* a pointer of another type */
	SYSCALL_ARG_FCNTL,  /* what the command of fcntl(2) says */
};

struct syscall_arg {
	char name[24], type[40]; /* as in the format */
	u8 kind;		 /* enum syscall_arg_kind */
	u8 size;		 /* bytes that count: 4 or 8 */
	u8 shape;		 /* enum syscall_shape, of what it points to */
	const struct syscall_names *names; /* of constants; NULL: it has none */
};

struct syscall_format {
	const char *name;	/* of the call */
	bool known;		/* its arguments are */
	u8 nr_args;
	struct syscall_arg arg[TRACE_MAX_ARGS];
};

struct syscall_formats {
	struct syscall_format format[TRACE_MAX_CALLS]; /* by trace_row(); name NULL: there is no such call, or it is not wanted */
	struct trace_rule rule[TRACE_MAX_CALLS];
};

/* wanted: TRACE_MAX_CALLS, by number. A call without a tracepoint has no known arguments. -ENOMEM */
int syscall_formats__new(const bool *wanted, struct syscall_formats **formats, struct errmsg *err);
/* "read", or "syscall_999" in buf */
#define SYSCALL_NAME_ROOM 24
const char *syscall_formats__name(const struct syscall_formats *formats, u32 nr, char *buf, size_t size);
void syscall_formats__delete(struct syscall_formats *formats);
/* Parse the text of a format file. false: it is none. */
bool syscall_format__parse(struct syscall_format *format, const char *text);

/*
 * The fields that filters of these calls can name: nr, ret, duration (ns), and the arguments that have the same place in all calls that
 * have them. The caller owns the result.
 */
int syscall_formats__fields(const struct syscall_formats *formats, struct tracepoint **tp, struct errmsg *err);

#endif
