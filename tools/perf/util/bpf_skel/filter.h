/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The filter's jump table, shared between user space (which lowers expressions to it) and BPF (which runs it over each
 * sample). Plain data only; BPF programs include vmlinux.h first.
 *
 * Like classic BPF: entry i loads one term of the sample, v = (field >> shift) & mask, compares it as unsigned 64 bits with
 * value, and goes on at jt if cond has the bit of the outcome, else at jf. Targets are indices greater than i, or one of the
 * two verdicts; so every run ends after at most FILTER_MAX_ENTRIES steps. Entry 0 is the first.
 * A field that this sample does not carry (data->sample_flags) reads as 0.
 */
#ifndef PERF_BPF_FILTER_H
#define PERF_BPF_FILTER_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define FILTER_MAX_ENTRIES 64
#define FILTER_REJECT 254
#define FILTER_ACCEPT 255

enum filter_cond {
	FILTER_LT = 1,
	FILTER_EQ = 2,
	FILTER_GT = 4,
};

/* Numbers are part of no file format; order them as you like, but user space and BPF are built together. */
enum filter_term {
	FILTER_TERM_IP,
	FILTER_TERM_ID,
	FILTER_TERM_TID,
	FILTER_TERM_PID,
	FILTER_TERM_CPU,
	FILTER_TERM_TIME,
	FILTER_TERM_ADDR,
	FILTER_TERM_PERIOD,
	FILTER_TERM_UID,
	FILTER_TERM_GID,
	FILTER_TERM_CGROUP,    /* id of the task's cgroup in the v2 hierarchy */
	FILTER_TERM_MODE,      /* FILTER_MODE_* */
	FILTER_TERM_COMM_LO,   /* bytes 0-7 of the command name, little end first, NUL-padded */
	FILTER_TERM_COMM_HI,   /* bytes 8-15 */
	FILTER_TERM_COMM_GLOB, /* 1 if the command name matches globs[shift], else 0 (shift names the glob, mask is 1) */
	FILTER_TERM_MAX,
};

/* Only in a program's own copy of a table: test the field that was fetched last again. */
#define FILTER_TERM_KEEP FILTER_TERM_MAX

enum filter_mode {
	FILTER_MODE_KERNEL = 1, /* PERF_RECORD_MISC_KERNEL */
	FILTER_MODE_USER = 2,	/* PERF_RECORD_MISC_USER */
};

struct filter_entry {
	__u8 term;
	__u8 shift;
	__u8 cond;
	__u8 jt;
	__u8 jf;
	__u8 pad[3];
	__u64 mask;
	__u64 value;
};

/*
 * A glob over a command name (at most 15 bytes) as a bit-parallel automaton: bit i of the state says that the first i
 * elements of the pattern (stars left out) have matched. For each byte c up to the NUL
 *	state = ((state & step[c]) << 1) | (state & loop)
 * starting from 1; the name matches if (state & final) is not 0 at its end.
 */
#define FILTER_MAX_GLOBS 8
#define FILTER_COMM_LEN 16

struct filter_glob {
	__u32 step[256];
	__u32 loop;
	__u32 final;
};

/* A sample as the evaluator in user space and the test program in BPF see it: one value per term, by enum filter_term. */
struct filter_sample {
	__u64 sample_flags; /* PERF_SAMPLE_* bits that the sample carries */
	__u64 value[FILTER_TERM_MAX];
};

/* Counters of one filter, one of these per CPU. kept = seen - dropped. */
struct filter_counts {
	__u64 seen;
	__u64 dropped;
};

#endif
