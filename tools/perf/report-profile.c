// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"
#include "report-profile.h"

#include <errno.h>
#include <stdlib.h>
#include "builtin.h"
#include "ui/profile.h"
#include "util/hist/stack-tree.h"
#include "util/lib/log.h"
#include "util/lib/text.h"

bool report_profile__wanted(const struct report_profile *p)
{
	return p->flamegraph || p->pprof || p->json;
}

int report_profile__begin(struct report_profile *p, struct session *s)
{
	p->stacks = stack_trees__new(session__nr_events(s));
	return p->stacks ? 0 : -ENOMEM;
}

u64 report_profile__add(struct report_profile *p, const struct session_sample *sample)
{
	return (uintptr_t)stack_tree__add(stack_trees__at(p->stacks, sample->evsel->idx), sample->thread->comm, sample->chain, &sample->loc,
					  sample->sample->period, sample->sample->count);
}

void report_profile__add_more(u64 place, u64 nr, u64 period)
{
	stack_node__count((struct stack_node *)(uintptr_t)place, period, nr);
}

/* An event without samples, such as the one for the side-band, is left out. */
static u32 list_events(const struct report_profile *p, struct session *s, struct profile_event *events)
{
	u32 nr = 0;

	stack_trees__sort(p->stacks);
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct session_event *event = session__event(s, i);

		if (!event->nr_samples)
			continue;
		events[nr++] = (struct profile_event){
			.name = event->name,
			.stacks = stack_trees__at(p->stacks, i),
			.nr_samples = event->nr_samples,
			.total_period = event->total_period,
		};
	}
	return nr;
}

static char *join_cmdline(const struct perfdata_features *f)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!f->nr_cmdline)
		return NULL;
	fp = open_memstream(&text, &size);
	if (!fp)
		return NULL;
	for (u32 i = 0; i < f->nr_cmdline; i++)
		fprintf(fp, "%s%s", i ? " " : "", f->cmdline[i]);
	text__close_stream(fp, &text);
	return text;
}

static int write_all(const struct report_profile *p, const struct profile *profile)
{
	const struct {
		const char *path;
		const struct profile_format *format;
	} outputs[] = {
		{ p->flamegraph, &profile_flamegraph },
		{ p->pprof, &profile_pprof },
		{ p->json ? "-" : NULL, &profile_json },
	};
	struct errmsg err;

	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		if (!outputs[i].path || !profile__write_file(profile, outputs[i].format, outputs[i].path, &err))
			continue;
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	return 0;
}

int report_profile__write(struct report_profile *p, struct session *s)
{
	const struct perfdata_features *features = perfdata_reader__features(session__reader(s));
	struct profile_event *events = calloc(session__nr_events(s), sizeof(*events));
	char *cmdline = join_cmdline(features);
	struct profile profile = {
		.event = events,
		.time_first = features->sample_time_first,
		.time_last = features->sample_time_last,
		.hostname = features->hostname,
		.cmdline = cmdline,
	};
	int ret = EXIT_SETUP;

	if (events) {
		profile.nr_events = list_events(p, s, events);
		ret = write_all(p, &profile);
	} else {
		pr_err("out of memory\n");
	}
	free(cmdline);
	free(events);
	return ret;
}

void report_profile__exit(struct report_profile *p, struct session *s)
{
	stack_trees__delete(p->stacks);
	p->stacks = NULL;
}
