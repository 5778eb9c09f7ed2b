/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Tracepoints recorded by BPF programs. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_TP_H
#define PERF_BPF_TP_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"
#include "tally.h"

#define TP_MAX_ARGS 6	  /* of a syscall */
#define TP_MAX_TEXTS 3	  /* in a syscall's record: SYSCALL_FAULT_MAX_CNT, kernel/trace/trace_syscalls.c of Linux 6.19 */
#define TP_TEXT_LEN 63	  /* limit of shown bytes of each text: CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT, without the dots of a cut text */
#define TP_MAX_DYNAMIC 8  /* limit of fields in a record whose data come after the others */
#define TP_MAX_RAW 8192	  /* PERF_MAX_TRACE_SIZE, include/linux/trace_events.h */
#define TP_MAX_ADDED (8 * (1 + TALLY_VALUE_WORDS)) /* limit of tp_config.added */
#define TP_HEADER_SIZE 8  /* struct trace_entry, which all records begin with */
#define TP_MAX_STACK 127  /* the default of kernel.perf_event_max_stack */
#define TP_FRAME_SIZE 8

/* What an argument of a syscall points to. */
#define TP_TEXT_ENDS 0xff /* as size: the text ends with a NUL */
struct tp_text {
	__u8 value; /* index of the argument */
	__u8 size;  /* index of the argument with the number of bytes */
};

/*
 * A uprobe or a kprobe. Its programs see only the registers, and make the record from them, as its definition says: for each argument
 * a register and a constant, and then, step by step, the memory of the task at that address plus an offset.
 */
#define PROBE_MAX_ARGS 32 /* the same argument at other places of a mark is another one */
#define PROBE_MAX_STEPS 4
#define PROBE_CONSTANT 0xffff /* as reg: the constant alone, no register */

struct probe_arg {
	__u16 reg;    /* offset in struct pt_regs */
	__u16 offset; /* of the argument in the record */
	__u16 copy;   /* of a copy at a multiple of 8, if the argument is not aligned; otherwise 0 */
	__u8 size;    /* 1, 2, 4 or 8: in the record */
	__u8 nr_steps;
	__u8 from;    /* bytes at these places, if it is smaller there; otherwise 0 */
	__u8 is_signed; /* these bytes are */
	__u8 pad[6];
	__u64 places; /* bits of those that it is for, by the cookie of the hit; 0: for all */
	__s64 constant;
	__s64 step[PROBE_MAX_STEPS];
};

struct probe_config {
	__u16 ip;	 /* offset in struct pt_regs */
	__u8 is_return;	 /* the record begins with the function and its return address, otherwise with the address of the probe */
	__u8 nr_args;
	__u32 len;	 /* size of the record with all copies, a multiple of 8 */
	__u16 in_kernel; /* a kprobe; otherwise a uprobe */
	__u8 is_own;	 /* perf makes the event, so it has no other users */
	__u8 by_place;	 /* arguments depend on where it is hit */
	struct probe_arg arg[PROBE_MAX_ARGS];
};

#define TP_ALL_SYSCALLS 0xffffffffU

struct tp_config {
	__u16 type;	   /* common_type: the id of the tracepoint */
	__u8 filtered;	   /* the filter has a table */
	__u8 nr_values;	   /* of a syscall: number of its arguments, or 1 for its return value */
	__u32 syscall;	   /* its number; TP_ALL_SYSCALLS: of any, of 32-bit programs, too */
	__u8 preempt_count; /* value in records */
	__u8 counted;	   /* count hits by keys */
	__u8 written;	   /* write each hit as a sample; may be combined with counted */
	__u8 nr_texts;	   /* of a syscall, after its arguments */
	__u32 wake_at;	   /* bytes in the ring that are worth a wake-up */
	struct tp_text text[TP_MAX_TEXTS];
	/* for other tracepoints */
	__u32 raw_size;	   /* of a record without dynamic data, with the kernel's padding */
	__u32 tail;	   /* bytes of the record's structure after its last field */
	__u32 arguments;   /* bits of those that walks begin with; 0: none */
	__u32 added;	   /* bytes of values that users add to records, behind the header; a multiple of 8, 0: none. See tp_added__put() */
	__u32 nr_dynamic;
	struct {
		__u16 offset;	/* of the 4 bytes with offset and length of the data */
		__u16 relative; /* to add to that offset */
	} dynamic[TP_MAX_DYNAMIC];
	struct probe_config probe;
};

/* Which of the programs on one tracepoint the kernel calls first: it depends on who had attached to it before. */
enum tp_order {
	TP_ORDER_UNKNOWN, /* judge nothing yet */
	TP_RAW_FIRST,	  /* the raw program, which sees the arguments */
	TP_RAW_LAST,
};

/* One of these per CPU. */
struct tp_counts {
	struct filter_counts filter; /* seen is not used: saves a counter for each hit */
	__u64 kept;		     /* by the filter; not counted without one */
	__u64 lost;		     /* the ring was full */
	__u64 turn;		     /* number of samples sent, see TP_TURNS */
	__u64 busy;		     /* a probe's program is running: another task may be scheduled before its end */
	__u64 missed;		     /* hits of that task */
	__u64 blind;		     /* hits that could not be judged, as their arguments were not seen */
};

#endif
