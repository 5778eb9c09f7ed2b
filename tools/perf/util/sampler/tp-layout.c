// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/tp-layout.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include "util/sampler/program-table.h"
#include "util/sampler/syscall-number.h"

#define HEADER_SIZE 8		/* struct trace_entry */
#define VALUES_OFFSET 16	/* struct syscall_trace_enter and _exit, kernel/trace/trace.h: number and padding come before */

static const char *name_behind(const struct tracepoint *tp, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strcmp(tracepoint__sys(tp), "syscalls") && !strncmp(tracepoint__name(tp), prefix, len) ? tracepoint__name(tp) + len :
	       NULL;
}

enum tp_kind tp_layout__kind(const struct tracepoint *tp)
{
	if (name_behind(tp, "sys_enter_"))
		return TP_SYSCALL_ENTER;
	return name_behind(tp, "sys_exit_") ? TP_SYSCALL_EXIT : TP_OTHER;
}

/* Newer kernels may put more into records than numbers; what is not as we know it is left to them. */
static int add_value(void *arg, const struct tracepoint_place *place)
{
	struct tp_config *config = arg;

	if (place->offset == HEADER_SIZE && place->size == 4 && !place->dynamic)
		return 0;
	if (place->dynamic || place->size != 8 || place->offset != VALUES_OFFSET + 8U * config->nr_values ||
	    config->nr_values == TP_MAX_ARGS)
		return -EOPNOTSUPP;
	config->nr_values++;
	return 0;
}

/*
 * Perf makes these records with preemption disabled, which is one level more than none; kernels that can be preempted count it, and say
 * what they are.
 */
static u8 preempt_count(void)
{
	struct utsname uts;

	return !uname(&uts) && strstr(uts.version, "PREEMPT");
}

static int fill_syscall(const struct tracepoint *tp, const char *name, bool whole, struct tp_config *config, const char **why)
{
	int number = syscall_number(name);

	if (number < 0) {
		*why = "its syscall's number is not known";
		return -EOPNOTSUPP;
	}
	config->syscall = number;
	config->preempt_count = preempt_count();
	if (tracepoint__for_each_place(tp, add_value, config) && whole) {
		*why = "its format has fields that are not known";
		return -EOPNOTSUPP;
	}
	return 0;
}

struct extent {
	struct tp_config *config;
	u32 end;   /* of the fields */
	u32 align; /* of the structure */
};

static int add_field(void *arg, const struct tracepoint_place *place)
{
	struct extent *e = arg;
	struct tp_config *config = e->config;
	u32 align = place->dynamic ? 4 : place->element;

	if (place->offset + place->size > e->end)
		e->end = place->offset + place->size;
	if (align <= 8 && align > e->align && !(align & (align - 1)))
		e->align = align;
	if (!place->dynamic)
		return 0;
	if (config->nr_dynamic == TP_MAX_DYNAMIC)
		return -EOPNOTSUPP;
	config->dynamic[config->nr_dynamic].offset = place->offset;
	config->dynamic[config->nr_dynamic].relative = place->relative ? place->offset + 4 : 0;
	config->nr_dynamic++;
	return 0;
}

/* include/trace/perf.h: the size of the structure and of the dynamic data, and 4 bytes before it, are rounded up to 8. */
static int fill_other(const struct tracepoint *tp, struct tp_config *config, const char **why)
{
	struct extent e = { .config = config, .end = HEADER_SIZE, .align = 4 };
	u32 size;

	if (tracepoint__for_each_place(tp, add_field, &e)) {
		*why = "its format is not understood";
		return -EOPNOTSUPP;
	}
	size = (e.end + e.align - 1) / e.align * e.align;
	config->tail = size - e.end;
	config->raw_size = (size + 4 + 7) / 8 * 8 - 4;
	if (config->raw_size > TP_MAX_RAW) {
		*why = "its records are too long";
		return -EOPNOTSUPP;
	}
	return 0;
}

int tp_layout__fill(const struct tracepoint *tp, bool whole, struct tp_config *config, const char **why)
{
	const char *name = name_behind(tp, "sys_enter_") ?: name_behind(tp, "sys_exit_");

	memset(config, 0, sizeof(*config));
	config->type = tracepoint__id(tp);
	return name ? fill_syscall(tp, name, whole, config, why) : fill_other(tp, config, why);
}

bool tp_layout__has_all_of(const struct tracepoint *tp, const struct filter_table *table)
{
	return !table || !table->nr_fields || tp_layout__kind(tp) == TP_OTHER;
}

int tp_layout__take_table(const struct evsel *evsel, const struct filter_table *table, struct filter_table **copy, struct errmsg *err)
{
	if (!tp_layout__has_all_of(evsel->tp, table))
		return errmsg__set(err, EINVAL, "%s: the filter \"%s\" asks for a text, and BPF has only the numbers of system calls",
				   evsel->name, evsel->filter);
	return program_table__new(table, copy, err);
}
