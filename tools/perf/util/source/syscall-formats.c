// SPDX-License-Identifier: GPL-2.0
#include "util/source/syscall-formats.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/tp-field.h"
#include "util/filter/filter.h"
#include "util/lib/text.h"
#include "util/lib/types.h"
#include "util/source/syscall-args.h"
#include "util/source/syscall-compat.h"
#include "util/source/syscall-number.h"

/* Parsing formats */

static u8 kind_of(const struct syscall_arg *arg)
{
	if (strchr(arg->type, '*'))
		return SYSCALL_ARG_POINTER;
	if (!strcmp(arg->type, "umode_t"))
		return SYSCALL_ARG_MODE;
	if (!strcmp(arg->type, "uid_t") || !strcmp(arg->type, "gid_t"))
		return SYSCALL_ARG_ID;
	if (!strcmp(arg->type, "int") || !strcmp(arg->type, "long") || !strcmp(arg->type, "pid_t") || !strcmp(arg->type, "loff_t") ||
	    !strcmp(arg->type, "off_t") || !strcmp(arg->type, "s32") || !strcmp(arg->type, "__s32") || strstr(arg->type, "clockid_t"))
		return SYSCALL_ARG_SIGNED;
	return SYSCALL_ARG_UNSIGNED;
}

static u8 size_of(const char *type)
{
	static const char *const wide[] = { "long", "size_t", "*", "loff_t", "off_t", "u64", "aio_context_t", "cap_user" };

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++) {
		if (strstr(type, wide[i]))
			return 8;
	}
	return 4;
}

/* declaration: a type, a blank and a name. */
static void add_arg(struct syscall_format *format, const char *declaration, size_t len)
{
	struct syscall_arg *arg = &format->arg[format->nr_args];
	size_t type = len;

	while (type && declaration[type - 1] != ' ')
		type--;
	if (!type || format->nr_args == TRACE_MAX_ARGS)
		return;
	snprintf(arg->type, sizeof(arg->type), "%.*s", (int)type - 1, declaration);
	snprintf(arg->name, sizeof(arg->name), "%.*s", (int)(len - type), declaration + type);
	arg->kind = kind_of(arg);
	arg->size = size_of(arg->type);
	format->nr_args++;
}

/* Of a text that an argument points to, as Linux 6.19 copies it: "__data_loc char[] __filename_val". Types of arguments begin with __, too. */
static bool is_copied_text(const char *declaration, size_t len)
{
	const char *blank = memrchr(declaration, ' ', len);

	return blank && !strncmp(blank, " __", 3);
}

bool syscall_format__parse(struct syscall_format *format, const char *text)
{
	static const char field[] = "\tfield:";
	const char *line = strstr(text, "__syscall_nr;");

	format->nr_args = 0;
	if (!line)
		return false;
	while ((line = strstr(line, field))) {
		line += strlen(field);
		if (!is_copied_text(line, strcspn(line, ";")))
			add_arg(format, line, strcspn(line, ";"));
	}
	return true;
}

/* args: declarations with commas between them */
static void add_args(struct syscall_format *format, const char *args)
{
	while (*args) {
		const size_t len = strcspn(args, ",");

		add_arg(format, args, len);
		args += len + (args[len] == ',');
	}
	format->known = true;
}

/* number: of a call of 64-bit programs */
static void read_format(struct syscall_format *format, u32 number)
{
	char path[96], *text;

	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", syscall_function(number));
	text = tracefs__read(path, NULL);
	if (text)
		format->known = syscall_format__parse(format, text);
	else if (!strcmp(format->name, "arch_prctl")) /* this one has no tracepoint */
		add_args(format, "int option,unsigned long addr");
	if (!strcmp(format->name, "rt_sigreturn")) /* it is on the stack, where the programs look */
		add_args(format, "sigset_t * mask");
	free(text);
}

static void make_compat_format(struct syscall_format *format)
{
	struct syscall_compat compat;
	int number;

	syscall_compat__find(format->name, &compat);
	snprintf(format->like, sizeof(format->like), "%s", compat.like);
	number = syscall_number(compat.like);
	if (compat.args)
		add_args(format, compat.args);
	else if (number >= 0)
		read_format(format, number);
	for (int i = 0; i < format->nr_args; i++)
		format->arg[i].size = 4;
}

static void make_format(struct syscall_format *format, u32 number)
{
	if (trace_is_compat(number)) {
		make_compat_format(format);
		return;
	}
	snprintf(format->like, sizeof(format->like), "%s", format->name);
	read_format(format, number);
}

/* Rules */

static int find_arg(const struct syscall_format *format, const char *name)
{
	for (int i = 0; i < format->nr_args && name; i++) {
		if (!strcmp(format->arg[i].name, name))
			return i;
	}
	return -1;
}

static const struct syscall_arg_rule *find_rule(const struct syscall_format *format, const struct syscall_arg *arg)
{
	const struct syscall_arg_rule *rule;

	for (unsigned int i = 0; (rule = syscall_arg_rule(i)); i++) {
		if (*rule->arg == *arg->name && !strcmp(rule->arg, arg->name) && (!rule->call || !fnmatch(rule->call, format->like, 0)))
			return rule;
	}
	return NULL;
}

static void add_copy(struct trace_rule *rule, const struct trace_copy_rule *copy, int arg, int size)
{
	struct trace_copy_rule *to;

	if (copy->kind == TRACE_COPY_FILE && !copy->early) {
		if (rule->nr_fds < TRACE_MAX_FDS)
			rule->fd[rule->nr_fds++] = arg;
		return;
	}
	if (rule->nr_copies == TRACE_MAX_COPIES)
		return;
	to = &rule->copy[rule->nr_copies++];
	*to = *copy;
	to->arg = arg;
	to->size = size < 0 ? 0 : size;
	rule->early |= copy->early;
}

#define FIRST_WIDE_COMPAT (TRACE_COMPAT | 403) /* 32-bit programs: from this number on times have 64 bits */

/* Do 32-bit programs have the same in memory? */
static bool is_same_in_compat(const struct syscall_arg_rule *found, u32 number)
{
	if (found->copy.kind == TRACE_COPY_FILE || found->copy.kind == TRACE_COPY_STRING)
		return true;
	if (found->copy.kind != TRACE_COPY_BYTES)
		return false;
	switch (found->shape) {
	case SYSCALL_SHAPE_TEXT:
	case SYSCALL_SHAPE_SOCKADDR:
	case SYSCALL_SHAPE_STATX:
	case SYSCALL_SHAPE_INT:
	case SYSCALL_SHAPE_STATUS:
	case SYSCALL_SHAPE_SIGSET:
	case SYSCALL_SHAPE_POLLFD:
	case SYSCALL_SHAPE_EPOLL_EVENT:
	case SYSCALL_SHAPE_EPOLL_EVENTS:
	case SYSCALL_SHAPE_UTSNAME:
	case SYSCALL_SHAPE_CLONE_ARGS:
	case SYSCALL_SHAPE_OPEN_HOW:
	case SYSCALL_SHAPE_WINSIZE:
	case SYSCALL_SHAPE_CPUS:
	case SYSCALL_SHAPE_IO_URING:
		return true;
	case SYSCALL_SHAPE_UINT64: /* of lseek: the result of _llseek */
		return strcmp(found->call, "sendfile") || number == (TRACE_COMPAT | 239) /* sendfile64 */;
	case SYSCALL_SHAPE_RLIMIT:
		return !strcmp(found->call, "prlimit64");
	case SYSCALL_SHAPE_DIRENT:
		return number == (TRACE_COMPAT | 220); /* getdents64 */
	case SYSCALL_SHAPE_TIMESPEC:
	case SYSCALL_SHAPE_UTIMES:
	case SYSCALL_SHAPE_ITIMERSPEC:
		return number >= FIRST_WIDE_COMPAT;
	default:
		return false;
	}
}

static void settle_arg(struct syscall_format *format, int i, u32 number, struct trace_rule *rule)
{
	static const struct trace_copy_rule string = { .kind = TRACE_COPY_STRING }, peer = { .kind = TRACE_COPY_PEER, .limit = 128 };
	struct syscall_arg *arg = &format->arg[i];
	const struct syscall_arg_rule *found = find_rule(format, arg);

	if (found) {
		arg->names = found->names;
		arg->shape = found->shape;
		arg->kind = found->kind ?: arg->kind;
	}
	if (found && found->copy.kind && trace_is_compat(number) && !is_same_in_compat(found, number))
		return;
	if (found && found->copy.kind)
		add_copy(rule, &found->copy, i, find_arg(format, found->size));
	else if (!strcmp(arg->type, "const char *"))
		add_copy(rule, &string, i, -1);
	if (found && found->copy.kind == TRACE_COPY_MESSAGE)
		add_copy(rule, &peer, i, -1);
}

static void make_rule(struct syscall_format *format, u32 number, struct trace_rule *rule)
{
	for (int i = 0; i < format->nr_args; i++)
		settle_arg(format, i, number, rule);
}

/* The programs look at the row of the bare number first, and at the end of a successful exec find execve, of the ABI of what runs now. */
static void want(struct trace_rule *rules, u32 row)
{
	rules[row].wanted |= TRACE_WANTED;
	if (row >= TRACE_ABI_CALLS)
		rules[row - TRACE_ABI_CALLS].wanted |= TRACE_WANTED_COMPAT;
	if (!trace_is_exec(trace_row_number(row)))
		return;
	for (u32 i = 0; i < TRACE_ABI_CALLS; i++) {
		if (trace_is_execve(i) || trace_is_execve(TRACE_COMPAT | i))
			rules[i].wanted |= TRACE_WANTED_END;
	}
}

int syscall_formats__new(const bool *wanted, struct syscall_formats **formatsp, struct errmsg *err)
{
	struct syscall_formats *formats = calloc(1, sizeof(*formats));

	if (!formats)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		struct syscall_format *format = &formats->format[i];
		const u32 number = trace_row_number(i);

		if (!wanted[i])
			continue;
		format->name = syscall_name(number);
		want(formats->rule, i);
		if (!format->name)
			continue;
		make_format(format, number);
		make_rule(format, number, &formats->rule[i]);
	}
	*formatsp = formats;
	return 0;
}

/* Programs of x32, which few kernels know, set a high bit in the numbers. */
const char *syscall_formats__name(const struct syscall_formats *formats, u32 nr, char *buf, size_t size)
{
	const char *name = formats->format[trace_row(nr)].name;

	if (name)
		return name;
	if (trace_is_compat(nr))
		snprintf(buf, size, "syscall32_%u", nr - TRACE_COMPAT);
	else
		snprintf(buf, size, (s32)nr >= 1 << 30 ? "syscall_%#x" : "syscall_%d", nr);
	return buf;
}

void syscall_formats__delete(struct syscall_formats *formats)
{
	free(formats);
}

/* Fields of filters */

struct filter_arg {
	const char *name, *type;
	bool is_signed; /* in some call */
	int slot; /* where the programs put it; -1: the filter does not name it */
};

struct filter_args {
	struct filter_arg *arg;
	unsigned int nr, nr_slots;
};

static bool is_text(const char *type)
{
	return strchr(type, '*') && strstr(type, "char");
}

static bool has_sign(const struct syscall_arg *arg)
{
	return arg->kind == SYSCALL_ARG_SIGNED || arg->kind == SYSCALL_ARG_FD || arg->kind == SYSCALL_ARG_DIR;
}

static bool is_narrow(const struct syscall_arg *arg)
{
	return arg->size == 4 || arg->kind == SYSCALL_ARG_FD || arg->kind == SYSCALL_ARG_DIR;
}

static u8 field_of(const struct syscall_format *format, int arg)
{
	const struct syscall_arg *a = &format->arg[arg];

	return (1 + arg) | (is_narrow(a) ? TRACE_FIELD_NARROW : 0) | (has_sign(a) ? TRACE_FIELD_SIGNED : 0);
}

/* pid, uid, mode and the like are terms, as in all filters. */
static void add_filter_arg(struct filter_args *args, const struct syscall_arg *arg)
{
	if (filter__has_task_term(arg->name))
		return;
	for (unsigned int i = 0; i < args->nr; i++) {
		if (strcmp(args->arg[i].name, arg->name))
			continue;
		if (is_text(arg->type))
			args->arg[i].type = arg->type;
		args->arg[i].is_signed |= has_sign(arg);
		return;
	}
	args->arg[args->nr++] = (struct filter_arg){ arg->name, arg->type, has_sign(arg), -1 };
}

static int take_test(void *data, const char *name, unsigned int len)
{
	struct filter_args *args = data;

	for (unsigned int i = 0; i < args->nr; i++) {
		struct filter_arg *arg = &args->arg[i];

		if (arg->slot < 0 && strlen(arg->name) == len && !memcmp(arg->name, name, len))
			arg->slot = args->nr_slots++;
	}
	return 0;
}

/* A filter that is wrong is reported when it is compiled. */
static int find_slots(struct filter_args *args, const char *filter, struct errmsg *err)
{
	struct filter *parsed;
	struct errmsg why;

	if (!filter || filter__parse(filter, &parsed, &why))
		return 0;
	filter__for_each_test(parsed, take_test, args);
	filter__delete(parsed);
	if (args->nr_slots > TRACE_MAX_ARGS)
		return errmsg__set(err, E2BIG, "the filter names %u different arguments, and %d is the limit", args->nr_slots, TRACE_MAX_ARGS);
	return 0;
}

/* An argument is the one of the filter if both are texts, or none is. */
static void fill_rules(struct syscall_formats *formats, const struct filter_args *args)
{
	for (unsigned int i = 0; i < args->nr; i++) {
		const struct filter_arg *arg = &args->arg[i];

		for (int row = 0; row < TRACE_MAX_CALLS && arg->slot >= 0; row++) {
			const int found = find_arg(&formats->format[row], arg->name);

			if (found >= 0 && is_text(formats->format[row].arg[found].type) == is_text(arg->type))
				formats->rule[row].field[arg->slot] = field_of(&formats->format[row], found);
		}
	}
}

#define FIRST_SLOT 32 /* offset in the record */

static const char fields_head[] =
	"name: sys_enter_traced\nID: 0\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long nr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:" TP_FIELD_TIME_TYPE " duration;\toffset:24;\tsize:8;\tsigned:0;\n";

static int make_tracepoint(const struct filter_args *args, struct tracepoint **tp)
{
	struct text text = {};
	int ret = -ENOMEM;

	text__str(&text, fields_head);
	for (unsigned int i = 0; i < args->nr; i++) {
		const struct filter_arg *arg = &args->arg[i];

		text__printf(&text, "\tfield:%s %s;\toffset:%d;\tsize:8;\tsigned:%d;\n", arg->type, arg->name,
			     FIRST_SLOT + 8 * (arg->slot < 0 ? TRACE_MAX_ARGS : arg->slot), arg->is_signed && !is_text(arg->type));
	}
	text__str(&text, "\nprint fmt: \"%lx\", REC->nr\n");
	text__char(&text, '\0');
	if (!text.failed)
		ret = tracepoint__of_format("syscalls", "sys_enter_traced", text.buf, tp);
	text__exit(&text);
	if (!ret)
		tracepoint__guard_fields(*tp, FIRST_SLOT);
	return ret;
}

int syscall_formats__fields(struct syscall_formats *formats, const char *filter, struct tracepoint **tp, struct errmsg *err)
{
	struct filter_args args = { .arg = calloc(TRACE_MAX_CALLS * TRACE_MAX_ARGS, sizeof(*args.arg)) };
	int ret;

	if (!args.arg)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		for (int j = 0; j < formats->format[i].nr_args; j++)
			add_filter_arg(&args, &formats->format[i].arg[j]);
	}
	ret = find_slots(&args, filter, err);
	if (!ret) {
		formats->nr_fields = args.nr_slots;
		fill_rules(formats, &args);
		ret = make_tracepoint(&args, tp);
		if (ret)
			errmsg__set(err, -ret, "cannot describe system calls for filters: %s", strerror(-ret));
	}
	free(args.arg);
	return ret;
}
