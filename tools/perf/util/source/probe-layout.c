// SPDX-License-Identifier: GPL-2.0
#include "util/source/probe-layout.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/ptrace.h>
#include "util/event/probe.h"
#include "util/lib/types.h"

static int refuse(const char **why, const char *text)
{
	*why = text;
	return -EOPNOTSUPP;
}

/* Register names as in the kernel (regs_query_register_offset); programs get them at the same offsets. */
static const struct {
	const char *name;
	u16 offset;
} registers[] = {
#if defined(__x86_64__)
#define REGISTER(name, member) { name, offsetof(struct pt_regs, member) }
	REGISTER("di", rdi), REGISTER("si", rsi), REGISTER("dx", rdx), REGISTER("cx", rcx), REGISTER("ax", rax), REGISTER("bx", rbx),
	REGISTER("r8", r8), REGISTER("r9", r9), REGISTER("r10", r10), REGISTER("r11", r11), REGISTER("r12", r12), REGISTER("r13", r13),
	REGISTER("r14", r14), REGISTER("r15", r15), REGISTER("bp", rbp), REGISTER("sp", rsp), REGISTER("ip", rip),
	REGISTER("orig_ax", orig_rax), REGISTER("cs", cs), REGISTER("flags", eflags), REGISTER("ss", ss),
#elif defined(__aarch64__)
#define REGISTER(name, member) { name, offsetof(struct user_pt_regs, member) }
	REGISTER("sp", sp), REGISTER("pc", pc), REGISTER("pstate", pstate), REGISTER("lr", regs[30]),
#endif
};
#if defined(__x86_64__)
#define IP "ip"
#define RETURN_VALUE "ax"
#elif defined(__aarch64__)
#define IP "pc"
#define RETURN_VALUE "x0"
#endif

static int find_register(const char *name, u16 *offset)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		if (!strcmp(registers[i].name, name)) {
			*offset = registers[i].offset;
			return 0;
		}
	}
#if defined(__aarch64__)
	char *end;
	unsigned long nr = name[0] == 'x' && name[1] ? strtoul(name + 1, &end, 10) : 31;

	if (nr < 31 && !*end) {
		*offset = nr * sizeof(u64);
		return 0;
	}
#endif
	return -ENOENT;
}

/* The stack pointer, or word nr of the stack. */
static int take_stack(struct probe_arg *arg, const char *nr, const char **why)
{
	char *end;

	find_register("sp", &arg->reg);
	if (!*nr)
		return 0;
	arg->step[arg->nr_steps++] = strtoul(nr, &end, 10) * sizeof(u64);
	return *end ? refuse(why, "an argument of it is not understood") : 0;
}

/* di, sp-8 */
static int take_register(struct probe_arg *arg, const char *text, const char **why)
{
	const size_t len = strcspn(text, "+-");
	char name[16], *end;

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	if (find_register(name, &arg->reg))
		return refuse(why, "an argument of it is in a register that is not known");
	if (text[len])
		arg->constant = strtoll(text + len, &end, 0);
	return text[len] && *end ? refuse(why, "an argument of it is not understood") : 0;
}

static int take_base(struct probe_arg *arg, const char *text, const char **why)
{
	char *end = NULL;

	if (*text == '%')
		return take_register(arg, text + 1, why);
	if (!strcmp(text, "$retval"))
		return find_register(RETURN_VALUE, &arg->reg);
	if (!strncmp(text, "$stack", strlen("$stack")))
		return take_stack(arg, text + strlen("$stack"), why);
	arg->reg = PROBE_CONSTANT;
	if (*text == '\\' || (*text == '@' && text[1] != '+')) {
		arg->constant = strtoll(text + 1, &end, 0);
		if (*text == '@')
			arg->step[arg->nr_steps++] = 0;
	}
	return end && end > text + 1 && !*end ? 0 : refuse(why, "an argument of it is neither a register nor memory that one points to");
}

/* Parse +8(+0(%di)): the innermost step comes first. Modifies text. */
static int take_steps(struct probe_arg *arg, char *text, const char **why)
{
	s64 step[PROBE_MAX_STEPS];
	int nr = 0, ret;
	char *end;

	while (*text == '+' || *text == '-') {
		if (nr == PROBE_MAX_STEPS - 1) /* one step is reserved for the stack */
			return refuse(why, "an argument of it goes from address to address too often");
		if (text[1] == 'u') { /* "u" means user memory, which all addresses here are */
			text[1] = *text;
			text++;
		}
		step[nr++] = strtoll(text, &end, 0);
		if (*end != '(' || end[strlen(end) - 1] != ')')
			return refuse(why, "an argument of it is not understood");
		end[strlen(end) - 1] = '\0';
		text = end + 1;
	}
	ret = take_base(arg, text, why);
	while (!ret && nr)
		arg->step[arg->nr_steps++] = step[--nr];
	return ret;
}

/* The format has the types, but not those of bit-fields. */
static bool is_known_type(const char *type)
{
	return strchr("usx", *type) && *type && strspn(type + 1, "0123456789") == strlen(type + 1) && type[1];
}

int probe_arg__parse(const char *text, unsigned int size, struct probe_arg *arg, const char **why)
{
	char *copy = strdup(text), *type = copy ? strrchr(copy, ':') : NULL;
	int ret;

	*arg = (struct probe_arg){ .size = size };
	if (!copy)
		return refuse(why, "no memory is left");
	if (type)
		*type++ = '\0';
	if (type && !is_known_type(type) && strcmp(type, "char"))
		ret = refuse(why, "an argument of it is a part of a number, or an array");
	else
		ret = take_steps(arg, copy, why);
	free(copy);
	return ret;
}

/* The definition's arguments, " name=fetch name=fetch"; NULL: there is no definition, or several differ. Malloc'ed. */
static char *find_arguments(const char *all, const struct tracepoint *tp, bool *is_return, const char **why)
{
	char *found = NULL, head[256], path[4096], *args;
	const char *line, *end;
	int len;

	*why = "it is not one of the uprobes that tracefs shows";
	for (line = all; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (sscanf(line, "%255s %4095s%n", head, path, &len) != 2 || !strchr(head, ':') || line + len > end)
			continue;
		args = strchr(head, ':') + 1;
		if (strncmp(args, tracepoint__sys(tp), strlen(tracepoint__sys(tp))) || args[strlen(tracepoint__sys(tp))] != '/' ||
		    strcmp(args + strlen(tracepoint__sys(tp)) + 1, tracepoint__name(tp)))
			continue;
		args = strndup(line + len, end - line - len);
		if (found && args && strcmp(found, args)) {
			*why = "it is set in several places, with other arguments in each";
			free(args);
			free(found);
			return NULL;
		}
		free(found);
		found = args;
		*is_return = *head == 'r' || strstr(path, "%return");
	}
	return found;
}

struct layout {
	struct probe_config *probe;
	const struct probe_place *place; /* of an event that perf makes; NULL: of tracefs */
	const char *arguments;
	const char **why;
	bool whole;
	u32 end; /* end of the fields */
};

/* The text of an argument; NULL: no argument has this name. Malloc'ed. */
static char *find_argument(const char *arguments, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = arguments; (at = strchr(at, ' ')); at++) {
		if (!strncmp(at + 1, name, len) && at[1 + len] == '=')
			return strndup(at + len + 2, strcspn(at + len + 2, " "));
	}
	return NULL;
}

static int add_argument(struct layout *l, const struct tracepoint_place *place, const char *text, struct probe_arg **arg)
{
	int ret;

	if (l->probe->nr_args == PROBE_MAX_ARGS)
		return refuse(l->why, "it has too many arguments");
	*arg = &l->probe->arg[l->probe->nr_args++];
	ret = probe_arg__parse(text, place->size, *arg, l->why);
	(*arg)->offset = place->offset;
	(*arg)->copy = place->copy;
	return ret;
}

/* A field of a mark whose places differ: an argument for each way to fetch it */
static int add_by_place(struct layout *l, const struct tracepoint_place *place)
{
	struct probe_arg *arg;
	int ret = 0;

	for (unsigned int i = 0; i < l->place->nr_fetches && !ret; i++) {
		const struct probe_fetch *f = &l->place->fetch[i];

		if (strcmp(l->place->argument[f->argument].name, place->name))
			continue;
		ret = add_argument(l, place, f->fetch, &arg);
		if (ret)
			break;
		arg->places = f->places;
		arg->is_signed = f->is_signed;
		arg->from = f->size < place->size ? f->size : 0;
	}
	return ret;
}

static int add_number(struct layout *l, const struct tracepoint_place *place)
{
	struct probe_arg *arg;
	char *text;
	int ret;

	if (l->probe->by_place)
		return add_by_place(l, place);
	text = find_argument(l->arguments, place->name);
	if (!text)
		return refuse(l->why, "its definition lacks a field of its format");
	ret = add_argument(l, place, text, &arg);
	free(text);
	return ret;
}

static int add_place(void *data, const struct tracepoint_place *place)
{
	struct layout *l = data;
	u32 end = place->copy ? place->copy + 8 : place->offset + place->size;

	if (place->offset + place->size > l->end)
		l->end = place->offset + place->size;
	if (end > l->probe->len)
		l->probe->len = end;
	if (!strncmp(place->name, "__probe_", strlen("__probe_")))
		return 0;
	if (place->dynamic)
		return l->whole ? refuse(l->why, "it has a string, which only the kernel puts into records") : 0;
	if (place->element != place->size || place->size > 8 || place->size & (place->size - 1))
		return refuse(l->why, "it has a field that is neither a number nor a string");
	return add_number(l, place);
}

/* The definition of an event that perf makes. */
static char *make_arguments(const struct probe_place *place)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (unsigned int i = 0; i < place->nr_arguments; i++)
		fprintf(fp, " %s=%s", place->argument[i].name, place->argument[i].fetch);
	if (!fclose(fp))
		return text;
	free(text);
	return NULL;
}

/* NULL and *why: there is none that programs can work by. Malloc'ed */
static char *read_arguments(const struct tracepoint *tp, bool *is_return, const char **why)
{
	const struct probe_place *place = tracepoint__probe(tp);
	char *all, *arguments = NULL;

	if (place) {
		*is_return = place->is_return;
		*why = "no memory is left";
		return make_arguments(place);
	}
	all = tracefs__read("uprobe_events", NULL);
	*why = "this kernel shows no uprobes in tracefs";
	if (all)
		arguments = find_arguments(all, tp, is_return, why);
	free(all);
	return arguments;
}

int probe_layout__fill(const struct tracepoint *tp, bool whole, struct tp_config *config, const char **why)
{
	const struct probe_place *place = tracepoint__probe(tp);
	struct layout l = { .probe = &config->probe, .place = place, .why = why, .whole = whole };
	bool is_return = false;
	char *arguments = read_arguments(tp, &is_return, why);
	int ret;

	if (!arguments)
		return -EOPNOTSUPP;
	l.arguments = arguments;
	config->probe.in_kernel = place && place->in_kernel;
	config->probe.is_own = place != NULL;
	config->probe.by_place = place && place->nr_fetches;
	config->probe.is_return = is_return;
	find_register(IP, &config->probe.ip);
	ret = tracepoint__for_each_place(tp, add_place, &l);
	free(arguments);
	if (ret == -ENOENT)
		return refuse(why, "its format is not understood");
	if (ret)
		return -EOPNOTSUPP;
	config->probe.len = (config->probe.len + 7) / 8 * 8;
	config->raw_size = (l.end + 4 + 7) / 8 * 8 - 4;
	return config->probe.len > FILTER_RECORD_LEN ? refuse(why, "its records are too long") : 0;
}
