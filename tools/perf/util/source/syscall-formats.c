// SPDX-License-Identifier: GPL-2.0
#include "util/source/syscall-formats.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/text.h"
#include "util/lib/types.h"
#include "util/source/syscall-args.h"
#include "util/source/syscall-number.h"

/* Parsing formats */

static u8 kind_of(const struct syscall_arg *arg)
{
	if (strchr(arg->type, '*'))
		return SYSCALL_ARG_POINTER;
	if (!strcmp(arg->type, "umode_t"))
		return SYSCALL_ARG_MODE;
	if (!strcmp(arg->type, "int") || !strcmp(arg->type, "long") || !strcmp(arg->type, "pid_t") || !strcmp(arg->type, "loff_t") ||
	    !strcmp(arg->type, "off_t") || !strcmp(arg->type, "s32") || strstr(arg->type, "clockid_t"))
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

bool syscall_format__parse(struct syscall_format *format, const char *text)
{
	static const char field[] = "\tfield:";
	const char *line = strstr(text, "__syscall_nr;");

	format->nr_args = 0;
	if (!line)
		return false;
	while ((line = strstr(line, field))) {
		line += strlen(field);
		if (strncmp(line, "__", 2) && !memmem(line, strcspn(line, ";"), "_val", 4)) /* Linux 6.19: copies of texts */
			add_arg(format, line, strcspn(line, ";"));
	}
	return true;
}

static void read_format(struct syscall_format *format, int number)
{
	char path[96], *text;

	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", syscall_function(number));
	text = tracefs__read(path, NULL);
	if (text) {
		format->known = syscall_format__parse(format, text);
		free(text);
		return;
	}
	if (strcmp(format->name, "arch_prctl")) /* this one has no tracepoint */
		return;
	add_arg(format, "int option", strlen("int option"));
	add_arg(format, "unsigned long addr", strlen("unsigned long addr"));
	format->known = true;
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
		if (*rule->arg == *arg->name && !strcmp(rule->arg, arg->name) && (!rule->call || !fnmatch(rule->call, format->name, 0)))
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

static void settle_arg(struct syscall_format *format, int i, struct trace_rule *rule)
{
	static const struct trace_copy_rule string = { .kind = TRACE_COPY_STRING }, peer = { .kind = TRACE_COPY_PEER, .limit = 128 };
	struct syscall_arg *arg = &format->arg[i];
	const struct syscall_arg_rule *found = find_rule(format, arg);

	if (found) {
		arg->names = found->names;
		arg->shape = found->shape;
		arg->kind = found->kind ?: arg->kind;
	}
	if (found && found->copy.kind)
		add_copy(rule, &found->copy, i, find_arg(format, found->size));
	else if (!strcmp(arg->type, "const char *"))
		add_copy(rule, &string, i, -1);
	if (found && found->copy.kind == TRACE_COPY_MESSAGE)
		add_copy(rule, &peer, i, -1);
}

static void make_rule(struct syscall_format *format, struct trace_rule *rule)
{
	for (int i = 0; i < format->nr_args; i++)
		settle_arg(format, i, rule);
}

int syscall_formats__new(const bool *wanted, struct syscall_formats **formatsp, struct errmsg *err)
{
	struct syscall_formats *formats = calloc(1, sizeof(*formats));

	if (!formats)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		struct syscall_format *format = &formats->format[i];

		if (!wanted[i])
			continue;
		format->name = syscall_name(i);
		if (format->name)
			read_format(format, i);
		formats->rule[i].wanted = 1;
		if (format->name)
			make_rule(format, &formats->rule[i]);
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
	int place; /* -1: several */
};

static void add_filter_arg(struct filter_arg *list, unsigned int *nr, const struct syscall_arg *arg, int place)
{
	for (unsigned int i = 0; i < *nr; i++) {
		if (strcmp(list[i].name, arg->name))
			continue;
		if (list[i].place != place)
			list[i].place = -1;
		return;
	}
	list[(*nr)++] = (struct filter_arg){ arg->name, arg->type, place };
}

static const char fields_head[] =
	"name: sys_enter_traced\nID: 0\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long nr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long duration;\toffset:24;\tsize:8;\tsigned:0;\n";

int syscall_formats__fields(const struct syscall_formats *formats, struct tracepoint **tp, struct errmsg *err)
{
	struct filter_arg *list = calloc(TRACE_MAX_CALLS * TRACE_MAX_ARGS, sizeof(*list));
	struct text text = {};
	unsigned int nr = 0;
	int ret = -ENOMEM;

	for (int i = 0; i < TRACE_MAX_CALLS && list; i++) {
		for (int j = 0; j < formats->format[i].nr_args; j++)
			add_filter_arg(list, &nr, &formats->format[i].arg[j], j);
	}
	text__str(&text, fields_head);
	for (unsigned int i = 0; i < nr; i++) {
		if (list[i].place >= 0)
			text__printf(&text, "\tfield:%s %s;\toffset:%d;\tsize:8;\tsigned:0;\n", list[i].type, list[i].name, 32 + 8 * list[i].place);
	}
	text__str(&text, "\nprint fmt: \"%lx\", REC->nr\n");
	text__char(&text, '\0');
	if (list && !text.failed)
		ret = tracepoint__of_format("syscalls", "sys_enter_traced", text.buf, tp);
	text__exit(&text);
	free(list);
	return ret ? errmsg__set(err, -ret, "cannot describe system calls for filters: %s", strerror(-ret)) : 0;
}
