/* SPDX-License-Identifier: GPL-2.0 */
/* Live output of perf sample-bpf: a session passes records to --folded, --top or --push as they are made. */
#ifndef PERF_CMD_SAMPLE_BPF_LIVE_H
#define PERF_CMD_SAMPLE_BPF_LIVE_H

#include "cmd/record/options.h"
#include "ui/tally/output.h"

struct sample_bpf_live {
	enum folded_weight folded; /* the options */
	bool top;
	struct tally_push_opts *push; /* of --push; NULL: not given. Set .nr_events, here, when they are known */
	struct tally_output *own; /* of perf top: becomes out; NULL: one by the options above */
	struct live_functions *functions; /* Python's, which the recording finds */
	unsigned int max_stack; /* limits of kernel and user frames */
	struct session *session;
	u64 *ended;	  /* if it forgets: a bit for each tid that had ended when it was looked for; NULL: it was not */
	u64 bytes;	  /* of memory in use after the first round since the session last forgot some; 0: unknown */
	u32 stand_in;	  /* the highest number that perf had made up for a thread then: all up to that one are of earlier rounds */
	u32 nr_threads;	  /* that were left when the session last forgot some */
	struct tally_output *out; /* NULL: there is no live output */
	struct record_sink sink;
};

/* Was --folded, --top or --push given? */
bool sample_bpf_live__wanted(const struct sample_bpf_live *live);
/*
 * Before the run, when the events are known: becomes the recording's output. key: TALLY_KEY_* to show; 0, or an exit status after a
 * message.
 */
int sample_bpf_live__begin(struct sample_bpf_live *live, struct record_options *recording, unsigned int key, unsigned int max_stack);
/* After the run: print the rest. */
void sample_bpf_live__finish(struct sample_bpf_live *live);
void sample_bpf_live__exit(struct sample_bpf_live *live);

#endif
