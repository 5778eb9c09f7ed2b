// SPDX-License-Identifier: GPL-2.0
#include "util/probe/convert-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/fs.h"
#include "util/symbol/probe-args.h"

int probe_conversion__no_memory(struct probe_conversion *c)
{
	return errmsg__set(c->err, ENOMEM, "out of memory");
}

/* Names */

static char *group_of(const struct probe_conversion *c)
{
	const char *name;
	char *text, *group, own[NAME_MAX + 1];

	if (c->def->group)
		return strdup(c->def->group);
	if (!c->target->exec)
		return strdup("probe");
	name = strrchr(c->target->exec, '/');
	name = name ? name + 1 : c->target->exec;
	if (!strncmp(c->target->exec, "/proc/", strlen("/proc/")) && !fs__file_name(c->target->exec, own, sizeof(own)))
		name = own; /* not "exe" */
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
	event->path = c->target->exec ? strdup(c->target->raw ?: c->target->exec) : NULL;
	event->group = group_of(c);
	event->event = event_of(c, function);
	event->written = probe_definition__place(c->def);
	event->operands = probe_definition__operands(c->def);
	return (c->target->exec && !event->path) || !event->group || !event->event || !event->written || !event->operands ? NULL : event;
}

/* Arguments in the words of the kernel */

/* "$arg1", also of "+8(+0($arg1))"; NULL: it is another one, as a text that has these characters */
static const char *find_call_argument(const char *variable)
{
	const char *inner = variable + strspn(variable, "+-u0123456789xabcdefABCDEF(");

	return strncmp(inner, "$arg", 4) ? NULL : inner;
}

/* Programs have no $arg1: it is in the register that calls put it in. Without a name the kernel names it by its number in the list, as all others. */
static int add_call_register(struct probe_conversion *c, struct probe_event *event, const struct probe_operand *operand, bool at_entry)
{
	const char *arg = find_call_argument(operand->variable);
	char *behind, *text;
	const unsigned long nr = strtoul(arg + strlen("$arg"), &behind, 10);
	const char *reg = nr ? probe_args__register(nr - 1) : NULL;
	int ret;

	if (!at_entry || event->is_return)
		return errmsg__set(c->err, EINVAL, "%.*s is known only at a function's begin", (int)(behind - arg), arg);
	if (!reg)
		return errmsg__set(c->err, EINVAL, "%.*s is in no register", (int)(behind - arg), arg);
	if (asprintf(&text, "%.*s%s%s%s%s", (int)(arg - operand->variable), operand->variable, reg, behind, operand->type ? ":" : "",
		     operand->type ?: "") < 0)
		return -ENOMEM;
	ret = probe_event__add_argument(event, operand->name, text);
	free(text);
	return ret;
}

int probe_conversion__add_raw(struct probe_conversion *c, struct probe_event *event, const struct probe_operand *operand, bool at_entry)
{
	char *text;
	int ret;

	if (!strcmp(operand->variable, "$retval") && !c->def->is_return)
		return errmsg__set(c->err, EINVAL, "$retval is known only when a function returns: write FUNCTION%%return");
	if (!event->in_kernel && find_call_argument(operand->variable))
		return add_call_register(c, event, operand, at_entry);
	if (asprintf(&text, "%s%s%s", operand->variable, operand->type ? ":" : "", operand->type ?: "") < 0)
		return -ENOMEM;
	ret = probe_event__add_argument(event, operand->name, text);
	free(text);
	return ret;
}
