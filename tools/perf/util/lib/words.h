/* SPDX-License-Identifier: GPL-2.0 */
/* A list of words in an option: "a,b,c"; a word file:///path/to/file is replaced by the lines of that regular file, of at most 64 MiB. */
#ifndef PERF_LIB_WORDS_H
#define PERF_LIB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/lib/errmsg.h"

struct words;

/* 0 or -errno; a file that cannot be read is an error. */
int words__parse(const char *text, struct words **words, struct errmsg *err);
void words__delete(struct words *words);

bool words__has(const struct words *words, const char *word); /* NULL is no word */
/* In sorted order; NULL after the last one. */
const char *words__at(const struct words *words, size_t index);

#endif
