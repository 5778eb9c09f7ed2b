// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "cmd/report/view.h"
#include "ui/report/stats.h"

static bool wanted(const struct report_view_options *o)
{
	return o->stats;
}

static int finish(struct report_view *v)
{
	read_options__start_pager(&v->options->reading);
	stats__fprintf(stdout, v->session);
	return 0;
}

const struct report_view_ops stats_view = {
	.size = sizeof(struct report_view),
	.no_symbols = true,
	.wanted = wanted,
	.finish = finish,
};
