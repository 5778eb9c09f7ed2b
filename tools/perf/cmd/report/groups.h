/* SPDX-License-Identifier: GPL-2.0 */
/* Which events of a recording are shown side by side: groups that were recorded, or with --group all. */
#ifndef PERF_CMD_REPORT_GROUPS_H
#define PERF_CMD_REPORT_GROUPS_H

#include "cmd/report/options.h"
#include "util/session/session.h"

struct report_group {
	u32 *event; /* of the session, leader first; those without samples are left out, unless they are wanted */
	u32 nr;
	u32 nr_all; /* with those that are left out; as in perf a leader counts its group's even if they are shown apart */
	const char *name; /* NULL: the reader of the report made the group, or took it apart */
};

struct report_groups {
	struct report_group *group; /* in the order of their leaders; an event that is in no group is one alone */
	u32 nr;
};

/* After the run; hists are those of the session's events. 0 or -ENOMEM, and groups are to be freed then, too. */
int report_groups__init(struct report_groups *groups, struct session *s, const struct hists *hists, const struct report_options *o);
void report_groups__exit(struct report_groups *groups);

/* Does any event share a table with another one, if both have samples? */
bool report_groups__wanted(struct session *s, const struct report_options *o);

/* "'a'", "'a, b'" or "'name { a, b }'" */
void report_group__fprintf_name(const struct report_group *group, struct session *s, FILE *fp);

/* Join the hists of its events. 0 or -ENOMEM. */
int report_group__join(const struct report_group *group, struct hists *hists, u32 sort);

#endif
