// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"
#include <stdio.h>

#include "cmd/report/view.h"
#include "ui/report/tasks.h"
#include "util/lib/log.h"

static bool wanted(const struct report_view_options *o)
{
	return o->tasks || o->mmaps;
}

static int finish(struct report_view *v)
{
	read_options__start_pager(&v->options->reading);
	if (!tasks__fprintf(stdout, session__machine(v->session), v->options->view.mmaps))
		return 0;
	pr_err("out of memory\n");
	return EXIT_SETUP;
}

const struct report_view_ops tasks_view = {
	.size = sizeof(struct report_view),
	.no_symbols = true,
	.wanted = wanted,
	.finish = finish,
};
