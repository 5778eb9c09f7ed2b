// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-check.h"

#include <traceevent/event-parse.h>


struct record {
	struct tep_handle *tep;
	const char *data;
	u64 size;
};

static bool inside(const struct record *rec, u64 offset, u64 len)
{
	return offset <= rec->size && len <= rec->size - offset;
}

/* A dynamic field has its offset in the low and its length in the high 16 bits; a relative one counts from its own end. */
static void dynamic_range(const struct record *rec, const struct tep_format_field *field, u64 *offset, u64 *len)
{
	u64 loc = tep_read_number(rec->tep, rec->data + field->offset, field->size);

	*offset = loc & 0xffff;
	*len = loc >> 16 & 0xffff;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		*offset += field->offset + field->size;
}

static bool field_fits(const struct record *rec, const struct tep_format_field *field)
{
	u64 offset, len;

	if (field->offset < 0 || field->size < 0 || !inside(rec, field->offset, field->size))
		return false;
	if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
		return true;
	if (field->size != 4)
		return false;
	dynamic_range(rec, field, &offset, &len);
	return inside(rec, offset, len);
}

bool tp_check__fields(const struct tep_event *event, const void *data, u32 size)
{
	const struct record rec = { .tep = event->tep, .data = data, .size = size };
	const struct tep_format_field *field;

	for (field = event->format.common_fields; field; field = field->next) {
		if (!field_fits(&rec, field))
			return false;
	}
	for (field = event->format.fields; field; field = field->next) {
		if (!field_fits(&rec, field))
			return false;
	}
	return true;
}
