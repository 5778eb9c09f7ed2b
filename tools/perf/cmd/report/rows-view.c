// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/report/rows.h"
#include "cmd/report/threads.h"
#include "cmd/report/view.h"
#include "ui/tui/browser.h"
#include "util/lib/log.h"

struct rows_view {
	struct report_view view;
	struct report_rows rows;
	struct code_hits hits; /* for the browser */
	struct thread_counts *thread_counts; /* NULL: not requested */
};

static struct rows_view *of(struct report_view *v)
{
	return (struct rows_view *)v;
}

/* On a terminal browse the rows, unless text was requested. */
static bool use_browser(const struct report_options *o)
{
	const struct report_view_options *view = &o->view;

	return view->tui || (!view->stdio && !o->hierarchy && !o->quiet && !o->separator && !o->reading.header.shown && !view->threads &&
			     browser__can_run());
}

static int init(struct report_view *v, struct errmsg *err)
{
	struct rows_view *rv = of(v);

	rv->rows.session = v->session;
	rv->rows.options = v->options;
	if (v->options->view.threads) {
		rv->thread_counts = thread_counts__new(session__nr_events(v->session));
		if (!rv->thread_counts)
			return errmsg__set(err, ENOMEM, "out of memory");
	}
	rv->rows.kinds = &v->kinds;
	if (use_browser(v->options))
		rv->rows.hits = &rv->hits;
	return report_rows__init(&rv->rows, err);
}

static int take_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data)
{
	struct rows_view *rv = data;

	report_rows__take_record(&rv->rows, record, id);
	if (!rv->thread_counts || record->header.type != PERF_RECORD_READ)
		return 0;
	return thread_counts__add(rv->thread_counts, session__event_of(s, id), &record->read);
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct rows_view *rv = data;

	progress__update(&rv->view.progress, sample->file_offset);
	return report_rows__add(&rv->rows, sample);
}

static int see(struct session *s, struct session_brief *brief, void *data)
{
	struct rows_view *rv = data;
	int need = report_view__seen(s, brief, data);

	return need == SESSION_NEEDS_ALL ? report_rows__see(&rv->rows, brief) : need;
}

static void look_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *data)
{
	struct rows_view *rv = data;

	report_view__look_ahead(s, brief, nr, data);
	report_rows__look_ahead(&rv->rows, brief, nr);
}

static void forget_ids(struct session *s, void *data)
{
	struct rows_view *rv = data;

	report_view__forget_ids(s, data);
	report_rows__forget_ids(&rv->rows);
}

static int print(struct rows_view *rv)
{
	const struct report_options *o = rv->view.options;

	read_options__start_pager(&o->reading);
	report_view__print_header(&rv->view);
	if (report_rows__print(&rv->rows, stdout)) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	if (rv->thread_counts)
		thread_counts__fprintf(rv->thread_counts, stdout, rv->view.session, o->view.pretty && !strcmp(o->view.pretty, "raw"));
	return 0;
}

static int finish(struct report_view *v)
{
	struct rows_view *rv = of(v);

	if (!report_rows__any_samples(&rv->rows)) {
		if (!v->options->reading.header.shown)
			report_view__print_header_hint(v);
		read_options__explain_no_samples(&v->options->reading, v->session);
		return 0;
	}
	if (use_browser(v->options))
		return report_rows__browse(&rv->rows, log__nr_warnings() - v->warnings_before) ? EXIT_SETUP : 0;
	return print(rv);
}

static void exit_view(struct report_view *v)
{
	struct rows_view *rv = of(v);

	report_rows__exit(&rv->rows);
	code_hits__exit(&rv->hits);
	thread_counts__delete(rv->thread_counts);
}

/* The last row of the table: chosen if no other one is. */
const struct report_view_ops rows_view = {
	.size = sizeof(struct rows_view),
	.init = init,
	.reading = { .sample = take_sample, .record = take_record, .seen = see,
		     .look_ahead = look_ahead, .forget_ids = forget_ids },
	.finish = finish,
	.exit = exit_view,
};
