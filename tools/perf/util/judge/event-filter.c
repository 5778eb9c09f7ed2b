// SPDX-License-Identifier: GPL-2.0
#include "util/judge/event-filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "util/bpf/kernel-features.h"
#include "util/bpf/programs.h"
#include "util/bpf/token.h"
#include "util/event/tracepoint.h"
#include "util/judge/code-lookup.h"
#include "util/judge/kernel-walks.h"
#include "util/judge/old-kernel.h"
#include "util/judge/tp-fields.h"
#include "util/bpf/first-namespace.h"
#include "util/lib/advice.h"

/*
 * The kernel's filter may accept text that our grammar refuses; we do not know its language by heart. Ask for its verdict here, so
 * that a wrong filter is found before anything else happens. 1: we may not open the event; opening it for the recording will report
 * that.
 */
static int ask_kernel(const struct tracepoint *tp, const char *text)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tracepoint__id(tp),
		.disabled = 1,
	};
	int fd, ret;

	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 1;
	ret = ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) ? -errno : 0;
	close(fd);
	return ret;
}

/* -EOPNOTSUPP: only BPF could do it. */
static int compile_for_kernel(struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	const struct filter_env env = tp_fields__env(evsel->tp, true);

	if (f->tree)
		return filter__to_kernel(f->tree, &env, &f->kernel, err);
	f->kernel = strdup(evsel->filter);
	return f->kernel ? 0 : errmsg__set(err, ENOMEM, "out of memory for a filter");
}

/* Who may only have filters of others' programs must not read the kernel's memory by them. */
static int check_walks(const struct event_filter *f, const struct filter_table *table, bool own_program, struct errmsg *err)
{
	const char *walk;
	unsigned int len;

	if (!table->nr_walks || (own_program && !bpf_token__used()))
		return 0;
	walk = filter__walk(f->tree, table, 0, &len);
	return errmsg__set(err, EINVAL, "filter: '%.*s' is data of the kernel, which %s. %s, or with CAP_BPF and CAP_PERFMON", (int)len, walk,
			   own_program ? "a BPF token does not let anybody read" : "programs that are pinned for users do not read", advice__root());
}

static int compile_for_tracepoint(struct event_filter *f, const struct evsel *evsel, bool texts, struct errmsg *err)
{
	const struct filter_env env = tp_fields__env(evsel->tp, texts);
	int ret;

	f->tp_table = calloc(1, sizeof(*f->tp_table));
	if (!f->tp_table)
		return errmsg__set(err, ENOMEM, "out of memory for a filter");
	ret = filter__check(f->tree, &env, err);
	if (!ret)
		ret = filter__lower(f->tree, f->tp_table, err) ?: check_walks(f, f->tp_table, true, err);
	if (ret) {
		free(f->tp_table);
		f->tp_table = NULL;
	}
	return ret;
}

static int parse(struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	struct filter_input *texts = calloc(evsel->nr_filters, sizeof(*texts));
	int ret;

	if (!texts)
		return errmsg__set(err, ENOMEM, "out of memory for a filter");
	for (unsigned int i = 0; i < evsel->nr_filters; i++)
		texts[i] = (struct filter_input){ evsel->filters[i].option, evsel->filters[i].text };
	ret = filter__parse_all(texts, evsel->nr_filters, &f->tree, err);
	free(texts);
	return ret;
}

/* Each of several texts must be complete by itself: "a) || (b" must not become part of a filter that neither text is. */
static bool kernel_takes(const struct evsel *evsel)
{
	for (unsigned int i = 0; i < evsel->nr_filters; i++) {
		int ret = ask_kernel(evsel->tp, evsel->filters[i].text);

		if (ret < 0 || (ret && evsel->nr_filters > 1))
			return false;
	}
	return true;
}

static int parse_tracepoint(struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	int ret = parse(f, evsel, err);

	if (ret == -EINVAL && kernel_takes(evsel)) {
		f->tree = NULL;
		return 0;
	}
	return ret;
}

/* The kernel knows nothing of an event that perf makes. */
static int compile_for_made(struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	int ret = parse(f, evsel, err) ?: compile_for_tracepoint(f, evsel, true, err);

	return ret && ret != -ENOMEM ? -EINVAL : ret;
}

int event_filter__compile_tracepoint(struct event_filter *f, const struct evsel *evsel, enum tp_judge judge, const char *no_bpf,
				     const char **note, struct errmsg *err)
{
	struct errmsg why = { 0 };
	int kernel, ret;

	*note = judge != TP_JUDGE_KERNEL ? no_bpf : NULL;
	if (tracepoint__probe(evsel->tp) || evsel->kind)
		return compile_for_made(f, evsel, err);
	ret = parse_tracepoint(f, evsel, err);
	if (ret)
		goto out;
	kernel = compile_for_kernel(f, evsel, err); /* before check, which changes the tree */
	if (kernel && kernel != -EOPNOTSUPP) {
		ret = kernel;
	} else if (kernel && no_bpf) {
		errmsg__prefix(err, "BPF cannot record this event, as %s, and", no_bpf);
		ret = kernel;
	} else if (kernel || (judge != TP_JUDGE_KERNEL && !no_bpf && f->tree)) {
		ret = compile_for_tracepoint(f, evsel, kernel || judge == TP_JUDGE_BPF_ONLY, kernel ? err : &why);
		if (!ret) {
			free(f->kernel);
			f->kernel = NULL;
		} else if (!kernel && ret != -ENOMEM) {
			*note = "its filter is one that only the kernel understands";
			ret = 0;
		}
	}
out:
	return ret && ret != -ENOMEM ? -EINVAL : ret;
}

/* Samples have no parent's pid: programs read it from the task. */
static int check_ids(const struct event_filter *f, struct errmsg *err)
{
	unsigned int len;
	const char *clause;

	for (unsigned int i = 0; i < f->table->nr; i++) {
		if (f->table->entry[i].term != FILTER_TERM_PPID || pid_namespace__is_first())
			continue;
		clause = filter__clause(f->tree, f->table->clause[i], &len);
		return errmsg__set(err, EINVAL, "filter: cannot test '%.*s': BPF programs see the ids that tasks have outside of this pid "
				   "namespace. Run perf outside of the container", (int)len, clause);
	}
	return 0;
}

u32 event_filter__own(const struct evsel *evsel, bool checks_time)
{
	const struct perf_event_attr *attr = &evsel->attr;

	if (!evsel__shares_samples(evsel))
		return FILTER_OWN_NOTHING;
	if (!checks_time)
		return FILTER_OWN_IDS;
	if (!attr->use_clockid || attr->clockid == CLOCK_MONOTONIC) /* see sampler__set_clock() */
		return FILTER_OWN_MONOTONIC;
	return attr->clockid == CLOCK_BOOTTIME ? FILTER_OWN_BOOTTIME : attr->clockid == CLOCK_TAI ? FILTER_OWN_TAI : FILTER_OWN_IDS;
}

u64 event_filter__clocks(const struct evsel *evsel)
{
	return attr__is_clock(&evsel->attr);
}

bool event_filter__checks_time(const struct event_filter *f)
{
	return f->table && f->table->words.own > FILTER_OWN_IDS;
}

bool event_filter__leaves_time(const struct event_filter *f)
{
	return f->table && f->table->words.own == FILTER_OWN_IDS && f->engine->own_program;
}

static bool asks_for_time(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		if (table->entry[i].term == FILTER_TERM_TIME)
			return true;
	}
	return false;
}

/* The time in such an event's samples may be by another recording's clock, and the program cannot notice that. */
static int check_time(const struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	unsigned int len;
	const char *clause;

	for (unsigned int i = 0; i < f->table->nr && f->table->words.own == FILTER_OWN_IDS; i++) {
		if (f->table->entry[i].term != FILTER_TERM_TIME)
			continue;
		clause = filter__clause(f->tree, f->table->clause[i], &len);
		return errmsg__set(err, EINVAL, "filter: cannot test '%.*s' of %s with this clock (-k), which BPF programs cannot read. Leave -k out, or take "
				   "-k monotonic, boottime or tai", (int)len, clause, evsel->name);
	}
	return 0;
}

static int compile_for_bpf(struct event_filter *f, const struct evsel *evsel, struct code_lookup *code, struct errmsg *err)
{
	const struct filter_env env = {
		.data = code,
		.for_each_symbol = code ? code_lookup__for_each_symbol : NULL,
		.identify_file = code ? code_lookup__identify_file : NULL,
		.find_walk = kernel_walks__find_of_task,
		.walk_value = kernel_walks__value_of_task,
		.period_is_time = evsel->kind && evsel->kind->unit,
	};
	int ret;

	f->engine = filter_engine__choose(f->explain);
	f->table = calloc(1, sizeof(*f->table));
	if (!f->table)
		return errmsg__set(err, ENOMEM, "out of memory for a filter");
	ret = parse(f, evsel, err);
	if (!ret)
		ret = filter__check(f->tree, &env, err);
	if (!ret)
		ret = filter__lower(f->tree, f->table, err) ?: check_walks(f, f->table, f->engine->own_program, err);
	if (!ret) {
		f->table->words.own = event_filter__own(evsel, f->engine->own_program || asks_for_time(f->table));
		f->table->words.clocks = event_filter__clocks(evsel);
	}
	return ret ?: check_ids(f, err) ?: check_time(f, evsel, err);
}

int event_filter__compile(struct event_filter *f, const struct evsel *evsel, struct code_lookup *code, struct errmsg *err)
{
	int ret = compile_for_bpf(f, evsel, code, err);

	return ret && ret != -ENOMEM ? -EINVAL : ret;
}

void event_filter__name_refused_test(const struct event_filter *f, struct errmsg *err)
{
	struct old_kernel_refusal refusal;
	const char *clause;
	unsigned int len;

	if (!old_kernel__refuses(f->table, &refusal))
		return;
	clause = filter__clause(f->tree, f->table->clause[refusal.entry], &len);
	errmsg__prefix(err, "cannot test '%.*s'", (int)len, clause);
}

#define MAX_EQUAL 63 /* further events of a program: filter_words.clocks has a bit for each */

/*
 * Equal, even if only one event's samples may hold another event's values: a program that corrects them serves both kinds. It knows
 * which of its events are clocks.
 */
static bool tables_are_equal(const struct filter_table *a, struct filter_table *b)
{
	const u32 own = b->words.own;
	const u64 clocks = b->words.clocks;
	bool equal;

	b->words.own = a->words.own;
	b->words.clocks = a->words.clocks;
	equal = !memcmp(a, b, sizeof(*a));
	b->words.own = own;
	b->words.clocks = clocks;
	return equal;
}

bool event_filter__share(struct event_filter *f, struct event_filter *first)
{
	if (!f->table || !first->table || first->first || f->engine != first->engine || f->marks != first->marks || first->nr_equal == MAX_EQUAL ||
	    !tables_are_equal(f->table, first->table))
		return false;
	if (f->table->words.own)
		first->table->words.own = f->table->words.own;
	f->first = first;
	f->place = ++first->nr_equal;
	first->table->words.clocks |= f->table->words.clocks << f->place;
	return true;
}

u64 event_filter__mark(const struct event_filter *f)
{
	return f->shares ? f->place : 0;
}

int event_filter__load(struct event_filter *f, struct errmsg *err)
{
	int ret = 0;

	f->shares = f->first && f->first->bpf && bpf_filter__nr_events(f->first->bpf) > f->place;
	if (f->shares)
		f->bpf = f->first->bpf;
	else if (f->table)
		ret = f->engine->load(f->table, 1 + f->nr_equal, f->marks, &f->bpf, err);
	if (ret == -EOPNOTSUPP)
		event_filter__name_refused_test(f, err);
	return ret;
}

static int explain_refusal(const struct event_filter *f, const struct evsel *evsel, int error, struct errmsg *err)
{
	return errmsg__set(err, error, "failed to set filter \"%s\" on event %s: %s\n"
			   "The kernel's event filter refused it; see Documentation/trace/events.rst, part 5, for what it takes",
			   f->kernel, evsel->name, strerror(error));
}

int event_filter__attach(struct event_filter *f, const struct evsel *evsel, int fd, struct errmsg *err)
{
	if (f->table)
		return bpf_filter__attach(f->bpf, fd, err);
	if (f->marks)
		return bpf_filter__attach_program(bpf_programs__prog(f->marks, "target_sample"), fd, err);
	if (!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, f->kernel))
		return 0;
	return explain_refusal(f, evsel, errno, err);
}

int event_filter__ask_kernel(const struct event_filter *f, const struct evsel *evsel, struct errmsg *err)
{
	int error = f->kernel ? ask_kernel(evsel->tp, f->kernel) : 0;

	return error < 0 ? explain_refusal(f, evsel, -error, err) : 0;
}

int event_filter__counts(const struct event_filter *f, struct filter_counts *counts, struct errmsg *err)
{
	return bpf_filter__counts(f->bpf, event_filter__mark(f), counts, err);
}

void filter_missing__fill(struct filter_missing *missing, const struct event_filter *f, const u64 valueless[FILTER_MAX_WALKS])
{
	const struct filter_table *table = f->table ?: f->tp_table;
	const char *text;
	unsigned int len;

	*missing = (struct filter_missing){ .nr = table && f->tree ? table->nr_walks : 0 };
	for (unsigned int i = 0; i < missing->nr; i++) {
		text = filter__walk(f->tree, table, i, &len);
		snprintf(missing->walk[i].text, sizeof(missing->walk[i].text), "%.*s", (int)len, text);
		missing->walk[i].samples = valueless[i];
	}
}

void event_filter__exit(struct event_filter *f)
{
	if (!f->shares)
		bpf_filter__delete(f->bpf);
	filter__delete(f->tree);
	free(f->table);
	free(f->tp_table);
	free(f->kernel);
	*f = (struct event_filter){ 0 };
}
