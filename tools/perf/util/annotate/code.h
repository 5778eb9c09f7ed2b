/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of a function as text, instructions and source lines, as objdump prints it. An own disassembler would know one machine, and no
 * sources; stock perf shows objdump's text, too. Only code that samples fell on is read, from the file that was recorded.
 */
#ifndef PERF_ANNOTATE_CODE_H
#define PERF_ANNOTATE_CODE_H

#include "util/lib/errmsg.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/resolve.h"

struct code_opts {
	const char *objdump; /* program, or its path; NULL: objdump */
	const char *style, *prefix, *prefix_strip; /* its -M, --prefix and --prefix-strip; NULL: not given */
	const char *symfs, *cache, *vmlinux; /* where files are; NULL: nothing said */
	bool no_source, raw;
	bool number_lines; /* by the debug information; else as in perf's text, see below */
};

struct code_line {
	s64 offset;  /* in the function; -1: a line of source or other text */
	int number;  /* of the line in the source with number_lines, else of the output */
	char *text;
};

struct code_text { /* starts zeroed */
	u64 start; /* address of the function in its file */
	u16 machine; /* EM_* of the file */
	struct code_line *line;
	u32 nr, alloc;
};

/* Read the code of the function at a location. 0, or -errno with a message: without a line end, as why "perf annotate" cannot show it. */
int code_text__read(struct code_text *code, struct resolver *resolver, const struct location *loc, const struct code_opts *opts,
		    struct errmsg *err);
void code_text__exit(struct code_text *code);

/* The text without blanks around it and with tabs as blanks; control characters would reach the terminal. malloc'ed; NULL: no memory */
char *code_line__clean(const char *text);
/* Takes over the line's text. 0 or -ENOMEM */
int code_text__add(struct code_text *code, const struct code_line *line);

#endif
