// SPDX-License-Identifier: GPL-2.0
/*
 * {"hostname":..., "cmdline":..., "time_first":ns, "time_last":ns,
 *  "events":[{"name":..., "samples":n, "period":n, "unit":"nanoseconds" or "count", "stacks":[NODE...]}]}
 * where NODE is {"parent":i, "kind":"comm|user|kernel|inlined", "name":..., "dso":..., "value":n, "self":n, "samples":n}. parent is
 * the index of the caller's node, which precedes it in the same list; command names have none. samples and self, the sum of their
 * periods, count stacks that end at the node; value is the sum of periods of all that go through it.
 *
 * A flat list, since stacks are deeper than JSON readers (and yajl) can nest.
 */
#include "ui/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include "ui/json.h"

static void put_node(yajl_gen gen, const struct stack_node *node, u32 parent)
{
	static const char *const kinds[] = {
		[STACK_COMM] = "comm",
		[STACK_USER] = "user",
		[STACK_KERNEL] = "kernel",
		[STACK_INLINED] = "inlined",
	};

	yajl_gen_map_open(gen);
	if (node->kind != STACK_COMM)
		json__put_number(gen, "parent", parent);
	json__put_text(gen, "kind", kinds[node->kind]);
	json__put_text(gen, "name", node->name);
	if (node->dso)
		json__put_text(gen, "dso", node->dso->short_name);
	json__put_number(gen, "value", node->total_period);
	if (node->nr) {
		json__put_number(gen, "self", node->period);
		json__put_number(gen, "samples", node->nr);
	}
	yajl_gen_map_close(gen);
}

static int put_stacks(yajl_gen gen, const struct stack_tree *stacks)
{
	u32 *place = calloc(stack_tree__max_depth(stacks) + 1, sizeof(*place)), nr = 0; /* index of the latest node by depth */
	const struct stack_node *node = stack_tree__root(stacks);

	if (!place)
		return -ENOMEM;
	yajl_gen_array_open(gen);
	while ((node = stack_node__next(node))) {
		put_node(gen, node, place[node->depth - 1]);
		place[node->depth] = nr++;
	}
	yajl_gen_array_close(gen);
	free(place);
	return 0;
}

static int put_event(yajl_gen gen, const struct profile_event *event)
{
	int ret;

	yajl_gen_map_open(gen);
	json__put_text(gen, "name", event->name);
	json__put_number(gen, "samples", event->nr_samples);
	json__put_number(gen, "period", event->total_period);
	json__put_text(gen, "unit", profile_event__unit(event));
	json__string(gen, "stacks");
	ret = put_stacks(gen, event->stacks);
	yajl_gen_map_close(gen);
	return ret;
}

static int put_profile(yajl_gen gen, const struct profile *profile)
{
	int ret = 0;

	yajl_gen_map_open(gen);
	json__put_text(gen, "hostname", profile->hostname);
	json__put_text(gen, "cmdline", profile->cmdline);
	if (profile->time_last) {
		json__put_number(gen, "time_first", profile->time_first);
		json__put_number(gen, "time_last", profile->time_last);
	}
	json__string(gen, "events");
	yajl_gen_array_open(gen);
	for (u32 i = 0; i < profile->nr_events && !ret; i++)
		ret = put_event(gen, &profile->event[i]);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
	return ret;
}

int profile__write_json(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	yajl_gen gen = json__new(fp);
	int ret;

	if (!gen)
		return errmsg__set(err, ENOMEM, "out of memory");
	yajl_gen_config(gen, yajl_gen_escape_solidus, 1); /* "</script>" must not end the flame graph's data */
	ret = put_profile(gen, profile);
	yajl_gen_free(gen);
	return ret ? errmsg__set(err, -ret, "out of memory") : 0;
}
