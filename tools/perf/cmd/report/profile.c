// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/common/own-file.h"
#include "cmd/report/view.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/perfdata/wall-state.h"
#include "util/source/offcpu-record.h"

struct old_profile { /* of the recording to compare with; its names are its session's */
	struct report_options options; /* stays the first member, see finish_old() */
	struct session *session; /* NULL: none */
	struct stack_trees *stacks;
};

struct profile_view {
	struct report_view view;
	struct old_profile old;
	struct stack_trees *stacks; /* by event */
	struct stack_trees *owned; /* the same, below labels that say whose they are; NULL: no format that has them is wanted */
	struct timeline *timeline;  /* NULL: no format that takes it is wanted */
	bool lacks_labels; /* some threads of owned */
	u64 nr_sums; /* samples without a time that stand for several sleeps */
};

static struct profile_view *of(struct report_view *v)
{
	return (struct profile_view *)v;
}

/* The file for a format; NULL: it is not wanted. */
static const char *path_of(const struct report_view_options *o, size_t format)
{
	bool printed = format == PROFILE_JSON ? o->json : format == PROFILE_TIMELINE_TEXT && o->timeline;

	return printed ? "-" : o->profile[format];
}

const char *report_view__profile(const struct report_view_options *o)
{
	static const char *const names[PROFILE_NR_FORMATS] = {
		[PROFILE_FLAMEGRAPH] = "--flamegraph", [PROFILE_PPROF] = "--pprof",	  [PROFILE_JSON] = "--json",
		[PROFILE_SPEEDSCOPE] = "--speedscope", [PROFILE_FIREFOX] = "--firefox",	  [PROFILE_TIMELINE] = "--timeline",
		[PROFILE_TIMELINE_TEXT] = "--timeline",
	};

	for (size_t i = 0; i < PROFILE_NR_FORMATS; i++) {
		if (path_of(o, i))
			return names[i];
	}
	return NULL;
}

static bool wanted(const struct report_view_options *o)
{
	return report_view__profile(o);
}

static bool wants_labels(const struct report_view_options *o)
{
	return path_of(o, PROFILE_PPROF);
}

/* Does any format want the stacks without labels? */
static bool wants_plain(const struct report_view_options *o)
{
	for (size_t i = 0; i < PROFILE_NR_FORMATS; i++) {
		if (i != PROFILE_PPROF && path_of(o, i))
			return true;
	}
	return false;
}

static bool wants_timeline(const struct report_view_options *o)
{
	for (size_t i = 0; i < PROFILE_NR_FORMATS; i++) {
		if (path_of(o, i) && profile_formats[i].of_timeline)
			return true;
	}
	return false;
}

static void count_more(u64 place, u64 nr, u64 period, void *data)
{
	stack_node__count((struct stack_node *)(uintptr_t)place, period, nr);
}

/*
 * How many threads get labels, which take some 350 bytes each: no more than begin and end in a file of this size, so that memory is bounded
 * by it whatever its records say.
 */
static u32 max_threads(struct report_view *v)
{
	u64 nr = perfdata_reader__data_size(session__reader(v->session)) / 256;

	return nr < 8192 ? 8192 : nr < UINT32_MAX ? nr : UINT32_MAX;
}

/* Before the recording is read, which may take long. */
static int check_files(const struct report_view_options *o, struct errmsg *err)
{
	char *page = own_file__find("flamegraph.html");
	int ret = 0;

	for (size_t i = 0; i < PROFILE_NR_FORMATS && !ret; i++)
		ret = path_of(o, i) ? profile__check_file(&profile_formats[i], path_of(o, i), page, err) : 0;
	free(page);
	return ret ? -EIO : 0; /* whatever the cause: it is no mistake in the command line */
}

static int init(struct report_view *v, struct errmsg *err)
{
	int ret = check_files(&v->options->view, err);
	bool timeline = wants_timeline(&v->options->view), labels = wants_labels(&v->options->view);

	if (ret)
		return ret;
	of(v)->stacks = stack_trees__new(session__nr_events(v->session));
	if (timeline)
		of(v)->timeline = timeline__new();
	if (labels)
		of(v)->owned = stack_trees__new(session__nr_events(v->session));
	if (!of(v)->stacks || !timeline != !of(v)->timeline || !labels != !of(v)->owned)
		return errmsg__set(err, ENOMEM, "out of memory");
	v->kinds.max_threads = labels ? max_threads(v) : 0;
	if (timeline || (labels && wants_plain(&v->options->view))) {
		/* each sample is wanted with its time, or counts in two trees */
		session__want(v->session, SESSION_CHAINS, SESSION_NO_IDS);
		return 0;
	}
	return report_view__count_kinds(v, count_more, err);
}

/* 0: it is unknown, as that of short sleeps, which record adds up. */
static u64 time_of(struct report_view *v, const struct perf_sample *sample)
{
	if (sample->time < OFFCPU_SUM_TIME)
		return sample->time;
	of(v)->nr_sums++;
	return 0;
}

static int add_label(struct stack_tree *tree, struct stack_node **under, const char *key, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", key, value) < 0)
		return -ENOMEM;
	*under = stack_tree__add_label(tree, *under, text);
	free(text);
	return *under ? 0 : -ENOMEM;
}

static int add_number(struct stack_tree *tree, struct stack_node **under, const char *key, u32 number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return number == -1U ? 0 : add_label(tree, under, key, text);
}

/* Labels of the sample without its command. 0 or -ENOMEM */
static int add_labels(const struct profile_view *pv, struct stack_tree *tree, const struct session_sample *sample, struct stack_node **under)
{
	const char *cgroup = machine__cgroup(session__machine(pv->view.session), sample->sample->cgroup);
	int ret = sample->sample->cgroup && cgroup ? add_label(tree, under, "cgroup", cgroup) : 0;

	return ret ?: add_number(tree, under, "pid", sample->thread->pid) ?: add_number(tree, under, "tid", sample->thread->tid);
}

/* Where its stack ends; of wall-clock time in the state of the thread. */
static struct stack_node *add_stack(struct stack_tree *tree, struct stack_node *under, const struct session_sample *sample)
{
	const char *state = wall_state__of(sample->sample);
	struct stack_node *node = stack_tree__add_below(tree, under, sample->thread->comm, sample->chain, &sample->loc,
							state ? 0 : sample->sample->period, state ? 0 : sample->sample->count);

	if (!node || !state)
		return node;
	node = stack_tree__add_state(tree, node, state);
	if (node)
		stack_node__count(node, sample->sample->period, sample->sample->count);
	return node;
}

static struct stack_node *add_owned(struct profile_view *pv, const struct session_sample *sample)
{
	const void *owner = report_kinds__owner(&pv->view.kinds, sample->thread);
	struct stack_tree *tree = stack_trees__at(pv->owned, sample->evsel->idx);
	struct stack_node *under = NULL;

	if (owner == sample->thread->comm)
		pv->lacks_labels = true;
	else if (!owner || add_labels(pv, tree, sample, &under))
		return NULL;
	return add_stack(tree, under, sample);
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct profile_view *pv = data;
	const struct stack_node *node = NULL;

	if (!report_view__shows(data, sample))
		return 0;
	if (pv->owned) {
		node = add_owned(pv, sample);
		if (!node)
			return -ENOMEM;
	}
	if (!pv->owned || wants_plain(&pv->view.options->view))
		node = add_stack(stack_trees__at(pv->stacks, sample->evsel->idx), NULL, sample);
	if (!node)
		return -ENOMEM;
	report_kinds__keep(&pv->view.kinds, sample, (uintptr_t)node);
	if (!pv->timeline)
		return 0;
	return timeline__add(pv->timeline, sample->evsel->idx, sample->thread, node, time_of(data, sample->sample), sample->sample->period,
			     sample->sample->count);
}

/* The older recording is read in the same way; only what is done with it differs. */
static int finish_old(struct report_view *v)
{
	struct old_profile *old = (struct old_profile *)v->options; /* its first member */

	old->stacks = of(v)->stacks;
	of(v)->stacks = NULL;
	stack_trees__sort(old->stacks);
	return 0;
}

static void exit_view(struct report_view *v);

static const struct report_view_ops old_view = {
	.size = sizeof(struct profile_view),
	.init = init,
	.reading = { .sample = take_sample, .seen = report_view__seen,
		     .look_ahead = report_view__look_ahead, .forget_ids = report_view__forget_ids },
	.finish = finish_old,
	.exit = exit_view,
};

/* Returns the exit status. */
static int read_old(struct report_view *v)
{
	struct old_profile *old = &of(v)->old;

	old->options = (struct report_options){
		.reading = v->options->reading,
		.quiet = v->options->quiet,
		.selection = { /* the words of the options alone */
			.cpus = v->options->selection.cpus, .comms = v->options->selection.comms, .dsos = v->options->selection.dsos,
			.symbols = v->options->selection.symbols, .pids = v->options->selection.pids, .tids = v->options->selection.tids,
			.times = v->options->selection.times, .socket = v->options->selection.socket,
			.named_only = v->options->selection.named_only,
		},
	};
	old->options.reading.input = v->options->view.old;
	old->session = read_options__open(&old->options.reading, false);
	return old->session ? report_view__run(&old_view, &old->options, old->session) : EXIT_SETUP;
}

static void free_old(struct old_profile *old)
{
	stack_trees__delete(old->stacks);
	selection__exit(&old->options.selection);
	session__delete(old->session);
}

/* The same event, by type and number. */
static void compare_event(struct profile_event *event, const struct session_event *se, const struct old_profile *old)
{
	for (u32 i = 0; i < session__nr_events(old->session); i++) {
		const struct session_event *other = session__event(old->session, i);

		if (other->event->attr.type != se->event->attr.type || other->event->attr.config != se->event->attr.config)
			continue;
		event->old_stacks = stack_trees__at(old->stacks, i);
		event->old_samples = other->nr_samples;
		event->old_period = other->total_period;
		return;
	}
}

/* Skip an event without samples, such as the one for the side-band. */
static u32 list_events(struct profile_view *pv, struct profile_event *events)
{
	struct session *s = pv->view.session;
	u32 nr = 0;

	stack_trees__sort(pv->stacks);
	if (pv->owned)
		stack_trees__sort(pv->owned);
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct session_event *event = session__event(s, i);

		if (!event->nr_samples)
			continue;
		events[nr++] = (struct profile_event){
			.name = event->name,
			.stacks = stack_trees__at(pv->stacks, i),
			.owned = pv->owned ? stack_trees__at(pv->owned, i) : NULL,
			.nr_samples = event->nr_samples,
			.total_period = event->total_period,
			.freq = event->event->attr.freq ? event->event->attr.sample_freq : 0,
			.sample_period = event->event->attr.freq ? 0 : event->event->attr.sample_period,
		};
		if (pv->old.session)
			compare_event(&events[nr - 1], event, &pv->old);
	}
	return nr;
}

static char *join_cmdline(const struct perfdata_features *f)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!f->nr_cmdline)
		return NULL;
	fp = open_memstream(&text, &size);
	if (!fp)
		return NULL;
	for (u32 i = 0; i < f->nr_cmdline; i++)
		fprintf(fp, "%s%s", i ? " " : "", f->cmdline[i]);
	text__close_stream(fp, &text);
	return text;
}

/* Returns the exit status. */
static int write_all(const struct report_view_options *o, const struct profile *profile)
{
	struct errmsg err;

	for (size_t i = 0; i < PROFILE_NR_FORMATS; i++) {
		const char *path = path_of(o, i);

		if (!path || !profile__write_file(profile, &profile_formats[i], path, &err))
			continue;
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	return 0;
}

/* By the index of the session; events without samples have no row in a timeline, so theirs stay NULL. */
static const struct profile_event **index_events(const struct report_view *v, const struct profile_event *events, u32 nr)
{
	const struct profile_event **index = calloc(session__nr_events(v->session), sizeof(*index));

	for (u32 i = 0, k = 0; index && k < nr; i++) {
		if (session__event(v->session, i)->nr_samples)
			index[i] = &events[k++];
	}
	return index;
}

static u64 wall_clock_at(const struct perfdata_features *f, u64 time)
{
	return f->clock_tod_ns && time ? f->clock_tod_ns + (time - f->clock_ns) : 0;
}

/* Returns the exit status. */
static int write_profile(struct report_view *v)
{
	const struct perfdata_features *features = perfdata_reader__features(session__reader(v->session));
	struct profile_event *events = calloc(session__nr_events(v->session), sizeof(*events));
	const struct profile_event **index = NULL;
	struct timeline *timeline = of(v)->timeline;
	char *cmdline = join_cmdline(features), *page = own_file__find("flamegraph.html");
	struct profile profile = {
		.event = events,
		.time_first = features->sample_time_first,
		.time_last = features->sample_time_last,
		.hostname = features->hostname,
		.cmdline = cmdline,
		.page = page,
		.old_name = v->options->view.old,
		.colors = v->options->view.colors,
		.time_quantum = v->options->time_quantum,
	};
	int ret = EXIT_SETUP;

	if (v->options->view.json)
		read_options__start_pager(&v->options->reading);
	if (events) {
		profile.nr_events = list_events(of(v), events);
		index = index_events(v, events, profile.nr_events);
	}
	if (index && (!timeline || !timeline__end(timeline, of(v)->stacks))) {
		profile.timeline = timeline;
		profile.timeline_event = index;
		profile.wall_clock = wall_clock_at(features, timeline ? timeline->first : features->sample_time_first);
		ret = write_all(&v->options->view, &profile);
	} else {
		pr_err("out of memory\n");
	}
	if (v->options->view.profile[PROFILE_FIREFOX] && of(v)->nr_sums) {
		pr_warn("%" PRIu64 " sum%s of short sleeps %s no time and %s not in %s: record with --off-cpu-thresh 0 to have each sleep\n",
			   of(v)->nr_sums, plural(of(v)->nr_sums), of(v)->nr_sums == 1 ? "has" : "have", of(v)->nr_sums == 1 ? "is" : "are", v->options->view.profile[PROFILE_FIREFOX]);
	}
	if (of(v)->lacks_labels)
		pr_warn("only the first %u threads have labels in %s: choose some by --pid, --tid or --comm\n", v->kinds.max_threads,
			v->options->view.profile[PROFILE_PPROF]);
	free(page);
	free(cmdline);
	free(index);
	free(events);
	return ret;
}

static int finish(struct report_view *v)
{
	int damaged = v->options->view.old ? read_old(v) : 0;

	if (damaged && damaged != EXIT_DAMAGED)
		return damaged;
	return write_profile(v) ?: damaged;
}

static void exit_view(struct report_view *v)
{
	free_old(&of(v)->old);
	stack_trees__delete(of(v)->stacks);
	stack_trees__delete(of(v)->owned);
	timeline__delete(of(v)->timeline);
}

/* Whole stacks replace rows. */
const struct report_view_ops profile_view = {
	.size = sizeof(struct profile_view),
	.wanted = wanted,
	.init = init,
	.reading = { .sample = take_sample, .seen = report_view__seen,
		     .look_ahead = report_view__look_ahead, .forget_ids = report_view__forget_ids },
	.finish = finish,
	.exit = exit_view,
};
