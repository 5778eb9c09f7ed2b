// SPDX-License-Identifier: GPL-2.0
/* Functions of the kernel: by kallsyms; their parameters by the kernel's BTF. */
#include "util/symbol/probe-finder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf/kernel-btf.h"
#include "util/event/pmu.h"
#include "util/event/tracepoint.h"
#include "util/lib/near.h"
#include "util/symbol/probe-args.h"
#include "util/symbol/symtab.h"

/* What may stand in for it on kernels without kprobes */

struct stand_in {
	const char *function;
	char name[128]; /* "syscalls:sys_enter_openat" */
};

static int find_same_name(void *data, const char *sys, const char *name)
{
	struct stand_in *s = data;

	if (!s->name[0] && !strcmp(name, s->function))
		snprintf(s->name, sizeof(s->name), "%s:%s", sys, name);
	return 0;
}

/* A tracepoint of the same name, or that of a system call. */
static void find_stand_in(struct stand_in *s)
{
	static const char *const calls[] = { "__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "do_sys_", "ksys_", "sys_" };
	struct tracepoint *tp;

	for (size_t i = 0; i < ARRAY_SIZE(calls) && !s->name[0]; i++) {
		char name[100];

		if (strncmp(s->function, calls[i], strlen(calls[i])))
			continue;
		snprintf(name, sizeof(name), "sys_enter_%s", s->function + strlen(calls[i]));
		if (tracepoint__new("syscalls", name, &tp, NULL))
			continue;
		tracepoint__delete(tp);
		snprintf(s->name, sizeof(s->name), "syscalls:%s", name);
	}
	if (!s->name[0])
		tracepoint__for_each("*", s->function, find_same_name, s, NULL);
}

static int refuse_missing(const struct probe_spec *spec, struct errmsg *err)
{
	struct stand_in s = { .function = spec->name };

	find_stand_in(&s);
	if (s.name[0])
		return errmsg__set(err, EOPNOTSUPP, "this kernel has no kprobes (CONFIG_KPROBE_EVENTS): take the tracepoint %s", s.name);
	return errmsg__set(err, EOPNOTSUPP, "this kernel has no kprobes (CONFIG_KPROBE_EVENTS), and no tracepoint with this name: see perf list "
			   "tracepoint; functions of programs work (uprobe:PATH:FUNCTION)");
}

/* The function */

struct search {
	const char *name;
	unsigned int nr;
};

static int count_name(void *data, u64 addr, char type, const char *name, const char *module)
{
	struct search *s = data;

	s->nr += strchr("tTwW", type) && !strcmp(name, s->name);
	return 0;
}

static int try_name(void *data, u64 addr, char type, const char *name, const char *module)
{
	if (strchr("tTwW", type))
		near_name__try(data, name);
	return 0;
}

/* All names are compared for this message only, as that takes longer than all the rest. */
static int refuse_unknown(const char *name, struct errmsg *err)
{
	struct near_name near = { .word = name };
	char hint[NEAR_FAR + 32];
	struct errmsg unread;

	if (kallsyms__for_each(NULL, try_name, &near, &unread))
		near.name[0] = '\0';
	return errmsg__set(err, EINVAL, "the kernel has no function '%s'%s", name, near_name__text(&near, hint, sizeof(hint)));
}

static int check_function(const struct probe_spec *spec, struct errmsg *err)
{
	static char found[512]; /* its begin and its return are often asked for one after the other */
	struct search s = { .name = spec->name };
	struct errmsg unread;

	if (*found && !strcmp(found, spec->name))
		return 0;
	if (kallsyms__for_each(NULL, count_name, &s, &unread))
		return 0; /* hidden: the kernel will say */
	if (!s.nr)
		return refuse_unknown(spec->name, err);
	if (s.nr > 1)
		return errmsg__set(err, EINVAL, "the kernel has %u functions '%s', of which only the first would be taken: take another one", s.nr,
				   spec->name);
	snprintf(found, sizeof(found), "%s", spec->name);
	return 0;
}

/* Parameters */

struct adding {
	struct probe_place *place;
	unsigned int integer; /* registers that earlier parameters take */
};

static int add_parameter(void *data, const struct kernel_btf_type *type, const char *name)
{
	struct adding *a = data;
	const char *reg = probe_args__register(a->integer);
	struct probe_argument *arg = &a->place->argument[a->place->nr_arguments];

	if (!type->size || !reg || a->place->nr_arguments == PROBE_MAX_FIELDS - 1)
		return 1; /* a structure, or on the stack: what comes behind is elsewhere */
	*arg = (struct probe_argument){ .size = type->size, .is_signed = type->is_signed, .is_hex = type->is_pointer };
	a->integer++;
	snprintf(arg->alias, sizeof(arg->alias), "arg%u", a->integer);
	snprintf(arg->name, sizeof(arg->name), "%s", *name ? name : arg->alias);
	snprintf(arg->fetch, sizeof(arg->fetch), "%s", reg);
	a->place->nr_arguments++;
	return 0;
}

void probe_kernel__add_arguments(const struct probe_spec *spec, struct probe_place *place)
{
	struct adding adding = { .place = place };
	struct kernel_btf_type type;
	int ret;

	if (place->is_return) {
		ret = kernel_btf__returned(spec->name, &type);
		if (ret)
			probe_args__add_returned(place, 8, true, false);
		else if (type.size)
			probe_args__add_returned(place, type.size, type.is_signed, type.is_pointer);
	} else if (!spec->offset && kernel_btf__for_each_parameter(spec->name, add_parameter, &adding)) {
		probe_args__add_registers(place);
	}
	if (!spec->offset)
		probe_args__add_frame(place);
}

int probe_kernel__find(const struct probe_spec *spec, struct probe_place *place, struct errmsg *err)
{
	struct pmu *pmu;
	int ret = pmu__new(PMU_ROOT, "kprobe", &pmu, NULL);

	if (ret)
		return ret == -ENOMEM ? ret : refuse_missing(spec, err);
	pmu__delete(pmu);
	ret = check_function(spec, err);
	if (ret)
		return ret;
	place->target = strdup(spec->name);
	if (!place->target)
		return -ENOMEM;
	place->offset[place->nr_offsets++] = spec->offset;
	probe_kernel__add_arguments(spec, place);
	return 0;
}
