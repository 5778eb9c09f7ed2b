// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/group.h"

static const struct perfdata_features *features_of(struct session *s)
{
	return session__features(s);
}

/* If the recording has no groups, --group makes one of all events. */
static bool force_one(struct session *s, const struct report_options *o)
{
	return o->group != REPORT_GROUP_RECORDED && !features_of(s)->nr_group;
}

bool report_groups__wanted(struct session *s, const struct report_options *o)
{
	if (o->group == REPORT_GROUP_NONE)
		return false;
	return features_of(s)->nr_group || force_one(s, o);
}

/* Number of events in the group that begins at first; 1: not a group. */
static u32 nr_members(struct session *s, const struct report_options *o, u32 first, const char **name)
{
	const struct perfdata_features *features = features_of(s);
	u32 nr = session__nr_events(s);

	*name = NULL;
	if (force_one(s, o))
		return first ? 1 : nr;
	for (u32 i = 0; i < features->nr_group; i++) {
		const struct perfdata_group *group = &features->group[i];

		if (group->leader != first || !group->nr_members)
			continue;
		*name = strcmp(group->name, PERFDATA_ANON_GROUP) ? group->name : "anon group";
		return group->nr_members <= nr - first ? group->nr_members : nr - first;
	}
	return 1;
}

static int fill(struct report_group *group, const struct hists *hists, u32 first, u32 last, bool skip_empty)
{
	group->event = calloc(last - first + 1, sizeof(*group->event));
	if (!group->event)
		return -ENOMEM;
	for (u32 i = first; i <= last; i++) {
		if (hists[i].any_samples || !skip_empty)
			group->event[group->nr++] = i;
	}
	return 0;
}

int report_groups__init(struct report_groups *groups, struct session *s, const struct hists *hists, const struct report_options *o)
{
	u32 last;

	*groups = (struct report_groups){ .group = calloc(session__nr_events(s), sizeof(*groups->group)) };
	if (!groups->group)
		return -ENOMEM;
	for (u32 i = 0; i < session__nr_events(s); i = last + 1) {
		struct report_group *group = &groups->group[groups->nr];

		group->nr_all = nr_members(s, o, i, &group->name);
		last = i;
		if (o->group == REPORT_GROUP_NONE)
			group->name = NULL;
		else
			last += group->nr_all - 1;
		if (fill(group, hists, i, last, o->skip_empty))
			return -ENOMEM;
		if (group->nr)
			groups->nr++;
		else
			free(group->event);
	}
	return 0;
}

void report_groups__exit(struct report_groups *groups)
{
	for (u32 i = 0; i < groups->nr; i++)
		free(groups->group[i].event);
	free(groups->group);
	*groups = (struct report_groups){};
}

void report_group__fprintf_name(const struct report_group *group, struct session *s, FILE *fp)
{
	bool named = group->nr_all > 1 && group->name;

	fprintf(fp, "'%s%s", named ? group->name : "", named ? " { " : "");
	for (u32 i = 0; i < group->nr; i++)
		fprintf(fp, "%s%s", i ? ", " : "", session__event(s, group->event[i])->name);
	fprintf(fp, "%s'", named ? " }" : "");
}

int report_group__join(const struct report_group *group, struct hists *hists, u32 sort)
{
	struct hists **member = calloc(group->nr, sizeof(struct hists *));
	int ret;

	if (!member)
		return -ENOMEM;
	for (u32 i = 0; i < group->nr; i++)
		member[i] = &hists[group->event[i]];
	ret = hists__group(member, group->nr, sort < group->nr ? sort : 0);
	free(member);
	return ret;
}
