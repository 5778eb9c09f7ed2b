// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"
#include "cmd/report/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/session-stdio.h"
#include "util/lib/log.h"

#define HEADER_HINT "# To display the perf.data header info, please use --header/--header-only options.\n#"

/* The first match is chosen. */
static const struct report_view_ops *const views[] = {
	&dump_view, &stats_view, &tasks_view, &folded_view, &profile_view, &rows_view,
};

const struct report_view_ops *report_view__choose(const struct report_options *o)
{
	size_t i = 0;

	while (views[i]->wanted && !views[i]->wanted(&o->view))
		i++;
	return views[i];
}

void report_view__print_header_hint(const struct report_view *v)
{
	if (!v->options->quiet)
		puts(HEADER_HINT);
}

void report_view__print_header(const struct report_view *v)
{
	if (v->options->reading.header.shown)
		read_options__print_header(&v->options->reading, v->session);
	else
		report_view__print_header_hint(v);
}

bool report_view__shows(struct report_view *v, const struct session_sample *sample)
{
	progress__update(&v->progress, sample->file_offset);
	return selection__judge(&v->options->selection, sample) == SAMPLE_SHOWN;
}

int report_view__count_kinds(struct report_view *v, stack_counts_cb cb, struct errmsg *err)
{
	const struct selection *selection = &v->options->selection;
	bool by_ids = selection__ignores_rest(selection);

	session__want(v->session, SESSION_CHAINS, by_ids ? SESSION_IDS : SESSION_NO_IDS);
	/* symbols may be addresses */
	return by_ids && report_kinds__init(&v->kinds, !selection->symbols, cb, v) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

int report_view__seen(struct session *s, struct session_brief *brief, void *view)
{
	return report_kinds__seen(&((struct report_view *)view)->kinds, s, brief);
}

void report_view__look_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *view)
{
	struct report_view *v = view;

	if (nr)
		progress__update(&v->progress, brief[0]->file_offset);
	report_kinds__look_ahead(&v->kinds, s, brief, nr);
}

void report_view__forget_ids(struct session *s, void *view)
{
	report_kinds__flush(&((struct report_view *)view)->kinds);
}

/* Returns the exit status. */
static int read_all(struct report_view *v)
{
	u64 size = perfdata_reader__data_size(session__reader(v->session));
	struct errmsg err;
	int ret;

	progress__start(&v->progress, v->options->quiet ? 0 : size);
	ret = session__run(v->session, &v->ops->reading, v, &err);
	progress__finish(&v->progress);
	if (ret) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	report_kinds__flush(&v->kinds);
	session__warn(v->session, v->options->reading.input);
	ret = v->ops->finish(v);
	return !ret && session__is_damaged(v->session) ? EXIT_DAMAGED : ret;
}

static int run(struct report_view *v)
{
	struct errmsg err;
	int ret = selection__init(&v->options->selection, v->session, &err);

	if (!ret && v->ops->init)
		ret = v->ops->init(v, &err);
	if (!ret)
		return read_all(v);
	pr_err("%s\n", err.text);
	/* An event that the file lacks is an error in the command line, like a word that is not a number. */
	return ret == -EINVAL || ret == -ENOENT ? EXIT_USAGE : EXIT_SETUP;
}

int report_view__run(const struct report_view_ops *ops, struct report_options *o, struct session *s)
{
	struct report_view *v = calloc(1, ops->size);
	int ret;

	if (!v) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	v->ops = ops;
	v->options = o;
	v->session = s;
	v->warnings_before = log__nr_warnings();
	ret = run(v);
	if (ops->exit)
		ops->exit(v);
	report_kinds__exit(&v->kinds);
	free(v);
	return ret;
}
