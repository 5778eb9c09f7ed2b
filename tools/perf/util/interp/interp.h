/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interpreters whose frames BPF programs find in user stacks (bpf_skel/interp.h): a table with a row for each. A row recognises the files that
 * have the interpreter's loop, and says where in a process its data are; its walker is in bpf_skel/. What the walker sends about a function
 * the row turns into name, file and lines.
 */
#ifndef PERF_INTERP_INTERP_H
#define PERF_INTERP_INTERP_H

#include <stdbool.h>
#include "util/bpf_skel/interp.h"
#include "util/lib/errmsg.h"
#include "util/lib/text.h"
#include "util/symbol/elf-file.h"

/* Bytecode from this offset on, up to the next entry, is of that line; 0: of none. */
struct interp_line {
	u32 offset, line;
};

struct interp_function {
	char *name, *path; /* UTF-8 */
	struct interp_line *line;
	u32 nr_lines;
};

struct interp_ops {
	enum interp_kind kind;
	const char *name; /* the interpreter's, in lower case */
	/*
	 * Has this file, called name, the loop? Then fill in *file, apart from its kind. 0; -ENOENT: no; -ENOTSUP: yes, but it is one that we
	 * cannot read, with a text. Files may be anything.
	 */
	int (*recognise)(struct elf_file *elf, const char *name, struct interp_file *file, struct errmsg *err);
	/* 0, -EINVAL or -ENOMEM; all of fn is malloc'ed. */
	int (*describe)(const struct interp_code *code, const struct interp_file *file, struct interp_function *fn);
};

/* As .recognise, for all interpreters. fd stays the caller's; it was opened by regular-file.h. */
int interp__recognise(int fd, const char *name, struct interp_file *file, struct errmsg *err);
/* The row of that kind; NULL: none */
const struct interp_ops *interp__ops(enum interp_kind kind);
/* What symbols call it: "Queue.get (queue.py)" */
void interp_function__put_label(const struct interp_function *fn, struct text *label);
void interp_function__exit(struct interp_function *fn);

extern const struct interp_ops python_ops;

#endif
