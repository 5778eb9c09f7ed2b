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
	SYSCALL_ARG_COMMAND, /* what a command says that is another argument: a number, or a pointer */
	SYSCALL_ARG_EITHER, /* a number or a pointer, and only the program knows which */
	SYSCALL_ARG_ID,	    /* of a user or a group; -1: none */
};

struct syscall_arg {
	char name[24], type[56]; /* as in the format */
	u8 kind;		 /* enum syscall_arg_kind */
	u8 size;		 /* bytes that count: 4 or 8 */
	u8 shape;		 /* enum syscall_shape, of what it points to */
	const struct syscall_names *names; /* of constants; NULL: it has none */
};

struct syscall_format {
	const char *name;	/* of the call */
	char like[32];		/* the call of 64-bit programs that means the same: itself, mmap for mmap2. Empty: there is none */
	bool known;		/* its arguments are */
	u8 nr_args;
	struct syscall_arg arg[TRACE_MAX_ARGS];
};

struct syscall_formats {
	struct syscall_format format[TRACE_MAX_CALLS]; /* by row; name NULL: there is no such call, or it is not wanted */
	struct trace_rule rule[TRACE_MAX_CALLS];
	u8 nr_fields; /* of rules, that the filter names */
};

/* wanted: TRACE_MAX_CALLS, by row. A call without a tracepoint has no known arguments. -ENOMEM */
int syscall_formats__new(const bool *wanted, struct syscall_formats **formats, struct errmsg *err);
/* "read", or "syscall_999" in buf */
#define SYSCALL_NAME_ROOM 24
const char *syscall_formats__name(const struct syscall_formats *formats, u32 nr, char *buf, size_t size);
void syscall_formats__delete(struct syscall_formats *formats);
/* Parse the text of a format file. false: it is none. */
bool syscall_format__parse(struct syscall_format *format, const char *text);

/*
 * The fields that filters of these calls can name: nr, ret, duration (ns), and the arguments of all of them. Sets in the rules which of them are those
 * that this filter (NULL: none) names; it is no error here if it is wrong. The caller owns the result. -E2BIG: they are too many
 */
int syscall_formats__fields(struct syscall_formats *formats, const char *filter, struct tracepoint **tp, struct errmsg *err);

#endif
