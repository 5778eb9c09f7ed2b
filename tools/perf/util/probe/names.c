// SPDX-License-Identifier: GPL-2.0
#include "util/probe/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 63
#define MAX_NUMBER 1024

static bool is_taken(const struct probe_events *events, size_t nr, const struct probe_store *store, const char *group, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(events->event[i].group, group) && !strcmp(events->event[i].event, name))
			return true;
	}
	return store && probe_store__has(store, group, name);
}

static int append_number(struct probe_events *events, size_t nr, const struct probe_store *store, char **name, struct errmsg *err)
{
	const char *group = events->event[nr].group;

	for (unsigned int i = 1; i < MAX_NUMBER; i++) {
		char *numbered, number[16];
		const int len = snprintf(number, sizeof(number), "_%u", i);

		if (asprintf(&numbered, "%.*s%s", MAX_NAME - len, *name, number) < 0)
			return errmsg__set(err, ENOMEM, "out of memory");
		if (!is_taken(events, nr, store, group, numbered)) {
			free(*name);
			*name = numbered;
			return 0;
		}
		free(numbered);
	}
	return errmsg__set(err, ERANGE, "Too many events are on %s:%s.", group, *name);
}

static const char *type_of(const struct probe_event_argument *arg)
{
	const char *colon = strrchr(arg->text, ':');

	return colon ? colon : "";
}

/* One event has the same arguments at all places, says the kernel. */
static bool have_same_arguments(const struct probe_event *a, const struct probe_event *b)
{
	if (a->nr_arguments != b->nr_arguments)
		return false;
	for (size_t i = 0; i < a->nr_arguments; i++) {
		const struct probe_event_argument *l = &a->argument[i], *r = &b->argument[i];

		if (strcmp(l->name ?: "", r->name ?: "") || strcmp(type_of(l), type_of(r)))
			return false;
	}
	return true;
}

static bool are_places_of_one(const struct probe_event *a, const struct probe_event *b)
{
	return a->definition == b->definition && !strcmp(a->event, b->event) && !strcmp(a->group, b->group) && have_same_arguments(a, b);
}

/* nr: how many events have their names. The events of the definition behind them with the same name get the same one. */
static int choose(struct probe_events *events, size_t nr, const struct probe_store *store, bool force, struct errmsg *err)
{
	struct probe_event *event = &events->event[nr];
	char *name, *copy;
	int ret;

	if (!is_taken(events, nr, store, event->group, event->event))
		return 0;
	if (!force)
		return errmsg__set(err, EEXIST, "Error: event \"%s\" already exists.\n Hint: Remove existing event by 'perf probe -d'\n"
				   "       or force duplicates by 'perf probe -f'.", event->event);
	name = strdup(event->event);
	ret = name ? append_number(events, nr, store, &name, err) : errmsg__set(err, ENOMEM, "out of memory");
	for (size_t i = events->nr; i-- > nr && !ret;) {
		struct probe_event *other = &events->event[i];

		if (!are_places_of_one(other, event))
			continue;
		copy = strdup(name);
		if (!copy) {
			ret = errmsg__set(err, ENOMEM, "out of memory");
			break;
		}
		free(other->event);
		other->event = copy;
	}
	free(name);
	return ret;
}

static bool has_name(const struct probe_events *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (are_places_of_one(&events->event[i], &events->event[nr]))
			return true;
	}
	return false;
}

/* Another place of the same definition has it, with other arguments. */
static bool is_split(const struct probe_events *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct probe_event *other = &events->event[i], *event = &events->event[nr];

		if (other->definition == event->definition && !strcmp(other->event, event->event) && !strcmp(other->group, event->group))
			return true;
	}
	return false;
}

int probe_names__choose(struct probe_events *events, const struct probe_store *store, bool force, struct errmsg *err)
{
	int ret = 0;

	for (size_t i = 0; i < events->nr && !ret; i++) {
		if (!has_name(events, i))
			ret = choose(events, i, store, force || is_split(events, i), err);
	}
	return ret;
}
