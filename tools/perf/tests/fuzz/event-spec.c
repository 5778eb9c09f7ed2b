// SPDX-License-Identifier: GPL-2.0
/* What follows -e, and a PMU's list of terms. */
#include "tests/fuzz/fuzz.h"
#include "util/event/resolve.h"
#include "util/event/spec.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz__text(data, size);
	struct evlist *evlist = evlist__new();
	struct spec_event *events;
	struct spec_term *terms;
	struct errmsg err;
	unsigned int first;

	if (!evlist)
		abort();
	/* without the PMUs and tracepoints of this machine: the same inputs are to go the same ways everywhere */
	if (!strchr(text, ':'))
		evlist__parse_at(evlist, text, "/proc/self/fdinfo", &first, &err);
	evlist__delete(evlist);
	if (!spec__parse_terms(text, &terms, &err))
		spec_term__delete_list(terms);
	if (!spec__parse(text, &events, &err))
		spec_event__delete_list(events);
	free(text);
	return 0;
}
