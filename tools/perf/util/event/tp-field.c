// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-field.h"

#include <stdbool.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include "util/lib/types.h"

static bool has_size_of_number(const struct tep_format_field *field)
{
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

/* libtraceevent treats arrays of u8 as strings; the kernel's own filter only those of char. */
static bool is_string(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING && strstr(field->type, "char");
}

/* The kernel's name for the first field of all probes (kernel/trace/trace_probe.h). */
bool tp_field__is_probe(const struct tep_event *event)
{
	const struct tep_format_field *first = event->format.fields;

	return first && (!strcmp(first->name, "__probe_ip") || !strcmp(first->name, "__probe_func"));
}

u32 tp_field__copy(const struct tep_format_field *field)
{
	const struct tep_format_field *other;
	int end = 0, index = 0;

	if (field->flags & (TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_ARRAY) || !has_size_of_number(field) || field->offset % field->size == 0 ||
	    !tp_field__is_probe(field->event))
		return 0;
	for (other = field->event->format.fields; other; other = other->next) {
		if (other->offset + other->size > end)
			end = other->offset + other->size;
	}
	for (other = field->event->format.fields; other != field && other; other = other->next)
		index++;
	return (end + 7) / 8 * 8 + 8 * index;
}

static enum filter_field_kind kind_of(const struct tep_format_field *field)
{
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (!is_string(field) || field->size != 4 || field->offset % 4)
			return FILTER_FIELD_OTHER;
		return field->flags & TEP_FIELD_IS_RELATIVE ? FILTER_FIELD_REL_LOC : FILTER_FIELD_DATA_LOC;
	}
	if (field->flags & TEP_FIELD_IS_ARRAY)
		return is_string(field) ? FILTER_FIELD_CHARS : FILTER_FIELD_OTHER;
	return has_size_of_number(field) && field->offset % field->size == 0 ? FILTER_FIELD_NUMBER : FILTER_FIELD_OTHER;
}

/*
 * Formats of system calls show all arguments as 8 unsigned bytes, followed by the type in the call's declaration. These types have 4
 * bytes on all machines.
 */
static bool is_narrow(const struct tep_format_field *field)
{
	static const char *const types[] = {
		"int", "unsigned int", "unsigned", "pid_t", "uid_t", "gid_t", "qid_t", "key_t", "key_serial_t", "mqd_t", "clockid_t", "timer_t",
		"rwf_t", "u32", "__u32", "s32", "__s32",
	};
	const char *type = strncmp(field->type, "const ", strlen("const ")) ? field->type : field->type + strlen("const ");

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!strcmp(type, types[i]))
			return field->size == 8 && !(field->flags & TEP_FIELD_IS_SIGNED);
	}
	return false;
}

struct filter_field_desc tp_field__describe(const struct tep_format_field *field)
{
	u32 copy;

	if (field->offset < 0 || field->offset > UINT16_MAX || field->size < 0 || field->size > UINT16_MAX)
		return (struct filter_field_desc){ .kind = FILTER_FIELD_OTHER };
	copy = tp_field__copy(field);
	return (struct filter_field_desc){
		.offset = copy ? copy : (u32)field->offset,
		.size = field->size,
		.kind = copy ? FILTER_FIELD_NUMBER : kind_of(field),
		.is_signed = !!(field->flags & TEP_FIELD_IS_SIGNED),
		.is_narrow = is_narrow(field),
		.is_time = !strcmp(field->type, TP_FIELD_TIME_TYPE),
	};
}
