// SPDX-License-Identifier: GPL-2.0
#include "util/probe/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"
#include "util/probe/operand.h"

#define MAX_NAME 63	  /* the kernel's limit, without the NUL */
#define MAX_ARGUMENTS 128 /* the kernel's limit */
#define MAX_LINE 4094	  /* the kernel's limit, without newline */
#define MAX_NUMBER 5	  /* characters that may come behind the name: "_1023" */

struct probe_event *probe_events__add(struct probe_events *events)
{
	if (array__extend(events->event, events->nr))
		return NULL;
	events->event[events->nr] = (struct probe_event){ 0 };
	return &events->event[events->nr++];
}

void probe_event__exit(struct probe_event *event)
{
	for (size_t i = 0; i < event->nr_arguments; i++) {
		free(event->argument[i].name);
		free(event->argument[i].text);
	}
	free(event->argument);
	free(event->group);
	free(event->event);
	free(event->path);
	free(event->place);
	free(event->written);
	free(event->operands);
}

void probe_events__exit(struct probe_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		probe_event__exit(&events->event[i]);
	free(events->event);
	*events = (struct probe_events){ 0 };
}

int probe_event__add_argument(struct probe_event *event, const char *name, const char *text)
{
	struct probe_event_argument *argument;

	if (array__extend(event->argument, event->nr_arguments))
		return -ENOMEM;
	argument = &event->argument[event->nr_arguments++];
	argument->name = name ? strdup(name) : NULL;
	argument->text = text ? strdup(text) : NULL;
	return (name && !argument->name) || (text && !argument->text) ? -ENOMEM : 0;
}

static int check_length(const struct probe_event *event, struct errmsg *err)
{
	char *line = probe_event__line(event);
	const size_t len = line ? strlen(line) : 0;

	free(line);
	if (!line)
		return errmsg__set(err, ENOMEM, "out of memory");
	if (len + MAX_NUMBER > MAX_LINE)
		return errmsg__set(err, E2BIG, "%s with its arguments is %zu characters long for the kernel, which takes %d", event->written, len,
				   MAX_LINE - MAX_NUMBER);
	return 0;
}

/* Names may come from the file: a blank or newline in one would begin another argument, or another event. */
int probe_event__check(const struct probe_event *event, struct errmsg *err)
{
	if (event->nr_arguments > MAX_ARGUMENTS)
		return errmsg__set(err, EINVAL, "%s has %zu arguments; the kernel takes %d", event->written, event->nr_arguments, MAX_ARGUMENTS);
	for (size_t i = 0; i < event->nr_arguments; i++) {
		const char *name = event->argument[i].name;

		if (name && strlen(name) > MAX_NAME)
			return errmsg__set(err, EINVAL, "'%s' is too long for the name of an argument: write NAME=%s", name, name);
		if (name && !probe_name__is_valid(name))
			return errmsg__set(err, EINVAL, "'%s' is no name for an argument", name);
		for (size_t j = 0; name && j < i; j++) {
			if (event->argument[j].name && !strcmp(event->argument[j].name, name))
				return errmsg__set(err, EINVAL, "Two arguments have the name '%s': write NAME= before one of them", name);
		}
	}
	return check_length(event, err);
}

char *probe_event__line(const struct probe_event *event)
{
	struct text t = { 0 };

	text__printf(&t, "%c:%s/%s %s%s%s", event->is_return ? 'r' : 'p', event->group, event->event, event->path ?: "", event->path ? ":" : "",
		     event->place);
	for (size_t i = 0; i < event->nr_arguments; i++) {
		const struct probe_event_argument *arg = &event->argument[i];

		text__printf(&t, " %s%s%s", arg->name ?: "", arg->name ? "=" : "", arg->text);
	}
	text__char(&t, '\0');
	if (!t.failed)
		return t.buf;
	text__exit(&t);
	return NULL;
}

char *probe_event__shown(const struct probe_event *event)
{
	struct text t = { 0 };
	char name[2 * MAX_NAME + 2];

	snprintf(name, sizeof(name), "%s:%s", event->group, event->event);
	text__printf(&t, "  %-20s (on %s", name, event->written);
	if (event->path)
		text__printf(&t, " in %s", printable__clean(strdupa(event->path)));
	if (event->operands && *event->operands)
		text__printf(&t, " with%s", event->operands);
	for (size_t i = 0; i < event->nr_arguments && !event->operands; i++)
		text__printf(&t, "%s %s", i ? "" : " with", event->argument[i].name);
	text__str(&t, ")");
	text__char(&t, '\0');
	if (!t.failed)
		return t.buf;
	text__exit(&t);
	return NULL;
}

char *probe_event__name_of(const char *text, const char *suffix)
{
	const size_t len_suffix = strlen(suffix);
	size_t len = strlen(text);
	char *name = malloc(len + len_suffix + 2), *to = name;

	if (!name)
		return NULL;
	if (isdigit((unsigned char)*text))
		*to++ = '_';
	for (; *text && (size_t)(to - name) + len_suffix < MAX_NAME; text++)
		*to++ = isalnum((unsigned char)*text) ? *text : '_';
	strcpy(to, suffix);
	return name;
}

/* Lines of the kernel */

static bool is_split(char *text, char at, char **first, char **second)
{
	*first = text;
	*second = strchr(text, at);
	if (!*second)
		return false;
	*(*second)++ = '\0';
	return **first && **second;
}

static int take_target(struct probe_event *event, char *target)
{
	char *place;

	event->path = NULL;
	if (event->in_kernel) {
		event->place = strdup(target);
		return event->place ? 0 : -ENOMEM;
	}
	place = strrchr(target, ':');
	if (!place || place == target)
		return -EINVAL;
	*place++ = '\0';
	event->path = strdup(target);
	event->place = strdup(place);
	return event->path && event->place ? 0 : -ENOMEM;
}

/* A path may have blanks: the place behind it is the first word that ends with :0xNUMBER. */
static char *end_of_target(char *target, bool in_kernel)
{
	char *end = target + strcspn(target, " ");

	while (!in_kernel && *end) {
		char saved = *end, *colon;

		*end = '\0';
		colon = strrchr(target, ':');
		*end = saved;
		if (colon && !strncmp(colon, ":0x", 3))
			break;
		end += 1 + strcspn(end + 1, " ");
	}
	return end;
}

static int parse(struct probe_event *event, char *line)
{
	char *head, *rest, *kind, *names, *group, *name, *end, *save = NULL;
	int ret;

	if (!is_split(line, ' ', &head, &rest) || !is_split(head, ':', &kind, &names) || !is_split(names, '/', &group, &name) ||
	    (*kind != 'p' && *kind != 'r'))
		return -EINVAL;
	event->is_return = *kind == 'r';
	event->group = strdup(group);
	event->event = strdup(name);
	if (!event->group || !event->event)
		return -ENOMEM;
	end = end_of_target(rest, event->in_kernel);
	name = *end ? end + 1 : end;
	*end = '\0';
	ret = take_target(event, rest);
	for (char *arg = strtok_r(name, " ", &save); arg && !ret; arg = strtok_r(NULL, " ", &save)) {
		arg[strcspn(arg, "=")] = '\0';
		ret = probe_event__add_argument(event, arg, NULL);
	}
	return ret;
}

int probe_event__parse(struct probe_event *event, const char *line, bool in_kernel)
{
	char *copy = strdup(line);
	int ret;

	*event = (struct probe_event){ .in_kernel = in_kernel };
	if (!copy)
		return -ENOMEM;
	ret = parse(event, copy);
	free(copy);
	if (ret)
		probe_event__exit(event);
	return ret;
}
