// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <stdlib.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "util/sampler/cgroup-dir.h"
#include "util/judge/code-lookup.h"
#include "util/source/offcpu-source.h"

static int sampler__check_tracepoint(struct sampler *s, struct evsel *evsel, const struct sampler_scope *scope, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	unsigned int i, nr_tracepoints = 0;
	int ret;

	for (i = 0; i < s->evlist->nr; i++)
		nr_tracepoints += s->evlist->evsel[i]->tp != NULL;
	if (s->histogram)
		return histogram_source__new(s->histogram, s->count, evsel, &event->filter, nr_tracepoints, &event->source, err);
	ret = tp_choice__make(&event->choice, evsel, &event->filter, nr_tracepoints, scope ? scope->count : NULL, err);
	event->source = event->choice.source;
	return ret;
}

/* How the samples of evsel are counted */
static int sampler__configure_counting(struct sampler *s, struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];

	event->counting = *s->count;
	event->counting.own = event_filter__own(evsel, true);
	if (!s->histogram)
		return 0;
	event->counting.histogram = &event->histogram;
	return histogram_opts__configure(s->histogram, evsel, &event->histogram, err);
}

static int sampler__add_off_cpu(struct sampler *s, struct evsel *evsel, const struct sampler_scope *scope, struct errmsg *err)
{
	static const struct offcpu_opts defaults = OFFCPU_OPTS_DEFAULT;
	struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	if (event->filter.table)
		ret = offcpu_filter__check(event->filter.tree, event->filter.table, err);
	if (!ret && s->count)
		ret = sampler__configure_counting(s, evsel, err);
	if (!ret && s->histogram)
		ret = offcpu_histogram__check(&event->histogram.number, s->histogram->number, err);
	return ret ?: offcpu_source__new(scope && scope->off_cpu ? scope->off_cpu : &defaults, event->filter.table,
					 s->count ? &event->counting : NULL, &event->source, err);
}

/* Sources count what they make themselves. */
static int sampler__check_counted(struct sampler *s, struct evsel *evsel, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];

	if (!s->count || evsel->side_band)
		return 0;
	if (s->count->both && evsel->off_cpu)
		return errmsg__set(err, EINVAL, "%s cannot be counted in the kernel and be written at the same time: write its samples "
				   "with perf record, and let perf report count them", evsel->name);
	if (event->source)
		return 0;
	event->counted = true;
	evsel->attr.sample_type |= tally__sample_type(s->count);
	return sampler__configure_counting(s, evsel, err);
}

static int sampler__check_event(struct sampler *s, struct evsel *evsel, struct code_lookup *code,
				const struct sampler_scope *scope, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	if (evsel->cgroup) {
		event->cgroup_fd = cgroup_dir__open(evsel->cgroup, err);
		if (event->cgroup_fd < 0)
			return -EINVAL;
	}
	if (evsel->tp)
		return sampler__check_tracepoint(s, evsel, scope, err);
	if (evsel->filter) {
		event->filter.explain = scope && scope->explain;
		ret = event_filter__compile(&event->filter, evsel, code, err);
	}
	if (!ret && event->filter.table)
		evsel->attr.sample_type |= event->filter.table->sample_type;
	if (!ret && evsel->off_cpu)
		ret = sampler__add_off_cpu(s, evsel, scope, err);
	return ret;
}

/* A source judges its samples itself. */
static void sampler__share_filters(struct sampler *s)
{
	unsigned int i, j;

	for (i = 1; i < s->evlist->nr; i++) {
		for (j = 0; j < i && !s->event[i].source; j++) {
			if (!s->event[j].source && event_filter__share(&s->event[i].filter, &s->event[j].filter))
				break;
		}
	}
}

int sampler__new_scoped(struct evlist *evlist, const struct sampler_scope *scope, struct sampler **sp, struct errmsg *err)
{
	const struct code_scope where = scope ? (struct code_scope){ scope->program, scope->pids, scope->nr_pids } : (struct code_scope){ 0 };
	struct code_lookup *code = code_lookup__new(&where);
	struct sampler *s = calloc(1, sizeof(*s));
	unsigned int i;
	int ret;

	libbpf_set_print(NULL); /* else it tells the terminal what we tell the caller */
	if (!s) {
		code_lookup__delete(code);
		return sampler__out_of_memory(err);
	}
	s->epfd = -1;
	s->evlist = evlist;
	s->count = scope ? scope->count : NULL;
	s->histogram = s->count ? scope->histogram : NULL;
	s->event = calloc(evlist->nr, sizeof(*s->event));
	ret = s->event && code ? 0 : sampler__out_of_memory(err);
	for (i = 0; i < evlist->nr && s->event; i++)
		s->event[i].cgroup_fd = -1;
	for (i = 0; i < evlist->nr && !ret; i++)
		ret = sampler__check_event(s, evlist->evsel[i], code, scope, err) ?: sampler__check_counted(s, evlist->evsel[i], err);
	code_lookup__delete(code);
	if (ret) {
		sampler__delete(s);
		return ret;
	}
	sampler__share_filters(s);
	*sp = s;
	return 0;
}

int sampler__new(struct evlist *evlist, struct sampler **sp, struct errmsg *err)
{
	return sampler__new_scoped(evlist, NULL, sp, err);
}

int sampler__dump_clauses(const struct sampler *s, FILE *fp, struct errmsg *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++) {
		const struct event_filter *filter = &s->event[i].filter;

		if (!filter->bpf || !filter->explain)
			continue;
		fprintf(fp, "%s: %s\n", s->evlist->evsel[i]->name, s->evlist->evsel[i]->filter);
		ret = event_filter__dump_clauses(filter, fp, err);
	}
	return ret;
}

static void sampler__dump_engine(const struct sampler_event *event, FILE *fp)
{
	if (event->source)
		event->source->ops->dump(event->source, fp);
	else if (!event->filter.table)
		tp_choice__dump(&event->choice, fp);
	else if (event->counted)
		fprintf(fp, "engine: the BPF program that counts the samples, %u entries\n", event->filter.table->nr);
	else
		event_filter__dump_engine(&event->filter, fp);
}

int sampler__ask_kernel(const struct sampler *s, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++)
		ret = event_filter__ask_kernel(&s->event[i].filter, s->evlist->evsel[i], err);
	return ret;
}

void sampler__dump_filters(const struct sampler *s, FILE *fp)
{
	unsigned int i;

	for (i = 0; i < s->evlist->nr; i++) {
		const struct evsel *evsel = s->evlist->evsel[i];

		if (evsel->filter || s->event[i].source || *s->event[i].choice.why)
			fprintf(fp, "%s: %s\n", evsel->name, evsel->filter ?: "");
		if (evsel->filter)
			event_filter__dump(&s->event[i].filter, fp);
		sampler__dump_engine(&s->event[i], fp);
	}
}

bool sampler__has_sources(const struct sampler *s)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (s->event[i].source)
			return true;
	}
	return false;
}

bool sampler__has_source(const struct sampler *s, unsigned int event)
{
	return s->event[event].source != NULL;
}

void sampler__close_event(struct sampler *s, struct sampler_event *event)
{
	for (unsigned int i = 0; i < s->nr_rings && s->ring && event->rings >= RINGS_OWN; i++)
		ring__unmap(&s->ring[event->rings * s->nr_rings + i]);
	for (unsigned int i = 0; i < s->nr_slots && event->fd; i++)
		close_fd(&event->fd[i]);
	free(event->fd);
	free(event->id);
	event->fd = NULL;
	event->id = NULL;
	event->nr = 0;
}

void sampler__close(struct sampler *s)
{
	unsigned int i;

	for (i = 0; s->event && i < s->evlist->nr; i++)
		sampler__stop_source(s, i);
	for (i = 0; i < s->nr_sets * s->nr_rings && s->ring; i++)
		ring__unmap(&s->ring[i]);
	for (i = 0; i < s->evlist->nr && s->event; i++) {
		struct sampler_event *event = &s->event[i];

		sampler__close_event(s, event);
		close_fd(&event->cgroup_fd);
	}
	close_fd(&s->epfd);
	free(s->slot);
	free(s->ring);
	free(s->owner);
	free(s->by_id);
	free(s->bounce);
	s->slot = NULL;
	s->ring = NULL;
	s->owner = NULL;
	s->by_id = NULL;
	s->bounce = NULL;
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
	for (i = 0; i < s->evlist->nr && s->event; i++) {
		event_filter__exit(&s->event[i].filter);
		tally__delete(s->event[i].tally);
		if (s->event[i].source)
			s->event[i].source->ops->delete(s->event[i].source);
	}
	free(s->event);
	free(s);
}
