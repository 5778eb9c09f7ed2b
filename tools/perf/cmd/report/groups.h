/* SPDX-License-Identifier: GPL-2.0 */
/* Which events of a recording are shown side by side: the recorded groups, or with --group all events. */
#ifndef PERF_CMD_REPORT_GROUPS_H
#define PERF_CMD_REPORT_GROUPS_H

#include "cmd/report/options.h"
#include "util/session/session.h"

struct report_group {
	u32 *event; /* indices in the session, leader first; without those without samples, unless requested */
	u32 nr;
	u32 nr_all; /* including those; as in perf a leader counts its group even if the events are shown separately */
	const char *name; /* NULL: options created or split the group */
};

struct report_groups {
	struct report_group *group; /* in the order of their leaders; an event in no group is a group of its own */
	u32 nr;
};

/* After the run; hists are those of the session's events. 0 or -ENOMEM; free groups after an error, too. */
int report_groups__init(struct report_groups *groups, struct session *s, const struct hists *hists, const struct report_options *o);
void report_groups__exit(struct report_groups *groups);

/* Would any events share a table if all had samples? */
bool report_groups__wanted(struct session *s, const struct report_options *o);

/* "'a'", "'a, b'" or "'name { a, b }'" */
void report_group__fprintf_name(const struct report_group *group, struct session *s, FILE *fp);

/* Join the hists of its events. 0 or -ENOMEM. */
int report_group__join(const struct report_group *group, struct hists *hists, u32 sort);

#endif
