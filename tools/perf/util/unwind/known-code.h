/* SPDX-License-Identifier: GPL-2.0 */
/* Rules for code that files say nothing about, but that is always the same: the linker's, and that of the C start files. */
#ifndef PERF_UNWIND_KNOWN_CODE_H
#define PERF_UNWIND_KNOWN_CODE_H

#include "util/symbol/elf-file.h"
#include "util/bpf_skel/unwind.h"

#define KNOWN_MAX_BLOCKS 16
#define KNOWN_MAX_ROWS 8

struct known_block { /* by offset in the file */
	u64 begin, end;
	u32 nr;
	struct {
		u64 at; /* from begin */
		struct unwind_rule rule;
	} row[KNOWN_MAX_ROWS];
};

struct known_code {
	struct known_block block[KNOWN_MAX_BLOCKS]; /* by begin */
	u32 nr;
	/* where the program begins: its frame is the outermost one; UINT64_MAX: the file is no program */
	u64 entry;
	u64 context; /* the same for contexts of makecontext(3), in glibc for x86-64: they return to its first instruction */
	/*
	 * Code that .eh_frame leaves out has frame pointers. They lead from one of Go's stacks to the other; .debug_frame, which Go's linker
	 * writes, ends there.
	 */
	bool is_go;
	bool has_sigreturn; /* the return from a signal handler of arm64, whose vdso has no call frame information */
};

/*
 * .plt, .plt.got, .plt.sec and .iplt (lld describes none of them, and nobody does for arm64), .init and .fini, the first function of a
 * program, on x86 what GCC's start files have besides it (__do_global_dtors_aux and others), and the vdso of arm64: the return from a signal handler, and functions.
 */
void known_code__find(struct known_code *known, const struct elf_file *file);

#endif
