/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Tracepoints recorded by BPF programs. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_TP_H
#define PERF_BPF_TP_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

#define TP_MAX_ARGS 6	  /* of a syscall */
#define TP_MAX_TEXTS 3	  /* in a syscall's record: SYSCALL_FAULT_MAX_CNT, kernel/trace/trace_syscalls.c of Linux 6.19 */
#define TP_TEXT_LEN 63	  /* of what they show of each: CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT, without the dots of one that is cut */
#define TP_MAX_DYNAMIC 8  /* fields of a record whose data stand behind the others */
#define TP_MAX_RAW 8192	  /* PERF_MAX_TRACE_SIZE, include/linux/trace_events.h */
#define TP_MAX_STACK 127  /* what kernel.perf_event_max_stack is by default */
#define TP_FRAME_SIZE 8

/* What an argument of a syscall points to. */
#define TP_TEXT_ENDS 0xff /* as size: there is none, it is a string, with a NUL */
struct tp_text {
	__u8 value; /* which argument */
	__u8 size;  /* the one that tells how many bytes there are */
};

/*
 * A uprobe. Programs that are attached to one see the registers only, and make the record of them, as its definition says: for each argument
 * a register or a constant, and then, step by step, what is at that address of the task's memory, plus an offset.
 */
#define PROBE_MAX_ARGS 16
#define PROBE_MAX_STEPS 4
#define PROBE_CONSTANT 0xffff /* as reg: there is none */

struct probe_arg {
	__u16 reg;    /* offset in struct pt_regs */
	__u16 offset; /* of the argument in the record */
	__u16 copy;   /* of a second one, at a multiple of 8, if the first is not aligned; else 0 */
	__u8 size;    /* 1, 2, 4 or 8 */
	__u8 nr_steps;
	__s64 constant;
	__s64 step[PROBE_MAX_STEPS];
};

struct probe_config {
	__u16 ip;	 /* offset in struct pt_regs */
	__u8 is_return;	 /* the record begins with the function and where it returns to, else with the place of the probe */
	__u8 nr_args;
	__u32 len;	 /* of the record with all copies, a multiple of 8 */
	struct probe_arg arg[PROBE_MAX_ARGS];
};

struct tp_config {
	__u16 type;	   /* common_type: the id of the tracepoint */
	__u8 filtered;	   /* there is a table */
	__u8 nr_values;	   /* of a syscall: its arguments, or 1 for what it returns */
	__u32 syscall;	   /* its number */
	__u8 preempt_count; /* what records say of it */
	__u8 counted;	   /* hits are, by keys */
	__u8 written;	   /* and, or else, each is a sample */
	__u8 nr_texts;	   /* of a syscall, behind its arguments */
	__u32 wake_at;	   /* bytes in the ring that are worth a wake-up */
	struct tp_text text[TP_MAX_TEXTS];
	/* of other tracepoints */
	__u32 raw_size;	   /* of a record without dynamic data, as the kernel pads it */
	__u32 tail;	   /* bytes that the record's structure has behind its last field */
	__u32 nr_dynamic;
	struct {
		__u16 offset;	/* of the 4 bytes that tell offset and length of the data */
		__u16 relative; /* what to add to that offset */
	} dynamic[TP_MAX_DYNAMIC];
	struct probe_config probe;
};

/* One of these per CPU. */
struct tp_counts {
	struct filter_counts filter; /* seen is not used: one counter less to be written for each hit */
	__u64 kept;		     /* by the filter; not counted without one */
	__u64 lost;		     /* the ring was full */
	__u64 turn;		     /* of looking how full it is */
	__u64 busy;		     /* a uprobe's program is at work: another task may take its place before its end */
	__u64 missed;		     /* hits of that task */
};

#endif
