// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/unwound.h"

#include <inttypes.h>
#include <linux/capability.h>

#include "util/lib/advice.h"
#include "util/lib/capability.h"
#include "util/lib/log.h"
#include "util/record/stack-ends.h"

static void tell_ends(const struct stack_ends *s, const char *name)
{
	if (s->all)
		pr_info("%s: %" PRIu64 " user stacks, %.1f %% of them whole\n", name, s->all, 100.0 * s->whole / s->all);
	if (s->finished)
		pr_info("  %" PRIu64 " %s finished outside BPF\n", s->finished, were(s->finished));
	for (unsigned int end = 0; end < UNWIND_NR_ENDS; end++) {
		if (stack_ends__cause(end) && s->ended[end])
			pr_info("  %" PRIu64 " %s\n", s->ended[end], stack_ends__cause(end));
	}
	if (s->ended[UNWIND_EXECVE] + s->ended[UNWIND_EXITING])
		pr_info("  without a user stack: %" PRIu64 " sample%s in execve, %" PRIu64 " of ending tasks\n", s->ended[UNWIND_EXECVE],
			plural(s->ended[UNWIND_EXECVE]), s->ended[UNWIND_EXITING]);
}

static void tell_finished(const struct unwind_totals *t)
{
	const struct unwind_finish_counts *f = &t->finished;

	if (t->unsent)
		pr_warn("%" PRIu64 " stack%s %s not finished: the ring buffer was half full. Take a larger one (-m)\n", t->unsent,
			plural(t->unsent), were(t->unsent));
	if (f->no_time)
		pr_warn("%" PRIu64 " stack%s %s not finished: unwinding by DWARF took a quarter of the time\n", f->no_time,
			plural(f->no_time), were(f->no_time));
	pr_debug("stacks for user space: %" PRIu64 " without a table, %" PRIu64 " without room for it, %" PRIu64 " that need DWARF; %.1f MB, "
		 "finished in %.1f ms\n", f->began[UNWIND_NO_TABLE], f->began[UNWIND_NO_ROOM], f->began[UNWIND_HARD],
		 f->bytes / 1024.0 / 1024.0, f->ns / 1e6);
}

#define MANY_NATIVE 20 /* one of these is worth a word */

/* Python's functions that are missing in stacks, or have no names */
static void tell_interp(const struct interp_counts *c, const char *name)
{
	const u64 native = c->unlinked + c->no_thread + c->unreadable + c->gone;

	if (!c->frames && !native)
		return;
	if (!log__enabled(LOG_DEBUG) && !c->no_room && (native + c->nameless + c->unsent) * MANY_NATIVE <= c->activations)
		return;
	pr_info("%s: %llu frame%s of Python in place of %llu of its interpreter\n", name, c->frames, plural(c->frames), c->activations);
	if (native)
		pr_info("  %llu stayed native: %llu were at their begin or end, %llu in threads without Python, %llu could not be read\n", (unsigned long long)native,
			c->unlinked, c->no_thread, c->unreadable);
	if (c->gone)
		pr_info("  %llu of these %s met after %u other files with Python, before perf knew theirs again\n", c->gone, were(c->gone), INTERP_MAX_FILES);
	if (c->nameless)
		pr_info("  %llu frame%s %s no name: perf could not read it\n", c->nameless,
			plural(c->nameless), c->nameless == 1 ? "has" : "have");
	if (c->unsent)
		pr_info("  %llu frame%s %s no name: new functions came faster than perf took them\n", c->unsent,
			plural(c->unsent), c->unsent == 1 ? "has" : "have");
	if (c->no_room)
		pr_info("  %llu frame%s %s no name: a process may have %u functions, and a user half of the %u that others leave\n", c->no_room,
			plural(c->no_room), c->no_room == 1 ? "has" : "have", INTERP_OWN_FUNCTIONS, INTERP_ALL_FUNCTIONS);
}

#define ENOUGH_STACKS 25
#define MANY_CUT 20 /* one of these is worth a word where nobody asked for whole stacks */

static bool is_news(const struct stack_ends *s, const struct evsel *evsel)
{
	u64 cut = s->all - s->whole - s->ended[UNWIND_COMPAT]; /* which are as by frame pointers */

	if (evsel->attr.sample_max_stack) /* as asked for */
		cut -= s->ended[UNWIND_DEPTH];
	return s->all >= ENOUGH_STACKS && cut > s->all / MANY_CUT;
}

static void tell_event(const struct sampler_counts *counts, const struct evsel *evsel)
{
	const struct stack_ends ends = stack_ends__sum(counts->unwound);

	if (!counts->unwound_by_choice || log__enabled(LOG_DEBUG) || is_news(&ends, evsel))
		tell_ends(&ends, evsel->name);
	tell_finished(counts->unwound);
	tell_interp(&counts->unwound->interp, evsel->name);
}

static void tell_tables(const struct unwind_feeder_counts *f, u64 frames)
{
	if (f->refused)
		pr_warn("%" PRIu64 " unwinding table%s found no room: take more memory (--unwind-memory)\n", f->refused, plural(f->refused));
	if (f->over_budget)
		pr_warn("%" PRIu64 " time%s no unwinding table was made, stacks end in the file: the tables of its user took too much time. "
			"Record only what matters (-p, --filter), or take --call-graph fp\n", f->over_budget, plural(f->over_budget));
	if (f->failed)
		pr_warn("%" PRIu64 " file%s could not be read for unwinding, stacks end there%s. -v shows the causes\n", f->failed, plural(f->failed),
			capability__has(CAP_SYS_PTRACE) ? "" : ": run perf as root with cap_sys_ptrace, for processes of other users");
	if (f->unread)
		pr_info("%s: its stacks are native%s\n", f->first_unread, f->unread > 1 ? ". -v names further files" : "");
	if (f->refused_names)
		pr_info("%" PRIu64 " function%s of Python %s no name: all names and lines take %u MB at most, and those of a user half of what others leave\n",
			f->refused_names, plural(f->refused_names), f->refused_names == 1 ? "has" : "have", INTERP_ALL_NAMES >> 20);
	pr_debug("%" PRIu64 " frames; %" PRIu64 " tables of %" PRIu64 " rows in %.1f MB, made in %.1f ms, %" PRIu64 " of them read; %" PRIu64
		 " files without rules, %" PRIu64 " not readable, %" PRIu64 " gone; %" PRIu64 " tables thrown out, %" PRIu64 " not made again yet; %" PRIu64 " rules refused\n",
		 frames, f->tables, f->rows,
		 f->bytes / 1024.0 / 1024.0, f->ns / 1e6, f->cached, f->bare, f->failed, f->gone, f->thrown_out, f->postponed, f->refused_rules);
}

bool unwound__tell(const struct evlist *evlist, const struct record_result *result)
{
	bool any = false;
	u64 frames = 0;

	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct unwind_totals *t = result->counts[i].unwound;

		if (t)
			tell_event(&result->counts[i], evlist->evsel[i]);
		any |= t != NULL;
		frames += t ? t->frames + t->finished.frames : 0;
	}
	if (result->tables)
		tell_tables(result->tables, frames);
	return any || result->tables;
}
