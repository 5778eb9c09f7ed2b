/* SPDX-License-Identifier: GPL-2.0 */
/* perf sample-bpf --push: whom perf sends the profile of each round to, and what it tells about that. */
#ifndef PERF_CMD_SAMPLE_BPF_PUSH_H
#define PERF_CMD_SAMPLE_BPF_PUSH_H

#include <stdbool.h>
#include "ui/profile/profile.h"
#include "ui/tally/output.h"
#include "util/lib/options.h"
#include "util/push/push.h"

#define PUSH_INTERVAL 10000 /* ms; what receivers of profiles are used to */
#define PUSH_SPOOL_BYTES (64 << 20)
#define PUSH_MAX_LABELS 32

struct sample_bpf_push {
	const char *url, *spool; /* the options; NULL: not given */
	u64 spool_bytes;
	struct profile_label given[PUSH_MAX_LABELS]; /* --label; both strings of one are one block */
	u32 nr_given;
	bool spool_size_given;

	struct push_target target;
	struct push_secrets secrets;
	char *spool_dir;
	struct profile_label label[PUSH_MAX_LABELS + 2]; /* all of them, as the receiver spells them */
	struct tally_push_opts opts;
};

#define SAMPLE_BPF_PUSH_INIT { .spool_bytes = PUSH_SPOOL_BYTES }

/* Rows for a table of options; p is a struct sample_bpf_push with static storage. */
#define SAMPLE_BPF_PUSH_OPTIONS(p) \
	OPT_STRING_OF(0, "push", &(p).url, "url", "send each round (10 s) as a profile to pyroscope+http[s]://HOST:PORT or otlp+http[s]://HOST:PORT", \
		      sample_bpf_push__list_schemes), \
	OPT_CALLBACK(0, "label", &(p), "name=value", "give each profile of --push this label, too", sample_bpf_push__parse_label), \
	OPT_STRING(0, "spool", &(p).spool, "dir", "keep profiles here while their receiver is away (/var/lib/perf-push)"), \
	OPT_CALLBACK(0, "spool-size", &(p), "size", "keep at most this many bytes there, with K, M or G; 0: none (64M)", \
		     sample_bpf_push__parse_size)

int sample_bpf_push__parse_label(const struct option_row *row, const char *arg, bool unset);
int sample_bpf_push__parse_size(const struct option_row *row, const char *arg, bool unset);
void sample_bpf_push__list_schemes(void);

/* Check the options. NULL, or why they are refused; the text is valid until the next call. */
const char *sample_bpf_push__settle(struct sample_bpf_push *p);
/* Before the recording: nothing is sent yet. 0, or an exit status after a message. dry: open nothing. */
int sample_bpf_push__begin(struct sample_bpf_push *p, bool dry);
/* After it: send the rest, and tell what became of all. */
void sample_bpf_push__finish(struct sample_bpf_push *p);
void sample_bpf_push__exit(struct sample_bpf_push *p);

#endif
