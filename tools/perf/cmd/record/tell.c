// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/tell.h"

#include <inttypes.h>
#include <stdio.h>

#include "ui/record-progress.h"
#include "util/event/callgraph.h"
#include "util/lib/log.h"
#include "util/record/unwound.h"

static void tell_filtered(const struct evlist *evlist, const struct record_result *result)
{
	unsigned int i, nr = 0;

	for (i = 0; i < evlist->nr; i++)
		nr += result->counts[i].filtered || result->counts[i].by_kernel;
	for (i = 0; i < evlist->nr; i++) {
		const struct sampler_counts *c = &result->counts[i];
		const char *name = nr > 1 ? evlist->evsel[i]->name : "", *colon = nr > 1 ? ": " : "";

		if (c->by_kernel)
			pr_info("%s%sfilter: %" PRIu64 " samples kept; the kernel's own filter judged, and it does not count what it drops\n", name,
				colon, c->written);
		if (!c->filtered)
			continue;
		pr_info("%s%sfilter: %" PRIu64 " samples seen, %" PRIu64 " kept, %" PRIu64 " dropped\n", name, colon, c->seen,
			c->seen - c->dropped, c->dropped);
		if (c->judged)
			pr_debug("%" PRIu64 " of them were judged afterwards, as the memory map of their process was locked\n", c->judged);
		if (c->undecided)
			pr_info("%" PRIu64 " samples could not be judged: the memory map of their process was locked. They were kept\n", c->undecided);
	}
}

static void tell_off_cpu(const struct evlist *evlist, const struct record_result *result)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct offcpu_totals *t = result->counts[i].off_cpu;

		if (!t)
			continue;
		pr_info("%s: %" PRIu64 " sleeps: %" PRIu64 " long, %" PRIu64 " not over, %" PRIu64 " short ones in %" PRIu64 " sums; "
			"%" PRIu64 " different stacks\n", evlist->evsel[i]->name, t->sent + t->asleep + t->summed + t->spilled, t->sent,
			t->asleep, t->summed + t->spilled, t->sums + t->spilled, t->stacks);
		if (result->counts[i].lost)
			pr_warn("%.3f ms of off-cpu time are lost with their samples\n", t->lost_ns / 1e6);
		if (t->lost_stacks)
			pr_warn("%" PRIu64 " sleeps have no stack: the ring buffer was full. Take a larger one (-m)\n", t->lost_stacks);
		if (result->counts[i].untracked)
			pr_warn("%" PRIu64 " times the kernel had no memory left to follow a task\n",
				result->counts[i].untracked);
		if (*t->note)
			pr_warn("%s\n", t->note);
	}
}

static void tell_ends(const struct unwound *u, const char *name)
{
	if (u->all)
		pr_info("%s: %" PRIu64 " user stacks, %.1f %% of them whole\n", name, u->all, 100.0 * u->whole / u->all);
	if (u->finished)
		pr_info("  %" PRIu64 " were finished outside BPF\n", u->finished);
	for (unsigned int end = 0; end < UNWIND_NR_ENDS; end++) {
		if (unwound__cause(end) && u->ended[end])
			pr_info("  %" PRIu64 " %s\n", u->ended[end], unwound__cause(end));
	}
	if (u->ended[UNWIND_EXECVE] + u->ended[UNWIND_EXITING])
		pr_info("  %" PRIu64 " more samples have no user stack: %" PRIu64 " tasks were in execve, %" PRIu64 " were ending\n",
			u->ended[UNWIND_EXECVE] + u->ended[UNWIND_EXITING], u->ended[UNWIND_EXECVE], u->ended[UNWIND_EXITING]);
}

static void tell_tables(const struct unwind_totals *t)
{
	const struct unwind_feeder_counts *f = &t->feeder;

	if (f->refused)
		pr_warn("%" PRIu64 " unwinding tables found no room: take more memory for them (--unwind-memory)\n", f->refused);
	if (f->failed)
		pr_warn("%" PRIu64 " files could not be read for unwinding, stacks end in them: run perf as root, or give it cap_sys_ptrace for "
			"processes of other users. -v shows the causes\n", f->failed);
	if (t->unsent)
		pr_warn("%" PRIu64 " stacks were not finished: the ring buffer was half full. Take a larger one (-m)\n", t->unsent);
	pr_debug("%" PRIu64 " frames; %" PRIu64 " tables of %" PRIu64 " rows in %.1f MB, made in %.1f ms; %" PRIu64 " files without rules, %" PRIu64
		 " not readable, %" PRIu64 " gone; %" PRIu64 " tables thrown out; %" PRIu64 " rules refused\n", t->frames + t->finished.frames,
		 f->tables, f->rows, f->bytes / 1024.0 / 1024.0, f->ns / 1e6, f->bare, f->failed, f->gone, f->thrown_out, f->refused_rules);
}

static void tell_finished(const struct unwind_totals *t)
{
	const struct unwind_finish_counts *f = &t->finished;

	pr_debug("stacks for user space: %" PRIu64 " without a table, %" PRIu64 " without room for it, %" PRIu64 " that need DWARF; %.1f MB, "
		 "finished in %.1f ms\n", f->began[UNWIND_NO_TABLE], f->began[UNWIND_NO_ROOM], f->began[UNWIND_HARD],
		 f->bytes / 1024.0 / 1024.0, f->ns / 1e6);
}

static void tell_unwound(const struct unwind_totals *t, const char *name)
{
	const struct unwound u = unwound__sum(t);

	tell_ends(&u, name);
	tell_tables(t);
	tell_finished(t);
}

/* false: no program has unwound stacks. */
static bool tell_stacks(const struct evlist *evlist, const struct record_result *result)
{
	bool unwound = false;

	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (result->counts[i].unwound)
			tell_unwound(result->counts[i].unwound, evlist->evsel[i]->name);
		unwound |= result->counts[i].unwound != NULL;
	}
	return unwound;
}

static void tell_lost(const struct evlist *evlist, const struct record_result *result)
{
	u64 lost = 0, paused = 0, untracked = 0;
	bool known = true;
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		u64 *cause = evlist->evsel[i]->attr.write_backward ? &paused : &lost;

		untracked += result->counts[i].untracked;
		*cause += evlist->evsel[i]->side_band ? 0 : result->counts[i].lost;
		known &= result->counts[i].lost_known;
	}
	if (known ? lost : result->nr_lost)
		pr_warn("%" PRIu64 " %s were lost because the ring buffers were full: take larger ones (-m), or fewer samples (-F, -c, "
			"--filter)\n", known ? lost : result->nr_lost, known ? "samples" : "records");
	if (result->nr_lost_side_band)
		pr_warn("%" PRIu64 " records of maps and tasks were lost because the ring buffers were full: some samples may lack names. Take "
			"larger ones (-m)\n", result->nr_lost_side_band);
	if (paused)
		pr_warn("%" PRIu64 " samples are in no file: they came while perf read the ring buffers (--overwrite)\n", paused);
	if (untracked)
		pr_warn("BPF programs could not follow %" PRIu64 " tasks, for lack of memory: their samples are missing\n", untracked);
}

static void tell_cut_stacks(const struct record_result *result)
{
	unsigned int percent = user_stacks__percent_cut(&result->user_stacks);
	u32 bytes = user_stacks__copied_bytes(&result->user_stacks);

	if (bytes && percent >= 20)
		pr_info("About %u %% of the copied stacks are cut at %u bytes: copy more with --call-graph dwarf,%u (at most %u)\n", percent, bytes,
			2 * bytes < CALLGRAPH_MAX_STACK_DUMP ? 2 * bytes : CALLGRAPH_MAX_STACK_DUMP, CALLGRAPH_MAX_STACK_DUMP);
	else if (!bytes && percent >= 50)
		pr_info("About %u %% of the user stacks are cut, as the programs were built without frame pointers: record them whole with "
			"--call-graph bpf (as root) or dwarf\n", percent);
}

void record_tell__result(struct record_options *o, const struct record_result *result)
{
	char samples[40] = "";

	record_progress__clear();
	if (result->nr_samples)
		snprintf(samples, sizeof(samples), " (%" PRIu64 " samples)", result->nr_samples);
	pr_info("[ perf record: Woken up %u times to write data ]\n", result->wakeups);
	pr_info("[ perf record: Captured and wrote %.3f MB %s%s%s ]\n", result->bytes / 1024.0 / 1024.0, o->opts.output,
		o->opts.switching.on || o->opts.timestamp_filename ? ".<timestamp>" : "", samples);
	tell_filtered(o->evlist, result);
	tell_off_cpu(o->evlist, result);
	if (result->nr_overwritten)
		pr_info("%" PRIu64 " earlier samples gave way to these in the ring buffers (--overwrite)\n", result->nr_overwritten);
	tell_lost(o->evlist, result);
	if (!tell_stacks(o->evlist, result))
		tell_cut_stacks(result);
}
