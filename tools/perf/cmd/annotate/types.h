/* SPDX-License-Identifier: GPL-2.0 */
/* perf annotate --data-type: types in place of functions. */
#ifndef PERF_CMD_ANNOTATE_TYPES_H
#define PERF_CMD_ANNOTATE_TYPES_H

#include <stdio.h>
#include "cmd/annotate/options.h"
#include "cmd/report/groups.h"
#include "util/annotate/hits.h"

struct annotate_types { /* the caller's */
	struct session *session;
	const struct annotate_options *options;
	const struct code_hits *hits;
	const struct hists *hists; /* by event: for shares of all samples */
	/* Results, which each call adds to: */
	u32 nr_found;  /* types that the options ask for */
	u32 nr_shown;  /* were printed */
	u32 nr_failed; /* have members that cannot be read */
};

/* Print the types that the samples of the group accessed. 0 or -ENOMEM */
int annotate_types__print(struct annotate_types *types, const struct report_group *group, FILE *fp);

#endif
