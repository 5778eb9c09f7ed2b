// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sample-bpf"

#include "cmd/sample-bpf/tell.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/record/tell.h"
#include "cmd/record/unwound.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"

static void tell_event(const struct sample_bpf_options *o, const struct evsel *evsel, const struct tally_counts *c, bool many)
{
	const char *name = many ? evsel->name : "", *colon = many ? ": " : "";

	if (evsel->filter)
		pr_info("%s%sfilter: %" PRIu64 " sample%s seen, %" PRIu64 " kept, %" PRIu64 " dropped\n", name, colon, c->seen,
			plural(c->seen), c->seen - c->dropped, c->dropped);
	tell_missing(name, c->missing, c->blind);
	if (c->lost_keys)
		pr_warn("%s%s%" PRIu64 " sample%s %s not counted: there was no room for more keys. Make room (--max-keys, now %u), collect more "
				       "often (-I), or take fewer keys (--key)\n", name, colon, c->lost_keys, plural(c->lost_keys), were(c->lost_keys), o->counting.max_keys);
	if (c->lost_spill)
		pr_warn("%s%s%" PRIu64 " sample%s %s not counted: there was no room for more new stacks. Make room (--max-stacks, now "
				       "%u)\n", name, colon, c->lost_spill, plural(c->lost_spill), were(c->lost_spill), o->counting.max_stacks);
	if (c->undecided)
		pr_info("%s%s%" PRIu64 " sample%s could not be judged, and %s kept: the memory map of the process was locked\n", name, colon, c->undecided,
			plural(c->undecided), were(c->undecided));
	if (c->lost_stacks)
		pr_warn("%s%s%" PRIu64 " stack%s could not be read; the samples are counted without\n", name, colon, c->lost_stacks, plural(c->lost_stacks));
	if (c->missed && !sample_bpf_histogram__wanted(&o->histogram))
		pr_warn("%s%s%" PRIu64 " hit%s (of any task) %s missed: a BPF program was already running on that CPU\n", name, colon, c->missed,
			plural(c->missed), were(c->missed));
	pr_debug("%s: %" PRIu64 " seen, %" PRIu64 " dropped, %" PRIu64 " counted, %" PRIu64 " of them one by one as there was no room for their "
		 "keys; maps of %" PRIu64 " KiB\n", evsel->name, c->seen, c->dropped, c->counted, c->spilled, c->map_bytes / 1024);
}

/* For --both: samples that were not written to the file, and records of any kind that did not fit into the rings. */
static void tell_lost(const struct sample_bpf_options *o, const struct record_result *result)
{
	const struct evlist *evlist = o->recording.evlist;
	u64 lost = 0, records = result->nr_lost_side_band ?: result->nr_lost;

	for (unsigned int i = 0; i < evlist->nr && o->counting.both; i++)
		lost += result->counts[i].lost;
	if (lost)
		pr_warn("%" PRIu64 " sample%s %s counted but not written: the ring buffers were full. Take larger ones (-m)\n", lost, plural(lost), were(lost));
	if (records && (!lost || result->nr_lost_side_band))
		pr_warn("%" PRIu64 " record%s of maps and tasks %s lost because the ring buffers were full: some samples may lack names. Take "
			"larger ones (-m)\n", records, plural(records), were(records));
}

/* Outputs that print at the end print what is left. */
static void finish_outputs(struct sample_bpf_options *o, const struct record_result *result)
{
	sample_bpf_live__finish(&o->live);
	if (sample_bpf_histogram__wanted(&o->histogram))
		sample_bpf_histogram__finish(&o->histogram, result);
	sample_bpf_push__finish(&o->push);
	stream__flush(stdout); /* before the messages */
}

void sample_bpf_tell__result(struct record_options *recording, const struct record_result *result)
{
	struct sample_bpf_options *o = (struct sample_bpf_options *)recording;
	const struct evlist *evlist = recording->evlist;
	char samples[40] = "";

	finish_outputs(o, result);
	if (!sample_bpf_histogram__wanted(&o->histogram) && !o->live.own)
		pr_info("[ perf sample-bpf: Counted %" PRIu64 " sample%s in %" PRIu64 " key%s ]\n", result->nr_counted, plural(result->nr_counted),
			result->nr_keys, plural(result->nr_keys));
	if (result->nr_samples)
		snprintf(samples, sizeof(samples), " (%" PRIu64 " samples)", result->nr_samples);
	if (recording->opts.output)
		pr_info("[ perf sample-bpf: Captured and wrote %.3f MB %s%s ]\n", result->bytes / 1024.0 / 1024.0, recording->opts.output,
			samples);
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (!evlist->evsel[i]->side_band)
			tell_event(o, evlist->evsel[i], &result->counted[i], evlist__nr_sampling(evlist) > 1);
	}
	tell_lost(o, result);
	unwound__tell(evlist, result);
}
