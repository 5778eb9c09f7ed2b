// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "diff"
#include "cmd/diff/files.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/report/view.h"
#include "ui/report/stdio.h"
#include "ui/session-stdio.h"
#include "util/hist/group.h"
#include "util/lib/log.h"

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct diff_file *file = data;

	progress__update(&file->progress, sample->file_offset);
	return report_rows__add(&file->rows, sample);
}

static int seen(struct session *s, struct session_brief *brief, void *data)
{
	return report_kinds__seen(&((struct diff_file *)data)->kinds, s, brief);
}

static void look_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *data)
{
	struct diff_file *file = data;

	if (nr)
		progress__update(&file->progress, brief[0]->file_offset);
	report_kinds__look_ahead(&file->kinds, s, brief, nr);
}

static void forget_ids(struct session *s, void *data)
{
	report_kinds__flush(&((struct diff_file *)data)->kinds);
}

static int run(struct diff_file *file)
{
	static const struct session_ops ops = { .sample = take_sample, .seen = seen, .look_ahead = look_ahead, .forget_ids = forget_ids };
	struct errmsg err;
	int ret;

	progress__start(&file->progress, file->options.quiet ? 0 : perfdata_reader__data_size(session__reader(file->session)));
	ret = session__run(file->session, &ops, file, &err);
	progress__finish(&file->progress);
	if (ret) {
		pr_err("%s: %s\n", file->name, err.text);
		return EXIT_SETUP;
	}
	report_kinds__flush(&file->kinds);
	session__warn(file->session, file->name);
	return session__is_damaged(file->session) ? EXIT_DAMAGED : 0;
}

/* -D: what each record holds, before the rows */
static int dump(struct diff_file *file)
{
	struct session *s = read_options__open(&file->options.reading, false);
	int ret;

	if (!s)
		return EXIT_SETUP;
	ret = report_view__run(&dump_view, &file->options, s);
	selection__exit(&file->options.selection);
	session__delete(s);
	return ret;
}

static int read_file(struct diff_file *file)
{
	struct errmsg err;
	int ret;

	file->session = read_options__open(&file->options.reading, false);
	if (!file->session)
		return EXIT_SETUP;
	file->rows = (struct report_rows){ .session = file->session, .options = &file->options, .kinds = &file->kinds };
	ret = selection__init(&file->options.selection, file->session, &err) ?: report_rows__init(&file->rows, &err);
	if (!ret)
		return run(file);
	pr_err("%s: %s\n", file->name, err.text);
	return ret == -EINVAL || ret == -ENOENT ? EXIT_USAGE : EXIT_SETUP;
}

static int init_file(struct diff_file *file, const struct diff_options *o, const char *name, u32 i)
{
	file->name = name;
	file->options = o->report;
	file->options.comparison = &o->comparison;
	file->options.reading.input = name;
	file->options.selection.times = file->times = diff_options__times(o, i);
	return !file->times && errno ? -ENOMEM : 0;
}

int diff_files__read(struct diff_files *files, struct diff_options *o, const char *const *names)
{
	bool damaged = false;
	int ret = 0;

	files->options = o;
	files->nr = o->comparison.nr_files;
	files->file = calloc(files->nr, sizeof(*files->file));
	ret = files->file ? report_options__compile_parent(&o->report) : -ENOMEM;
	for (u32 i = 0; i < files->nr && !ret; i++)
		ret = init_file(&files->file[i], o, names[i], i);
	if (ret) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	for (u32 i = 0; i < files->nr && !ret; i++) {
		ret = o->dump ? dump(&files->file[i]) : 0;
		ret = ret ?: read_file(&files->file[i]);
		damaged |= ret == EXIT_DAMAGED;
		ret = ret == EXIT_DAMAGED ? 0 : ret;
	}
	return ret ?: damaged ? EXIT_DAMAGED : 0;
}

/* Entries of different layouts cannot stand in one table: tracepoints' fields may have changed between the recordings. */
static bool have_same_keys(const struct hists *a, const struct hists *b)
{
	const struct hist_layout *x = a->opts.layout, *y = b->opts.layout;

	if (x->sort.nr != y->sort.nr || x->nr_values != y->nr_values)
		return false;
	for (u32 i = 0; i < x->sort.nr; i++) {
		const struct hist_column *same = hist_column_list__find(&y->sort, &x->sort.at[i]);

		if (!same || same->slot != x->sort.at[i].slot)
			return false;
	}
	return true;
}

/* The hists of the same event, which may be others' by name; without entries if the file lacks it. */
static struct hists *find_event(struct diff_file *file, const struct session_event *event, const struct hists *base)
{
	const struct perf_event_attr *attr = &event->event->attr;

	for (u32 i = 0; i < session__nr_events(file->session); i++) {
		const struct perf_event_attr *of_file = &session__event(file->session, i)->event->attr;

		if (of_file->type == attr->type && of_file->config == attr->config && have_same_keys(base, &file->rows.hists[i]))
			return &file->rows.hists[i];
	}
	hists__exit(&file->lacking);
	hists__init(&file->lacking, &base->opts);
	return &file->lacking;
}

static int join(struct diff_files *files, u32 event, struct hists **hists)
{
	int ret = 0;

	hists[0] = &files->file[0].rows.hists[event];
	for (u32 i = 1; i < files->nr; i++)
		hists[i] = find_event(&files->file[i], session__event(files->file[0].session, event), hists[0]);
	for (u32 i = 0; i < files->nr && !ret; i++)
		ret = hists__join_names(hists[i]);
	ret = ret ?: hists__group(hists, files->nr, 0) ?: hists__sort(hists[0]);
	if (!ret && files->options->baseline_only)
		hists__keep_matched(hists[0]);
	return ret;
}

static void print_header(const struct diff_files *files, FILE *fp, u32 event)
{
	const struct report_options *o = &files->options->report;

	if (!o->quiet)
		fprintf(fp, "%s# Event '%s'\n#\n", event ? "\n" : "", session__event(files->file[0].session, event)->name);
	if (o->quiet || (files->nr == 2 && !o->reading.verbose))
		return;
	fputs("# Data files:\n", fp);
	for (u32 i = 0; i < files->nr; i++)
		fprintf(fp, "#  [%u] %s %s\n", i, files->file[i].name, i ? "" : "(Baseline)");
	fputs("#\n", fp);
}

static int print_event(struct diff_files *files, FILE *fp, u32 event)
{
	const struct report_options *o = &files->options->report;
	const struct hist_stdio_opts opts = { .no_header = o->quiet, .separator = o->separator };
	struct hists **hists = calloc(files->nr, sizeof(struct hists *));
	int ret = hists ? join(files, event, hists) : -ENOMEM;

	if (!ret) {
		print_header(files, fp, event);
		ret = hists__fprintf(hists[0], fp, &opts);
	}
	free(hists);
	return ret;
}

int diff_files__print(struct diff_files *files, FILE *fp)
{
	u32 nr = session__nr_events(files->file[0].session);
	int ret = 0;

	for (u32 event = 0; event < nr && !ret; event++)
		ret = print_event(files, fp, event);
	return ret;
}

void diff_files__exit(struct diff_files *files)
{
	for (u32 i = 0; files->file && i < files->nr; i++) {
		struct diff_file *file = &files->file[i];

		if (file->session)
			report_rows__exit(&file->rows);
		hists__exit(&file->lacking);
		report_kinds__exit(&file->kinds);
		selection__exit(&file->options.selection);
		session__delete(file->session);
		free(file->times);
	}
	free(files->file);
}
