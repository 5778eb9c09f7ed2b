// SPDX-License-Identifier: GPL-2.0
/* Resolves the words of an event spec to events, and suggests names near to an unknown word. */
#include "util/event/resolve.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/breakpoint.h"
#include "util/event/modifier.h"
#include "util/event/pmu.h"
#include "util/event/pmu-terms.h"
#include "util/event/probe.h"
#include "util/event/spec.h"
#include "util/event/symbols.h"
#include "util/event/tracepoint.h"
#include "util/lib/near.h"

struct resolver {
	struct evlist *evlist;
	const char *text;
	const char *pmu_root;
	bool in_group;		/* resolving members of a group */
	unsigned int group_first; /* index of its leader once that is resolved */
	const char *group_mods; /* modifiers of that group; NULL: none */
	struct errmsg *err;
};

static int no_memory(struct resolver *r)
{
	return errmsg__set(r->err, ENOMEM, "out of memory");
}

/* The event as written, without blanks. */
static char *written_name(const struct resolver *r, struct spec_loc loc)
{
	char *name = malloc(loc.end - loc.begin + 1), *to = name;

	if (!name)
		return NULL;
	for (unsigned int i = loc.begin; i < loc.end; i++) {
		if (!isspace((unsigned char)r->text[i]))
			*to++ = r->text[i];
	}
	*to = '\0';
	return name;
}

/* Set what every kind of event has: general terms, modifiers, its name and its place in the list. */
static int finish(struct resolver *r, const struct spec_event *event, const struct spec_word *mods, struct evsel *evsel)
{
	const bool leads = r->in_group && r->evlist->nr == r->group_first;
	const char *why;
	unsigned int at;

	if ((mods->text || r->group_mods) && modifier__apply(evsel, mods->text, r->group_mods, leads, &at, &why)) {
		unsigned int place = mods->loc.begin + at;

		return spec__error(r->err, EINVAL, r->text, (struct spec_loc){ place, place + 1 }, "%s", why);
	}
	if (!evsel->name)
		evsel->name = written_name(r, event->loc);
	if (!evsel->name || evlist__append(r->evlist, evsel))
		return no_memory(r);
	return 0;
}

static int offer_symbol(void *data, const char *name, u32 type, u64 config)
{
	near_name__try(data, name);
	return 0;
}

static int unknown_event(struct resolver *r, const struct spec_event *event)
{
	const char *word = event->head.text;
	struct near_name near = { .word = word };
	struct pmu *pmu;
	char hint[NEAR_FAR + 32];

	if (!pmu__new(r->pmu_root, word, &pmu, NULL)) {
		pmu__delete(pmu);
		return spec__error(r->err, EINVAL, r->text, event->head.loc, "'%s' is a PMU; write %s/EVENT/ or %s/TERM=VALUE,.../",
				   word, word, word);
	}
	event_symbol__for_each(offer_symbol, &near);
	for (enum evsel_tool tool = TOOL_NONE + 1; tool < NR_TOOLS; tool++)
		near_name__try(&near, event_symbols_tool[tool].name);
	near_name__try(&near, "off-cpu");
	return spec__error(r->err, EINVAL, r->text, event->head.loc, "unknown event '%s'%s", word,
			   near.name[0] ? near_name__text(&near, hint, sizeof(hint)) : "; 'perf list' shows those that exist");
}

/* "r1a8" */
static bool parse_raw(const char *word, u64 *config)
{
	size_t digits = strspn(word + 1, "0123456789abcdefABCDEF");

	if (word[0] != 'r' || !digits || digits > 16 || word[1 + digits])
		return false;
	*config = strtoull(word + 1, NULL, 16);
	return true;
}

/* Is word alone an event? 1, 0 or -errno with err set. */
static int find_symbol(struct resolver *r, const struct spec_word *word, u32 *type, u64 *config)
{
	int ret;

	if (event_symbol__find(word->text, type, config))
		return 1;
	ret = cache_event__find(word->text, config);
	if (ret == -EOPNOTSUPP)
		return spec__error(r->err, EINVAL, r->text, word->loc, "this cache has no such operation");
	if (!ret) {
		*type = PERF_TYPE_HW_CACHE;
		return 1;
	}
	*type = PERF_TYPE_RAW;
	return parse_raw(word->text, config);
}

/* Parse what follows the name of events without a PMU directory. Passes the evsel on, or deletes it on errors. */
static int apply_terms(struct resolver *r, const struct spec_event *event, const struct spec_word *mods, struct evsel *evsel)
{
	int ret = pmu_terms__apply(evsel, NULL, event->terms, r->text, r->err);

	if (!ret)
		ret = finish(r, event, mods, evsel);
	if (ret)
		evsel__delete(evsel);
	return ret;
}

static int resolve_symbol(struct resolver *r, const struct spec_event *event, u32 type, u64 config)
{
	const struct spec_word *mods = event->has_terms ? &event->modifier : &event->tail;
	const struct spec_word *extra = event->has_terms ? &event->tail : &event->modifier;
	struct evsel *evsel;

	if (extra->text)
		return spec__error(r->err, EINVAL, r->text, extra->loc, "modifiers stand once, at the event's end");
	evsel = evsel__new(type, config);
	if (!evsel)
		return no_memory(r);
	return apply_terms(r, event, mods, evsel);
}

static int resolve_pmu(struct resolver *r, const struct spec_event *event)
{
	struct evsel *evsel = NULL;
	struct pmu *pmu;
	struct errmsg why;
	int ret = pmu__new(r->pmu_root, event->head.text, &pmu, &why);

	if (ret)
		return spec__error(r->err, ret == -ENOENT ? EINVAL : -ret, r->text, event->head.loc, "%s", why.text);
	if (pmu__type(pmu) == PERF_TYPE_TRACEPOINT) {
		ret = spec__error(r->err, EINVAL, r->text, event->head.loc, "tracepoints are written SYSTEM:NAME");
		goto out;
	}
	evsel = evsel__new(pmu__type(pmu), 0);
	if (!evsel) {
		ret = no_memory(r);
		goto out;
	}
	ret = pmu__cpus(pmu, &evsel->cpus, r->err);
	if (!ret)
		ret = pmu_terms__apply(evsel, pmu, event->terms, r->text, r->err);
	if (!ret)
		ret = finish(r, event, &event->modifier, evsel);
out:
	if (ret)
		evsel__delete(evsel);
	pmu__delete(pmu);
	return ret;
}

static bool is_breakpoint(const char *word)
{
	return !strncmp(word, BREAKPOINT_PREFIX, strlen(BREAKPOINT_PREFIX));
}

static int resolve_breakpoint(struct resolver *r, const struct spec_event *event)
{
	const struct spec_word *mods = event->has_terms ? &event->modifier : &event->tail;
	struct evsel *evsel = evsel__new(PERF_TYPE_BREAKPOINT, 0);
	const char *why;

	if (!evsel)
		return no_memory(r);
	if (breakpoint__parse(&evsel->attr, event->head.text, &why)) {
		evsel__delete(evsel);
		return spec__error(r->err, EINVAL, r->text, event->head.loc, "%s", why);
	}
	return apply_terms(r, event, mods, evsel);
}

/* Several events may be on functions of one name. */
static bool has_name(const struct evlist *evlist, const char *sys, const char *name)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct tracepoint *tp = evlist->evsel[i]->tp;

		if (tp && !strcmp(tracepoint__sys(tp), sys) && !strcmp(tracepoint__name(tp), name))
			return true;
	}
	return false;
}

static int make_unique(const struct evlist *evlist, const char *sys, char **name)
{
	char *other = NULL;

	for (unsigned int i = 1; has_name(evlist, sys, other ?: *name); i++) {
		free(other);
		if (asprintf(&other, "%s_%u", *name, i) < 0)
			return -ENOMEM;
	}
	if (other) {
		free(*name);
		*name = other;
	}
	return 0;
}

static int new_probe(const struct resolver *r, const struct probe_spec *spec, struct probe_place *place, struct evsel *evsel)
{
	const unsigned int id = PROBE_FIRST_ID + r->evlist->nr;
	char *sys, *name;
	int ret;

	if (probe_spec__names(spec, &sys, &name))
		return -ENOMEM;
	ret = make_unique(r->evlist, sys, &name);
	if (!ret)
		ret = tracepoint__of_probe(sys, name, id, place, &evsel->tp);
	if (!ret && asprintf(&evsel->name, "%s:%s", sys, name) < 0) {
		evsel->name = NULL;
		ret = -ENOMEM;
	}
	evsel->attr.config = id;
	free(sys);
	free(name);
	return ret;
}

static int find_probe(struct resolver *r, const struct spec_event *event, const struct probe_spec *spec, struct evsel *evsel)
{
	struct probe_place place = { 0 };
	struct errmsg why;
	int ret;

	if (!r->evlist->find_probe)
		return spec__error(r->err, EINVAL, r->text, event->loc, "events on functions are not known here");
	ret = r->evlist->find_probe(spec, &place, &why);
	if (ret)
		ret = ret == -ENOMEM ? no_memory(r) : spec__error(r->err, EINVAL, r->text, event->loc, "%s", why.text);
	else if (new_probe(r, spec, &place, evsel))
		ret = no_memory(r);
	probe_place__exit(&place);
	return ret;
}

static int resolve_probe(struct resolver *r, const struct spec_event *event)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_TRACEPOINT, 0);
	struct spec_loc loc = event->head.loc;
	struct probe_spec spec;
	const char *why;
	unsigned int at;
	int ret;

	if (!evsel)
		return no_memory(r);
	ret = probe_spec__parse(&spec, event->head.text, &at, &why);
	loc.begin += at;
	if (ret == -EINVAL)
		spec__error(r->err, EINVAL, r->text, loc, "%s", why);
	else if (ret)
		no_memory(r);
	if (!ret)
		ret = find_probe(r, event, &spec, evsel);
	if (!ret)
		ret = finish(r, event, &event->modifier, evsel);
	if (ret)
		evsel__delete(evsel);
	probe_spec__exit(&spec);
	return ret;
}

static bool is_glob(const char *word)
{
	return word[strcspn(word, "*?[")] != '\0';
}

static int found_tracepoint(void *data, const char *sys, const char *name)
{
	return 1;
}

/* Groups of perf probe may have names that are events, too: r2e:work, r2e:*. For those that are not raw, modifiers come first. */
static bool is_own_tracepoint(const struct spec_event *event, u32 type)
{
	const char *sys = event->head.text, *name = event->tail.text;

	if (!name || event->has_terms || is_glob(sys) || (modifier__looks_like(name) && type != PERF_TYPE_RAW))
		return false;
	return tracepoint__for_each(sys, name, found_tracepoint, NULL, NULL) > 0;
}

static int check_plain(const struct resolver *r, const struct spec_event *event)
{
	if (event->has_terms || event->modifier.text || event->tail.text || r->in_group)
		return spec__error(r->err, EINVAL, r->text, event->head.loc, "%s takes no terms and no modifiers, and is in no group",
				   event->head.text);
	return 0;
}

struct tracepoint_adder {
	struct resolver *r;
	const struct spec_event *event;
};

static int add_tracepoint(void *data, const char *sys, const char *name)
{
	struct tracepoint_adder *adder = data;
	struct resolver *r = adder->r;
	struct evsel *evsel = evsel__new(PERF_TYPE_TRACEPOINT, 0);
	int ret;

	if (!evsel)
		return no_memory(r);
	ret = tracepoint__new(sys, name, &evsel->tp, r->err);
	if (ret)
		goto out;
	evsel->attr.config = tracepoint__id(evsel->tp);
	ret = pmu_terms__apply(evsel, NULL, adder->event->terms, r->text, r->err);
	/* Reports and scripts look up tracepoints by "sys:name", so modifiers are not part of their names. */
	if (!ret && !evsel->name && asprintf(&evsel->name, "%s:%s", sys, name) < 0) {
		evsel->name = NULL;
		ret = no_memory(r);
	}
	if (!ret)
		ret = finish(r, adder->event, &adder->event->modifier, evsel);
out:
	if (ret)
		evsel__delete(evsel);
	return ret;
}

static int offer_system(void *data, const char *sys, const char *name)
{
	near_name__try(data, sys);
	return 0;
}

static int offer_name(void *data, const char *sys, const char *name)
{
	near_name__try(data, name);
	return 0;
}

static int unknown_tracepoint(struct resolver *r, const struct spec_event *event)
{
	const char *sys = event->head.text, *name = event->tail.text;
	struct near_name near = { .word = name };
	char hint[NEAR_FAR + 32];

	if (tracepoint__for_each(sys, "*", offer_name, &near, NULL) > 0)
		return spec__error(r->err, EINVAL, r->text, event->tail.loc, "system '%s' has no tracepoint '%s'%s", sys, name,
				   near_name__text(&near, hint, sizeof(hint)));
	if (modifier__looks_like(name))
		return unknown_event(r, event);
	near = (struct near_name){ .word = sys };
	tracepoint__for_each("*", "*", offer_system, &near, NULL);
	return spec__error(r->err, EINVAL, r->text, event->head.loc, "no tracepoint system '%s'%s", sys,
			   near_name__text(&near, hint, sizeof(hint)));
}

static int resolve_tracepoint(struct resolver *r, const struct spec_event *event)
{
	struct tracepoint_adder adder = { .r = r, .event = event };
	const char *sys = event->head.text, *name = event->tail.text;
	int ret;

	if (!is_glob(sys) && !is_glob(name)) {
		ret = add_tracepoint(&adder, sys, name);
		if (ret == -ENOENT)
			return unknown_tracepoint(r, event);
		/* Unreadable tracefs does not explain a misspelt event with a modifier. */
		if (ret == -EACCES && modifier__looks_like(name))
			return unknown_event(r, event);
		return ret;
	}
	ret = tracepoint__for_each(sys, name, add_tracepoint, &adder, r->err);
	if (!ret)
		return spec__error(r->err, EINVAL, r->text, event->loc, "no tracepoint matches '%s:%s'", sys, name);
	return ret < 0 ? ret : 0;
}

static int resolve_event(struct resolver *r, const struct spec_event *event)
{
	const struct event_kind *kind = event_kind__of_word(event->head.text);
	const enum evsel_tool tool = tool_symbol__find(event->head.text);
	u32 type;
	u64 config;
	int ret;

	if (kind)
		return check_plain(r, event) ?: evlist__add_kind(r->evlist, kind, NULL, NULL, r->err);
	if (tool != TOOL_NONE)
		return check_plain(r, event) ?: evlist__add_tool(r->evlist, tool, r->err);
	if (is_breakpoint(event->head.text))
		return resolve_breakpoint(r, event);
	if (probe_spec__is(event->head.text))
		return resolve_probe(r, event);
	ret = find_symbol(r, &event->head, &type, &config);
	if (ret < 0)
		return ret;
	if (ret && !is_own_tracepoint(event, type))
		return resolve_symbol(r, event, type, config);
	if (event->tail.text)
		return resolve_tracepoint(r, event);
	if (event->has_terms)
		return resolve_pmu(r, event);
	return unknown_event(r, event);
}

static int resolve_group(struct resolver *r, struct spec_event *group)
{
	const struct spec_word *mods = &group->modifier;
	unsigned int first = r->evlist->nr, at;
	const char *why;
	int ret = 0;

	if (mods->text && modifier__check(mods->text, &at, &why)) {
		at += mods->loc.begin;
		return spec__error(r->err, EINVAL, r->text, (struct spec_loc){ at, at + 1 }, "%s", why);
	}
	r->in_group = true;
	r->group_first = first;
	r->group_mods = mods->text;
	for (const struct spec_event *event = group->members; event && !ret; event = event->next)
		ret = resolve_event(r, event);
	r->group_mods = NULL;
	r->in_group = false;
	if (ret)
		return ret;
	evlist__group(r->evlist, first);
	r->evlist->evsel[first]->group_name = group->head.text;
	group->head.text = NULL;
	return 0;
}

int evlist__parse_at(struct evlist *evlist, const char *spec, const char *pmu_root, unsigned int *first, struct errmsg *err)
{
	struct resolver r = { .evlist = evlist, .text = spec, .pmu_root = pmu_root, .err = err };
	unsigned int nr_before = evlist->nr;
	struct spec_event *events = NULL;
	int ret;

	if (!spec[strspn(spec, " \t\r\n")])
		return errmsg__set(err, EINVAL, "event: no event is named");
	ret = spec__parse(spec, &events, err);
	for (struct spec_event *event = events; event && !ret; event = event->next)
		ret = event->members ? resolve_group(&r, event) : resolve_event(&r, event);
	spec_event__delete_list(events);
	if (ret) {
		while (evlist->nr > nr_before)
			evsel__delete(evlist->evsel[--evlist->nr]);
		return ret;
	}
	if (first)
		*first = nr_before;
	return 0;
}

int evlist__parse(struct evlist *evlist, const char *spec, unsigned int *first, struct errmsg *err)
{
	return evlist__parse_at(evlist, spec, PMU_ROOT, first, err);
}

int evlist__add_default(struct evlist *evlist, struct errmsg *err)
{
	return evlist__parse(evlist, "cycles:P", NULL, err);
}
