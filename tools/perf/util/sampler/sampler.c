// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <stdlib.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "util/event/tracepoint.h"
#include "util/sampler/cgroup-dir.h"
#include "util/judge/code-lookup.h"
#include "util/source/unwind-choice.h"

/* Stacks that programs of its kind take need no -g. */
static bool is_left_to_us(const struct evsel *evsel, const struct callgraph *all)
{
	const enum callgraph_mode mode = evsel__callgraph(evsel, all).mode;

	return mode == CALLGRAPH_AUTO || (mode == CALLGRAPH_NONE && evsel__has_own_contents(evsel) && !evsel->terms.has_callgraph);
}

/* Tables for the event's user stacks, if they are asked for, or left to us. */
static int sampler__wish_tables(struct sampler *s, const struct sampler_scope *scope, struct source_wish *wish, struct errmsg *err)
{
	const struct evsel *evsel = wish->evsel;
	struct errmsg err_of_system;

	if (!scope->callgraph || evsel->side_band)
		return 0;
	wish->tables_by_choice = is_left_to_us(evsel, scope->callgraph);
	if (!wish->tables_by_choice && evsel__callgraph(evsel, scope->callgraph).mode != CALLGRAPH_BPF)
		return 0;
	if (wish->tables_by_choice && (scope->no_unwinding || unwind_tables__promise(&err_of_system))) {
		unwind_choice__give_up(wish, scope->no_unwinding ?: err_of_system.text);
		return 0;
	}
	wish->tables = s->tables = s->tables ?: unwind_tables__new(scope->unwind_memory, scope->unwind_cache, scope->count && scope->count->by_file);
	if (s->tables && scope->interp)
		unwind_tables__find_interpreters(s->tables, scope->interp);
	return s->tables ? 0 : sampler__out_of_memory(err);
}

static void sampler__drop_unused_tables(struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (s->event[i].source->tables)
			return;
	}
	unwind_tables__delete(s->tables);
	s->tables = NULL;
}

static int sampler__choose_source(struct sampler *s, struct evsel *evsel, const struct sampler_scope *scope, struct code_lookup *code,
				  struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	struct source_wish wish = {
		.evsel = evsel,
		.code = code,
		.explain = scope->explain,
		.tally = evsel->side_band ? NULL : scope->count,
	};

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		const struct tracepoint *tp = s->evlist->evsel[i]->tp;

		wish.nr_tracepoints += tp != NULL;
		wish.nr_probes += tp && tracepoint__probe(tp);
	}
	if (sampler__wish_tables(s, scope, &wish, err))
		return -ENOMEM;
	if (wish.tally)
		wish.histogram = scope->histogram;
	if (evsel->cgroup) {
		event->cgroup_fd = cgroup_dir__open(evsel->cgroup, err);
		if (event->cgroup_fd < 0)
			return -EINVAL;
	}
	return sampler__choose_place(s, scope, &wish, err) ?: sources__choose(&wish, &event->source, err);
}

/* Each source uses the programs of the first one that it can share them with. */
static void sampler__share_sources(struct sampler *s)
{
	for (unsigned int i = 1; i < s->evlist->nr; i++) {
		struct source *source = s->event[i].source;

		for (unsigned int j = 0; j < i && source->ops->share; j++) {
			if (s->event[j].source->ops == source->ops && source->ops->share(source, s->event[j].source))
				break;
		}
	}
}

static int check_samples(const struct evlist *evlist, struct errmsg *err)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->tool)
			return errmsg__set(err, EINVAL, "%s has a count, and no samples: take perf stat -e %s", evlist->evsel[i]->name, evlist->evsel[i]->name);
	}
	return 0;
}

int sampler__new_scoped(struct evlist *evlist, const struct sampler_scope *scope, struct sampler **sp, struct errmsg *err)
{
	const struct code_scope where = { scope->program, scope->pids, scope->nr_pids };
	struct code_lookup *code = code_lookup__new(&where);
	struct sampler *s = calloc(1, sizeof(*s));
	unsigned int i;
	int ret;

	libbpf_set_print(NULL); /* otherwise libbpf prints what we return to the caller */
	if (!s) {
		code_lookup__delete(code);
		return sampler__out_of_memory(err);
	}
	pthread_mutex_init(&s->lock, NULL);
	s->evlist = evlist;
	s->event = calloc(evlist->nr, sizeof(*s->event));
	ret = s->event && code ? check_samples(evlist, err) : sampler__out_of_memory(err);
	for (i = 0; i < evlist->nr && s->event; i++)
		s->event[i].cgroup_fd = -1;
	for (i = 0; i < evlist->nr && !ret; i++)
		ret = sampler__choose_source(s, evlist->evsel[i], scope, code, err);
	ret = ret ?: sampler__check_place(s, scope, err);
	code_lookup__delete(code);
	if (ret) {
		sampler__delete(s);
		return ret;
	}
	sampler__drop_unused_tables(s);
	sampler__share_sources(s);
	*sp = s;
	return 0;
}

int sampler__new(struct evlist *evlist, struct sampler **sp, struct errmsg *err)
{
	return sampler__new_scoped(evlist, &(struct sampler_scope){ 0 }, sp, err);
}

int sampler__dump_clauses(const struct sampler *s, FILE *fp, struct errmsg *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++) {
		const struct event_filter *filter = &s->event[i].source->filter;

		if (!filter->bpf || !filter->explain)
			continue;
		fprintf(fp, "%s: %s\n", s->evlist->evsel[i]->name, s->evlist->evsel[i]->filter);
		ret = event_filter__dump_clauses(filter, fp, err);
	}
	return ret;
}

int sampler__ask_kernel(const struct sampler *s, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++)
		ret = event_filter__ask_kernel(&s->event[i].source->filter, s->evlist->evsel[i], err);
	return ret;
}

void sampler__dump_filters(const struct sampler *s, FILE *fp)
{
	unsigned int i;

	for (i = 0; i < s->evlist->nr; i++) {
		const struct evsel *evsel = s->evlist->evsel[i];
		const struct source *source = s->event[i].source;

		if (evsel->filter || source->ops->stand_in || *source->why)
			fprintf(fp, "%s: %s\n", evsel->name, evsel->filter ?: "");
		if (evsel->filter)
			event_filter__dump(&source->filter, fp);
		source->ops->explain(source, fp);
	}
}

bool sampler__has_sources(const struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (sampler__has_source(s, i))
			return true;
	}
	return false;
}

bool sampler__chose_unwinding(const struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (s->event[i].source->tables && s->event[i].source->tables_by_choice)
			return true;
	}
	return false;
}

bool sampler__has_source(const struct sampler *s, unsigned int event)
{
	const struct source *source = s->event[event].source;

	return source->ops->stand_in || source->writes_samples;
}

void sampler__close_event(struct sampler *s, struct sampler_event *event)
{
	sampler__close_cpus(s, event);
	for (unsigned int i = 0; i < s->nr_rings && s->ring && event->rings >= RINGS_OWN; i++)
		ring__unmap(&s->ring[event->rings * s->nr_rings + i]);
	for (unsigned int i = 0; i < s->nr_slots && event->fd; i++)
		close_fd(&event->fd[i]);
	for (unsigned int i = 0; i < event->nr_dead; i++)
		close(event->dead[i]);
	free(event->dead);
	event->dead = NULL;
	event->nr_dead = 0;
	event->on = false;
	free(event->fd);
	free(event->id);
	event->fd = NULL;
	event->id = NULL;
	event->nr = 0;
}

void sampler__close(struct sampler *s)
{
	unsigned int i;

	sampler__delete_keeper(s); /* it uses the rings */
	for (i = 0; s->event && i < s->evlist->nr; i++)
		sampler__disable_source(s, i);
	for (i = 0; i < s->nr_sets * s->nr_rings && s->ring; i++)
		ring__unmap(&s->ring[i]);
	for (i = 0; i < s->evlist->nr && s->event; i++) {
		struct sampler_event *event = &s->event[i];

		sampler__close_event(s, event);
		close_fd(&event->cgroup_fd);
	}
	sampler__delete_readers(s);
	free(s->slot);
	free(s->ring);
	free(s->owner);
	sampler__delete_ids(s);
	s->slot = NULL;
	s->ring = NULL;
	s->owner = NULL;
	s->nr_slots = 0;
	s->nr_rings = 0;
}

void sampler__delete(struct sampler *s)
{
	unsigned int i;

	if (!s)
		return;
	sampler__close(s);
	undecided__delete(s->undecided);
	mends__delete(s->mends);
	for (i = 0; i < s->evlist->nr && s->event; i++)
		source__delete(s->event[i].source);
	unwind_tables__delete(s->tables);
	task_marks__delete(s->marks);
	free(s->event);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
