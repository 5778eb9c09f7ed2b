// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/read/options.h"
#include "ui/session-stdio.h"
#include "util/event/attr-print.h"
#include "util/event/evsel.h"
#include "util/event/tracepoint.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/perfdata/reader.h"

static const char *input = "perf.data";
static bool show_freq, show_groups, show_attr, show_fields, force;

static const char *const evlist_usage[] = {
	"perf evlist [<options>]",
	NULL,
};

static const struct option_row evlist_options[] = {
	OPT_STRING('i', "input", &input, "file", "read this recording (perf.data)"),
	OPT_BOOL('F', "freq", &show_freq, "show the frequency or period of each event"),
	OPT_BOOL('v', "verbose", &show_attr, "show every setting of each event"),
	OPT_BOOL('g', "group", &show_groups, "show the events of a group together"),
	OPT_BOOL(0, "trace-fields", &show_fields, "show the names of each tracepoint's fields"),
	OPT_BOOL('f', "force", &force, "read files of other users, which is always done"),
	OPT_END(),
};

static const char *event__name(const struct perfdata_event *event)
{
	static char buf[128];

	return event->name ?: attr__name(&event->attr, buf, sizeof(buf));
}

/* The tracepoint with this id; NULL: its format is missing, or cannot be read. The caller deletes it. */
static struct tracepoint *find_tracepoint(const struct perfdata_features *f, u64 wanted)
{
	struct tracepoint *tp = NULL;
	unsigned long long id;
	char name[128];

	for (u32 i = 0; i < f->nr_tracing && !tp; i++) {
		const struct perfdata_tracing *t = &f->tracing[i];

		if (sscanf(t->format, "name: %127s ID: %llu", name, &id) == 2 && id == wanted)
			tracepoint__of_format(t->sys, name, t->format, &tp);
	}
	return tp;
}

static int print_field(void *data, const struct tracepoint_place *place)
{
	const char **separator = data;

	printf("%s%s", *separator, place->name);
	*separator = ",";
	return 0;
}

/* In the words of other perfs */
static void print_fields(const struct perfdata_features *f, const struct perf_event_attr *attr)
{
	const char *separator = " trace_fields: ";
	struct tracepoint *tp;

	if (attr->type != PERF_TYPE_TRACEPOINT) {
		printf(" (not a tracepoint)");
		return;
	}
	tp = find_tracepoint(f, attr->config);
	if (!tp || tracepoint__for_each_place(tp, print_field, &separator) || *separator != ',')
		printf(" (no trace field)");
	tracepoint__delete(tp);
}

static void print_event(const struct perfdata_features *f, const struct perfdata_event *event)
{
	printf("%s", event__name(event));
	if (show_attr) {
		printf(": ");
		attr__fprintf(stdout, &event->attr, event->name);
	} else if (show_freq) {
		printf(": sample_%s=%llu", event->attr.freq ? "freq" : "period", (unsigned long long)event->attr.sample_freq);
	}
	if (show_fields) {
		putchar(show_attr || show_freq ? ',' : ':');
		print_fields(f, &event->attr);
	}
	putchar('\n');
}

/* The group with event i as leader; NULL if there is none. */
static const struct perfdata_group *group_of(const struct perfdata_features *f, u32 i, u32 nr_events)
{
	for (u32 g = 0; g < f->nr_group; g++) {
		if (f->group[g].leader == i && f->group[g].nr_members > 1 && f->group[g].nr_members <= nr_events - i)
			return &f->group[g];
	}
	return NULL;
}

static const char *group_name(const struct perfdata_group *group)
{
	return strcmp(group->name, PERFDATA_ANON_GROUP) ? group->name : "";
}

/* "{cycles,instructions}" for a group, with its name if it has one; the name for an event in no group. */
static void print_groups(const struct perfdata_reader *reader, const struct perfdata_event *events, u32 nr)
{
	for (u32 i = 0; i < nr;) {
		const struct perfdata_group *group = group_of(perfdata_reader__features(reader), i, nr);
		u32 end = i + (group ? group->nr_members : 1);

		if (group)
			printf("%s{", group_name(group));
		printf("%s", event__name(&events[i]));
		while (++i < end)
			printf(",%s", event__name(&events[i]));
		printf("%s\n", group ? "}" : "");
	}
}

int cmd_evlist(int argc, char **argv)
{
	struct perfdata_reader *reader;
	const struct perfdata_event *events;
	struct errmsg err;
	int ret;
	u32 nr;

	argc = options__parse(argc, argv, evlist_options, evlist_usage, false);
	if (argc)
		options__refuse_exit("  Error: unexpected argument `%s'\n", argv[0]);
	if (show_groups && (show_attr || show_freq || show_fields))
		options__refuse_exit("  Error: --group does not go with --verbose, --freq or --trace-fields\n");
	ret = perfdata_reader__open(input, &reader, &err);
	if (ret) {
		session__explain_open(input, ret, &err);
		return EXIT_SETUP;
	}
	if (perfdata_reader__warnings(reader))
		pr_warn("%s\n", perfdata_reader__warnings(reader));
	events = perfdata_reader__events(reader, &nr);
	if (show_groups)
		print_groups(reader, events, nr);
	for (u32 i = 0; !show_groups && i < nr; i++)
		print_event(perfdata_reader__features(reader), &events[i]);
	ret = perfdata_reader__damaged(reader) ? EXIT_DAMAGED : 0;
	perfdata_reader__delete(reader);
	return ret;
}
