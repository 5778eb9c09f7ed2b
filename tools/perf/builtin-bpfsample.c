// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sample-bpf"

#include "builtin.h"

#include "cmd/read/options.h"
#include "cmd/record/callgraph.h"
#include "cmd/record/files.h"
#include "cmd/sample-bpf/options.h"
#include "cmd/sample-bpf/tell.h"
#include "util/perfdata/compress.h"

static struct sample_bpf_options options = SAMPLE_BPF_OPTIONS_INIT(options);

static const char *const bpfsample_usage[] = {
	"perf sample-bpf [<options>] [<command>]",
	"perf sample-bpf [<options>] -- <command> [<options>]",
	"perf sample-bpf [<options>] --hist <number> | --latency <event>,<event> [<command>]",
	NULL,
};

static const struct option_row bpfsample_options[] = {
	OPT_GROUP("What is sampled"),
	RECORD_OPTIONS_WHAT(options.recording),
	RECORD_OPTIONS_OFF_CPU(options.recording),
	OPT_GROUP("Who is sampled"),
	RECORD_OPTIONS_WHO(options.recording),
	OPT_GROUP("What is counted"),
	OPT_CALLBACK_OF(0, "key", &options, "list", "count samples together that have the same of these: " SAMPLE_BPF_KEY_LIST ", "
			"terms, fields and walks, as skb->dev->name\n(comm,pid,tid,kstack,ustack)", sample_bpf_options__parse_key, sample_bpf_options__list_keys),
	OPT_CALLBACK(0, "sum", &options, "number", "sum up this term, field or walk in place of periods", sample_bpf_options__parse_sum),
	OPT_BOOL('g', NULL, &options.want_stacks, "take stacks (always on, unless --key leaves them out)"),
	OPT_CALLBACK_OF(0, "call-graph", &options.recording.opts.attr.callgraph, "mode", "take the user's part of stacks by frame pointers (fp), "
			"or whole by tables in BPF (bpf)", record_callgraph__parse, sample_bpf_options__list_callgraphs),
	RECORD_OPTION_INTERP(options.recording.opts),
	RECORD_OPTION_UNWIND_MEMORY(options.recording.opts),
	OPT_UINT(0, "max-stack", &options.max_stack, "frames", "take at most this many frames of a stack, in the kernel and in user space"),
	OPT_UINT(0, "max-keys", &options.counting.max_keys, "n", "keep room in the kernel for this many keys at a time"),
	OPT_UINT(0, "max-stacks", &options.counting.max_stacks, "n", "keep room for this many new stacks on their way to perf"),
	OPT_CALLBACK('I', "interval", &options.interval, "ms", "write the counts every n milliseconds, not only at the end",
		     record_options__parse_interval),
	OPT_BOOL(0, "both", &options.counting.both, "write each sample as well, as perf record does"),
	OPT_GROUP("Histograms"),
	SAMPLE_BPF_HISTOGRAM_OPTIONS(options.histogram),
	OPT_GROUP("Who gets profiles"),
	SAMPLE_BPF_PUSH_OPTIONS(options.push),
	OPT_GROUP("How"),
	OPT_STRING('o', "output", &options.recording.opts.output, "file", "write to this file (perf.data; with --folded, --top and --push to none)"),
	RECORD_OPTION_COMPRESS(options.recording.opts, "compress records: 0 (not at all) to 22 (1)"),
	RECORD_OPTIONS_BUILD_ID_CACHE(options.recording.opts),
	RECORD_OPTION_DROPPED(options.recording.opts),
	OPT_CALLBACK_FLAGS(0, "folded", &options.live.folded, "samples", "print lines of stacks with the sums of their periods, or with numbers of "
			   "samples, for flame graphs", read_options__parse_folded, OPTION_OPTARG),
	OPT_BOOL(0, "top", &options.live.top, "show what was hit in each interval (2 seconds)"),
	RECORD_OPTIONS_BUFFERS(options.recording),
	OPT_BOOL(0, "dry-run", &options.recording.dry_run, "check the command line only; with -v show the compiled filters"),
	OPT_BOOL('q', "quiet", &options.recording.quiet, "print errors only"),
	OPT_INCR('v', "verbose", &options.recording.verbose, "show how events were opened, and what counting took"),
	OPT_END(),
};

int cmd_bpfsample(int argc, char **argv)
{
	struct record_options *recording = &options.recording;
	int ret;

	recording->opts.output = NULL;
	recording->opts.compression_level = COMPRESS_LEVEL;
	ret = record_options__parse(recording, argc, argv, bpfsample_options, bpfsample_usage);
	if (!ret)
		ret = sample_bpf_options__settle(&options, argv);
	if (!ret && options.push.url)
		ret = sample_bpf_push__begin(&options.push, recording->dry_run);
	if (!ret && sample_bpf_live__wanted(&options.live))
		ret = sample_bpf_live__begin(&options.live, recording, options.shown_key, options.max_stack);
	if (!ret && sample_bpf_histogram__wanted(&options.histogram))
		ret = sample_bpf_histogram__begin(&options.histogram);
	if (!ret)
		ret = record_options__run(recording, sample_bpf_tell__result);
	sample_bpf_live__exit(&options.live);
	sample_bpf_push__exit(&options.push);
	sample_bpf_histogram__exit(&options.histogram);
	sample_bpf_options__exit(&options);
	record_options__exit(recording);
	return ret;
}
