// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "annotate"
#include "cmd/annotate/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/annotate/types.h"
#include "cmd/report/groups.h"
#include "cmd/report/rows.h"
#include "ui/annotate/lines.h"
#include "ui/annotate/view.h"
#include "ui/progress.h"
#include "ui/session-stdio.h"
#include "ui/tui/code.h"
#include "ui/report/stdio.h"
#include "util/lib/array.h"
#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/symbol/data-type.h"
#include "util/symbol/insn.h"

struct annotating {
	struct annotate_options *options;
	struct session *session;
	struct report_rows rows;
	struct code_hits hits;
	struct progress progress;
	u32 nr_shown, nr_failed;
	u32 nr_types; /* that are asked for, shown or not */
	const struct dso **failed; /* files whose code cannot be shown, which is told once */
	u32 nr_files;
};

static struct annotate_source annotate_source(const struct annotating *a)
{
	return (struct annotate_source){ session__resolver(a->session), &a->hits, &a->options->report.code, &a->options->view };
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct annotating *a = data;

	progress__update(&a->progress, sample->file_offset);
	if (report_rows__add(&a->rows, sample))
		return -ENOMEM;
	return selection__judge(&a->options->report.selection, sample) == SAMPLE_SHOWN ? code_hits__add(&a->hits, sample) : 0;
}

static bool has_failed(const struct annotating *a, const struct dso *dso)
{
	for (u32 i = 0; i < a->nr_files; i++) {
		if (a->failed[i] == dso)
			return true;
	}
	return false;
}

static void note_failure(struct annotating *a, const struct dso *dso)
{
	a->nr_failed++;
	if (!array__extend(a->failed, a->nr_files))
		a->failed[a->nr_files++] = dso;
}

/* What the events of a group have counted in the function; malloc'ed, NULL: no memory */
static struct annotated_event *find_hits(const struct annotating *a, const struct report_group *group, const struct symbol *sym)
{
	struct annotated_event *event = calloc(group->nr, sizeof(*event));

	for (u32 i = 0; event && i < group->nr; i++) {
		event[i].hists = &a->rows.hists[group->event[i]];
		event[i].function = code_hits__find(&a->hits, group->event[i], sym);
	}
	return event;
}

/* The first sample's; NULL: none of the group is in it. */
static const struct location *location_of(const struct annotating *a, const struct report_group *group, const struct symbol *sym)
{
	const struct code_function_hits *function = NULL;

	for (u32 i = 0; i < group->nr && !function; i++)
		function = code_hits__find(&a->hits, group->event[i], sym);
	return function ? &function->loc : NULL;
}

/* "a, b", malloc'ed; NULL: no memory */
static char *names_of(const struct annotating *a, const struct report_group *group)
{
	char *names = NULL, *end;
	size_t size;
	FILE *fp = open_memstream(&names, &size);

	if (!fp)
		return NULL;
	report_group__fprintf_name(group, a->session, fp);
	text__close_stream(fp, &names);
	if (!names || *names != '\'')
		return names;
	end = names + strlen(names) - 1;
	if (*end == '\'')
		*end = '\0';
	memmove(names, names + 1, strlen(names));
	return names;
}

static int print_rows(const struct annotating *a, const struct annotated *annotated, const struct report_group *group, const char *events, FILE *fp)
{
	struct code_view *view = code_view__new(annotated, 0);
	u64 nr = 0, period = 0;
	char unit;

	if (!view)
		return -ENOMEM;
	for (u32 i = 0; i < group->nr; i++) {
		const struct code_function_hits *function = annotated->event[i].function;

		if (a->options->symbol) { /* as in perf, its samples alone */
			nr += function ? function->nr : 0;
			period += function ? function->period : 0;
		} else {
			nr += a->rows.hists[group->event[i]].nr_samples;
			period += a->rows.hists[group->event[i]].total_period;
		}
	}
	nr = count_in_units(nr, &unit);
	fprintf(fp, "Samples: %" PRIu64 "%c of event%s '%s', %" PRIu64 " Hz, Event count (approx.): %" PRIu64 ", [percent: %s]\n%s() %s\n", (uint64_t)nr, unit ?: ' ',
		group->nr_all > 1 ? "s" : "", events, (uint64_t)session__event(a->session, group->event[0])->event->attr.sample_freq, (uint64_t)period,
		annotate_percents[annotated->source.view->percent], annotated->loc.sym->name, annotated->loc.dso->shown);
	code_view__fprintf(view, fp);
	code_view__delete(view);
	return 0;
}

/* 0 also if it cannot be shown, or -ENOMEM */
static int show_function(struct annotating *a, const struct report_group *group, const struct location *loc, const char *events, FILE *fp)
{
	const struct annotate_source source = annotate_source(a);
	struct annotated_event *event = find_hits(a, group, loc->sym);
	struct annotated annotated;
	struct errmsg err;
	int ret;

	if (!event)
		return -ENOMEM;
	ret = annotated__init(&annotated, &source, loc, event, group->nr, &err);
	if (!ret) {
		ret = a->options->form == ANNOTATE_STDIO2 ? print_rows(a, &annotated, group, events, fp) : annotated__fprintf(&annotated, events, fp);
		a->nr_shown++;
		annotated__exit(&annotated);
	} else if (ret != -ENOMEM) {
		if (!a->options->skip_missing)
			pr_err("Couldn't annotate %s of %s: %s\n", loc->sym->name, loc->dso->shown, err.text);
		note_failure(a, loc->dso);
		ret = 0;
	}
	free(event);
	return ret;
}

static bool is_wanted(const struct annotating *a, const struct hist_entry *entry)
{
	const struct annotate_options *o = a->options;

	if (!entry->sym || has_failed(a, entry->dso))
		return false;
	if (o->symbol && strcmp(entry->sym->name, o->symbol))
		return false;
	return hist_entry__percent(entry, entry->self.period) >= o->report.min_percent;
}

static int print_types(struct annotating *a, const struct report_group *group)
{
	struct annotate_types types = { .session = a->session, .options = a->options, .hits = &a->hits, .hists = a->rows.hists };
	int ret = annotate_types__print(&types, group, stdout);

	a->nr_types += types.nr_found;
	a->nr_shown += types.nr_shown;
	a->nr_failed += types.nr_failed;
	return ret;
}

static int print_group(struct annotating *a, const struct report_group *group)
{
	struct hists *hists = &a->rows.hists[group->event[0]];
	char *events = names_of(a, group);
	int ret = events ? 0 : -ENOMEM;

	for (u32 i = 0; i < hists->nr_entries && !ret; i++) {
		const struct hist_entry *entry = hists->entry[i];
		const struct location *loc = is_wanted(a, entry) ? location_of(a, group, entry->sym) : NULL;

		if (loc)
			ret = show_function(a, group, loc, events, stdout);
	}
	free(events);
	return ret;
}

static int print_groups(struct annotating *a, const struct report_groups *groups)
{
	int ret = 0;

	read_options__start_pager(&a->options->report.reading);
	for (u32 i = 0; i < groups->nr && !ret; i++)
		ret = a->options->types ? print_types(a, &groups->group[i]) : print_group(a, &groups->group[i]);
	return ret;
}

struct browsing {
	struct annotating *a;
	struct browser_event *event; /* by group */
	struct code_browser_function *function;
	u32 nr, alloc;
};

static int add_function(struct browsing *b, const struct browser_event *event, const struct location *loc)
{
	if (array__grow(b->function, b->nr, b->alloc))
		return -ENOMEM;
	b->function[b->nr++] = (struct code_browser_function){ event, loc };
	return 0;
}

static int find_functions(struct browsing *b, const struct report_groups *groups)
{
	struct annotating *a = b->a;

	for (u32 i = 0; i < groups->nr; i++) {
		const struct report_group *group = &groups->group[i];
		struct hists *hists = &a->rows.hists[group->event[0]];

		b->event[i] = (struct browser_event){ report_rows__title(&a->rows, group), hists, group->event, group->nr };
		if (!b->event[i].title)
			return -ENOMEM;
		for (u32 k = 0; k < hists->nr_entries; k++) {
			const struct hist_entry *entry = hists->entry[k];
			const struct location *loc = is_wanted(a, entry) ? location_of(a, group, entry->sym) : NULL;

			if (loc && add_function(b, &b->event[i], loc))
				return -ENOMEM;
		}
	}
	return 0;
}

/* 0, -ENOMEM, or another -errno after a message */
static int browse_groups(struct annotating *a, const struct report_groups *groups)
{
	const struct annotate_source source = annotate_source(a);
	struct browsing b = { .a = a, .event = calloc(groups->nr ?: 1, sizeof(*b.event)) };
	struct errmsg err;
	int ret = b.event ? find_functions(&b, groups) : -ENOMEM;

	if (!ret && b.nr) {
		ret = code_browser__run(&source, b.function, b.nr, &err);
		a->nr_shown = !ret;
		if (ret)
			pr_err("%s\n", err.text);
	}
	for (u32 i = 0; b.event && i < groups->nr; i++)
		free(b.event[i].title);
	free(b.event);
	free(b.function);
	return ret;
}

static bool use_browser(const struct annotate_options *o)
{
	return o->form == ANNOTATE_TUI || (o->form == ANNOTATE_ANY && !o->types && !o->report.quiet && !o->view.print_lines && browser__can_run());
}

static int sort_groups(struct annotating *a, const struct report_groups *groups)
{
	int ret = 0;

	for (u32 i = 0; i < groups->nr && !ret; i++)
		ret = report_rows__sort_group(&a->rows, &groups->group[i]);
	return ret;
}

/* Why no function was shown; false: that is what the options ask for. */
static bool explain_nothing(const struct annotating *a)
{
	const struct annotate_options *o = a->options;
	const char *input = o->report.reading.input;

	if (a->nr_types)
		return false;
	if (o->types && o->type_name)
		pr_err("No sample of %s is known to access the type '%s': 'perf report -s type' lists the types that samples access\n", input, o->type_name);
	else if (o->types)
		pr_err("No sample of %s is known to access a type: types are known of programs with debug information (-g)\n", input);
	else if (o->symbol)
		pr_err("No sample of %s is in a function '%s': 'perf report -s sym' lists those that have some\n", input, o->symbol);
	else if (o->report.selection.dsos)
		pr_err("No sample of %s is in a function of %s: 'perf report -s dso,sym' lists those that have some\n", input, o->report.selection.dsos);
	else if (!o->report.min_percent)
		pr_err("No sample of %s is in a function with a name, so there is no code to show: 'perf report -s dso,sym' lists where they are\n", input);
	return o->types || o->symbol || o->report.selection.dsos || !o->report.min_percent;
}

/* Returns the exit status. */
static int show(struct annotating *a)
{
	const struct annotate_options *o = a->options;
	struct report_groups groups;
	int ret;

	if (!report_rows__any_samples(&a->rows)) {
		read_options__explain_no_samples(&o->report.reading, a->session);
		return 0;
	}
	ret = report_groups__init(&groups, a->session, a->rows.hists, &o->report) ?: sort_groups(a, &groups);
	if (!ret)
		ret = use_browser(o) ? browse_groups(a, &groups) : print_groups(a, &groups);
	report_groups__exit(&groups);
	if (ret == -ENOMEM)
		pr_err("out of memory\n");
	else if (!ret && !a->nr_shown && !a->nr_failed && !explain_nothing(a))
		return 0;
	return ret || !a->nr_shown ? EXIT_SETUP : 0;
}

static int read_all(struct annotating *a)
{
	static const struct session_ops ops = { .sample = take_sample };
	const struct report_options *o = &a->options->report;
	struct errmsg err;
	int ret;

	progress__start(&a->progress, o->quiet ? 0 : perfdata_reader__data_size(session__reader(a->session)));
	ret = session__run(a->session, &ops, a, &err);
	progress__finish(&a->progress);
	if (ret) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	session__warn(a->session, o->reading.input);
	ret = show(a);
	return !ret && session__is_damaged(a->session) ? EXIT_DAMAGED : ret;
}

/* Of --code-with-type; the keys of --data-type check the same. */
static int begin_types(const struct annotate_options *o, struct session *s, struct errmsg *err)
{
	const char *arch = session__features(s)->arch;

	if (!o->view.types)
		return 0;
	if (!data_types__available())
		return errmsg__set(err, EINVAL, "--code-with-type needs a disassembler: %s", disasm__remedy());
	if (arch && !data_types__know(arch))
		return errmsg__set(err, EINVAL, "--code-with-type is of programs for x86_64, and this was recorded on %s: leave it out", arch);
	resolver__read_types(session__resolver(s));
	return 0;
}

int annotate__run(struct annotate_options *o)
{
	struct annotating a = { .options = o, .session = read_options__open(&o->report.reading, false) };
	struct errmsg err;
	int ret;

	if (!a.session)
		return EXIT_SETUP;
	a.rows = (struct report_rows){ .session = a.session, .options = &o->report };
	ret = begin_types(o, a.session, &err) ?: selection__init(&o->report.selection, a.session, &err) ?: report_rows__init(&a.rows, &err);
	if (!ret) {
		ret = read_all(&a);
	} else {
		pr_err("%s\n", err.text);
		ret = ret == -EINVAL || ret == -ENOENT ? EXIT_USAGE : EXIT_SETUP;
	}
	report_rows__exit(&a.rows);
	code_hits__exit(&a.hits);
	free(a.failed);
	session__delete(a.session);
	return ret;
}
