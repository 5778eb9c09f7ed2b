/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that was made at run time, from the file jit-PID.dump of the JIT compilers of Java, Node.js, Python and others: see
 * tools/perf/Documentation/jitdump-specification.txt in the kernel's sources. They map the file executable, so that it is in the recording.
 *
 * The file only grows, and holds each function's code. So a function has its place in the file, as in a program: recorded maps lead there from
 * its address at a time, and the table of symbols has names for places.
 */
#ifndef PERF_SYMBOL_JITDUMP_H
#define PERF_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include "util/symbol/elf-budget.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab.h"

struct jitdump_head {
	u64 time;	/* when the file was made */
	u32 pid;	/* in the process's own PID namespace */
	bool arch_time; /* times are no CLOCK_MONOTONIC, but a counter's of the CPU */
};

struct jit_code {
	u64 time;
	u64 addr, size; /* in the process; size is not 0 */
	u64 offset;	/* of its bytes in the file */
	const char *name; /* NULL: was moved there, and keeps the name of the code at this offset. Valid during the call */
};

/*
 * Open the file that process pid (0: unknown) has mapped as path, with the inode number ino (0: unknown), also in the root of the process while
 * it lives. A file with that number, or one of this user or of root; else -EPERM, as anybody may write to /tmp. If the bundle of places has the
 * file, or the cache by id, it is that. id and places may be NULL. A descriptor, or -errno with a text.
 */
int jitdump__open(const char *path, u32 pid, u64 ino, const struct build_id *id, const struct file_places *places, struct errmsg *err);

/*
 * Call cb for each function in the order of the file until it returns non-zero; returns that value. head is set before. Reading stops without an
 * error at the end of the runtime (CLOSE), and at a record that is not whole, as the process may be writing. budget bounds the memory for moved
 * code. -errno with a text: not such a file.
 */
int jitdump__read(int fd, struct elf_budget *budget, struct jitdump_head *head, int (*cb)(void *data, const struct jit_code *code), void *data,
		  struct errmsg *err);

/* The names. Addresses of symbols are offsets in the file. places->dso: the file's, or NULL. */
int symtab__load_jitdump(const char *path, const struct file_places *places, struct symtab **tab, struct errmsg *err);

#endif
