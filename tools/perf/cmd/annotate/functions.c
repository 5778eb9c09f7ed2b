// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "annotate"
#include "cmd/annotate/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/annotate/hits.h"
#include "cmd/annotate/lines.h"
#include "cmd/report/rows.h"
#include "ui/progress.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"

struct annotating {
	struct annotate_options *options;
	struct session *session;
	struct report_rows rows;
	struct code_hits hits;
	struct progress progress;
	u32 nr_shown, nr_failed;
	const struct dso **failed; /* files whose code cannot be shown, which is told once */
	u32 nr_files;
};

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
	const struct dso **more = reallocarray(a->failed, a->nr_files + 1, sizeof(*more));

	a->nr_failed++;
	if (!more)
		return;
	a->failed = more;
	more[a->nr_files++] = dso;
}

/* 0 also if it cannot be shown, or -ENOMEM */
static int show_function(struct annotating *a, const struct hist_entry *entry, const struct code_function_hits *function, FILE *fp)
{
	struct code_text code = {};
	struct errmsg err;
	const struct annotated annotated = {
		.options = a->options,
		.resolver = session__resolver(a->session),
		.event = session__event(a->session, function->event)->name,
		.hists = entry->hists,
		.hits = &a->hits,
		.function = function,
		.code = &code,
	};
	int ret = code_text__read(&code, annotated.resolver, &function->loc, &a->options->code, &err);

	if (!ret) {
		ret = annotated__fprintf(&annotated, fp);
		a->nr_shown++;
	} else if (ret != -ENOMEM) {
		if (!a->options->skip_missing)
			pr_err("Couldn't annotate %s of %s: %s\n", entry->sym->name, entry->dso->shown, err.text);
		note_failure(a, entry->dso);
		ret = 0;
	}
	code_text__exit(&code);
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

static int show_event(struct annotating *a, u32 event, FILE *fp)
{
	struct hists *hists = &a->rows.hists[event];
	int ret = hists__sort(hists);

	for (u32 i = 0; i < hists->nr_entries && !ret; i++) {
		const struct hist_entry *entry = hists->entry[i];
		const struct code_function_hits *function = is_wanted(a, entry) ? code_hits__find(&a->hits, event, entry->sym) : NULL;

		if (function)
			ret = show_function(a, entry, function, fp);
	}
	return ret;
}

/* Returns the exit status. */
static int show(struct annotating *a)
{
	const struct annotate_options *o = a->options;
	int ret = 0;

	if (!report_rows__any_samples(&a->rows)) {
		read_options__explain_no_samples(&o->report.reading, a->session);
		return 0;
	}
	read_options__start_pager(&o->report.reading);
	for (u32 i = 0; i < session__nr_events(a->session) && !ret; i++)
		ret = show_event(a, i, stdout);
	if (ret)
		pr_err("out of memory\n");
	else if (o->symbol && !a->nr_shown && !a->nr_failed)
		pr_err("No sample of %s is in a function '%s': 'perf report -s sym' lists those that have some\n", o->report.reading.input, o->symbol);
	return ret || (!a->nr_shown && (a->nr_failed || o->symbol)) ? EXIT_SETUP : 0;
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

int annotate__run(struct annotate_options *o)
{
	struct annotating a = { .options = o, .session = read_options__open(&o->report.reading, false) };
	struct errmsg err;
	int ret;

	if (!a.session)
		return EXIT_SETUP;
	a.rows = (struct report_rows){ .session = a.session, .options = &o->report };
	ret = selection__init(&o->report.selection, a.session, &err) ?: report_rows__init(&a.rows, &err);
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
