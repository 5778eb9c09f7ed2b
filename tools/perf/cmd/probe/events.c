// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "probe"
#include "cmd/probe/probe.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/lib/printable.h"
#include "util/probe/place.h"
#include "util/probe/store.h"

static int fail(const char *what, const struct errmsg *err)
{
	if (err)
		pr_err("%s\n", err->text);
	pr_err("  Error: Failed to %s events.\n", what);
	return EXIT_SETUP;
}

/* [GROUP:]EVENT, with globs; without a group that of all groups. */
static bool fits(const struct probe_event *event, const char *pattern)
{
	char *name;
	bool fit;

	if (asprintf(&name, "%s:%s", event->group, event->event) < 0)
		return false;
	fit = !fnmatch(pattern, strchr(pattern, ':') ? name : event->event, 0);
	free(name);
	return fit;
}

static bool is_chosen(const struct probe_event *event, const struct probe_words *words)
{
	for (size_t i = 0; i < words->nr; i++) {
		if (fits(event, words->word[i]))
			return true;
	}
	return false;
}

/* An event with several places has a line for each. */
static bool is_repeated(const struct probe_events *events, size_t nr)
{
	return nr && !strcmp(events->event[nr - 1].group, events->event[nr].group) && !strcmp(events->event[nr - 1].event, events->event[nr].event);
}

static int delete_chosen(const struct probe_options *options, struct probe_store *store)
{
	const struct probe_events *events = probe_store__events(store);
	struct errmsg err;
	size_t nr = 0;
	int status = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct probe_event *event = &events->event[i];

		if (!is_chosen(event, &options->words) || is_repeated(events, i))
			continue;
		nr++;
		if (!options->dry_run && probe_store__remove(store, event, &err)) {
			pr_err("%s\n", err.text);
			status = EXIT_SETUP;
			continue;
		}
		pr_info("Removed event: %s:%s\n", event->group, event->event);
	}
	for (size_t i = 0; !nr && i < options->words.nr; i++)
		pr_err("\"%s\" does not hit any event.\n", options->words.word[i]);
	return status || !nr ? fail("delete", NULL) : 0;
}

int probe_command__delete(const struct probe_options *options)
{
	struct probe_store *store;
	struct errmsg err;
	int status;

	if (probe_store__open(&store, !options->dry_run, &err))
		return fail("delete", &err);
	status = delete_chosen(options, store);
	probe_store__close(store);
	return status;
}

/* The list */

static int print_event(const struct probe_event *event, struct probe_places *places)
{
	struct probe_event shown = *event;
	char *line;

	shown.written = probe_places__name(places, event);
	line = shown.written ? probe_event__shown(&shown) : NULL;
	if (line)
		printf("%s\n", printable__clean(line)); /* the file may be another one by now */
	else
		pr_err("out of memory\n");
	free(line);
	free(shown.written);
	return line ? 0 : EXIT_SETUP;
}

int probe_command__list(const struct probe_options *options)
{
	struct probe_places *places = probe_places__new();
	const struct probe_events *events;
	struct probe_store *store;
	struct errmsg err = { "out of memory" };
	int status = 0;

	if (!places || probe_store__open(&store, false, &err)) {
		probe_places__delete(places);
		return fail("show", &err);
	}
	events = probe_store__events(store);
	for (size_t i = 0; i < events->nr && !status; i++) {
		if (!options->words.nr || is_chosen(&events->event[i], &options->words))
			status = print_event(&events->event[i], places);
	}
	probe_store__close(store);
	probe_places__delete(places);
	return status;
}
