/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf sample-bpf for counting and output, and those that need parsing. */
#ifndef PERF_CMD_SAMPLE_BPF_OPTIONS_H
#define PERF_CMD_SAMPLE_BPF_OPTIONS_H

#include "cmd/record/options.h"
#include "cmd/sample-bpf/histogram.h"
#include "cmd/sample-bpf/live.h"
#include "cmd/sample-bpf/push.h"
#include "util/source/tally.h"
#include "util/source/tally-values.h"

struct sample_bpf_options {
	struct record_options recording; /* first member: the functions that print results get it */
	struct tally_opts counting;
	struct sample_bpf_histogram histogram;
	struct sample_bpf_live live;
	struct sample_bpf_push push;
	struct tally_exprs exprs; /* from --key and --sum; their texts are ours */
	unsigned int shown_key; /* from --key; 0: not given */
	unsigned int max_stack, interval;
	bool want_stacks;
};

/* o: name of the struct, which has static storage */
#define SAMPLE_BPF_OPTIONS_INIT(o) {                                         \
		.recording = RECORD_OPTIONS_INIT,                             \
		.counting = TALLY_OPTS_INIT,                                \
		.histogram = SAMPLE_BPF_HISTOGRAM_INIT((o).recording),        \
		.push = SAMPLE_BPF_PUSH_INIT,                                 \
		.max_stack = TALLY_MAX_STACK,                               \
	}

#define SAMPLE_BPF_KEY_LIST "comm, pid, tid, cpu, cgroup, uid, ip, kstack, ustack, sym"

/* Callbacks of rows whose value is a struct sample_bpf_options */
int sample_bpf_options__parse_key(const struct option_row *row, const char *arg, bool unset);
int sample_bpf_options__parse_sum(const struct option_row *row, const char *arg, bool unset);
void sample_bpf_options__exit(struct sample_bpf_options *o);
void sample_bpf_options__list_keys(void); /* for its --list-values */
void sample_bpf_options__list_callgraphs(void);

/* Check and combine all options. 0 or an exit status, after a message; a wrong command line may exit. */
int sample_bpf_options__settle(struct sample_bpf_options *o, char **argv);

#endif
