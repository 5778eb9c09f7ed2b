/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * System calls, from their begin to their end: what the BPF programs of perf trace share with user space. Plain data only; BPF
 * programs include vmlinux.h first.
 */
#ifndef PERF_BPF_TRACE_H
#define PERF_BPF_TRACE_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

#define TRACE_MAX_CALLS 1024 /* rows of system calls; a power of two */
#define TRACE_ABI_CALLS (TRACE_MAX_CALLS / 2) /* first those of 64-bit programs by number, then those of 32-bit programs */
#define TRACE_OTHER_CALLS (TRACE_ABI_CALLS - 1) /* stands for all numbers from it on, as for those that no call has */
#define TRACE_MAX_ARGS 6
#define TRACE_ARG_ROOM 8    /* the next power of two */
#define TRACE_MAX_COPIES 6  /* limit of copies of memory for each call */
#define TRACE_MAX_COPY 4096 /* limit of bytes of each; a power of two */
#define TRACE_MAX_FDS 2	    /* descriptors of a call whose files are named */
#define TRACE_MAX_PARTS 8   /* of a vector of buffers */
#define TRACE_MAX_STRINGS 24 /* of an array */
#define TRACE_MAX_NAMES 24  /* directories on the way to a file */
#define TRACE_MAX_ERRNO 4095
#define TRACE_MAX_STACK 127 /* frames */

/* What programs copy for an argument. */
enum trace_copy_kind {
	TRACE_COPY_NONE,
	TRACE_COPY_STRING,  /* up to its NUL */
	TRACE_COPY_BYTES,   /* a number of bytes: see enum trace_copy_size */
	TRACE_COPY_VECTOR,  /* an array of struct iovec: struct trace_part and bytes for each */
	TRACE_COPY_MESSAGE, /* a struct msghdr: its vector of buffers */
	TRACE_COPY_PEER,    /* a struct msghdr: its address */
	TRACE_COPY_STRINGS, /* an array of strings that ends with NULL, as they are, each with its NUL */
	TRACE_COPY_FILE,    /* a descriptor's file: struct trace_file and names, the last one first, each with its NUL */
};

enum trace_copy_size {
	TRACE_SIZE_FIXED,   /* unit */
	TRACE_SIZE_ARG,	    /* the argument `size` times unit */
	TRACE_SIZE_RESULT,  /* the result times unit */
	TRACE_SIZE_POINTER, /* the u32 that the argument `size` points to */
};

struct trace_copy_rule {
	__u8 kind; /* enum trace_copy_kind */
	__u8 arg;
	__u8 from; /* enum trace_copy_size; TRACE_COPY_VECTOR: TRACE_SIZE_RESULT for buffers that the kernel fills */
	__u8 size; /* the argument with the size; TRACE_COPY_VECTOR: with the number of parts */
	__u8 early; /* copy when the call begins; TRACE_COPY_FILE: the call changes the descriptor */
	__u8 if_ok; /* no copy after an error */
	__u16 unit;
	__u16 limit; /* bytes; 0: max_bytes of the configuration */
	__u16 pad;
};

enum trace_wanted {
	TRACE_WANTED = 1,
	TRACE_WANTED_COMPAT = 2, /* the call that has this number in 32-bit programs: look twice */
	TRACE_WANTED_END = 4,	 /* of another call: successful execveat(2) ends as execve(2) */
};

/* With the number of an argument: its lower 4 bytes count, and have a sign. */
#define TRACE_FIELD_ARG 0x0f
#define TRACE_FIELD_NARROW 0x10
#define TRACE_FIELD_SIGNED 0x20

struct trace_rule { /* for one row */
	__u8 wanted; /* bits of enum trace_wanted */
	__u8 nr_copies;
	__u8 early; /* some copy is */
	__u8 nr_fds;
	__u8 fd[TRACE_MAX_FDS]; /* arguments of TRACE_COPY_FILE that are read at the end */
	__u8 field[TRACE_MAX_ARGS]; /* of the filter: the argument of this name, counted from 1, and its width. 0: the call has none */
	struct trace_copy_rule copy[TRACE_MAX_COPIES];
};

enum trace_file_kind {
	TRACE_FILE_PATH,
	TRACE_FILE_PIPE,
	TRACE_FILE_SOCKET,
	TRACE_FILE_ANONYMOUS, /* anon_inode */
};

struct trace_file {
	__u64 inode;
	__u8 kind;    /* enum trace_file_kind */
	__u8 deleted;
	__u8 cut;     /* it lies in more directories */
	__u8 pad[5];
};

/* Follows struct trace_file for sockets of IPv4 and IPv6. Addresses as in packets, of IPv4 in the first 4 bytes */
struct trace_socket {
	__u16 family; /* AF_INET, AF_INET6 */
	__u16 local_port, peer_port; /* as numbers; 0: none yet */
	__u16 pad;
	__u8 local[16], peer[16];
};

struct trace_part { /* of a vector */
	__u64 len;
	__u32 copied; /* bytes that follow, padded to 8 */
	__u32 cut;
};

enum trace_sums_by { TRACE_BY_THREAD, TRACE_BY_CPU, TRACE_BY_CGROUP }; /* by CPU: user space wants only totals */

struct trace_config {
	__u64 min_ns;	    /* leave out calls that took less */
	__u32 max_text;	    /* bytes of a string, including its NUL: at most TRACE_MAX_COPY */
	__u32 max_bytes;    /* of a buffer: at most TRACE_MAX_COPY */
	__u32 wake_at;	    /* bytes in the ring that are worth a wake-up */
	__u8 filtered;	    /* use the filter's table */
	__u8 judged_early;  /* the table reads nothing that is known at the end only: judge when the call begins */
	__u8 judged_once;   /* the table may judge differently when the call ends: every, rand, cpu, comm, ... */
	__u8 failed_only;   /* leave out calls without an error */
	__u8 written;	    /* send each call */
	__u8 summed;	    /* add each call to its row in trace_sums */
	__u8 by;	    /* enum trace_sums_by */
	__u8 with_errors;   /* count each error number in trace_errors */
	__u8 nr_fields;	    /* of rules, that the filter names */
	struct trace_rule rule[TRACE_MAX_CALLS];
};

/* What is known of a call's begin. */
enum trace_begin {
	TRACE_BEGIN_SEEN,
	TRACE_BEGIN_BEFORE, /* tracing began while the task was in the call: that time counts */
	TRACE_BEGIN_NONE,   /* the kernel told of its end only, as of a call that seccomp denies: the end counts */
};

enum trace_mark {
	TRACE_MARK_NONE,
	TRACE_MARK_DROPPED, /* no call is open; the filter has dropped the one that the task is in (trace_config.judged_once) */
	TRACE_MARK_SECCOMP, /* the open call has no begin, which only seccomp explains */
};

/* A call that has not ended, in the storage of its task. */
struct trace_open {
	__u64 begin; /* CLOCK_MONOTONIC; 0: the task is in no call that is traced */
	__u32 nr;
	__u8 judged; /* the filter has accepted it */
	__u8 begun;  /* enum trace_begin */
	__u8 killed; /* seccomp kills the task, and the last call has been sent */
	__u8 mark;   /* enum trace_mark */
	__u64 met; /* trace_enabled_at when the first begin of the task was seen: its later calls are known */
	__u64 arg[TRACE_MAX_ARGS];
	__u64 file[TRACE_MAX_FDS]; /* addresses of the files that descriptors stood for */
};

enum trace_call_state {
	TRACE_ENDED,	 /* with a result */
	TRACE_NO_RETURN, /* exit and exit_group: sent when they begin */
	TRACE_UNFINISHED, /* goes on when tracing ends: end is that time. User space makes its copies */
	TRACE_SIGSYS,	  /* no result: the task gets this signal instead, which may end it */
};

#define TRACE_FORGOTTEN ((__u32)-1) /* number of an end: after a return from a signal the kernel has no other. Or of syscall(-1) */

/*
 * 32-bit programs, and int $0x80 of others, have numbers of their own (asm/unistd_32.h). Here these have this bit, and the two above, which numbers
 * of x32 and negative ones have, are 0. A program that calls such a number itself gets TRACE_NUMBERS - 1 instead.
 */
#define TRACE_COMPAT 0x20000000U
#define TRACE_NUMBERS TRACE_COMPAT

static inline __u8 trace_is_compat(__u32 nr)
{
	return nr >> 29 == 1;
}

/* number: as the task's register has it. TRACE_FORGOTTEN is that of both. */
static inline __u32 trace_number(__u32 number, __u8 compat)
{
	if (compat && number != TRACE_FORGOTTEN)
		return TRACE_COMPAT | (number < TRACE_NUMBERS ? number : TRACE_NUMBERS - 1);
	return trace_is_compat(number) ? TRACE_NUMBERS - 1 : number;
}

/* The row of a call: of its rule, and of what else is known of it */
static inline __u32 trace_row(__u32 nr)
{
	const __u32 first = trace_is_compat(nr) ? TRACE_ABI_CALLS : 0, number = trace_is_compat(nr) ? nr - TRACE_COMPAT : nr;

	return first + (number < TRACE_OTHER_CALLS ? number : TRACE_OTHER_CALLS);
}

static inline __u32 trace_row_number(__u32 row)
{
	return row < TRACE_ABI_CALLS ? row : TRACE_COMPAT | (row - TRACE_ABI_CALLS);
}

/* What filters see of an argument, by rule.field[]. A register holds anything in the upper bytes of an int. */
static inline __u64 trace_field_value(const __u64 *arg, __u32 field)
{
	const __u64 value = arg[((field & TRACE_FIELD_ARG) - 1) % TRACE_ARG_ROOM];

	if (!(field & TRACE_FIELD_NARROW))
		return value;
	return field & TRACE_FIELD_SIGNED ? (__u64)(__s64)(__s32)value : (__u32)value;
}

/* Calls that do not end as others do, by number */

static inline __u8 trace_is_execve(__u32 nr)
{
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
	return nr == 59 || nr == (TRACE_COMPAT | 11);
#else
	return nr == 221 || nr == (TRACE_COMPAT | 11);
#endif
}

/* execve or execveat */
static inline __u8 trace_is_exec(__u32 nr)
{
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
	return trace_is_execve(nr) || nr == 322 || nr == (TRACE_COMPAT | 358);
#else
	return trace_is_execve(nr) || nr == 281 || nr == (TRACE_COMPAT | 387);
#endif
}

static inline __u8 trace_has_no_end(__u32 nr)
{
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
	return nr == 60 || nr == 231 || nr == (TRACE_COMPAT | 1) || nr == (TRACE_COMPAT | 252);
#else
	return nr == 93 || nr == 94 || nr == (TRACE_COMPAT | 1) || nr == (TRACE_COMPAT | 248);
#endif
}

/* Its child's end has no begin. */
static inline __u8 trace_makes_task(__u32 nr)
{
	if (nr == 435 || nr == (TRACE_COMPAT | 435) || nr == (TRACE_COMPAT | 120) || nr == (TRACE_COMPAT | 2) || nr == (TRACE_COMPAT | 190))
		return 1;
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
	return nr == 56 || nr == 57 || nr == 58;
#else
	return nr == 220;
#endif
}

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#define TRACE_RT_SIGRETURN 15
#else
#define TRACE_RT_SIGRETURN 139
#endif
#define TRACE_SIGRETURN_COMPAT (TRACE_COMPAT | 119)
#define TRACE_RT_SIGRETURN_COMPAT (TRACE_COMPAT | 173)

/* A return from a signal has no result: the program gets its registers back, whatever is in them. */
static inline __u8 trace_is_sigreturn(__u32 nr)
{
	return nr == TRACE_RT_SIGRETURN || nr == TRACE_SIGRETURN_COMPAT || nr == TRACE_RT_SIGRETURN_COMPAT;
}

struct trace_copy { /* bytes follow, padded to a multiple of 8 */
	__u8 arg;
	__u8 kind; /* enum trace_copy_kind */
	__u8 cut; /* there was more, or nobody could read it */
	__u8 early;
	__u16 size; /* bytes; a string has no NUL */
	__u16 pad;
};

/* A record of the ring. Its copies follow. */
struct trace_call {
	/* A struct perf_event_header, as bpf/ring.h wants it; type and misc are not used */
	__u32 type;
	__u16 misc, bytes;
	__u64 begin, end;
	__u32 pid, tid;
	__u32 nr, cpu;
	__s64 ret;
	__u64 arg[TRACE_ARG_ROOM];
	char comm[16];
	__u8 state; /* enum trace_call_state */
	__u8 nr_copies;
	__u16 chain_at; /* bytes from the record's begin: u64 number of words, and these: the callchain of a sample. 0: it has none */
	__u8 begun;	/* enum trace_begin */
	__u8 by_seccomp; /* a filter of seccomp(2) gave the result */
	__u8 no_args;	/* they are not known */
	__u8 pad;
};

struct trace_sum_key {
	__u64 id; /* tid, the CPU's number, or the cgroup's id */
	__u32 nr;
	__u32 cpu; /* of a cgroup, which several CPUs add to; otherwise 0 */
};

/* id is below 1 << 32. Never 0 */
static inline __u64 trace_hot_key(const struct trace_sum_key *key)
{
	return (key->id << 32 | key->nr) + 1;
}

struct trace_sum {
	__u64 calls, errors;
	__u64 untimed;	    /* of calls: without a time, as exit and those that seccomp denies */
	__u64 single;	    /* of calls: with a begin or an end alone */
	__u64 total, least, greatest; /* ns */
	__u64 squares_low, squares_high; /* sum of ns squared, in 128 bits */
	__u32 pid, pad;
	char comm[16];
};

/* The first rows of threads and CPUs, found without a search. Other rows are in a hash. */
#define TRACE_HOT_SUMS 1024 /* a power of two */

struct trace_hot_sum {
	__u64 key; /* trace_hot_key(); 0: unused */
	struct trace_sum sum;
};

struct trace_error_key {
	__u64 id; /* as in trace_sum_key */
	__u32 nr;
	__u32 error;  /* errno */
};

/* One of these per CPU. calls = kept + filter.dropped + those that options leave out */
struct trace_counts {
	__u64 calls;	/* of the wanted numbers that ended, cannot return, or were dropped when they began */
	struct filter_counts filter;
	__u64 lost;	/* the ring was full */
	__u64 lost_sums; /* the map of sums was full */
	__u64 untracked; /* no memory for the begin */
	__u64 turn;	/* number of records sent */
	__u64 noted_task, noted_turn; /* who began a call last: see is_noted() */
	__u64 dropped; /* that call was, when it began */
};

/* The storage of a task is larger than a program's stack allows: seen by the iterator, sent to user space as it is. */
struct trace_unfinished {
	struct trace_open open;
	__u64 cgroup; /* the task's, and what filters test of the task: */
	__u32 pid, tid, ppid, uid, gid;
	__u32 prio, nice; /* as FILTER_TERM_PRIO and NICE have them */
	__u32 pad;
	char comm[16];
};

#endif
