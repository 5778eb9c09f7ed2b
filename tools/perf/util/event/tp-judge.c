// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-trial.h"

#include <string.h>
#include <traceevent/event-parse.h>


/* All kernels since 2.6.31 have the event's id in the first two bytes of a record. */
static bool id_in_place(const struct tep_event *event)
{
	const struct tep_format_field *field = event->format.common_fields;

	return field && !strcmp(field->name, "common_type") && field->offset == 0 && field->size == 2;
}

/* The first field takes flags if some are pending, otherwise symbols; the second the other. */
void tp_trial__settle(void)
{
	static const char format[] = "name: settle\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%d %d\", REC->a, REC->a\n";
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;

	if (tep)
		tep_parse_format(tep, &event, format, strlen(format), "settle");
	tep_free(tep);
}

/* Linux 6.18 has at most 13 in a print format. */
#define MAX_DEPTH 40

/*
 * libtraceevent recurses for each parenthesis and each operator before a number or a name, without a limit. Those in texts count
 * here, too: a format with that many is not printed.
 */
static bool nests_too_deep(const char *format, size_t size)
{
	unsigned int open = 0, prefixes = 0;

	for (size_t i = 0; i < size; i++) {
		switch (format[i]) {
		case '(':
			open++;
			break;
		case ')':
			open -= open > 0;
			break;
		case '!': case '~': case '-': case '+': case '*': case '&':
			prefixes++;
			break;
		case ' ': case '\t':
			break;
		default:
			prefixes = 0;
		}
		if (open + prefixes > MAX_DEPTH)
			return true;
	}
	return false;
}

/* The largest one of Linux 6.18 has 5.5 KiB, and 24 fields. Each record of an event is checked field by field. */
#define MAX_SIZE (64 << 10)
#define MAX_FIELDS 512

static bool has_few_fields(const struct tep_event *event)
{
	return event->format.nr_common <= MAX_FIELDS && event->format.nr_fields <= MAX_FIELDS;
}

bool tp_trial__judge(int long_size, const char *sys, const char *format, size_t size)
{
	struct tep_handle *tep = size > MAX_SIZE || nests_too_deep(format, size) ? NULL : tep_alloc();
	struct tep_event *event = NULL;
	bool good;

	if (!tep)
		return false;
	tp_trial__settle();
	tep_set_long_size(tep, long_size);
	good = !tep_parse_format(tep, &event, format, size, sys) && event && !(event->flags & TEP_EVENT_FL_FAILED) &&
	       id_in_place(event) && has_few_fields(event);
	tep_free(tep);
	return good;
}
