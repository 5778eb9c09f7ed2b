// SPDX-License-Identifier: GPL-2.0
#include "ui/trace/calls.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <inttypes.h>
#include <string.h>
#include "ui/trace/commands.h"
#include "util/bpf/kernel-btf.h"
#include "util/lib/text.h"
#include "util/lib/types.h"
#include "util/source/trace-opts.h"

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

static void put_hex(struct text *line, u64 value)
{
	text__str(line, "0x");
	text__hex(line, value, 0);
}

/* Above 32 bits it is an address, or so large that nobody reads it. */
static void put_number(struct text *line, u64 value)
{
	if (value >> 32)
		put_hex(line, value);
	else
		text__unsigned(line, value, 0, ' ');
}

static void put_address(struct text *line, u64 value)
{
	if (value)
		put_hex(line, value);
	else
		text__str(line, "NULL");
}

#define FIRST_ADDRESS 65536 /* vm.mmap_min_addr: no program has memory below */

static void put_plain(struct text *line, const struct trace_style *style, const struct syscall_arg *arg, u64 value)
{
	switch (arg->kind) {
	case SYSCALL_ARG_POINTER:
	case SYSCALL_ARG_ADDRESS:
		put_address(line, value);
		break;
	case SYSCALL_ARG_EITHER:
		if ((arg->size == 4 ? (u32)value : value) >= FIRST_ADDRESS)
			put_hex(line, arg->size == 4 ? (u32)value : value);
		else
			text__unsigned(line, value, 0, ' ');
		break;
	case SYSCALL_ARG_ID:
		text__signed(line, (u32)value == (u32)-1 ? -1 : (s64)(u32)value, 0);
		break;
	case SYSCALL_ARG_MODE:
		text__printf(line, "%#o", (u32)value);
		break;
	case SYSCALL_ARG_DIR:
	case SYSCALL_ARG_FD:
		if (arg->kind == SYSCALL_ARG_DIR && (s32)value == AT_FDCWD)
			text__str(line, style->prefixes ? "AT_FDCWD" : "CWD");
		else
			text__signed(line, (s32)value, 0);
		break;
	case SYSCALL_ARG_SIGNED:
		text__signed(line, arg->size == 4 ? (s64)(s32)value : (s64)value, 0);
		break;
	default:
		put_number(line, arg->size == 4 ? (u32)value : value);
	}
}

/* Copies of the arguments. If an argument has two, the whole one counts, or the first of two whole ones. */
struct copies {
	const struct trace_copy *of[TRACE_MAX_ARGS];
	const struct trace_copy *peer; /* the address in a message */
};

static void find_copies(const struct trace_call *call, struct copies *copies)
{
	const char *at = (const char *)(call + 1);

	*copies = (struct copies){};
	for (int i = 0; i < call->nr_copies; i++) {
		const struct trace_copy *copy = (const void *)at, **of = &copies->of[copy->arg];

		at += sizeof(*copy) + ((copy->size + 7U) & ~7U);
		if (copy->kind == TRACE_COPY_PEER)
			copies->peer = copy;
		else if (!*of || ((*of)->cut && !copy->cut))
			*of = copy;
	}
}

/* false: there is nothing to show; show the address instead. */
static bool put_copy(const struct trace_lines *lines, struct text *line, const struct syscall_arg *arg, const struct trace_copy *copy)
{
	const char *bytes = (const char *)(copy + 1);

	if (copy->cut && !copy->size)
		return false;
	if (copy->kind != TRACE_COPY_BYTES || arg->shape != SYSCALL_SHAPE_TEXT || !lines->style.no_names)
		return trace_values__shape(line, &lines->style, arg->shape, bytes, copy->size, copy->cut);
	trace_values__escaped(line, bytes, copy->size);
	text__str(line, copy->cut ? "..." : "");
	return true;
}

static const struct syscall_names *socket_options(u64 level)
{
	switch ((u32)level) {
	case SOL_SOCKET:
		return &syscall_names_socket_option;
	case IPPROTO_IP:
		return &syscall_names_ip_option;
	case IPPROTO_IPV6:
		return &syscall_names_ipv6_option;
	case IPPROTO_TCP:
		return &syscall_names_tcp_option;
	default:
		return NULL;
	}
}

/* The constants of setsockopt(2) depend on the level. */
static const struct syscall_names *names_of(const struct syscall_arg *arg, const struct trace_command *command, const struct trace_call *call, int i)
{
	if (arg->names == &syscall_names_socket_option)
		return socket_options(call->arg[1]);
	return trace_command__names(command, i) ?: arg->names;
}

/* What a number that is an address for some commands points to was copied for all of them. */
static bool points_to_copy(const struct syscall_arg *arg, const struct trace_command *command, int i)
{
	return arg->kind != SYSCALL_ARG_COMMAND || trace_command__points(command, i);
}

static void put_uncopied(struct text *line, const struct trace_style *style, const struct syscall_arg *arg, const struct trace_command *command,
			 u64 value, int i)
{
	if (trace_command__points(command, i))
		put_address(line, arg->size == 4 ? (u32)value : value);
	else
		put_plain(line, style, arg, value);
}

static void put_value(const struct trace_lines *lines, struct text *line, const struct syscall_arg *arg, const struct copies *copies,
		      const struct trace_command *command, const struct trace_call *call, int i)
{
	const struct syscall_names *names = names_of(arg, command, call, i);
	const struct trace_copy *copy = copies->of[i];
	const u64 value = call->arg[i];
	const size_t begin = line->len;

	if (names && (value || !lines->style.no_names)) {
		trace_values__names(line, &lines->style, names, arg->size == 4 ? (u32)value : value);
		return;
	}
	if (copy && copy->kind != TRACE_COPY_FILE && points_to_copy(arg, command, i) && put_copy(lines, line, arg, copy)) {
		if (arg->shape == SYSCALL_SHAPE_MESSAGE && copies->peer && copies->peer->size) {
			text__str(line, lines->style.no_names ? "," : ", .name: ");
			trace_values__shape(line, &lines->style, SYSCALL_SHAPE_SOCKADDR, (const char *)(copies->peer + 1), copies->peer->size, false);
		}
		return;
	}
	line->len = begin;
	put_uncopied(line, &lines->style, arg, command, value, i);
	if (copy && copy->kind == TRACE_COPY_FILE && !lines->style.no_names)
		trace_values__file(line, (const char *)(copy + 1), copy->size);
}

/* As in other perfs, arguments of 0 are left out, unless 0 is a name. */
static bool is_shown(const struct trace_lines *lines, const struct syscall_arg *arg, const struct syscall_names *names, u64 value)
{
	if (arg->size == 4)
		value = (u32)value;
	if (value || lines->style.zeros || lines->style.no_names || arg->kind == SYSCALL_ARG_FD || arg->kind == SYSCALL_ARG_DIR)
		return true;
	return names && syscall_names__find(names, 0);
}

/* Some arguments count only with others: the mode of a file that is made. */
static bool is_used(const struct syscall_format *format, const struct trace_call *call, int i)
{
	if (format->arg[i].kind == SYSCALL_ARG_MODE && i > 0 && format->name && strstr(format->name, "open") && format->arg[i - 1].names)
		return call->arg[i - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
	return true;
}

static void put_args(const struct trace_lines *lines, struct text *line, const struct syscall_format *format, const struct trace_call *call)
{
	const struct trace_command *command = trace_command__find(format, call);
	const char *comma = "";
	struct copies copies;

	find_copies(call, &copies);
	for (int i = 0; i < format->nr_args && !call->no_args; i++) {
		const struct syscall_arg *arg = &format->arg[i];

		if (!trace_command__uses(command, i) || !is_used(format, call, i) ||
		    !is_shown(lines, arg, names_of(arg, command, call, i), call->arg[i]))
			continue;
		text__str(line, comma);
		if (!lines->style.no_names) {
			text__str(line, arg->name);
			text__str(line, ": ");
		}
		put_value(lines, line, arg, &copies, command, call, i);
		comma = ", ";
	}
}

static void put_call(const struct trace_lines *lines, struct text *line, const struct syscall_format *format, const struct trace_call *call)
{
	const size_t begin = line->len;
	char name[SYSCALL_NAME_ROOM];
	size_t len;

	if (call->begun != TRACE_BEGIN_SEEN)
		text__str(line, "... [continued]: ");
	text__str(line, syscall_formats__name(lines->formats, call->nr, name, sizeof(name)));
	text__char(line, '(');
	put_args(lines, line, format, call);
	text__char(line, ')');
	len = line->len - begin;
	text__str_right(line, "", len < lines->style.column ? lines->style.column - len : 1);
}

/* Results */

static bool returns_address(const struct syscall_format *format)
{
	static const char *const names[] = { "mmap", "brk", "mremap", "shmat" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(format->like, names[i]))
			return true;
	}
	return false;
}

/* Flags, or a constant: the names follow the number. */
static void put_named_result(struct text *line, const struct trace_style *style, const struct syscall_names *names, s64 ret)
{
	text__signed(line, ret, 0);
	if (!ret && !syscall_names__find(names, 0))
		return;
	text__str(line, " (");
	trace_values__names(line, style, names, ret);
	text__char(line, ')');
}

static void put_number_result(struct text *line, const struct trace_style *style, const struct syscall_format *format, const struct trace_call *call)
{
	const struct syscall_names *names = call->no_args ? NULL : trace_command__result(trace_command__find(format, call));
	const s64 ret = call->ret;

	text__str(line, "= ");
	if (returns_address(format))
		text__printf(line, "%#" PRIx64, ret);
	else if (names)
		put_named_result(line, style, names, ret);
	else if (!strcmp(format->like, "umask"))
		text__printf(line, "%#" PRIo64, ret);
	else
		text__signed(line, ret, 0);
}

static void put_result(const struct trace_lines *lines, struct text *line, const struct syscall_format *format, const struct trace_call *call)
{
	char buf[16];

	if (call->state == TRACE_SIGSYS)
		text__str(line, "= ? SIGSYS");
	else if (call->state != TRACE_ENDED)
		text__str(line, "= ?");
	else if (trace_call__failed(call))
		text__printf(line, "= -1 %s (%s)", trace_error__name(-call->ret, buf, sizeof(buf)), describe_error(-call->ret));
	else
		put_number_result(line, &lines->style, format, call);
	if (call->by_seccomp)
		text__str(line, call->state == TRACE_SIGSYS || trace_call__failed(call) ? ", denied by seccomp" : ", answered by seccomp");
	text__char(line, '\n');
}

#define NO_DURATION "(         ): "

/* As %*.3f of milliseconds */
static void put_ms(struct text *line, u64 ns, u32 width)
{
	const u64 us = (ns + 500) / 1000;

	text__unsigned(line, us / 1000, width - strlen(".000"), ' ');
	text__char(line, '.');
	text__digits(line, us % 1000, 3);
}

static void put_time(const struct trace_lines *lines, struct text *line, u64 time)
{
	const u64 since = lines->full_time ? time : time > lines->first ? time - lines->first : 0;

	if (lines->style.no_time)
		return;
	put_ms(line, since, 10);
	text__char(line, ' ');
}

static void put_task(const struct trace_lines *lines, struct text *line, const char *comm, u32 tid, u32 cpu)
{
	if (lines->style.cpu)
		text__printf(line, "[%03u] ", cpu);
	if (!lines->style.no_comm) {
		trace_values__escaped(line, comm, strnlen(comm, 14));
		text__char(line, '/');
	}
	text__unsigned(line, tid, 0, ' ');
	text__char(line, ' ');
}

static void put_head(const struct trace_lines *lines, struct text *line, const struct trace_call *call)
{
	put_time(lines, line, call->begin);
	if (!lines->style.no_duration && call->state == TRACE_ENDED && call->begun != TRACE_BEGIN_NONE) {
		text__char(line, '(');
		put_ms(line, call->end - call->begin, 6);
		text__str(line, " ms): ");
	} else if (!lines->style.no_duration) {
		text__str(line, NO_DURATION);
	}
	put_task(lines, line, call->comm, call->tid, call->cpu);
}

/* Other events */

void trace_lines__add_fault(const struct trace_lines *lines, struct text *line, u64 time, const char *comm, u32 tid, u32 cpu)
{
	put_time(lines, line, time);
	if (!lines->style.no_duration)
		text__str(line, "( 0.000 ms): ");
	put_task(lines, line, comm, tid, cpu);
}

struct field_list {
	const struct trace_lines *lines;
	const struct tp_formats *formats;
	struct text *line;
	bool some;
};

/* "enum hrtimer_mode", also behind const */
static const char *name_of_enum(const struct tp_field *field)
{
	const char *type = strstr(field->type, "enum ");

	return type && !strchr(type, '*') ? kernel_btf__enum_name(type + strlen("enum "), field->number) : NULL;
}

static void put_field_value(const struct field_list *list, struct text *line, const struct tp_field *field);

/* As much of an array as fits in a line of text */
#define MAX_ELEMENTS 32

static void put_elements(const struct field_list *list, struct text *line, const struct tp_field *array)
{
	text__char(line, '[');
	for (u32 i = 0; i < array->nr_elements; i++) {
		struct tp_field element;

		text__str(line, i ? ", " : "");
		if (i == MAX_ELEMENTS) {
			text__str(line, "...");
			break;
		}
		tp_formats__element(list->formats, array, i, &element);
		put_field_value(list, line, &element);
	}
	text__char(line, ']');
}

/* As the argument's type says: perf-probe(1). false: it says nothing of numbers */
static bool put_by_type(struct text *line, const struct tp_field *field)
{
	const char byte = field->number;

	switch (field->conversion) {
	case 'c':
		text__char(line, '\'');
		trace_values__escaped(line, &byte, 1);
		text__char(line, '\'');
		return true;
	case 'd': case 'i':
		text__printf(line, "%" PRId64, (s64)field->number);
		return true;
	case 'u':
		text__printf(line, "%" PRIu64, field->number);
		return true;
	case 'x':
		put_hex(line, field->number);
		return true;
	default:
		return false;
	}
}

static void put_field_number(struct text *line, const struct tp_field *field)
{
	if (put_by_type(line, field))
		return;
	if (field->is_signed)
		text__printf(line, "%" PRId64, (s64)field->number);
	else
		text__printf(line, field->is_address || field->number >> 32 ? "%#" PRIx64 : "%" PRIu64, field->number);
}

static void put_field_value(const struct field_list *list, struct text *line, const struct tp_field *field)
{
	if (field->is_fault)
		text__str(line, "(fault)"); /* in the kernel's words */
	else if (field->is_text)
		trace_values__quoted(line, (const char *)field->bytes, strnlen((const char *)field->bytes, field->size), false);
	else if (field->nr_elements)
		put_elements(list, line, field);
	else if (!field->is_number)
		trace_values__quoted(line, (const char *)field->bytes, field->size > 32 ? 32 : field->size, field->size > 32);
	else
		put_field_number(line, field);
}

static int put_field(void *arg, const struct tp_field *field)
{
	struct field_list *list = arg;
	struct text *line = list->line;
	const char *name = field->is_number ? name_of_enum(field) : NULL;

	if (!strncmp(field->name, "__", 2) || (field->is_number && !field->number && !name && !list->lines->style.zeros))
		return 0;
	text__str(line, list->some ? ", " : "");
	if (!list->lines->style.no_names)
		text__printf(line, "%s: ", field->name);
	list->some = true;
	if (name)
		text__str(line, name);
	else
		put_field_value(list, line, field);
	return 0;
}

static void put_fields(const struct trace_lines *lines, struct text *line, const struct trace_event *event)
{
	struct field_list list = { .lines = lines, .formats = event->formats, .line = line };
	const char *text;
	size_t len;

	if (!lines->style.traceevent) {
		tp_formats__for_each_value(event->formats, event->raw, event->raw_size, put_field, &list);
		return;
	}
	text = tp_formats__text(event->formats, event->raw, event->raw_size, event->cpu, &len);
	if (text)
		text__put(line, text, len);
}

void trace_lines__add_event(const struct trace_lines *lines, struct text *line, const struct trace_event *event)
{
	put_time(lines, line, event->time);
	if (lines->calls && !lines->style.no_duration)
		text__str(line, NO_DURATION);
	put_task(lines, line, event->comm, event->tid, event->cpu);
	text__printf(line, "%s(", event->name);
	if (event->raw && event->formats)
		put_fields(lines, line, event);
	text__str(line, ")\n");
}

/* Calls */

void trace_lines__add(struct trace_lines *lines, struct text *line, const struct trace_call *call)
{
	const struct syscall_format *format = &lines->formats->format[trace_row(call->nr)];

	if (!lines->first)
		lines->first = call->begin;
	put_head(lines, line, call);
	put_call(lines, line, format, call);
	put_result(lines, line, format, call);
}
