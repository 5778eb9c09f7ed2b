// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sample-bpf"

#include "builtin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record/files.h"
#include "cmd/record/options.h"
#include "cmd/sample-bpf/histogram.h"
#include "ui/tally/output.h"
#include "ui/tui/keyboard.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/perfdata/compress.h"
#include "util/source/tally.h"
#include "util/session/session.h"

#define TOP_INTERVAL 2000 /* ms, as perf top */
#define MIN_INTERVAL 10

static struct record_options recording = RECORD_OPTIONS_INIT;
static struct tally_opts counting = TALLY_OPTS_INIT;
static struct sample_bpf_histogram histogram = SAMPLE_BPF_HISTOGRAM_INIT(recording);
static unsigned int shown_key; /* what --key asks for; 0: nothing */
static unsigned int max_stack = TALLY_MAX_STACK, interval;
static bool interval_set, folded, top, want_stacks;

static const struct key_name {
	const char *name;
	unsigned int key;
} key_names[] = {
	{ "comm", TALLY_KEY_COMM }, { "pid", TALLY_KEY_PID },	{ "tid", TALLY_KEY_TID },
	{ "cpu", TALLY_KEY_CPU },   { "cgroup", TALLY_KEY_CGROUP }, { "uid", TALLY_KEY_UID },
	{ "ip", TALLY_KEY_IP },     { "kstack", TALLY_KEY_KSTACK }, { "ustack", TALLY_KEY_USTACK },
	{ "sym", TALLY_KEY_SYM },
};

#define KEY_LIST "comm, pid, tid, cpu, cgroup, uid, ip, kstack, ustack, sym"
#define DEFAULT_KEY (TALLY_KEY_COMM | TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_KSTACK | TALLY_KEY_USTACK)

static unsigned int find_key(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(key_names); i++) {
		if (strlen(key_names[i].name) == len && !memcmp(key_names[i].name, name, len))
			return key_names[i].key;
	}
	return 0;
}

static int parse_key(const struct option_row *row, const char *arg, bool unset)
{
	const char *name = arg;
	unsigned int key;
	size_t len;

	if (unset)
		return record_options__refuse_unset(row);
	shown_key = 0;
	for (;; name += len + 1) {
		len = strcspn(name, ",");
		key = find_key(name, len);
		if (!key) {
			pr_err("--key takes a list of " KEY_LIST ": not \"%.*s\"\n", (int)len, name);
			return -1;
		}
		shown_key |= key;
		if (!name[len])
			return 0;
	}
}

static int parse_interval(const struct option_row *row, const char *arg, bool unset)
{
	unsigned long value;
	const char *rest;

	if (unset)
		return record_options__refuse_unset(row);
	if (!record_options__parse_uint(arg, 24 * 3600 * 1000, &value, &rest) || *rest || value < MIN_INTERVAL) {
		pr_err("-I takes a number of milliseconds from %d to a day of them: not \"%s\"\n", MIN_INTERVAL, arg);
		return -1;
	}
	interval = value;
	interval_set = true;
	return 0;
}

static const char *const bpfsample_usage[] = {
	"perf sample-bpf [<options>] [<command>]",
	"perf sample-bpf [<options>] -- <command> [<options>]",
	"perf sample-bpf [<options>] --hist <number> | --latency <event>,<event> [<command>]",
	NULL,
};

static const struct option_row bpfsample_options[] = {
	OPT_GROUP("What is sampled"),
	RECORD_OPTIONS_WHAT(recording),
	RECORD_OPTIONS_OFF_CPU(recording),
	OPT_GROUP("Who is sampled"),
	RECORD_OPTIONS_WHO(recording),
	OPT_GROUP("What is counted"),
	OPT_CALLBACK(0, "key", NULL, "list", "samples that are equal in these are counted together: " KEY_LIST "\n"
		     "(comm,pid,tid,kstack,ustack)", parse_key),
	OPT_BOOL('g', NULL, &want_stacks, "stacks; in the key anyway, unless --key leaves them out"),
	OPT_UINT(0, "max-stack", &max_stack, "frames", "take no more frames of the kernel's and of the user's stack"),
	OPT_UINT(0, "max-keys", &counting.max_keys, "n", "have room in the kernel for so many keys at a time"),
	OPT_UINT(0, "max-stacks", &counting.max_stacks, "n", "have room for so many new stacks on their way to perf"),
	OPT_CALLBACK('I', "interval", NULL, "ms", "write what was counted each time that so many milliseconds are over, not only at the end",
		     parse_interval),
	OPT_BOOL(0, "both", &counting.both, "write each sample, too, as perf record does"),
	OPT_GROUP("Histograms"),
	SAMPLE_BPF_HISTOGRAM_OPTIONS(histogram),
	OPT_GROUP("How"),
	OPT_STRING('o', "output", &recording.opts.output, "file", "output file, else perf.data, or none with --folded and --top"),
	RECORD_OPTION_COMPRESS(recording.opts, "compress records, from 0, not at all, to 22 (1)"),
	OPT_BOOL(0, "folded", &folded, "print lines of stacks and counts, for flame graphs"),
	OPT_BOOL(0, "top", &top, "show what was hit in each interval, by default of two seconds"),
	RECORD_OPTIONS_BUFFERS(recording),
	OPT_BOOL(0, "dry-run", &recording.dry_run, "check the command line only; with -v show what becomes of the filters"),
	OPT_BOOL('q', "quiet", &recording.quiet, "print errors only"),
	OPT_INCR('v', "verbose", &recording.verbose, "show the settings that the events were opened with, and what the counting needed"),
	OPT_END(),
};

/* Live output: records go through a session to --folded or --top as they are made. */

static struct live {
	struct session *session;
	struct tally_output *out;
} live;

static int live__begin(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err)
{
	const struct session_opts opts = { .max_stack = 2 * max_stack };

	return session__open_live(&opts, event, nr, &live.session, err);
}

/* With --both the samples themselves come along here. */
static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	return sample->sample->misc & PERF_RECORD_MISC_SAMPLES_COUNTED_ ? live.out->ops->sample(live.out, sample) : 0;
}

static int live__records(void *data, const void *records, size_t size, struct errmsg *err)
{
	static const struct session_ops ops = { .sample = take_sample };

	return session__feed(live.session, records, size, &ops, NULL, err);
}

static int live__round(void *data, struct errmsg *err)
{
	return live.out->ops->round && live.out->ops->round(live.out) ? errmsg__set(err, ENOMEM, "out of memory for what was counted") : 0;
}

static bool live__readable(void *data)
{
	return keyboard__wants_end(STDIN_FILENO);
}

static struct record_sink live_sink = {
	.begin = live__begin,
	.records = live__records,
	.round = live__round,
	.fd = -1,
	.readable = live__readable,
};

static int live__set_up(void)
{
	const struct tally_output_opts opts = { .fp = stdout, .key = shown_key, .many_events = evlist__nr_sampling(recording.evlist) > 1 };
	struct errmsg err;

	live.out = tally_formats[folded ? TALLY_FOLDED : TALLY_TOP].new(&opts, &err);
	if (!live.out) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	recording.opts.sink = &live_sink;
	if (top && isatty(STDOUT_FILENO) && !recording.dry_run && keyboard__take(STDIN_FILENO))
		live_sink.fd = STDIN_FILENO;
	return 0;
}

static void live__finish(void)
{
	if (!live.out)
		return;
	keyboard__release();
	if (live.out->ops->finish)
		live.out->ops->finish(live.out);
	session__warn(live.session, "this recording");
}

static void live__exit(void)
{
	keyboard__release();
	if (live.out)
		live.out->ops->delete(live.out);
	session__delete(live.session);
}

/* Settling what the options mean together */

/* Addresses of code mean something in their process only, as a thread does; a symbol is an address that is looked up in the end. */
static unsigned int counted_key(unsigned int key)
{
	if (key & TALLY_KEY_SYM)
		key = (key & ~TALLY_KEY_SYM) | TALLY_KEY_IP;
	if (key & (TALLY_KEY_IP | TALLY_KEY_USTACK | TALLY_KEY_TID))
		key |= TALLY_KEY_PID;
	return key;
}

static void refuse(const char *text)
{
	options__usage_exit(bpfsample_options, bpfsample_usage, "%s\n", text);
}

static int settle(char **argv)
{
	const char *why;

	if (folded && top)
		refuse("--folded and --top cannot be had at once: --folded prints at the end, --top all the time");
	if (sample_bpf_histogram__wanted(&histogram) && (folded || top))
		refuse("--hist and --latency go neither with --folded nor with --top");
	if (!max_stack || max_stack > TALLY_MAX_STACK)
		options__usage_exit(bpfsample_options, bpfsample_usage, "--max-stack takes 1 to %d frames: not %u\n", TALLY_MAX_STACK,
				    max_stack);
	if (!counting.max_keys || !counting.max_stacks)
		refuse("--max-keys and --max-stacks take at least 1");
	counting.max_stack = max_stack;
	recording.opts.count = &counting;
	recording.opts.attr.callgraph.mode = want_stacks ? CALLGRAPH_FP : CALLGRAPH_NONE;
	counting.key = shown_key;
	why = sample_bpf_histogram__settle(&histogram, &counting);
	if (why)
		refuse(why);
	if (!sample_bpf_histogram__wanted(&histogram))
		counting.key = counted_key(shown_key ?: DEFAULT_KEY);
	recording.opts.interval = interval_set ? interval : top ? TOP_INTERVAL : 0;
	if (!recording.opts.output && !folded && !top && !sample_bpf_histogram__wanted(&histogram))
		recording.opts.output = "perf.data";
	return record_options__settle(&recording, argv);
}

/* Telling what came of it */

static void tell_event(const struct evsel *evsel, const struct tally_counts *c, bool many)
{
	const char *name = many ? evsel->name : "", *colon = many ? ": " : "";

	if (evsel->filter)
		pr_info("%s%sfilter: %" PRIu64 " samples seen, %" PRIu64 " kept, %" PRIu64 " dropped\n", name, colon, c->seen,
			c->seen - c->dropped, c->dropped);
	if (c->lost_keys)
		pr_warn("%s%s%" PRIu64 " samples were not counted because there was no room for more keys: have more (--max-keys, now %u), "
			"collect more often (-I), or tell less apart (--key)\n", name, colon, c->lost_keys, counting.max_keys);
	if (c->lost_spill)
		pr_warn("%s%s%" PRIu64 " samples were not counted because there was no room for more stacks on their way to perf: have more "
			"(--max-stacks, now %u)\n", name, colon, c->lost_spill, counting.max_stacks);
	if (c->undecided)
		pr_info("%s%s%" PRIu64 " of those kept are undecided: the memory map of their process was locked, and so it could not be told "
			"which file the code is in\n", name, colon, c->undecided);
	if (c->lost_stacks)
		pr_warn("%s%s%" PRIu64 " stacks could not be taken; their samples are counted without\n", name, colon, c->lost_stacks);
	if (c->missed && !sample_bpf_histogram__wanted(&histogram))
		pr_warn("%s%s%" PRIu64 " hits, also of others than the target, were not looked at as the CPU was running a BPF program "
			"already\n", name, colon, c->missed);
	pr_debug("%s: %" PRIu64 " seen, %" PRIu64 " dropped, %" PRIu64 " counted, %" PRIu64 " of them one by one as there was no room for their "
		 "keys; maps of %" PRIu64 " KiB\n", evsel->name, c->seen, c->dropped, c->counted, c->spilled, c->map_bytes / 1024);
}

/* Of --both: samples that did not get into the file, and records of any kind that did not get into the rings. */
static void tell_lost(const struct evlist *evlist, const struct record_result *result)
{
	u64 lost = 0, records = result->nr_lost_side_band ?: result->nr_lost;

	for (unsigned int i = 0; i < evlist->nr && counting.both; i++)
		lost += result->counts[i].lost;
	if (lost)
		pr_warn("%" PRIu64 " samples were counted, but not written one by one because the ring buffers were full: take larger ones "
			"(-m)\n", lost);
	if (records && (!lost || result->nr_lost_side_band))
		pr_warn("%" PRIu64 " records of maps and tasks were lost because the ring buffers were full: some samples may lack names. Take "
			"larger ones (-m)\n", records);
}

static void tell_result(const struct record_options *o, const struct record_result *result)
{
	char samples[40] = "";
	unsigned int i;

	live__finish();
	if (sample_bpf_histogram__wanted(&histogram))
		sample_bpf_histogram__finish(&histogram, result);
	fflush(stdout);
	if (!sample_bpf_histogram__wanted(&histogram))
		pr_info("[ perf sample-bpf: Counted %" PRIu64 " samples in %" PRIu64 " keys ]\n", result->nr_counted, result->nr_keys);
	if (result->nr_samples)
		snprintf(samples, sizeof(samples), " (%" PRIu64 " samples)", result->nr_samples);
	if (o->opts.output)
		pr_info("[ perf sample-bpf: Captured and wrote %.3f MB %s%s ]\n", result->bytes / 1024.0 / 1024.0, o->opts.output,
			samples);
	for (i = 0; i < o->evlist->nr; i++) {
		if (!o->evlist->evsel[i]->side_band)
			tell_event(o->evlist->evsel[i], &result->counted[i], evlist__nr_sampling(o->evlist) > 1);
	}
	tell_lost(o->evlist, result);
}

int cmd_bpfsample(int argc, char **argv)
{
	int ret;

	recording.opts.output = NULL;
	recording.opts.compression_level = COMPRESS_LEVEL;
	ret = record_options__parse(&recording, argc, argv, bpfsample_options, bpfsample_usage);
	if (!ret)
		ret = settle(argv);
	if (!ret && (folded || top))
		ret = live__set_up();
	if (!ret && sample_bpf_histogram__wanted(&histogram))
		ret = sample_bpf_histogram__begin(&histogram);
	if (!ret)
		ret = record_options__run(&recording, tell_result);
	live__exit();
	sample_bpf_histogram__exit(&histogram);
	record_options__exit(&recording);
	return ret;
}
