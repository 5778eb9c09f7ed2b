// SPDX-License-Identifier: GPL-2.0
#include "util/judge/kernel-walks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/types/arguments.h"

/* What has been looked up. Commands have few events, and the first ones are asked for again and again. */
struct known {
	struct known *next;
	struct type_arguments *args;
	char event[]; /* "": no tracepoint */
};

/* The tracepoint whose arguments BPF programs see; "": none of its own. Those of system calls are made of two for all calls. */
static const char *event_of(const struct tracepoint *tp)
{
	return tp && tracepoint__kind(tp) == TP_OTHER && !tracepoint__is_probe(tp) ? tracepoint__name(tp) : "";
}

static const struct walk_roots *roots_of(const struct tracepoint *tp)
{
	static struct known *known;
	const char *event = event_of(tp);
	struct known *k;

	for (k = known; k; k = k->next) {
		if (!strcmp(k->event, event))
			return type_arguments__roots(k->args);
	}
	k = malloc(sizeof(*k) + strlen(event) + 1);
	if (!k)
		return NULL;
	strcpy(k->event, event);
	k->args = type_arguments__new(*event ? event : NULL);
	if (!k->args) {
		free(k);
		return NULL;
	}
	k->next = known;
	known = k;
	return type_arguments__roots(k->args);
}

int kernel_walks__find(const struct tracepoint *tp, const char *text, size_t len, struct type_walk *walk, struct walk_error *error)
{
	const struct walk_roots *roots = roots_of(tp);

	if (roots)
		return type_walk__resolve(roots, text, len, walk, error);
	*error = (struct walk_error){ .len = len };
	snprintf(error->why, sizeof(error->why), "is data of the kernel, whose type information cannot be read (/sys/kernel/btf/vmlinux)");
	return -ENOENT;
}

int kernel_walks__value(const struct tracepoint *tp, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size)
{
	const struct walk_roots *roots = roots_of(tp);

	if (!roots || !walk_enum__exists(roots->btf, type))
		return -EINVAL;
	return walk_enum__value(roots->btf, type, name, len, value, why, size);
}

int kernel_walks__find_of_task(void *unused, const char *text, size_t len, struct type_walk *walk, struct walk_error *error)
{
	return kernel_walks__find(NULL, text, len, walk, error);
}

int kernel_walks__value_of_task(void *unused, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size)
{
	return kernel_walks__value(NULL, type, name, len, value, why, size);
}

const struct btf *kernel_walks__types(const struct tracepoint *tp)
{
	const struct walk_roots *roots = roots_of(tp);

	return roots ? roots->btf : NULL;
}
