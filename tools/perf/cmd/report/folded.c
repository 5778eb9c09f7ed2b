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

static int init(struct report_view *v, struct errmsg *err)
{
	const struct tally_output_opts opts = {
		.fp = stdout, .key = TALLY_KEY_COMM | TALLY_KEY_SYM, .many_events = session__nr_events(v->session) > 1,
		.weight = v->options->view.folded,
	};

	of(v)->lines = tally_formats[TALLY_FOLDED].new(&opts, err);
	return of(v)->lines ? 0 : -ENOMEM;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct tally_output *lines = of(data)->lines;

	if (!report_view__shows(data, sample))
		return 0;
	if (lines->ops->sample(lines, sample))
		return -ENOMEM;
	return report_view__count_at(data, sample, lines->ops->last_place(lines));
}

static void take_again(struct session *s, u64 place, u64 nr, u64 period, void *data)
{
	struct tally_output *lines = of(data)->lines;

	lines->ops->again(lines, place, nr, period);
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
	.reading = { .sample = take_sample, .again = take_again },
	.finish = finish,
	.exit = exit_view,
};
