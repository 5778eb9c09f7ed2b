// SPDX-License-Identifier: GPL-2.0
#include "util/probe/convert-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/symbol/probe-args.h"

int probe_conversion__no_memory(struct probe_conversion *c)
{
	return errmsg__set(c->err, ENOMEM, "out of memory");
}

/* Names */

static char *group_of(const struct probe_conversion *c)
{
	const char *name;
	char *text, *group;

	if (c->def->group)
		return strdup(c->def->group);
	if (!c->target->exec)
		return strdup("probe");
	name = strrchr(c->target->exec, '/');
	name = name ? name + 1 : c->target->exec;
	if (asprintf(&text, "probe_%.*s", (int)strcspn(name, "-._"), name) < 0)
		return NULL;
	group = probe_event__name_of(text, "");
	free(text);
	return group;
}

static char *event_of(const struct probe_conversion *c, const char *function)
{
	const struct probe_definition *def = c->def;
	char suffix[40] = "", text[40];

	if (def->is_return)
		snprintf(suffix, sizeof(suffix), "__return");
	else if (!def->event && def->function && def->has_line)
		snprintf(suffix, sizeof(suffix), "_L%" PRIu64, def->line);
	if (def->event)
		return probe_event__name_of(def->event, suffix);
	if (def->is_address) {
		snprintf(text, sizeof(text), "abs_%" PRIx64, def->address);
		return probe_event__name_of(text, suffix);
	}
	function += *function == '.';
	if (!function[strspn(function, ".@")])
		function = "abs";
	return probe_event__name_of(strndupa(function, strcspn(function, ".@")), suffix);
}

struct probe_event *probe_conversion__add(struct probe_conversion *c, const char *function, char *place)
{
	struct probe_event *event = place ? probe_events__add(c->events) : NULL;

	if (!event) {
		free(place);
		return NULL;
	}
	event->definition = c->number;
	event->in_kernel = !c->target->exec;
	event->is_return = c->def->is_return;
	event->place = place;
	event->path = c->target->exec ? strdup(c->target->exec) : NULL;
	event->group = group_of(c);
	event->event = event_of(c, function);
	event->written = probe_definition__place(c->def);
	event->operands = probe_definition__operands(c->def);
	return (c->target->exec && !event->path) || !event->group || !event->event || !event->written || !event->operands ? NULL : event;
}

/* Arguments in the words of the kernel */

/* Programs have no $arg1: it is in the register that calls put it in. Without a name the kernel names it by its number in the list, as all others. */
static int add_call_register(struct probe_conversion *c, struct probe_event *event, const struct probe_operand *operand, bool at_entry)
{
	const unsigned long nr = strtoul(operand->variable + strlen("$arg"), NULL, 10);
	const char *reg = nr ? probe_args__register(nr - 1) : NULL;
	char text[128];

	if (!at_entry || event->is_return)
		return errmsg__set(c->err, EINVAL, "%s is known only at a function's begin", operand->variable);
	if (!reg)
		return errmsg__set(c->err, EINVAL, "%s is in no register", operand->variable);
	snprintf(text, sizeof(text), "%s%s%s", reg, operand->type ? ":" : "", operand->type ?: "");
	return probe_event__add_argument(event, operand->name, text);
}

int probe_conversion__add_raw(struct probe_conversion *c, struct probe_event *event, const struct probe_operand *operand, bool at_entry)
{
	char *text;
	int ret;

	if (!strcmp(operand->variable, "$retval") && !c->def->is_return)
		return errmsg__set(c->err, EINVAL, "$retval is known only when a function returns: write FUNCTION%%return");
	if (!event->in_kernel && !strncmp(operand->variable, "$arg", 4))
		return add_call_register(c, event, operand, at_entry);
	if (asprintf(&text, "%s%s%s", operand->variable, operand->type ? ":" : "", operand->type ?: "") < 0)
		return -ENOMEM;
	ret = probe_event__add_argument(event, operand->name, text);
	free(text);
	return ret;
}
