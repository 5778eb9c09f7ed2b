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

/* libtraceevent takes arrays of u8 for strings; to the kernel's own filter only those of char are. */
static bool is_string(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING && strstr(field->type, "char");
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

struct filter_field_desc tp_field__describe(const struct tep_format_field *field)
{
	if (field->offset < 0 || field->offset > UINT16_MAX || field->size < 0 || field->size > UINT16_MAX)
		return (struct filter_field_desc){ .kind = FILTER_FIELD_OTHER };
	return (struct filter_field_desc){
		.offset = field->offset,
		.size = field->size,
		.kind = kind_of(field),
		.is_signed = !!(field->flags & TEP_FIELD_IS_SIGNED),
	};
}
