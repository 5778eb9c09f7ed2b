// SPDX-License-Identifier: GPL-2.0
#include "util/event/evsel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/tracepoint.h"
#include "util/lib/array.h"
#include "util/lib/comma-list.h"
#include "util/lib/text.h"

struct evsel *evsel__new(u32 type, u64 config)
{
	struct evsel *evsel = calloc(1, sizeof(*evsel));

	if (!evsel)
		return NULL;
	evsel->attr.size = sizeof(evsel->attr);
	evsel->attr.type = type;
	evsel->attr.config = config;
	evsel->attr.exclude_guest = 1; /* only `perf kvm` samples guests */
	return evsel;
}

static void drop_fields(struct evsel *evsel)
{
	while (evsel->nr_fields)
		free(evsel->fields[--evsel->nr_fields]);
	free(evsel->fields);
}

void evsel__delete(struct evsel *evsel)
{
	if (!evsel)
		return;
	tracepoint__delete(evsel->tp);
	free(evsel->cpus);
	evsel__drop_filters(evsel);
	drop_fields(evsel);
	free(evsel->cgroup);
	free(evsel->group_name);
	free(evsel->name);
	free(evsel);
}

struct callgraph evsel__callgraph(const struct evsel *evsel, const struct callgraph *all)
{
	struct callgraph callgraph = evsel->terms.has_callgraph ? evsel->terms.callgraph : *all;

	if (callgraph.mode == CALLGRAPH_DWARF && evsel->terms.callgraph.stack_dump)
		callgraph.stack_dump = evsel->terms.callgraph.stack_dump;
	return callgraph;
}

struct evlist *evlist__new(void)
{
	return calloc(1, sizeof(struct evlist));
}

void evlist__delete(struct evlist *evlist)
{
	if (!evlist)
		return;
	for (unsigned int i = 0; i < evlist->nr; i++)
		evsel__delete(evlist->evsel[i]);
	free(evlist->evsel);
	free(evlist);
}

int evlist__append(struct evlist *evlist, struct evsel *evsel)
{
	if (array__extend(evlist->evsel, evlist->nr))
		return -ENOMEM;
	evsel->idx = evlist->nr;
	evlist->evsel[evlist->nr++] = evsel;
	return 0;
}

void evlist__remove(struct evlist *evlist, unsigned int idx)
{
	evsel__delete(evlist->evsel[idx]);
	for (evlist->nr--; idx < evlist->nr; idx++) {
		evlist->evsel[idx] = evlist->evsel[idx + 1];
		evlist->evsel[idx]->idx = idx;
	}
}

void evlist__group(struct evlist *evlist, unsigned int first)
{
	for (unsigned int i = first; i < evlist->nr; i++) {
		struct evsel *evsel = evlist->evsel[i];

		free(evsel->group_name);
		evsel->group_name = NULL;
		evsel->leader = i == first ? NULL : evlist->evsel[first];
		evsel->nr_members = i == first ? evlist->nr - first : 0;
	}
}

/* Names as in perf: guests have no separate side-band; and an unprivileged user may record the side-band of own tasks. */
int evlist__add_side_band(struct evlist *evlist, bool everywhere, struct errmsg *err)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	if (evsel) {
		evsel->name = strdup(everywhere ? "dummy:HG" : "dummy:u");
		evsel->attr.exclude_guest = !everywhere;
		evsel->attr.exclude_kernel = !everywhere;
		evsel->attr.exclude_hv = !everywhere;
		evsel->attr.sample_period = 1;
		evsel->has_period = true;
		evsel->side_band = true;
		evsel->everywhere = everywhere;
	}
	if (evsel && evsel->name && !evlist__append(evlist, evsel))
		return 0;
	evsel__delete(evsel);
	return errmsg__set(err, ENOMEM, "out of memory");
}

unsigned int evlist__nr_sampling(const struct evlist *evlist)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < evlist->nr; i++)
		nr += !evlist->evsel[i]->side_band;
	return nr;
}

int evlist__add_kind(struct evlist *evlist, const struct event_kind *kind, const char *name, const void *opts, struct errmsg *err)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);

	if (evsel) {
		evsel->kind = kind;
		evsel->kind_opts = opts;
		evsel->name = strdup(name ?: kind->name);
		evsel->attr.sample_period = 1;
		evsel->has_period = true;
	}
	if (evsel && evsel->name && !evlist__append(evlist, evsel))
		return 0;
	evsel__delete(evsel);
	return errmsg__set(err, ENOMEM, "out of memory");
}

void evlist__set_kind_opts(struct evlist *evlist, const struct event_kind *kind, const void *opts)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->kind == kind)
			evlist->evsel[i]->kind_opts = opts;
	}
}

/* As a dummy, nothing counts it but who knows the tool. */
int evlist__add_tool(struct evlist *evlist, enum evsel_tool tool, struct errmsg *err)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	if (evsel) {
		evsel->tool = tool;
		evsel->name = strdup(event_symbols_tool[tool].name);
	}
	if (evsel && evsel->name && !evlist__append(evlist, evsel))
		return 0;
	evsel__delete(evsel);
	return errmsg__set(err, ENOMEM, "out of memory");
}

static int add_filter(struct evsel *evsel, const char *option, const char *text)
{
	struct evsel_filter *filters = reallocarray(evsel->filters, evsel->nr_filters + 1, sizeof(*filters));
	char *copy = strdup(text), *all;

	if (filters)
		evsel->filters = filters;
	if (!evsel->filter)
		all = strdup(text);
	else if (asprintf(&all, "(%s) && (%s)", evsel->filter, text) < 0)
		all = NULL;
	if (!filters || !copy || !all) {
		free(copy);
		free(all);
		return -ENOMEM;
	}
	filters[evsel->nr_filters++] = (struct evsel_filter){ option, copy };
	free(evsel->filter);
	evsel->filter = all;
	return 0;
}

int evsel__add_filter(struct evsel *evsel, const char *option, const char *text, struct errmsg *err)
{
	return add_filter(evsel, option, text) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

int evsel__add_cgroups(struct evsel *evsel, const char *list, struct errmsg *err)
{
	struct text filter = {};
	int ret;

	comma_list__for_each(list, name) {
		const size_t slashes = strspn(name.text, "/");

		if (name.len || !*list)
			text__printf(&filter, "%scgroup in \"/%.*s\"", filter.len ? " || " : "", (int)(name.len - slashes), name.text + slashes);
	}
	text__char(&filter, '\0');
	ret = filter.failed ? errmsg__set(err, ENOMEM, "out of memory") : evsel__add_filter(evsel, "-G", filter.buf, err);
	text__exit(&filter);
	return ret;
}

int evsel__copy_filters(struct evsel *to, const struct evsel *from, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < from->nr_filters && !ret; i++)
		ret = evsel__add_filter(to, from->filters[i].option, from->filters[i].text, err);
	return ret;
}

void evsel__drop_filters(struct evsel *evsel)
{
	while (evsel->nr_filters)
		free(evsel->filters[--evsel->nr_filters].text);
	free(evsel->filters);
	free(evsel->filter);
	evsel->filters = NULL;
	evsel->filter = NULL;
}

static int add_field(struct evsel *evsel, struct list_word word, struct errmsg *err)
{
	if (!word.len)
		return errmsg__set(err, EINVAL, "--fields takes data of the kernel, with commas between: skb->dev->name,skb->len. "
				   "One of its words is empty");
	if (array__extend(evsel->fields, evsel->nr_fields))
		return errmsg__set(err, ENOMEM, "out of memory");
	evsel->fields[evsel->nr_fields] = strndup(word.text, word.len);
	return evsel->fields[evsel->nr_fields++] ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

int evsel__add_fields(struct evsel *evsel, const char *list, struct errmsg *err)
{
	int ret;

	if (!evsel->tp || evsel->kind)
		return errmsg__set(err, EINVAL, "--fields: the samples of %s have no record that values could be added to: take a tracepoint",
				   evsel->name);
	comma_list__for_each(list, word) {
		ret = add_field(evsel, list_word__without_blanks(word), err);
		if (ret)
			return ret;
	}
	return 0;
}

static bool has_fields_of(const struct evsel *a, const struct evsel *b)
{
	if (a->nr_fields != b->nr_fields)
		return false;
	for (unsigned int i = 0; i < a->nr_fields; i++) {
		if (strcmp(a->fields[i], b->fields[i]))
			return false;
	}
	return true;
}

int evlist__check_fields(const struct evlist *evlist, struct errmsg *err)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct evsel *a = evlist->evsel[i];

		for (unsigned int j = 0; j < i; j++) {
			const struct evsel *b = evlist->evsel[j];

			if (a->tp && b->tp && a->attr.config == b->attr.config && !has_fields_of(a, b))
				return errmsg__set(err, EINVAL, "--fields: %s is recorded twice, and a file has one format for both: give "
						   "both the same --fields", a->name);
		}
	}
	return 0;
}

/* "cycles:upP" -> "cpu-clock:u": a software clock has no precise mode. */
static char *clock_name(const char *name)
{
	size_t head = strcspn(name, ":/");
	const char *slash = strrchr(name, '/'), *mods = slash ? slash + 1 : name + head;
	char *clock, *to;

	if (asprintf(&clock, "cpu-clock%s", name + head) < 0)
		return NULL;
	to = clock + strlen(clock) - strlen(mods);
	for (; *mods; mods++) {
		if (*mods != 'p' && *mods != 'P')
			*to++ = *mods;
	}
	if (to[-1] == ':')
		to--;
	*to = '\0';
	return clock;
}

bool evsel__fall_back_to_cpu_clock(struct evsel *evsel)
{
	/* On a hybrid CPU the upper half of config names the PMU. */
	if (evsel->attr.type != PERF_TYPE_HARDWARE || (u32)evsel->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	if (!evsel->has_name) {
		char *name = clock_name(evsel->name);

		if (!name)
			return false;
		free(evsel->name);
		evsel->name = name;
	}
	evsel->attr.type = PERF_TYPE_SOFTWARE;
	evsel->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	evsel->attr.precise_ip = 0;
	evsel->precise_max = false;
	return true;
}
