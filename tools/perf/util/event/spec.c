// SPDX-License-Identifier: GPL-2.0
#include "util/event/spec.h"

#include <stdarg.h>
#include <stdlib.h>

void spec_term__delete_list(struct spec_term *terms)
{
	while (terms) {
		struct spec_term *next = terms->next;

		free(terms->name.text);
		free(terms->value.text);
		free(terms);
		terms = next;
	}
}

void spec_event__delete_list(struct spec_event *events)
{
	while (events) {
		struct spec_event *next = events->next;

		free(events->head.text);
		free(events->tail.text);
		free(events->modifier.text);
		spec_term__delete_list(events->terms);
		spec_event__delete_list(events->members);
		free(events);
		events = next;
	}
}

int spec__error(struct errmsg *err, int errnum, const char *text, struct spec_loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	errmsg__vset_at(err, errnum, "event", text, loc.begin, loc.end, fmt, ap);
	va_end(ap);
	return -errnum;
}
