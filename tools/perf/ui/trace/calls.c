// SPDX-License-Identifier: GPL-2.0
#include "ui/trace/calls.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include "util/lib/text.h"
#include "util/lib/types.h"

#define RESULT_COLUMN 70 /* of the '=', counted from the call's name */

/* Results with which the kernel restarts a call: include/linux/errno.h */
static const char *const restarts[] = { "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD", "ERESTART_RESTARTBLOCK" };

const char *trace_error__name(int error, char *buf, size_t size)
{
	const char *name = strerrorname_np(error);

	if (!name && error >= 512 && error < 512 + (int)ARRAY_SIZE(restarts))
		name = restarts[error - 512];
	if (name)
		return name;
	snprintf(buf, size, "%d", error);
	return buf;
}

static const char *describe_error(int error)
{
	if (error >= 512 && error < 512 + (int)ARRAY_SIZE(restarts))
		return "interrupted by a signal";
	return strerror(error);
}

/* Arguments */

static void put_bytes(struct text *line, const char *bytes, const struct trace_copy *copy)
{
	text__char(line, '"');
	for (u32 i = 0; i < copy->size; i++) {
		const unsigned char c = bytes[i];

		if (c == '"' || c == '\\')
			text__printf(line, "\\%c", c);
		else if (c >= 0x20 && c < 0x7f)
			text__char(line, c);
		else if (c == '\n')
			text__str(line, "\\n");
		else
			text__printf(line, "\\x%02x", c);
	}
	text__str(line, copy->cut ? "\"..." : "\"");
}

static void put_value(struct text *line, const struct syscall_arg *arg, u64 value)
{
	switch (arg->kind) {
	case SYSCALL_ARG_POINTER:
		text__printf(line, value ? "%#" PRIx64 : "NULL", value);
		break;
	case SYSCALL_ARG_MODE:
		text__printf(line, "0%o", (u32)value);
		break;
	case SYSCALL_ARG_DIR:
		if ((s32)value == AT_FDCWD)
			text__str(line, "CWD");
		else
			text__printf(line, "%d", (s32)value);
		break;
	case SYSCALL_ARG_FD:
		text__printf(line, "%d", (s32)value);
		break;
	case SYSCALL_ARG_SIGNED:
		text__printf(line, "%" PRId64, arg->size == 4 ? (s64)(s32)value : (s64)value);
		break;
	default:
		text__printf(line, "%" PRIu64, arg->size == 4 ? (u64)(u32)value : value);
	}
}

/* *bytes: its bytes. NULL: the memory that this argument points to was not copied, or could not be read. */
static const struct trace_copy *find_copy(const struct trace_call *call, int arg, const char **bytes)
{
	const char *at = (const char *)(call + 1);

	for (int i = 0; i < call->nr_copies; i++) {
		const struct trace_copy *copy = &call->copy[i];

		*bytes = at;
		if (copy->arg == arg)
			return copy->cut && !copy->size ? NULL : copy;
		at += (copy->size + 7U) & ~7U;
	}
	return NULL;
}

/* As in other perfs, arguments of 0 are left out, unless 0 is a name: a descriptor. */
static bool is_shown(const struct syscall_arg *arg, u64 value)
{
	return value || arg->kind == SYSCALL_ARG_FD || arg->kind == SYSCALL_ARG_DIR;
}

static void put_args(struct text *line, const struct syscall_format *format, const struct trace_call *call)
{
	const char *bytes, *comma = "";

	for (int i = 0; i < format->nr_args; i++) {
		const struct syscall_arg *arg = &format->arg[i];
		const struct trace_copy *copy = find_copy(call, i, &bytes);

		if (!is_shown(arg, call->arg[i]))
			continue;
		text__printf(line, "%s%s: ", comma, arg->name);
		if (copy && (call->ret >= 0 || copy->size))
			put_bytes(line, bytes, copy);
		else
			put_value(line, arg, call->arg[i]);
		comma = ", ";
	}
}

static void put_call(struct text *line, const struct syscall_format *format, const struct trace_call *call)
{
	size_t begin = line->len;

	if (format->name)
		text__printf(line, "%s(", format->name);
	else
		text__printf(line, "syscall_%u(", call->nr);
	put_args(line, format, call);
	text__char(line, ')');
	do
		text__char(line, ' ');
	while (!line->failed && line->len - begin < RESULT_COLUMN);
}

/* Results */

static bool returns_address(const struct syscall_format *format)
{
	static const char *const names[] = { "mmap", "brk", "mremap", "shmat" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && format->name; i++) {
		if (!strcmp(format->name, names[i]))
			return true;
	}
	return false;
}

static void put_result(struct text *line, const struct syscall_format *format, const struct trace_call *call)
{
	char buf[16];

	if (call->state != TRACE_ENDED)
		text__str(line, "= ?");
	else if (call->ret < 0 && call->ret >= -TRACE_MAX_ERRNO)
		text__printf(line, "= -1 %s (%s)", trace_error__name(-call->ret, buf, sizeof(buf)), describe_error(-call->ret));
	else
		text__printf(line, returns_address(format) ? "= %#" PRIx64 : "= %" PRId64, (s64)call->ret);
	text__char(line, '\n');
}

static void put_head(struct trace_lines *lines, struct text *line, const struct trace_call *call)
{
	const u64 since = lines->full_time ? call->begin : call->begin > lines->first ? call->begin - lines->first : 0;

	text__printf(line, "%10.3f ", since / 1e6);
	if (call->state == TRACE_ENDED)
		text__printf(line, "(%6.3f ms): ", (call->end - call->begin) / 1e6);
	else
		text__str(line, "(         ): ");
	text__printf(line, "%.14s/%u ", call->comm, call->tid);
}

void trace_lines__print(struct trace_lines *lines, const struct trace_call *call)
{
	const struct syscall_format *format = &lines->formats->format[call->nr];
	struct text line = {};

	if (!lines->first)
		lines->first = call->begin;
	put_head(lines, &line, call);
	put_call(&line, format, call);
	put_result(&line, format, call);
	fwrite(line.buf, 1, line.len, lines->fp);
	text__exit(&line);
}
