// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/unwound.h"

#include <inttypes.h>

#include "util/lib/log.h"

static const char *const incomplete[UNWIND_NR_SAMPLE_ENDS] = {
	[UNWIND_NO_MAPPING] = "at an address without code",
	[UNWIND_NO_TABLE] = "in files whose tables were not there yet, or had no room",
	[UNWIND_NO_CFI] = "in code that its file has no rule for",
	[UNWIND_HARD] = "in code whose rule BPF cannot follow",
	[UNWIND_MEMORY] = "where the stack could not be read",
	[UNWIND_DEPTH] = "with too many frames",
	[UNWIND_LOOP] = "in a circle",
	[UNWIND_EXITING] = "of tasks that were ending",
	[UNWIND_COMPAT] = "of 32-bit programs",
};

static void tell_event(const struct unwind_totals *t, const char *name)
{
	u64 complete = t->ended[UNWIND_COMPLETE] + t->ended[UNWIND_ZERO], all = 0;

	for (unsigned int end = 0; end < UNWIND_NR_SAMPLE_ENDS; end++)
		all += t->ended[end];
	if (all)
		pr_info("%s: %" PRIu64 " user stacks, %.1f %% of them whole\n", name, all, 100.0 * complete / all);
	for (unsigned int end = 0; end < UNWIND_NR_SAMPLE_ENDS; end++) {
		if (incomplete[end] && t->ended[end])
			pr_info("  %" PRIu64 " end %s\n", t->ended[end], incomplete[end]);
	}
}

static void tell_tables(const struct unwind_feeder_counts *f, u64 frames)
{
	if (f->refused)
		pr_warn("%" PRIu64 " unwinding tables found no room: take more memory for them (--unwind-memory)\n", f->refused);
	if (f->failed)
		pr_warn("%" PRIu64 " files could not be read for unwinding, stacks end in them: run perf as root, or give it cap_sys_ptrace for "
			"processes of other users. -v shows the causes\n", f->failed);
	pr_debug("%" PRIu64 " frames; %" PRIu64 " tables of %" PRIu64 " rows in %.1f MB, made in %.1f ms; %" PRIu64 " files without rules, %" PRIu64
		 " not readable; %" PRIu64 " tables thrown out\n", frames, f->tables, f->rows, f->bytes / 1024.0 / 1024.0, f->ns / 1e6, f->bare,
		 f->failed, f->thrown_out);
}

bool unwound__tell(const struct evlist *evlist, const struct record_result *result)
{
	u64 frames = 0;

	if (!result->tables)
		return false;
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct unwind_totals *t = result->counts[i].unwound;

		if (t)
			tell_event(t, evlist->evsel[i]->name);
		frames += t ? t->frames : 0;
	}
	tell_tables(result->tables, frames);
	return true;
}
