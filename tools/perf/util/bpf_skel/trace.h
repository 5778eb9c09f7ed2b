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

#define TRACE_MAX_CALLS 512 /* numbers of system calls; a power of two */
#define TRACE_OTHER_CALLS (TRACE_MAX_CALLS - 1) /* stands for all numbers from it on, as for those that no call has */
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

struct trace_rule { /* for one number */
	__u8 wanted;
	__u8 nr_copies;
	__u8 early; /* some copy is */
	__u8 nr_fds;
	__u8 fd[TRACE_MAX_FDS]; /* arguments of TRACE_COPY_FILE that are read at the end */
	__u8 pad[2];
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
	__u8 failed_only;   /* leave out calls without an error */
	__u8 written;	    /* send each call */
	__u8 summed;	    /* add each call to its row in trace_sums */
	__u8 by;	    /* enum trace_sums_by */
	__u8 with_errors;   /* count each error number in trace_errors */
	__u8 pad;
	struct trace_rule rule[TRACE_MAX_CALLS];
};

/* What is known of a call's begin. */
enum trace_begin {
	TRACE_BEGIN_SEEN,
	TRACE_BEGIN_BEFORE, /* tracing began while the task was in the call: that time counts */
	TRACE_BEGIN_NONE,   /* the kernel told of its end only, as of a call that seccomp denies: the end counts */
};

/* A call that has not ended, in the storage of its task. */
struct trace_open {
	__u64 begin; /* CLOCK_MONOTONIC; 0: the task is in no call that is traced */
	__u32 nr;
	__u8 judged; /* the filter has accepted it */
	__u8 begun;  /* enum trace_begin */
	__u8 pad[2];
	__u64 arg[TRACE_MAX_ARGS];
	__u64 file[TRACE_MAX_FDS]; /* addresses of the files that descriptors stood for */
};

enum trace_call_state {
	TRACE_ENDED,	 /* with a result */
	TRACE_NO_RETURN, /* exit and exit_group: sent when they begin */
	TRACE_UNFINISHED, /* goes on when tracing ends: end is that time. User space makes its copies */
	TRACE_SIGSYS,	  /* no result: the task gets this signal instead, which may end it */
};

#define TRACE_FORGOTTEN ((__u32)-1) /* number of an end: after a return from a signal the kernel has no other */

/* Number of the rule of a call, and of what else is known of it */
static inline __u32 trace_row(__u32 nr)
{
	return nr < TRACE_OTHER_CALLS ? nr : TRACE_OTHER_CALLS;
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
	__u64 compat;	/* of 32-bit programs: not traced */
	__u64 turn;	/* number of records sent */
	__u64 noted_task, noted_turn; /* who began a call last: see is_noted() */
	__u64 dropped; /* that call was, when it began */
};

/* The storage of a task is larger than a program's stack allows: seen by the iterator, sent to user space as it is. */
struct trace_unfinished {
	struct trace_open open;
	__u64 cgroup; /* the task's */
	__u32 pid, tid;
	char comm[16];
};

#endif
