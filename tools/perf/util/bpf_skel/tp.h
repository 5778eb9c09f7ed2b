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
};

/* One of these per CPU. */
struct tp_counts {
	struct filter_counts filter; /* seen is not used: one counter less to be written for each hit */
	__u64 kept;		     /* by the filter; not counted without one */
	__u64 lost;		     /* the ring was full */
	__u64 turn;		     /* of looking how full it is */
};

#endif
