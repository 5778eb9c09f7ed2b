// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>

#include "cmd/report/view.h"
#include "ui/tally/output.h"
#include "util/source/tally.h"

struct folded_view {
	struct report_view view;
	struct tally_output *lines;
};

static struct folded_view *of(struct report_view *v)
{
	return (struct folded_view *)v;
}

static bool wanted(const struct report_view_options *o)
{
	return o->folded;
}

static void count_more(u64 place, u64 nr, u64 period, void *data)
{
	struct tally_output *lines = of(data)->lines;

	lines->ops->again(lines, place, nr, period);
}

static int init(struct report_view *v, struct errmsg *err)
{
	const struct tally_output_opts opts = {
		.fp = stdout, .key = TALLY_KEY_COMM | TALLY_KEY_SYM, .many_events = session__nr_events(v->session) > 1,
		.weight = v->options->view.folded,
	};

	of(v)->lines = tally_formats[TALLY_FOLDED].new(&opts, err);
	return of(v)->lines ? report_view__count_kinds(v, count_more, err) : -ENOMEM;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct folded_view *fv = data;
	struct tally_output *lines = fv->lines;

	if (!report_view__shows(data, sample))
		return 0;
	if (lines->ops->sample(lines, sample))
		return -ENOMEM;
	report_kinds__keep(&fv->view.kinds, sample, lines->ops->last_place(lines));
	return 0;
}

static int finish(struct report_view *v)
{
	read_options__start_pager(&v->options->reading);
	of(v)->lines->ops->finish(of(v)->lines);
	return 0;
}

static void exit_view(struct report_view *v)
{
	if (of(v)->lines)
		of(v)->lines->ops->delete(of(v)->lines);
}

const struct report_view_ops folded_view = {
	.size = sizeof(struct folded_view),
	.wanted = wanted,
	.init = init,
	.reading = { .sample = take_sample, .seen = report_view__seen,
		     .look_ahead = report_view__look_ahead, .forget_ids = report_view__forget_ids },
	.finish = finish,
	.exit = exit_view,
};
