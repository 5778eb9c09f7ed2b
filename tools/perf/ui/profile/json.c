// SPDX-License-Identifier: GPL-2.0
/*
 * {"hostname":..., "cmdline":..., "time_first":ns, "time_last":ns,
 *  "events":[{"name":..., "samples":n, "period":n, "unit":"nanoseconds" or "count", "stacks":[NODE...]}]}
 * where NODE is {"parent":i, "kind":"comm|user|kernel|inlined|state|jit|interpreted", "name":..., "dso":..., "value":n, "self":n, "samples":n}. parent is
 * the index of the caller's node, which precedes it in the same list; command names have none. samples and self, the sum of their
 * periods, count stacks that end at the node; value is the sum of periods of all stacks through it.
 *
 * Compared with another recording, the whole has its name as "old", an event "old_samples" and "old_period", and a node "old", its value
 * there. Stacks that are only there have nodes whose value is 0.
 *
 * A flat list, since stacks are deeper than JSON readers (and yajl) can nest.
 */
#include "ui/profile/profile-json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ui/json.h"
#include "util/interp/names.h"
#include "util/lib/array.h"
#include "util/symbol/perf-map.h"

#define NO_PARENT UINT32_MAX

static const char *const kinds[] = {
	[STACK_COMM] = "comm",
	[STACK_USER] = "user",
	[STACK_KERNEL] = "kernel",
	[STACK_INLINED] = "inlined",
	[STACK_STATE] = "state",
	[PROFILE_KIND_JIT] = "jit",
	[PROFILE_KIND_INTERPRETED] = "interpreted",
};

/* By a jitdump, a map of names, as [JIT] for memory without either, or a file that perf inject made of a jitdump. */
static bool is_jit(const struct dso *dso)
{
	return dso->is_jitdump || perf_map__is_name(dso->name) || !strncmp(dso->short_name, "[JIT]", 5) ||
	       !strncmp(dso->short_name, "jitted-", 7);
}

u32 profile_node__kind(const struct stack_node *node)
{
	if (node->kind != STACK_USER || !node->dso)
		return node->kind;
	if (!strcmp(node->dso->name, INTERP_NAMES_PATH))
		return PROFILE_KIND_INTERPRETED;
	return is_jit(node->dso) ? PROFILE_KIND_JIT : STACK_USER;
}

static void put_name(yajl_gen gen, const struct stack_node *node, u32 parent)
{
	if (parent != NO_PARENT)
		json__put_number(gen, "parent", parent);
	json__put_text(gen, "kind", kinds[profile_node__kind(node)]);
	json__put_text(gen, "name", node->name);
	if (node->dso)
		json__put_text(gen, "dso", node->dso->short_name);
}

static void put_sums(yajl_gen gen, const struct stack_node *node)
{
	json__put_number(gen, "value", node->total_period);
	if (node->nr) {
		json__put_number(gen, "self", node->period);
		json__put_number(gen, "samples", node->nr);
	}
}

static void put_node(yajl_gen gen, const struct stack_node *node, u32 parent)
{
	yajl_gen_map_open(gen);
	put_name(gen, node, node->kind == STACK_COMM ? NO_PARENT : parent);
	put_sums(gen, node);
	yajl_gen_map_close(gen);
}

struct both { /* the same stack in two recordings; NULL: not there */
	const struct stack_node *node, *old;
};

struct comparing {
	yajl_gen gen;
	struct both *list; /* the nodes in the order in which they are written, behind the root */
	u32 nr, alloc;
};

static bool is_same(const struct stack_node *a, const struct stack_node *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) && !a->dso == !b->dso && (!a->dso || !strcmp(a->dso->short_name, b->dso->short_name));
}

/* The same one in a list that is sorted by name, as those are that node comes from: *from moves on with their names. */
static const struct stack_node *find_same(const struct stack_node **from, const struct stack_node *node)
{
	while (*from && strcmp((*from)->name, node->name) < 0)
		*from = (*from)->next;
	for (const struct stack_node *n = *from; n && !strcmp(n->name, node->name); n = n->next) {
		if (is_same(n, node))
			return n;
	}
	return NULL;
}

static int put_both(struct comparing *c, const struct stack_node *node, const struct stack_node *old, u32 parent)
{
	if (array__grow(c->list, c->nr, c->alloc))
		return -ENOMEM;
	c->list[c->nr++] = (struct both){ node, old };
	yajl_gen_map_open(c->gen);
	put_name(c->gen, node ?: old, parent);
	if (node)
		put_sums(c->gen, node);
	else
		json__put_number(c->gen, "value", 0);
	json__put_number(c->gen, "old", old ? old->total_period : 0);
	yajl_gen_map_close(c->gen);
	return 0;
}

static int put_children(struct comparing *c, const struct both *both, u32 index)
{
	const struct stack_node *children = both->node ? both->node->child : NULL, *old_children = both->old ? both->old->child : NULL;
	const struct stack_node *from = old_children;
	int ret = 0;

	for (const struct stack_node *n = children; n && !ret; n = n->next)
		ret = put_both(c, n, find_same(&from, n), index);
	from = children;
	for (const struct stack_node *n = old_children; n && !ret; n = n->next) {
		if (!find_same(&from, n))
			ret = put_both(c, NULL, n, index);
	}
	return ret;
}

static int put_compared(yajl_gen gen, const struct profile_event *event)
{
	const struct both root = { stack_tree__root(event->stacks), event->old_stacks ? stack_tree__root(event->old_stacks) : NULL };
	struct comparing c = { .gen = gen };
	int ret;

	yajl_gen_array_open(gen);
	ret = put_children(&c, &root, NO_PARENT);
	for (u32 i = 0; i < c.nr && !ret; i++) {
		const struct both both = c.list[i]; /* the list may move */

		ret = put_children(&c, &both, i);
	}
	yajl_gen_array_close(gen);
	free(c.list);
	return ret;
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

static int put_event_stacks(yajl_gen gen, const struct profile *profile, const struct profile_event *event)
{
	if (profile->old_name) {
		json__put_number(gen, "old_samples", event->old_samples);
		json__put_number(gen, "old_period", event->old_period);
	}
	json__string(gen, "stacks");
	return profile->old_name ? put_compared(gen, event) : put_stacks(gen, event->stacks);
}

static int put_event(yajl_gen gen, const struct profile *profile, const struct profile_event *event, profile_json_cb put)
{
	int ret;

	yajl_gen_map_open(gen);
	json__put_text(gen, "name", event->name);
	json__put_number(gen, "samples", event->nr_samples);
	json__put_number(gen, "period", event->total_period);
	json__put_text(gen, "unit", profile_event__unit(event));
	ret = put(gen, profile, event);
	yajl_gen_map_close(gen);
	return ret;
}

static int put_profile(yajl_gen gen, const struct profile *profile, profile_json_cb put)
{
	int ret = 0;

	yajl_gen_map_open(gen);
	json__put_text(gen, "hostname", profile->hostname);
	json__put_text(gen, "cmdline", profile->cmdline);
	if (profile->time_last) {
		json__put_number(gen, "time_first", profile->time_first);
		json__put_number(gen, "time_last", profile->time_last);
	}
	if (profile->colors)
		json__put_text(gen, "colors", profile->colors);
	if (profile->old_name && put == put_event_stacks)
		json__put_text(gen, "old", profile->old_name);
	json__string(gen, "events");
	yajl_gen_array_open(gen);
	for (u32 i = 0; i < profile->nr_events && !ret; i++)
		ret = put_event(gen, profile, &profile->event[i], put);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
	return ret;
}

int profile_json__write(const struct profile *profile, profile_json_cb put, FILE *fp, struct errmsg *err)
{
	yajl_gen gen = json__new(fp);
	int ret;

	if (!gen)
		return errmsg__set(err, ENOMEM, "out of memory");
	yajl_gen_config(gen, yajl_gen_escape_solidus, 1); /* "</script>" must not end the flame graph's data */
	ret = put_profile(gen, profile, put);
	yajl_gen_free(gen);
	fputc('\n', fp);
	return ret ? errmsg__set(err, -ret, "out of memory") : 0;
}

int profile__write_json(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	return profile_json__write(profile, put_event_stacks, fp, err);
}
