// SPDX-License-Identifier: GPL-2.0
/* Each round becomes a profile for a receiver: a tree of stacks for each event, below the labels that --key asks for. */
#include "ui/tally/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/profile/receivers.h"
#include "util/event/kind.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/clock.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/perfdata/wall-state.h"
#include "util/push/push.h"
#include "util/source/tally.h"

#define CONTAINER_ID 64 /* hexadecimal digits */

struct pushed_event {
	const struct session_event *event;
	char *type;
	u64 nr_samples, total_period; /* of this round */
};

struct cgroup_labels { /* of one cgroup; in this round */
	u64 id;
	char *cgroup, *unit, *container; /* "key=value"; NULL: unknown */
	UT_hash_handle hh;
};

struct push_output {
	struct tally_output out;
	struct tally_output_opts opts;
	const struct tally_push_opts *push;
	struct pushed_event *event; /* by session_event->idx */
	u32 nr_events;
	struct stack_trees *stacks; /* of this round, by the same; NULL: no samples so far */
	struct cgroup_labels *cgroups;
	u64 begin, wall_begin; /* ns of this round's beginning, by CLOCK_MONOTONIC and since 1970 */
};

/* --- labels of samples --- */

static char *labelled(const char *key, const char *value, size_t len)
{
	char *text;

	return asprintf(&text, "%s=%.*s", key, (int)len, value) < 0 ? NULL : text;
}

/* The innermost part of the path that names a unit of systemd. */
static void find_unit(struct cgroup_labels *labels, const char *path)
{
	const char *part = path;

	while (*part) {
		size_t len = strcspn(part, "/");

		if ((len > 8 && !strncmp(part + len - 8, ".service", 8)) || (len > 6 && !strncmp(part + len - 6, ".scope", 6))) {
			free(labels->unit);
			labels->unit = labelled("unit", part, len);
		}
		part += len + (part[len] == '/');
	}
}

/* Container engines put their ids into the path, with words of their own around them: so many hexadecimal digits in a row. */
static void find_container(struct cgroup_labels *labels, const char *path)
{
	while (*path) {
		size_t len = strspn(path, "0123456789abcdef");

		if (len == CONTAINER_ID) {
			free(labels->container);
			labels->container = labelled("container", path, len);
		}
		path += len ?: 1;
	}
}

static void fill_labels(struct cgroup_labels *labels, u64 id)
{
	char path[4096];

	labels->id = id;
	if (cgroup__path(id, path, sizeof(path)))
		snprintf(path, sizeof(path), "%" PRIu64, id);
	printable__clean(path);
	labels->cgroup = labelled("cgroup", path, strlen(path));
	find_unit(labels, path);
	find_container(labels, path);
}

static void forget_cgroups(struct push_output *p)
{
	struct cgroup_labels *labels, *next;

	HASH_ITER(hh, p->cgroups, labels, next) {
		HASH_DEL(p->cgroups, labels);
		free(labels->cgroup);
		free(labels->unit);
		free(labels->container);
		free(labels);
	}
}

static const struct cgroup_labels *labels_of(struct push_output *p, u64 id)
{
	struct cgroup_labels *labels;

	HASH_FIND(hh, p->cgroups, &id, sizeof(id), labels);
	if (labels)
		return labels;
	labels = calloc(1, sizeof(*labels));
	if (!labels)
		return NULL;
	fill_labels(labels, id);
	HASH_ADD(hh, p->cgroups, id, sizeof(labels->id), labels);
	if (hash_added(labels))
		return labels;
	free(labels->cgroup);
	free(labels->unit);
	free(labels->container);
	free(labels);
	return NULL;
}

static int add_label(struct stack_tree *tree, struct stack_node **under, const char *text)
{
	if (!text)
		return 0;
	*under = stack_tree__add_label(tree, *under, text);
	return *under ? 0 : -ENOMEM;
}

static int add_number(struct stack_tree *tree, struct stack_node **under, const char *key, u32 number)
{
	char text[32];

	snprintf(text, sizeof(text), "%s=%u", key, number);
	return add_label(tree, under, text);
}

static int add_cgroup(struct push_output *p, struct stack_tree *tree, struct stack_node **under, u64 id)
{
	const struct cgroup_labels *labels = labels_of(p, id);

	if (!labels)
		return -ENOMEM;
	return add_label(tree, under, labels->cgroup) ?: add_label(tree, under, labels->unit) ?: add_label(tree, under, labels->container);
}

static int add_labels(struct push_output *p, struct stack_tree *tree, const struct session_sample *sample, struct stack_node **under)
{
	const struct perf_sample *raw = sample->sample;
	const unsigned int key = p->opts.key;
	int ret = 0;
	u32 uid;

	if (key & TALLY_KEY_CGROUP)
		ret = add_cgroup(p, tree, under, raw->cgroup);
	if (!ret && key & TALLY_KEY_CPU)
		ret = add_number(tree, under, "cpu", raw->cpu);
	if (!ret && key & TALLY_KEY_UID && raw->raw_size >= sizeof(uid)) {
		memcpy(&uid, raw->raw, sizeof(uid));
		ret = add_number(tree, under, "uid", uid);
	}
	if (!ret && key & (TALLY_KEY_PID | TALLY_KEY_TID))
		ret = add_number(tree, under, "pid", sample->thread->pid);
	if (!ret && key & TALLY_KEY_TID)
		ret = add_number(tree, under, "tid", sample->thread->tid);
	return ret;
}

/* --- events --- */

/* What receivers call the values: of clocks as all profilers do, else the event's name in their letters. */
static char *type_of(const char *name)
{
	const struct event_kind *kind = event_kind__of_name(name);
	char *type;

	if (kind && kind->value)
		return strdup(kind->value);
	type = strdup(name);
	for (char *c = type; c && *c; c++) {
		if (!isalnum((unsigned char)*c))
			*c = '_';
	}
	return type;
}

static int reserve_event(struct push_output *p, u32 idx)
{
	struct pushed_event *more;

	if (idx < p->nr_events)
		return 0;
	more = reallocarray(p->event, idx + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + p->nr_events, 0, (idx + 1 - p->nr_events) * sizeof(*more));
	p->event = more;
	p->nr_events = idx + 1;
	return 0;
}

static struct pushed_event *event_of(struct push_output *p, const struct session_event *event)
{
	struct pushed_event *pushed;

	if (reserve_event(p, event->idx))
		return NULL;
	pushed = &p->event[event->idx];
	if (!pushed->event) {
		pushed->type = type_of(event->name);
		pushed->event = event;
	}
	return pushed->type ? pushed : NULL;
}

/* All trees are made at once: room for the events of a recording, of which there are few. */
static struct stack_tree *tree_of(struct push_output *p, u32 idx)
{
	if (!p->stacks) {
		p->stacks = stack_trees__new(p->push->nr_events);
		if (!p->stacks)
			return NULL;
		stack_trees__keep_addresses(p->stacks);
	}
	return idx < p->push->nr_events ? stack_trees__at(p->stacks, idx) : NULL;
}

static int push_output__sample(struct tally_output *out, const struct session_sample *sample)
{
	struct push_output *p = (struct push_output *)out;
	const struct perf_sample *raw = sample->sample;
	struct pushed_event *event = event_of(p, sample->evsel);
	struct stack_tree *tree = event ? tree_of(p, sample->evsel->idx) : NULL;
	const char *comm = p->opts.key & TALLY_KEY_COMM ? sample->thread->comm : NULL, *state = wall_state__of(raw);
	struct stack_node *under = NULL, *node;

	if (!tree || add_labels(p, tree, sample, &under))
		return -ENOMEM;
	node = stack_tree__add_below(tree, under, comm, sample->chain, &sample->loc, state ? 0 : raw->period, state ? 0 : raw->count);
	if (node && state) {
		node = stack_tree__add_state(tree, node, state);
		if (node)
			stack_node__count(node, raw->period, raw->count);
	}
	if (!node)
		return -ENOMEM;
	event->nr_samples += raw->count;
	event->total_period += raw->period;
	return 0;
}

/* --- rounds --- */

static void hand_over(struct push_output *p, const struct profile_body *body)
{
	push__add(p->push->push, body->query, body->data, body->size);
}

static int encode(struct push_output *p, const struct profile *profile)
{
	struct profile_body body;
	int ret = 0;

	if (p->push->kind == PUSH_INGEST) {
		for (u32 i = 0; i < profile->nr_events && !ret; i++) {
			ret = profile__encode_ingest(profile, i, &body, NULL);
			if (!ret)
				hand_over(p, &body);
		}
		return ret;
	}
	ret = p->push->kind == PUSH_OTLP ? profile__encode_otlp(profile, &body, NULL) : profile__encode_push(profile, &body, NULL);
	if (!ret)
		hand_over(p, &body);
	return ret;
}

static u32 list_events(struct push_output *p, struct profile_event *list)
{
	u32 nr = 0;

	for (u32 i = 0; i < p->nr_events; i++) {
		struct pushed_event *e = &p->event[i];

		if (e->event && e->nr_samples) {
			list[nr++] = (struct profile_event){
				.name = e->event->name, .type = e->type, .stacks = stack_trees__at(p->stacks, i),
				.nr_samples = e->nr_samples, .total_period = e->total_period,
			};
		}
		e->nr_samples = e->total_period = 0;
	}
	return nr;
}

static void begin_round(struct push_output *p)
{
	p->begin = clock__ns(CLOCK_MONOTONIC);
	p->wall_begin = clock__ns(CLOCK_REALTIME);
}

static int push_round(struct push_output *p)
{
	struct profile_event *events = calloc(p->nr_events ?: 1, sizeof(*events));
	struct profile profile = {
		.event = events, .time_first = p->begin, .time_last = clock__ns(CLOCK_MONOTONIC), .wall_clock = p->wall_begin,
		.label = p->push->label, .nr_labels = p->push->nr_labels,
	};
	int ret = events ? 0 : -ENOMEM;

	if (!ret && p->stacks) {
		stack_trees__sort(p->stacks);
		profile.nr_events = list_events(p, events);
		if (profile.nr_events)
			ret = encode(p, &profile);
	}
	free(events);
	return ret;
}

static int push_output__round(struct tally_output *out)
{
	struct push_output *p = (struct push_output *)out;
	int ret = push_round(p);

	stack_trees__delete(p->stacks);
	p->stacks = NULL;
	forget_cgroups(p);
	begin_round(p);
	return ret;
}

static void push_output__delete(struct tally_output *out)
{
	struct push_output *p = (struct push_output *)out;

	if (!p)
		return;
	for (u32 i = 0; i < p->nr_events; i++)
		free(p->event[i].type);
	free(p->event);
	stack_trees__delete(p->stacks);
	forget_cgroups(p);
	free(p);
}

struct tally_output *tally_push__new(const struct tally_output_opts *opts, struct errmsg *err)
{
	static const struct tally_output_ops ops = {
		.sample = push_output__sample,
		.round = push_output__round,
		.delete = push_output__delete,
	};
	struct push_output *p = calloc(1, sizeof(*p));

	if (!p) {
		errmsg__set(err, ENOMEM, "out of memory");
		return NULL;
	}
	p->out.ops = &ops;
	p->opts = *opts;
	p->push = opts->push;
	begin_round(p);
	return &p->out;
}
