// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sample-bpf"

#include "cmd/sample-bpf/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/comma-list.h"
#include "util/lib/log.h"

#define TOP_INTERVAL 2000 /* ms, as in perf top */

static const struct key_name {
	const char *name;
	unsigned int key;
} key_names[] = {
	{ "comm", TALLY_KEY_COMM }, { "pid", TALLY_KEY_PID },	{ "tid", TALLY_KEY_TID },
	{ "cpu", TALLY_KEY_CPU },   { "cgroup", TALLY_KEY_CGROUP }, { "uid", TALLY_KEY_UID },
	{ "ip", TALLY_KEY_IP },     { "kstack", TALLY_KEY_KSTACK }, { "ustack", TALLY_KEY_USTACK },
	{ "sym", TALLY_KEY_SYM },
};

/* Profiles of a fleet are added up, and threads have no part in that. */
#define PUSH_KEY (TALLY_KEY_COMM | TALLY_KEY_CGROUP | TALLY_KEY_KSTACK | TALLY_KEY_USTACK)
#define DEFAULT_KEY (TALLY_KEY_COMM | TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_KSTACK | TALLY_KEY_USTACK)

static unsigned int find_key(struct list_word name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(key_names); i++) {
		if (list_word__is(name, key_names[i].name))
			return key_names[i].key;
	}
	return 0;
}

static void forget_values(struct sample_bpf_options *o)
{
	while (o->exprs.nr)
		free((char *)o->exprs.text[--o->exprs.nr]);
}

/* What is no key of the table is resolved for each event. */
static int add_value(struct sample_bpf_options *o, struct list_word name)
{
	if (!name.len) {
		pr_err("--key takes a list of " SAMPLE_BPF_KEY_LIST ", terms of filters, fields of tracepoints and data of the kernel "
		       "(skb->dev->name): one of its words is empty\n");
		return -1;
	}
	if (o->exprs.nr == TALLY_MAX_VALUES) {
		pr_err("--key takes at most %d fields, terms and walks: leave some out\n", TALLY_MAX_VALUES);
		return -1;
	}
	o->exprs.text[o->exprs.nr] = strndup(name.text, name.len);
	if (!o->exprs.text[o->exprs.nr++]) {
		pr_err("out of memory\n");
		return -1;
	}
	return 0;
}

int sample_bpf_options__parse_key(const struct option_row *row, const char *arg, bool unset)
{
	struct sample_bpf_options *o = row->value;
	unsigned int key;

	if (unset)
		return record_options__refuse_unset(row);
	o->shown_key = 0;
	forget_values(o);
	comma_list__for_each(arg, name) {
		key = find_key(list_word__without_blanks(name));
		if (!key && add_value(o, list_word__without_blanks(name)))
			return -1;
		o->shown_key |= key;
	}
	return 0;
}

int sample_bpf_options__parse_sum(const struct option_row *row, const char *arg, bool unset)
{
	struct sample_bpf_options *o = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	o->exprs.sum = arg;
	o->exprs.sum_option = "--sum";
	return 0;
}

void sample_bpf_options__exit(struct sample_bpf_options *o)
{
	forget_values(o);
}

void sample_bpf_options__list_keys(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		puts(key_names[i].name);
}

void sample_bpf_options__list_callgraphs(void)
{
	puts("fp\nbpf");
}

/* Checking and combining the options */

/*
 * Addresses of code, and threads, need their process in the key; a symbol is an address that is resolved at the end. Stacks that are
 * unwound by tables need none: their frames are places in files.
 */
static unsigned int counted_key(unsigned int key, bool by_tables)
{
	const unsigned int in_process = TALLY_KEY_IP | TALLY_KEY_TID | (by_tables ? 0 : TALLY_KEY_USTACK);

	if (key & TALLY_KEY_SYM)
		key = (key & ~TALLY_KEY_SYM) | TALLY_KEY_IP;
	if (key & in_process)
		key |= TALLY_KEY_PID;
	return key;
}

static bool takes_default_key(const struct sample_bpf_options *o)
{
	return !o->shown_key && !o->exprs.nr;
}

static void settle_key(struct sample_bpf_options *o)
{
	const bool by_tables = o->recording.opts.attr.callgraph.mode == CALLGRAPH_BPF;
	struct tally_opts *counting = &o->counting;

	counting->key = counted_key(takes_default_key(o) ? DEFAULT_KEY : o->shown_key, by_tables);
	counting->by_file = counting->key & TALLY_KEY_USTACK && !(counting->key & TALLY_KEY_PID);
}

static void refuse(const struct sample_bpf_options *o, const char *text)
{
	options__refuse_exit("%s\n", text);
}

/* Counted stacks are by tables if nothing else is asked for, and where that works. Those that are written (--both) are the kernel's. */
static void settle_callgraph(struct sample_bpf_options *o)
{
	struct callgraph *callgraph = &o->recording.opts.attr.callgraph;
	const bool counted = !o->counting.both && !sample_bpf_histogram__wanted(&o->histogram) &&
			     (takes_default_key(o) || o->shown_key & TALLY_KEY_USTACK);

	if (callgraph->mode == CALLGRAPH_NONE && counted)
		callgraph->mode = CALLGRAPH_AUTO;
	else if (callgraph->mode == CALLGRAPH_NONE && o->want_stacks)
		callgraph->mode = CALLGRAPH_FP;
	if (callgraph->mode == CALLGRAPH_AUTO)
		return;
	if (callgraph->mode != CALLGRAPH_NONE && callgraph->mode != CALLGRAPH_BPF && (callgraph->mode != CALLGRAPH_FP || callgraph->defer))
		refuse(o, "--call-graph: perf sample-bpf takes stacks by fp or bpf; perf record knows more");
	if (callgraph->mode == CALLGRAPH_BPF && !takes_default_key(o) && !(o->shown_key & TALLY_KEY_USTACK))
		refuse(o, "--call-graph bpf needs ustack in --key");
}

static void settle_push(struct sample_bpf_options *o)
{
	const char *why = sample_bpf_push__settle(&o->push);

	if (why)
		refuse(o, why);
	if (!o->push.url)
		return;
	if (o->live.folded || o->live.top || sample_bpf_histogram__wanted(&o->histogram))
		refuse(o, "--push goes with none of --folded, --top, --hist and --latency: run perf again for these");
	o->live.push = &o->push.opts;
	o->counting.anew = true; /* live.c forgets */
	o->interval = o->interval ?: PUSH_INTERVAL;
	o->shown_key = o->shown_key ?: PUSH_KEY;
}

int sample_bpf_options__settle(struct sample_bpf_options *o, char **argv)
{
	struct tally_opts *counting = &o->counting;
	const char *why;

	settle_push(o);
	if (o->live.folded && o->live.top)
		refuse(o, "--folded and --top exclude each other: --folded prints at the end, --top all the time");
	if (sample_bpf_histogram__wanted(&o->histogram) && sample_bpf_live__wanted(&o->live))
		refuse(o, "--hist and --latency go neither with --folded nor with --top");
	if (!o->max_stack || o->max_stack > TALLY_MAX_STACK)
		options__refuse_exit("--max-stack takes 1 to %d frames: not %u\n", TALLY_MAX_STACK,
				     o->max_stack);
	if (!counting->max_keys || !counting->max_stacks)
		refuse(o, "--max-keys and --max-stacks take at least 1");
	counting->max_stack = o->max_stack;
	o->recording.opts.count = counting;
	if (o->exprs.nr || o->exprs.sum)
		counting->exprs = &o->exprs;
	o->exprs.option = "--key";
	o->exprs.keys = SAMPLE_BPF_KEY_LIST;
	if (o->exprs.nr && (o->live.top || o->push.url))
		refuse(o, "--top and --push do not show fields, terms and walks of --key: take --folded, or write a file");
	if (o->exprs.sum && (sample_bpf_histogram__wanted(&o->histogram) || counting->both))
		refuse(o, "--sum goes neither with --hist and --latency, which have sums of their own, nor with --both");
	counting->key = o->shown_key;
	settle_callgraph(o);
	why = sample_bpf_histogram__settle(&o->histogram, counting);
	if (why)
		refuse(o, why);
	if (!sample_bpf_histogram__wanted(&o->histogram))
		settle_key(o);
	o->recording.opts.interval = o->interval ?: o->live.top ? TOP_INTERVAL : 0;
	if (!o->recording.opts.output && !sample_bpf_live__wanted(&o->live) && !sample_bpf_histogram__wanted(&o->histogram))
		o->recording.opts.output = "perf.data";
	return record_options__settle(&o->recording, argv);
}
