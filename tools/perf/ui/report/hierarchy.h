/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_UI_REPORT_HIERARCHY_H
#define PERF_UI_REPORT_HIERARCHY_H

#include "ui/report/columns.h"

/* What hists__fprintf() does with opts->hierarchy. */
int hists__fprintf_hierarchy(const struct hists *hists, FILE *fp, const struct hist_stdio_opts *opts);

#endif
