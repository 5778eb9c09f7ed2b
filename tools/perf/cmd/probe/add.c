// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "probe"
#include "cmd/probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/probe/names.h"
#include "util/probe/store.h"

static int fail(int ret, const struct errmsg *err)
{
	if (ret == -ENOMEM)
		pr_err("out of memory\n");
	else
		pr_err("%s\n", err->text);
	pr_err("  Error: Failed to add events.\n");
	return EXIT_SETUP;
}

static int parse_all(struct probe_definition *def, const struct probe_words *words)
{
	struct errmsg err;

	for (size_t i = 0; i < words->nr; i++) {
		const int ret = probe_definition__parse(&def[i], words->word[i], &err);

		if (ret) {
			pr_err("%s\n", err.text);
			return ret == -ENOMEM ? EXIT_SETUP : EXIT_USAGE;
		}
	}
	return 0;
}

static int convert_all(const struct probe_options *options, const struct probe_definition *def, struct probe_events *events)
{
	struct errmsg err;

	for (size_t i = 0; i < options->words.nr; i++) {
		const int ret = probe_convert(&options->target, &def[i], i, events, &err);

		if (ret)
			return fail(ret, &err);
	}
	return 0;
}

/* All definitions are looked up before the first event is made. */
static int make_events(const struct probe_options *options, struct probe_events *events)
{
	struct probe_definition *def = calloc(options->words.nr, sizeof(*def));
	int ret;

	if (!def)
		return fail(-ENOMEM, NULL);
	ret = parse_all(def, &options->words);
	if (!ret)
		ret = convert_all(options, def, events);
	for (size_t i = 0; i < options->words.nr; i++)
		probe_definition__exit(&def[i]);
	free(def);
	return ret;
}

static int tell_added(const struct probe_events *events)
{
	const struct probe_event *last = &events->event[events->nr - 1];

	pr_info("Added new event%s\n", events->nr > 1 ? "s:" : ":");
	for (size_t i = 0; i < events->nr; i++) {
		char *shown = probe_event__shown(&events->event[i]);

		if (!shown)
			return fail(-ENOMEM, NULL);
		pr_info("%s\n", shown);
		free(shown);
	}
	pr_info("\nYou can now use it in all perf tools, such as:\n\n\tperf record -e %s:%s -aR sleep 1\n\n", last->group, last->event);
	return 0;
}

static int add_events(const struct probe_options *options, struct probe_events *events)
{
	struct probe_store *store = NULL;
	struct errmsg err;
	int ret = probe_store__open(&store, !options->dry_run, &err);

	if (options->dry_run && ret != -ENOMEM)
		ret = 0; /* who may not read the events tries out definitions without them */
	if (!ret)
		ret = probe_names__choose(events, store, options->force, &err);
	if (!ret && !options->dry_run)
		ret = probe_store__add(store, events, options->target.opened, &err);
	probe_store__close(store);
	return ret ? fail(ret, &err) : tell_added(events);
}

int probe_command__add(const struct probe_options *options)
{
	struct probe_events events = { 0 };
	int ret = make_events(options, &events);

	if (!ret)
		ret = add_events(options, &events);
	probe_events__exit(&events);
	return ret;
}

static int print_events(const struct probe_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		char *line = probe_event__line(&events->event[i]);

		if (!line)
			return fail(-ENOMEM, NULL);
		printf("%s\n", line);
		free(line);
	}
	return 0;
}

int probe_command__define(const struct probe_options *options)
{
	struct probe_events events = { 0 };
	struct errmsg err;
	int ret = make_events(options, &events), named;

	named = ret ? 0 : probe_names__choose(&events, NULL, true, &err);
	if (named)
		ret = fail(named, &err);
	if (!ret)
		ret = print_events(&events);
	probe_events__exit(&events);
	return ret;
}
