/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Frames of interpreters in user stacks: what BPF programs (interp.bpf.h) share with user space (util/interp/). Plain data only; BPF programs
 * include vmlinux.h first.
 *
 * An interpreter's loop has one native frame for each activation, and that runs one or more of the interpreter's own frames. In stacks these
 * take its place. Such a frame has an address as code has: each function gets a range of INTERP_BASE and behind when a program first meets it,
 * as long as its bytecode. So it is the same in all processes, and user space, to which programs send the function's name once
 * (struct interp_code), writes a file with symbols and lines for the range.
 */
#ifndef PERF_BPF_INTERP_H
#define PERF_BPF_INTERP_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* No process maps anything there: it is between the programs (at most 0x10...) and what mmap(2) chooses (0x5..., 0x7...). */
#define INTERP_BASE 0x2f0000000000ULL
#define INTERP_MAX_BYTES (1U << 30) /* the end of all functions' ranges */
#define INTERP_FIRST 0x1000U /* of the ranges: before it are the headers of the file */
#define INTERP_NAMELESS 64U /* bytes of the first range, which is of all functions whose names could not be sent */

#define INTERP_MAX_FILES 256	 /* with an interpreter: those that were met last */
#define INTERP_MAX_CODES 32768	 /* code objects of processes that programs remember: those that were met last */
#define INTERP_MAX_FUNCTIONS 32768 /* what they are, that programs remember */
#define INTERP_ALL_FUNCTIONS (1U << 20) /* of a recording, */
#define INTERP_OWN_FUNCTIONS 32768 /* and of a process: others stay nameless */
#define INTERP_ALL_NAMES (128U << 20) /* bytes of names and lines that user space keeps */
#define INTERP_FEW_FUNCTIONS 4096 /* of a process: it may fill more of the ring than those with more */
#define INTERP_SENT_BYTES (1U << 20) /* the ring for them */
#define INTERP_MAX_SHARES 8192 /* of processes and users, that are known: those that met new functions last */
#define INTERP_MAX_PARTS 2	 /* of the loop's code */

enum interp_mode {
	INTERP_OFF,
	INTERP_MERGED, /* in place of the loop's frames */
	INTERP_ONLY,   /* and no native frames, if a stack has any of an interpreter */
};

enum interp_kind {
	INTERP_NONE,
	INTERP_PYTHON,
};

/* How frames find their callers, and which activation they belong to */
enum python_style {
	PYTHON_OBJECTS, /* 3.10 and before: an activation runs one frame, an object that does not say which one. So frames are counted. */
	PYTHON_CFRAMES, /* 3.11: the activation has a _PyCFrame on its stack, and the first frame that it runs is marked */
	PYTHON_SHIMS,	/* 3.12 and later: it has a frame of its own there, which is the last one of those it runs */
};

/* Which bytecode is of which line */
enum python_lines {
	PYTHON_LNOTAB,	  /* 3.9 and before */
	PYTHON_LINETABLE, /* 3.10 */
	PYTHON_LOCATIONS, /* 3.11 and later */
};

/* Offsets in bytes. Those of a code object count from code_at, from where on its members are read. */
struct python_layout {
	__u16 style; /* enum python_style */
	__u8 lines;  /* enum python_lines */
	__u8 unit;   /* bytes of bytecode for which PYTHON_OBJECTS count one in instr, a number that is -1 before the first one */
	__u16 interpreters; /* _PyRuntime: the first interpreter */
	__u16 threads;	    /* interpreter: its first thread state */
	__u16 next_interpreter;
	__u16 next, thread_id, current; /* thread state: the next one, pthread_self(), and its frame, or if cframe_size is set its _PyCFrame */
	__u16 cframe_size, cframe_current, cframe_previous;
	__u16 code, previous, instr, owner; /* frame */
	__u16 code_at, first_line, filename, name, qualname, linetable; /* code object; first_line is 4 bytes */
	__u16 bytecode; /* from the code object's begin; PYTHON_OBJECTS: from code_at, where the address of a bytes object is */
	__u16 ascii, wide; /* string: where the text is */
};

/*
 * A file with an interpreter. Its number, which struct unwind_file has, is its place and a multiple of INTERP_MAX_FILES: another file in that
 * place has another number. A program that meets a file whose place another one has got asks user space for a new number.
 */
#define INTERP_NO_NUMBER (~0U) /* in place of the number and 1, until there is an answer */

struct interp_file {
	__u32 number;
	__u16 kind; /* enum interp_kind */
	__u16 used; /* programs have met it since user space looked last */
	struct {
		__u64 begin, size; /* offset in the file */
	} loop[INTERP_MAX_PARTS];
	__u64 data; /* its data in memory: from where the file's begin would be mapped with the code */
	struct python_layout python;
};

#define INTERP_NAME_BYTES 256
#define INTERP_PATH_BYTES 512
#define INTERP_LINES_BYTES 4096

struct interp_text {
	__u32 bytes; /* that follow in the record, at most those that there is room for; fewer than length * width: it was cut */
	__u32 length; /* characters */
	__u8 width;  /* bytes of a character: 1, 2, 4 */
	__u8 ascii;  /* otherwise width 1 is Latin-1 */
	__u16 pad;
};

/* A function, through the ring: begins as a struct perf_event_header. */
struct interp_code {
	__u32 type;
	__u16 misc, size;
	__u32 file, pid; /* number of struct interp_file; a process that has it */
	__u32 at, bytes; /* its range, from INTERP_BASE on */
	__s32 first_line;
	__u32 lines_wanted; /* bytes of its line table; lines has fewer if they could not be read, or are more than there is room for */
	__u64 code, lines_at; /* where the code object and its line table are in the process */
	struct interp_text name, path;
	__u32 nr_lines, user; /* of the process */
	__u8 name_text[INTERP_NAME_BYTES];
	__u8 path_text[INTERP_PATH_BYTES];
	__u8 lines[INTERP_LINES_BYTES]; /* nr_lines are sent */
};

/* One of these per CPU. */
struct interp_counts {
	__u64 frames;	   /* of interpreters */
	__u64 activations; /* that were replaced by them. The next ones stayed native: */
	__u64 unlinked;	   /* the activation had no frames yet, or no longer */
	__u64 no_thread;   /* stacks of threads for which no state of the interpreter was found */
	__u64 unreadable;  /* stacks with frames that could not be read */
	__u64 gone;	   /* stacks through a file whose place another one has got */
	__u64 nameless;	   /* frames of functions whose name could not be read, */
	__u64 unsent;	   /* or not be sent */
	__u64 no_room;	   /* frames of functions that had no room: their process took its share */
};

#endif
