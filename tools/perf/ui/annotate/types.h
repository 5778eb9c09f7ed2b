/* SPDX-License-Identifier: GPL-2.0 */
/* perf annotate --data-type: the members of a type with their shares of its samples. */
#ifndef PERF_UI_ANNOTATE_TYPES_H
#define PERF_UI_ANNOTATE_TYPES_H

#include <stdio.h>
#include "ui/annotate/annotated.h"
#include "util/annotate/type-hits.h"

struct annotated_type {
	const struct type_use *use;
	const struct data_layout *layout;
	const u32 *event;	 /* indices in the recording: a column each */
	const char *const *name; /* of each event */
	u32 nr_events;
	const struct hists *hists; /* by event: for shares of all samples */
	const struct annotate_view_opts *view; /* show_period or show_samples: these, not percentages, which are by percent */
};

void annotated_type__fprintf(const struct annotated_type *type, FILE *fp);

#endif
