// SPDX-License-Identifier: GPL-2.0
#include "util/types/arguments.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include "util/bpf/kernel-btf.h"
#include "util/lib/types.h"

#define MAX_ROOTS (FILTER_WALK_ARGUMENTS + 2)

struct type_arguments {
	struct walk_root root[MAX_ROOTS];
	struct walk_roots roots;
	struct btf *module; /* NULL: the tracepoint is not in a module */
	unsigned int nr; /* of arguments */
	char made[FILTER_WALK_ARGUMENTS][16]; /* names of arguments that have none */
};

/* The prototype that a tracepoint has in this BTF: NULL: it is not there. */
static const struct btf_type *find_prototype(const struct btf *btf, const char *event)
{
	static const struct {
		const char *prefix;
		u32 kind;
	} functions[] = {
		{ "__probestub_", BTF_KIND_FUNC }, /* Linux 6.4 and newer */
		{ "__traceiter_", BTF_KIND_FUNC },
		{ "btf_trace_", BTF_KIND_TYPEDEF }, /* without names */
	};
	char name[256];

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		const struct btf_type *t;
		int id;

		snprintf(name, sizeof(name), "%s%s", functions[i].prefix, event);
		id = btf__find_by_name_kind(btf, name, functions[i].kind);
		for (t = id > 0 ? btf__type_by_id(btf, id) : NULL; t && (btf_is_func(t) || btf_is_typedef(t) || btf_is_ptr(t));)
			t = btf__type_by_id(btf, t->type);
		if (t && btf_is_func_proto(t))
			return t;
	}
	return NULL;
}

static const struct btf_type *find_in_modules(struct type_arguments *args, const char *event)
{
	DIR *dir = opendir("/sys/kernel/btf");
	const struct btf_type *found = NULL;
	const struct dirent *entry;
	struct btf *module;

	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		module = btf__load_module_btf(entry->d_name, (struct btf *)kernel_btf__types());
		found = module ? find_prototype(module, event) : NULL;
		if (found)
			args->module = module;
		else
			btf__free(module);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void add_root(struct type_arguments *args, const char *name, u32 type, u8 source)
{
	args->root[args->roots.nr++] = (struct walk_root){ name, type, source };
}

/* The first parameter is not an argument of the tracepoint: void *__data */
static void add_arguments(struct type_arguments *args, const struct btf_type *prototype)
{
	const struct btf_param *param = btf_params(prototype);

	for (u32 i = 1; i < btf_vlen(prototype) && args->nr < FILTER_WALK_ARGUMENTS; i++) {
		const char *name = btf__name_by_offset(args->roots.btf, param[i].name_off);

		snprintf(args->made[args->nr], sizeof(args->made[0]), "arg%u", i);
		add_root(args, name && *name ? name : args->made[args->nr], param[i].type, FILTER_WALK_ARGUMENT + args->nr);
		args->nr++;
	}
}

/* Walks begin with a pointer to it, and BTF has one: many functions take a task. */
static u32 find_pointer(const struct btf *btf, u32 pointee)
{
	const u32 nr = btf__type_cnt(btf);

	for (u32 id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_ptr(t) && t->type == pointee)
			return id;
	}
	return 0;
}

static void add_current(struct type_arguments *args)
{
	const int task = kernel_btf__find("task_struct", BTF_KIND_STRUCT);
	const u32 pointer = task > 0 ? find_pointer(kernel_btf__types(), task) : 0;

	if (!pointer)
		return;
	add_root(args, WALK_TASK, pointer, FILTER_WALK_TASK);
	add_root(args, WALK_CURRENT, pointer, FILTER_WALK_TASK);
}

struct type_arguments *type_arguments__new(const char *event)
{
	const struct btf *kernel = kernel_btf__types();
	struct type_arguments *args = kernel ? calloc(1, sizeof(*args)) : NULL;
	const struct btf_type *prototype = NULL;

	if (!args) {
		errno = kernel ? ENOMEM : ENOENT;
		return NULL;
	}
	args->roots = (struct walk_roots){ .btf = kernel, .root = args->root };
	if (event)
		prototype = find_prototype(kernel, event) ?: find_in_modules(args, event);
	if (args->module)
		args->roots.btf = args->module;
	if (prototype)
		add_arguments(args, prototype);
	add_current(args);
	return args;
}

void type_arguments__delete(struct type_arguments *args)
{
	if (!args)
		return;
	btf__free(args->module);
	free(args);
}

const struct walk_roots *type_arguments__roots(const struct type_arguments *args)
{
	return &args->roots;
}

unsigned int type_arguments__nr(const struct type_arguments *args)
{
	return args->nr;
}
