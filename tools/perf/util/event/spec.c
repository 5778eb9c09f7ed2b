// SPDX-License-Identifier: GPL-2.0
#include "util/event/spec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 72u /* of a long text, around the place of an error */

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
		free(events);
		events = next;
	}
}

/* One byte is one column here; names of events are ASCII. What would move the mark away is shown as a dot. */
static void copy_visible(char *to, const char *from, unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		to[i] = from[i] >= ' ' && from[i] < 0x7f ? from[i] : '.';
	to[len] = '\0';
}

int spec__error(struct errmsg *err, int errnum, const char *text, struct spec_loc loc, const char *fmt, ...)
{
	unsigned int len = strlen(text), from = 0, shown, room, mark;
	char message[512], part[SHOWN_BYTES + 1], carets[SHOWN_BYTES + 1];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);

	if (len > SHOWN_BYTES && loc.begin > SHOWN_BYTES / 2)
		from = loc.begin - SHOWN_BYTES / 2;
	shown = len - from < SHOWN_BYTES ? len - from : SHOWN_BYTES;
	copy_visible(part, text + from, shown);

	/* There is a mark even behind the last column: the end of the text. */
	room = loc.begin - from < SHOWN_BYTES ? SHOWN_BYTES - (loc.begin - from) : 1;
	mark = loc.end > loc.begin ? loc.end - loc.begin : 1;
	if (mark > room)
		mark = room;
	memset(carets, '^', mark);
	carets[mark] = '\0';
	return errmsg__set(err, errnum, "event: %s\n  %s%s%s\n  %*s%s", message, from ? "..." : "", part,
			   from + shown < len ? "..." : "", (int)(loc.begin - from) + (from ? 3 : 0), "", carets);
}
