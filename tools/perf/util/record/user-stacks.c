// SPDX-License-Identifier: GPL-2.0
#include "util/record/user-stacks.h"

#include "util/perfdata/sample.h"

#define LOOK_AT_EACH 8
#define ENOUGH_STACKS 25

static bool has_user_callchains(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CALLCHAIN && !(attr->sample_type & PERF_SAMPLE_STACK_USER) &&
	       !attr->exclude_callchain_user && !attr->exclude_user && !attr->sample_max_stack;
}

void user_stacks__init(struct user_stacks *u, const struct evlist *evlist)
{
	*u = (struct user_stacks){};
	for (u32 i = 0; i < evlist->nr; i++) {
		const struct perf_event_attr *attr = &evlist->evsel[i]->attr;

		if (evlist->evsel[i]->side_band)
			continue;
		if (!has_user_callchains(attr) ||
		    (u->attr && (attr->sample_type != u->attr->sample_type || attr->read_format != u->attr->read_format))) {
			u->attr = NULL;
			return;
		}
		u->attr = attr;
	}
}

/* Number of user frames; 0: the sample has no such stack. */
static u64 nr_user_frames(const struct perf_sample *sample)
{
	u64 nr = 0;
	bool user = false;

	for (u64 i = 0; i < sample->nr_callchain; i++) {
		if (sample->callchain[i] < PERF_CONTEXT_MAX)
			nr += user;
		else
			user = sample->callchain[i] == PERF_CONTEXT_USER;
	}
	return nr;
}

void user_stacks__look(struct user_stacks *u, const union perf_record *record)
{
	struct perf_sample sample;
	u64 nr;

	if (!u->attr || u->nr_samples++ % LOOK_AT_EACH || perf_sample__decode(&sample, u->attr, record))
		return;
	nr = nr_user_frames(&sample);
	u->nr_stacks += nr > 0;
	u->nr_cut += nr == 1;
}

unsigned int user_stacks__percent_cut(const struct user_stacks *u)
{
	return u->nr_stacks >= ENOUGH_STACKS ? 100 * u->nr_cut / u->nr_stacks : 0;
}
