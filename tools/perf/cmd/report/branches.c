// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/branches.h"

#include <errno.h>

bool report_branches__wanted(struct session *s, const struct report_options *o)
{
	bool any = false;

	for (u32 i = 0; i < session__nr_events(s); i++) {
		u64 type = session__event(s, i)->event->attr.sample_type;

		if (type & PERF_SAMPLE_STACK_USER && o->branches == REPORT_BRANCHES_RECORDED)
			return false;
		any |= type & PERF_SAMPLE_BRANCH_STACK;
	}
	return any && o->branches != REPORT_BRANCHES_NONE;
}

/* A branch may cross the kernel's border: each address decides about its own end. */
static void resolve_end(struct session *s, const struct session_sample *sample, u64 addr, struct location *loc)
{
	resolver__resolve(session__resolver(s), sample->thread, PERF_RECORD_MISC_CPUMODE_UNKNOWN, addr, loc);
	if (loc->map)
		loc->cpumode = loc->dso->kind == DSO_USER ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

int report_branches__add(struct hists *hists, struct session *s, const struct session_sample *sample, const struct hist_sample *hs,
			 bool shown, bool named_only)
{
	const u64 nr_samples = hists->nr_samples;
	struct hist_branch branch;
	struct hist_sample one = *hs;
	u64 nr = 0;

	one.branch = &branch;
	one.loc = &branch.to;
	one.chain = NULL;
	one.period = one.nr = 1;
	for (u64 i = 0; i < sample->sample->nr_branch; i++) {
		branch.entry = &sample->sample->branch[i];
		resolve_end(s, sample, branch.entry->from, &branch.from);
		resolve_end(s, sample, branch.entry->to, &branch.to);
		if (named_only && !(branch.from.sym && branch.to.sym))
			continue;
		nr++;
		if (!shown)
			hists__count_hidden(hists, &one);
		else if (hists__add(hists, &one))
			return -ENOMEM;
	}
	/* As in perf: count samples, not branches. */
	hists->nr_samples = nr_samples + (nr && hists->nr_samples > nr_samples ? hs->nr : 0);
	return 0;
}
