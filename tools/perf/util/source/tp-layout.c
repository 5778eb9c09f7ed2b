// SPDX-License-Identifier: GPL-2.0
#include "util/source/tp-layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "util/judge/program-table.h"
#include "util/source/probe-layout.h"
#include "util/source/syscall-number.h"

#define HEADER_SIZE 8		/* struct trace_entry */
#define VALUES_OFFSET 16	/* struct syscall_trace_enter and _exit, kernel/trace/trace.h: number and padding come first */

struct syscall_fields {
	const struct tracepoint *tp;
	const char *syscall;
	const char *value[TP_MAX_ARGS]; /* names */
	struct tp_config *config;
};

/* Index of the argument with this name; nr_values: none. */
static unsigned int find_value(const struct syscall_fields *fields, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < fields->config->nr_values; i++) {
		if (!strncmp(fields->value[i], name, len) && !fields->value[i][len])
			break;
	}
	return i;
}

/*
 * Formats do not contain the length of a text without NUL. check_faultable_syscall() in the kernel has it for these; some are
 * printed as bytes.
 */
static const struct sized_text {
	const char *syscall, *pointer, *size;
} sized_texts[] = {
	{ "write", "buf", "count" },
	{ "pwrite64", "buf", "count" },
	{ "mq_timedsend", "u_msg_ptr", "msg_len" },
	{ "sethostname", "name", "len" },
	{ "setdomainname", "name", "len" },
	{ "kexec_file_load", "cmdline_ptr", "cmdline_len" },
};

static const char *size_of_text(const char *syscall, const char *pointer)
{
	for (size_t i = 0; i < ARRAY_SIZE(sized_texts); i++) {
		if (!strcmp(sized_texts[i].syscall, syscall) && !strcmp(sized_texts[i].pointer, pointer))
			return sized_texts[i].size;
	}
	return NULL;
}

static bool prints_bytes_of(const struct tracepoint *tp, const char *field)
{
	char call[128];
	int len = snprintf(call, sizeof(call), "__print_dynamic_array(%s,", field);

	return len >= (int)sizeof(call) || strstr(tracepoint__format(tp, NULL), call);
}

/* Since Linux 6.19 a field __NAME_val has what the argument NAME points to. These fields follow all arguments, in the arguments' order. */
static int add_text(struct syscall_fields *fields, const struct tracepoint_place *place)
{
	static const char before[] = "__", behind[] = "_val";
	struct tp_config *config = fields->config;
	struct tp_text *text = &config->text[config->nr_texts];
	size_t len = strlen(place->name);
	const char *size;

	if (place->relative || place->size != 4 || config->nr_texts == TP_MAX_TEXTS ||
	    place->offset != VALUES_OFFSET + 8U * config->nr_values + 4U * config->nr_texts ||
	    len <= strlen(before) + strlen(behind) || strncmp(place->name, before, strlen(before)) ||
	    strcmp(place->name + len - strlen(behind), behind))
		return -EOPNOTSUPP;
	text->value = find_value(fields, place->name + strlen(before), len - strlen(before) - strlen(behind));
	if (text->value == config->nr_values)
		return -EOPNOTSUPP;
	size = size_of_text(fields->syscall, fields->value[text->value]);
	text->size = size ? find_value(fields, size, strlen(size)) : TP_TEXT_ENDS;
	if (text->size == config->nr_values || (!size && prints_bytes_of(fields->tp, place->name)))
		return -EOPNOTSUPP;
	config->nr_texts++;
	return 0;
}

/* Refuse layouts that only newer kernels have. */
static int add_part(void *arg, const struct tracepoint_place *place)
{
	struct syscall_fields *fields = arg;
	struct tp_config *config = fields->config;

	if (place->dynamic)
		return add_text(fields, place);
	if (place->offset == HEADER_SIZE && place->size == 4)
		return 0;
	if (place->size != 8 || place->offset != VALUES_OFFSET + 8U * config->nr_values || config->nr_values == TP_MAX_ARGS)
		return -EOPNOTSUPP;
	fields->value[config->nr_values++] = place->name;
	return 0;
}

/*
 * Perf makes these records with preemption disabled, which adds one level; preemptible kernels count it and write it into records.
 */
static u8 preempt_count(void)
{
	struct utsname uts;

	return !uname(&uts) && strstr(uts.version, "PREEMPT");
}

static int fill_syscall(const struct tracepoint *tp, const char *name, bool whole, struct tp_config *config, const char **why)
{
	struct syscall_fields fields = { .tp = tp, .syscall = name, .config = config };
	int number = syscall_number(name);

	if (number < 0) {
		*why = "its syscall's number is not known";
		return -EOPNOTSUPP;
	}
	config->syscall = number;
	config->preempt_count = preempt_count();
	if (tracepoint__for_each_place(tp, add_part, &fields) && whole) {
		*why = "its format has fields that are not known";
		return -EOPNOTSUPP;
	}
	return 0;
}

struct extent {
	struct tp_config *config;
	u32 end;   /* end of the fields */
	u32 align; /* alignment of the structure */
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

/* include/trace/perf.h: rounds the size of the structure and of the dynamic data up to 8, including 4 bytes before them. */
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
	const char *name = tracepoint__syscall(tp);

	memset(config, 0, sizeof(*config));
	config->type = tracepoint__id(tp);
	if (tracepoint__is_probe(tp))
		return probe_layout__fill(tp, whole, config, why);
	return name ? fill_syscall(tp, name, whole, config, why) : fill_other(tp, config, why);
}

/* Programs see a syscall's arguments and their targets; the record's text of them is made only for samples that are kept. */
static bool sees_field(enum tp_kind kind, const struct filter_field_desc *field)
{
	return kind == TP_OTHER || field->kind == FILTER_FIELD_USER_TEXT;
}

static int refuse_text(const struct evsel *evsel, enum tp_kind kind, struct errmsg *err)
{
	if (kind == TP_PROBE)
		return errmsg__set(err, EINVAL, "%s: the filter \"%s\" asks for a string of a uprobe, of which BPF has only the numbers: use "
				   "nothing but fields, cpu and comm, so that the kernel's own filter can judge it", evsel->name, evsel->filter);
	return errmsg__set(err, EINVAL, "%s: the filter \"%s\" asks for a text of the record, of which BPF has only the arguments: "
			   "name the one that points to it, filename instead of __filename_val", evsel->name, evsel->filter);
}

int tp_layout__take_table(const struct evsel *evsel, const struct filter_table *table, struct filter_table **copy, struct errmsg *err)
{
	enum tp_kind kind = tracepoint__kind(evsel->tp);

	for (unsigned int i = 0; i < table->nr_fields; i++) {
		if (!sees_field(kind, &table->words.field[i]))
			return refuse_text(evsel, kind, err);
	}
	return program_table__new(table, copy, err);
}
