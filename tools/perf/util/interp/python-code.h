/* SPDX-License-Identifier: GPL-2.0 */
/* What CPython's code objects say: names, and the lines of their bytecode. */
#ifndef PERF_INTERP_PYTHON_CODE_H
#define PERF_INTERP_PYTHON_CODE_H

#include "util/interp/interp.h"

int python_code__describe(const struct interp_code *code, const struct interp_file *file, struct interp_function *fn);

/*
 * Decode co_linetable, before 3.10 co_lnotab, of bytes of bytecode. A table that ends early, or is damaged, gives the lines up to there. *line is
 * malloc'ed. 0 or -ENOMEM.
 */
int python_lines__decode(enum python_lines kind, const u8 *table, size_t size, s32 first_line, u32 bytes, struct interp_line **line, u32 *nr);

/* A str as UTF-8, malloc'ed, in which control characters are '?'; "..." at its end if it was cut. NULL: no memory. */
char *python_text__decode(const struct interp_text *text, const u8 *bytes);

#endif
