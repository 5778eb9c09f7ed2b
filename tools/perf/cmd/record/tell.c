// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/tell.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/record/unwound.h"
#include "ui/record-progress.h"
#include "util/event/callgraph.h"
#include "util/lib/advice.h"
#include "util/lib/errmsg.h"
#include "util/lib/log.h"
#include "util/record/copied-stacks.h"
#include "util/source/unwind-tables.h"

static void tell_filtered(const struct evlist *evlist, const struct record_result *result)
{
	unsigned int i, nr = 0;

	for (i = 0; i < evlist->nr; i++)
		nr += result->counts[i].filtered || result->counts[i].by_kernel;
	for (i = 0; i < evlist->nr; i++) {
		const struct sampler_counts *c = &result->counts[i];
		const char *name = nr > 1 ? evlist->evsel[i]->name : "", *colon = nr > 1 ? ": " : "";

		if (c->by_kernel)
			pr_info("%s%sfilter: %" PRIu64 " sample%s kept; the kernel's own filter judged, and it does not count what it drops\n", name,
				colon, c->written, plural(c->written));
		if (c->filtered)
			pr_info("%s%sfilter: %" PRIu64 " sample%s seen, %" PRIu64 " kept, %" PRIu64 " dropped\n", name, colon, c->seen,
				plural(c->seen), c->seen - c->dropped, c->dropped);
		tell_missing(name, c->missing, c->blind);
		if (c->judged)
			pr_debug("%" PRIu64 " of them were judged afterwards, as the memory map of their process was locked\n", c->judged);
		if (c->undecided)
			pr_info("%" PRIu64 " sample%s could not be judged, and %s kept: the memory map of the process was locked\n", c->undecided,
				plural(c->undecided), were(c->undecided));
	}
}

void tell_missing(const char *name, const struct filter_missing *missing, u64 blind)
{
	for (unsigned int i = 0; missing && i < missing->nr; i++) {
		if (missing->walk[i].samples)
			pr_info("%s%s%" PRIu64 " sample%s had no %s: NULL or a bad pointer was on the way\n", name, *name ? ": " : "",
				missing->walk[i].samples, plural(missing->walk[i].samples), missing->walk[i].text);
	}
	if (blind)
		pr_warn("%s%s%" PRIu64 " hit%s could not be judged by arguments, and %s not recorded: another hit, or another BPF program, came between\n", name,
			*name ? ": " : "", blind, plural(blind), were(blind));
}

static void tell_off_cpu(const struct evlist *evlist, const struct record_result *result)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct offcpu_totals *t = evsel__has_spans(evlist->evsel[i]) ? result->counts[i].totals : NULL;

		if (!t)
			continue;
		pr_info("%s: %" PRIu64 " %s: %" PRIu64 " long, %" PRIu64 " not over, %" PRIu64 " short ones in %" PRIu64 " sums; "
			"%" PRIu64 " different stacks\n", evlist->evsel[i]->name, t->sent + t->asleep + t->summed + t->spilled,
			t->wall ? "spans" : "sleeps", t->sent,
			t->asleep, t->summed + t->spilled, t->sums + t->spilled, t->stacks);
		if (result->counts[i].lost)
			pr_warn("%.3f ms of %s time are lost with their samples\n", t->lost_ns / 1e6, t->wall ? "wall-clock" : "off-cpu");
		if (t->lost_stacks)
			pr_warn("%" PRIu64 " %s%s %s no stack: the ring buffer was full. Take a larger one (-m)\n", t->lost_stacks,
				t->wall ? "span" : "sleep", plural(t->lost_stacks), t->lost_stacks == 1 ? "has" : "have");
		if (t->unread)
			pr_warn("%" PRIu64 " thread%s that slept from the start %s the kernel's part of the stack only: reading all stacks took "
				"longer than a second, or the thread ran meanwhile\n", t->unread, plural(t->unread), t->unread == 1 ? "has" : "have");
		if (result->counts[i].untracked)
			pr_warn("%" PRIu64 " time%s the kernel had no memory left to follow a task\n",
				result->counts[i].untracked, plural(result->counts[i].untracked));
		if (*t->note)
			pr_warn("%s\n", t->note);
	}
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
	if (!known)
		lost = result->nr_lost;
	if (lost)
		pr_warn("%" PRIu64 " %s%s %s lost because the ring buffers were full: take larger ones (-m), or fewer samples (-F, -c, "
			"--filter)\n", lost, known ? "sample" : "record", plural(lost), were(lost));
	if (result->nr_lost_side_band)
		pr_warn("%" PRIu64 " record%s of maps and tasks %s lost because the ring buffers were full: some samples may lack names. Take "
			"larger ones (-m)\n", result->nr_lost_side_band, plural(result->nr_lost_side_band), were(result->nr_lost_side_band));
	if (paused)
		pr_warn("%" PRIu64 " sample%s came while perf read the ring buffers, and %s lost (--overwrite)\n", paused, plural(paused), were(paused));
	if (untracked)
		pr_warn("BPF programs could not follow %" PRIu64 " task%s, for lack of memory: samples are missing\n", untracked, plural(untracked));
}

/* Would -g have copied the stacks, where an option has asked for frame pointers? */
static bool would_copy(const struct record_options *o)
{
	if (o->opts.count || o->opts.threads)
		return false;
	for (unsigned int i = 0; i < o->evlist->nr; i++) {
		const struct evsel *evsel = o->evlist->evsel[i];

		if (evsel->attr.sample_type & PERF_SAMPLE_CALLCHAIN && evsel__callgraph(evsel, &o->opts.attr.callgraph).mode == CALLGRAPH_FP &&
		    !copied_stacks__refuse(evsel))
			return true;
	}
	return false;
}

/* Which options show whole stacks here? Root of a container, and old kernels, have no bpf. */
static const char *whole_stacks(const struct record_options *o)
{
	struct errmsg err;

	if (!unwind_tables__promise(&err))
		return "--call-graph bpf or dwarf";
	if (would_copy(o))
		return "-g";
	return geteuid() ? "--call-graph bpf (as root) or dwarf" : "--call-graph dwarf";
}

static void tell_cut_stacks(const struct record_options *o, const struct record_result *result)
{
	unsigned int percent = user_stacks__percent_cut(&result->user_stacks);
	u32 bytes = user_stacks__copied_bytes(&result->user_stacks);

	if (bytes && percent >= 20)
		pr_info("About %u %% of the copied stacks are cut at %u bytes: copy more with --call-graph dwarf,%u (at most %u)\n", percent, bytes,
			2 * bytes < CALLGRAPH_MAX_STACK_DUMP ? 2 * bytes : CALLGRAPH_MAX_STACK_DUMP, CALLGRAPH_MAX_STACK_DUMP);
	else if (!bytes && percent >= 50)
		pr_info("About %u %% of the user stacks are cut, as the programs were built without frame pointers: record them whole with "
			"%s\n", percent, whole_stacks(o));
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
		pr_info("%" PRIu64 " earlier sample%s gave way to these in the ring buffers (--overwrite)\n", result->nr_overwritten,
			plural(result->nr_overwritten));
	tell_lost(o->evlist, result);
	if (!unwound__tell(o->evlist, result))
		tell_cut_stacks(o, result);
}
