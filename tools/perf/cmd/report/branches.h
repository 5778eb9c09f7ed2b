/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of branches: counts each branch of a sample instead of the sample. */
#ifndef PERF_CMD_REPORT_BRANCHES_H
#define PERF_CMD_REPORT_BRANCHES_H

#include "cmd/report/options.h"
#include "util/session/session.h"

#define BRANCH_SORT "comm,dso_from,symbol_from,symbol_to,cycles" /* as in perf */

/* Do options and recording ask for them? Yes with -b, unless there are stack dumps, too. */
bool report_branches__wanted(struct session *s, const struct report_options *o);

/* Count the branches of a sample; hs describes the rest of the sample. shown false: as hists__count_hidden(). 0 or -ENOMEM. */
int report_branches__add(struct hists *hists, struct session *s, const struct session_sample *sample, const struct hist_sample *hs,
			 bool shown, bool named_only);

#endif
