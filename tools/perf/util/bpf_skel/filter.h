/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The filter's jump table, shared between user space (which lowers expressions to it) and BPF (which runs it over each sample).
 * Plain data only; BPF programs include vmlinux.h first.
 *
 * Like classic BPF: entry i loads one term of the sample, v = (field >> shift) & mask, compares it as unsigned 64 bits with value,
 * and continues at jt if cond has the bit of the outcome, otherwise at jf. Targets are indices greater than i, or one of the two
 * verdicts; so every run ends after at most FILTER_MAX_ENTRIES steps. Entry 0 is the first. A field that this sample does not carry
 * (data->sample_flags) reads as 0.
 */
#ifndef PERF_BPF_FILTER_H
#define PERF_BPF_FILTER_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "util/bpf_skel/filter-terms.h"

#define FILTER_MAX_ENTRIES 64
#define FILTER_REJECT 254
#define FILTER_ACCEPT 255

enum filter_cond {
	FILTER_LT = 1,
	FILTER_EQ = 2,
	FILTER_GT = 4,
};

#define FILTER_RECORD_LEN 512 /* only fields of a tracepoint within these first bytes of its record can be tested */
#define FILTER_RECORD_WORDS (FILTER_RECORD_LEN / 8)
#define FILTER_MAX_WALKS 8 /* different values of the kernel in one filter */

/*
 * The fields and tests of filter-terms.h. The numbers are part of no file format, but user space and BPF are built together. From
 * FILTER_TERM_INDEXED on, entry->shift is an index instead of a shift, and nothing is masked.
 */
#define FILTER_TERM_NUMBER(name, ...) FILTER_TERM_##name,
enum filter_term {
	FILTER_FIELDS(FILTER_TERM_NUMBER)
	/*
	 * FILTER_TERM_RECORD + i: bytes 8 * i to 8 * i + 7 of a tracepoint's record, little endian. A field of up to 8 bytes is a
	 * part of one, by shift and mask; only tables for tracepoints have these.
	 */
	FILTER_TERM_RECORD,
	FILTER_TERM_RECORD_LAST = FILTER_TERM_RECORD + FILTER_RECORD_WORDS - 1,
	/* FILTER_TERM_WALK + i: the number that walk[i] leads to. The program makes the walk for FILTER_TERM_WALK_HAS, which comes before. */
	FILTER_TERM_WALK,
	FILTER_TERM_WALK_LAST = FILTER_TERM_WALK + FILTER_MAX_WALKS - 1,
	FILTER_TESTS(FILTER_TERM_NUMBER)
	FILTER_TERM_MAX,
};
#define FILTER_TERM_INDEXED (FILTER_TERM_WALK_LAST + 1)

/* Only in the programs' copy of a table: test the last fetched field again. */
#define FILTER_TERM_KEEP FILTER_TERM_MAX

/* The terms with a FILTER_TERM_OWN_* counterpart: FILTER_OWN_TERMS(FILTER_OWN_CASE) are the cases of a switch that maps them. */
#define FILTER_OWN_TERMS(X) X(ID) X(TID) X(PID) X(TIME)
#define FILTER_OWN_CASE(name)		\
	case FILTER_TERM_##name:	\
		return FILTER_TERM_OWN_##name;

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
 * A glob over a string of bytes as a bit-parallel automaton: bit i of the state says that the first i elements of the pattern
 * (without stars, 31 at most) have matched. For each byte c up to the NUL
 *	state = ((state & step[c]) << 1) | (state & loop)
 * starting from 1; the string matches if (state & final) is not 0 at its end.
 */
#define FILTER_MAX_GLOBS 8
#define FILTER_GLOB_MAX_ELEMENTS 31

struct filter_glob {
	__u32 step[256];
	__u32 loop;
	__u32 final;
};

struct filter_range { /* both included */
	__u64 first;
	__u64 last;
};

struct filter_set { /* range[begin..begin + nr), ascending and disjoint */
	__u16 begin;
	__u16 nr;
};

/* How the record of the event stores a tracepoint's field, from its format. */
enum filter_field_kind {
	FILTER_FIELD_OTHER,	/* an array of numbers or the like, which has no tests */
	FILTER_FIELD_NUMBER,	/* of 1, 2, 4 or 8 bytes; offset is a multiple of size */
	FILTER_FIELD_CHARS,	/* a string in size bytes, which ends at the first NUL if there is one */
	FILTER_FIELD_DATA_LOC,	/* 4 bytes that locate a string: offset in the record | length << 16 */
	FILTER_FIELD_REL_LOC,	/* the same with an offset from the end of these 4 bytes */
	FILTER_FIELD_USER_TEXT, /* 8 bytes: address of a string in the task's memory */
};

struct filter_field_desc {
	__u16 offset;
	__u16 size;
	__u8 kind;
	__u8 is_signed;
	__u8 is_time;	/* nanoseconds: a filter may write them as a time */
	__u8 is_narrow; /* an unsigned 8-byte register; the system call uses the lower 4 bytes */
	__u8 guard;	/* not all hits have the field: those that do have this bit, counted from 1, in the record's first word. 0: all have it */
};

/*
 * A way through the kernel's memory to a value. It begins with a pointer, reads another one at each step, and the value at the end:
 * p = *(p + step[0]), p = *(p + step[1]), ..., value = *(p + last). A pointer that is NULL or cannot be read ends it without a value.
 */
#define FILTER_WALK_STEPS 10
#define FILTER_WALK_TASK 0	/* as source: the task_struct of the current task */
#define FILTER_WALK_ARGUMENT 1	/* the first argument of the tracepoint, and so on */
#define FILTER_WALK_TEXT_LEN 128 /* of a text with its NUL; longer ones are cut */
#define FILTER_WALK_ARGUMENTS 12 /* MAX_BPF_FUNC_ARGS, include/linux/bpf.h */

enum filter_walk_kind {
	FILTER_WALK_NUMBER, /* of size bytes */
	FILTER_WALK_DIRECT, /* the same, but the pointer itself is the value: there is nothing to read */
	FILTER_WALK_CHARS,  /* a text in size bytes, which ends at the first NUL if there is one */
	FILTER_WALK_STRING, /* a pointer to a text that ends with a NUL */
};

struct filter_walk {
	__u8 source;
	__u8 kind;
	__u8 nr_steps;
	__u8 swap; /* the number's bytes are in the order of the network */
	__u32 size;
	__u32 last;
	__u32 step[FILTER_WALK_STEPS];
};

#define FILTER_MAX_FIELDS 8
#define FILTER_MAX_TEXTS 16
#define FILTER_FIELD_SHIFT 4
#define FILTER_FIELD_WHICH ((1 << FILTER_FIELD_SHIFT) - 1)
#define FILTER_STRING_LEN 256 /* of a field's string with its NUL; longer strings are cut */

struct filter_text {
	__u64 len; /* including the NUL if the string must end there */
	char bytes[FILTER_STRING_LEN] __attribute__((aligned(8)));
};

#define FILTER_COMM_LEN 16
#define FILTER_FILE_LEN 64 /* of a file name with its NUL; longer names are cut */
#define FILTER_MAX_NAMES 8
#define FILTER_MAX_EVERYS 8
#define FILTER_MAX_SETS 8
#define FILTER_MAX_RANGES 1024

/*
 * Since Linux 6.3 the ids and the time in a sample of a software event may be another recording's: those in its PID namespace and by
 * its clock. For such events a program determines them itself; if it cannot read the clock, only the ids.
 */
enum filter_owned {
	FILTER_OWN_NOTHING,
	FILTER_OWN_IDS,
	FILTER_OWN_MONOTONIC, /* ids, and the time by CLOCK_MONOTONIC */
	FILTER_OWN_BOOTTIME,
	FILTER_OWN_TAI,
};

/* Operands of entries that need more than one number. */
struct filter_words {
	struct filter_glob glob[FILTER_MAX_GLOBS];
	char name[FILTER_MAX_NAMES][FILTER_FILE_LEN]; /* NUL-padded */
	__u32 every[FILTER_MAX_EVERYS];		      /* 1 or more */
	struct filter_set set[FILTER_MAX_SETS];
	struct filter_range range[FILTER_MAX_RANGES];
	struct filter_field_desc field[FILTER_MAX_FIELDS]; /* strings */
	struct filter_text text[FILTER_MAX_TEXTS];
	struct filter_walk walk[FILTER_MAX_WALKS];
	__u32 record_len; /* size of the part of a tracepoint's record that entries and field[] use, a multiple of 8 */
	__u32 own;	  /* enum filter_owned */
	__u64 clocks;	  /* bit i: event i of the program is a clock, see filter-late.bpf.h */
};

/* The table of the shared engine: one filter at a time, each with a new epoch. */
struct filter_shared_table {
	__u64 epoch;
	struct filter_entry entry[FILTER_MAX_ENTRIES];
	struct filter_words words;
};

/*
 * A sample as the evaluator in user space and the BPF test program see it: one value per term, by enum filter_term, up to
 * FILTER_TERM_INDEXED. Later terms are computed from these and the members below.
 */
#define FILTER_SAMPLE_LEVELS 8

struct filter_sample {
	__u64 sample_flags; /* PERF_SAMPLE_* bits that the sample carries */
	__u64 value[FILTER_TERM_INDEXED]; /* from FILTER_TERM_RECORD on the record itself, including dynamic strings */
	__u64 cgroup_at[FILTER_SAMPLE_LEVELS]; /* by level; 0 at levels that it lacks */
	__u64 walks;			       /* bit i: walk[i] leads to a value; numbers are in value[FILTER_TERM_WALK + i] */
	__u64 every;			       /* number of samples tested since one was kept */
	char file[FILTER_FILE_LEN];	       /* NUL-padded; empty: none */
	__u64 file_busy;		       /* the file could not be looked up */
};

/*
 * A sample that was kept because its file could not be looked up, for user space to judge: the members that its table needs, the
 * others 0. It begins like the records of perf (struct perf_event_header), so that they can be read in the same way.
 */
#define FILTER_UNDECIDED_RING (256 * 1024) /* for some hundreds; a sample that does not fit stays kept */

struct filter_undecided {
	__u32 type; /* always 0 */
	__u16 misc;
	__u16 size;
	__u32 event; /* index among the events of the program */
	__u32 pad;
	__u64 sample_flags;
	__u64 value[FILTER_TERM_FILE_DEV]; /* by enum filter_term; ip, id, tid, pid and time are always there */
	__u64 cgroup_at[FILTER_SAMPLE_LEVELS];
};

/*
 * A correction for user space: of a sample that was kept although its ids or its time are not its own. It says how to find the
 * record, and the right values. It begins like the records of perf. If it does not fit into the ring, the sample is not kept.
 */
#define FILTER_MENDS_RING (4 * 1024 * 1024) /* for some 50,000 */

struct filter_mend {
	__u32 type; /* always 0 */
	__u16 misc;
	__u16 size;
	/* as in the record */
	__u64 ip;
	__u64 seen_time;
	__u32 seen_pid, seen_tid;
	/* the right values */
	__u64 id;
	__u64 time;
	__u32 pid, tid;
};

/*
 * For kernels whose samples are not prepared when the program runs: offsets in bytes of the members that it reads. For nested
 * structures (file->f_path.dentry) from the start of the outermost one.
 */
struct filter_offsets {
	__u32 has_sample_flags; /* perf_sample_data has sample_flags */
	__u32 sample_flags;
	__u32 context_data;
	__u32 context_event;
	__u32 event_period;
	__u32 event_expires; /* 0: this kernel has no such member */
	__u32 task_real_parent;
	__u32 task_tgid;
	__u32 task_prio;
	__u32 task_static_prio;
	__u32 task_flags;
	__u32 task_events;	/* perf_event_ctxp */
	__u32 task_more_events; /* before Linux 6.2 that is an array of two; 0: it is none */
	__u32 vma_start;
	__u32 vma_pgoff;
	__u32 vma_file;
	__u32 file_inode;
	__u32 file_dentry;
	__u32 dentry_name;
	__u32 inode_sb;
	__u32 inode_ino;
	__u32 sb_dev;
};

/*
 * Counters of one filter, one of these per CPU. kept = seen - dropped. User space reads them in this order while programs go on
 * counting: as seen comes after its parts, the result for kept is never too low.
 */
struct filter_counts {
	__u64 epoch; /* 0, or the epoch of the shared table */
	__u64 dropped;
	__u64 undecided; /* of kept: could not be tested, since the task's maps were locked */
	__u64 unmended;	 /* of kept: not written, because they hold another event's values and could not be corrected */
	__u64 period;	 /* sum over seen: their share of the event's count */
	__u64 untaken;	 /* the kernel skipped the program for them, at least: see filter-untaken.bpf.h */
	__u64 late;	 /* samples that are missing, as the clock's timer was late: filter-late.bpf.h */
	__u64 untimed;	 /* of seen: their timers could not be read */
	__u64 seen;
	/* State for untaken: the CPU's tick, and the kernel's number of samples of the event in it. */
	__u64 last_tick, last_nr;
	__u64 every[FILTER_MAX_EVERYS]; /* state for FILTER_TERM_EVERY */
	__u64 valueless[FILTER_MAX_WALKS]; /* walks that led to no value */
};

/* How often an entry ran and its condition held, one of these per CPU and entry. */
struct filter_hits {
	__u64 runs;
	__u64 taken;
};

#endif
