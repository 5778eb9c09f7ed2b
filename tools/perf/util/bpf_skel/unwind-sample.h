/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What the programs that unwind user stacks share with user space, besides the tables (unwind.h): where the tables are, which files
 * have one, and what is counted. Plain data only; BPF programs include vmlinux.h first.
 *
 * The words of all tables are in segments, maps that user space adds when the others are full. A segment's entries are chunks: word w
 * is in chunk w / UNWIND_CHUNK_WORDS, and chunk c in segment c / UNWIND_SEGMENT_CHUNKS. A file's table is a run of words in chunks of
 * its own: first one index word for each page of its code, then struct unwind_row. An index word has the place of the page's first
 * row, counted from the table's first word, and in its low bits how many rows there are. The rows of a page are in one chunk, and
 * the first of them is at the page's begin: unlike in a struct unwind_table a row never holds for the next page, so that a search
 * looks at one chunk only.
 */
#ifndef PERF_BPF_UNWIND_SAMPLE_H
#define PERF_BPF_UNWIND_SAMPLE_H

#include "interp.h"
#include "unwind.h"

#define UNWIND_CHUNK_WORDS 8192U
#define UNWIND_SEGMENT_CHUNKS 64U /* 2 MiB; adding a segment waits for all programs, some 10 ms, so there should be few */
#define UNWIND_MAX_SEGMENTS 512U
#define UNWIND_ROWS_BITS 10	 /* of an index word */
#define UNWIND_MAX_PAGE_ROWS ((1U << UNWIND_ROWS_BITS) - 1)
#define UNWIND_MAX_TABLE_WORDS (1U << (32 - UNWIND_ROWS_BITS))
#define UNWIND_MAX_FILES 8192
#define UNWIND_MAX_STACK 127 /* frames of each part of a stack, if more are not asked for: the default of kernel.perf_event_max_stack */

#define UNWIND_MINOR_BITS 20 /* of a device's number in the kernel: include/linux/kdev_t.h */

/* A file as the kernel knows it. */
struct unwind_key {
	__u64 inode;
	__u32 dev;	  /* s_dev of its super block; 0 together with inode 0: the vdso */
	__u32 generation; /* of the inode's number */
	__u64 changed;	  /* when the file's contents last did: st_mtim in ns */
};

enum unwind_file_state {
	UNWIND_FILE_ASKED, /* user space was asked for its table; a program makes it of zeros */
	UNWIND_FILE_READY,
	UNWIND_FILE_BARE,    /* it has no table: its code is taken to have frame pointers */
	UNWIND_FILE_REFUSED, /* its table has no room */
	UNWIND_FILE_FAILED,  /* it could not be read */
};

struct unwind_file {
	__u32 state;	  /* enum unwind_file_state */
	__u32 word;	  /* the table's first one */
	__u32 first_page; /* as in struct unwind_table */
	__u32 nr_pages;
	__u32 id;     /* source/unwind-files.h; 0: none */
	__u32 serial; /* identifies its table, and is never used again; 0: there is no table */
	__u32 interp; /* it has an interpreter: its number in interp_files, and 1; 0: it has none */
	__u32 pad;
	__u64 used; /* when a stack last went through the file: ns, CLOCK_MONOTONIC */
};

/*
 * A mapping of a file with code. Through the ring: its table is asked for. From the iterator: it is there. Begins as a struct
 * perf_event_header, for bpf/ring.h.
 */
struct unwind_mapping {
	__u32 type;
	__u16 misc, size;
	__u32 pid, uid;	  /* a process that maps the file, and its user, in the initial namespaces */
	__u64 start, end; /* of the mapping */
	struct unwind_key key;
};

/*
 * A frame as a place in a file, which is the same in all processes: UNWIND_PLACE, which is in no address of user space, id <<
 * UNWIND_PLACE_BITS and the offset in the file. The id is 0 if the file is not known yet.
 */
#define UNWIND_PLACE (1ULL << 62)
#define UNWIND_PLACE_BITS 36
#define UNWIND_PLACE_MASK ((1ULL << UNWIND_PLACE_BITS) - 1)

/*
 * A sample whose user stack user space is to finish, through the ring, in place of its record. Its data are, one after the other:
 *
 *	struct unwind_map[nr_maps]	code of the process
 *	sample_size bytes		the record, with the frames that BPF has found: a PERF_RECORD_SAMPLE, struct offcpu_stack or tally_record
 *	stacks[0].size bytes, then
 *	stacks[1].size bytes		the process's stacks
 */
#define UNWIND_UNFINISHED 0x80000001U /* its type: no perf record's */
#define UNWIND_MAX_MAPS 64
#define UNWIND_MAX_SAMPLE 16384 /* bytes: sample_size */
#define UNWIND_MAX_UNFINISHED 65528 /* bytes: header.size has 16 bits */
#define UNWIND_COPY 4096U	    /* bytes at once: those of a page, since pages without memory cannot be read */

struct unwind_map {
	__u64 start, size;
	__u64 offset;	       /* of start in the file */
	struct unwind_key key; /* inode UNWIND_NO_INODE: code in no file */
};

#define UNWIND_NO_INODE (~0ULL)

#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define UNWIND_NR_REGS 34 /* struct user_pt_regs */
#else
#define UNWIND_NR_REGS 21 /* struct pt_regs */
#endif

/* A part of the process's stacks, from the address at on: whole words */
struct unwind_copied {
	__u64 at;
	__u32 size, wanted; /* bytes */
	__u32 missing;	    /* a bit for each UNWIND_COPY of its addresses, the first one's is 1: it could not be read */
	__u32 pad;
};

struct unwind_unfinished {
	__u32 type; /* struct perf_event_header */
	__u16 misc, size;
	__u32 pid;	    /* in the initial pid namespace */
	__u32 end;	    /* how BPF's walk ended */
	__u32 chain, nr;    /* in the sample: words before the number of the callchain's entries; the user's frames, which are its last */
	__u32 max;	    /* of the user's frames */
	__u32 nr_maps, sample_size;
	__u32 uid;	    /* in the initial user namespace */
	struct unwind_copied stacks[2]; /* that of the stack pointer; if it is a signal handler's own, also the one that was interrupted */
	__u64 ra_mask; /* see unwind-step.bpf.h */
	__u64 regs[UNWIND_NR_REGS];
};

struct unwind_config {
	__u32 max_frames; /* of the user's part of a stack, at most UNWIND_MAX_FRAMES */
	__u32 max_kernel; /* of the kernel's, at most UNWIND_MAX_STACK */
	__u32 wake_at;	  /* bytes in the ring */
	__u8 wake_each;	  /* wake the reader for each sample */
	__u8 no_kernel, no_user; /* leave out this part of stacks */
	__u8 filtered;	  /* there is a table of a filter */
};

/* One of these per CPU. */
struct unwind_counts {
	__u64 ended[UNWIND_NR_ENDS]; /* user stacks by how they ended */
	__u64 frames;			    /* of all of them */
	__u64 sent;			    /* of them: sent to user space to be finished there */
	__u64 unsent;			    /* could not be sent, as the ring was half full */
	__u64 lost;			    /* samples that did not fit into the ring */
	struct interp_counts interp;
	__u64 turn;			    /* samples, to look at the ring's level now and then */
};

#endif
