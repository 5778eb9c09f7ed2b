/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf script prints, on its way to files. It is gathered in pieces, and a thread of its own makes one text of them and
 * writes it, while more is gathered. Where there is one CPU only the same is done by who gathers.
 *
 * A piece may refer to text that is kept elsewhere, so that what is printed often is copied once, by that thread,
 * or not at all.
 */
#ifndef PERF_UI_SCRIPT_WRITER_H
#define PERF_UI_SCRIPT_WRITER_H

#include <stdio.h>
#include "ui/script/lines.h"
#include "ui/script/numbers.h"

struct script_writer;

/* style is to outlive the writer. NULL: no memory. */
struct script_writer *script_writer__new(const struct script_style *style);
/* What was not drained may be lost. */
void script_writer__delete(struct script_writer *w);

/* Where the next pieces go. Nobody else writes to a file before script_writer__drain(), or to a FILE that goes to the same one. */
void script_writer__set_file(struct script_writer *w, FILE *fp);

/* Print here what is no piece of the other kinds; the same one for the life of the writer. */
struct text *script_writer__text(struct script_writer *w);
/* For what only prints to a FILE: it comes to the same text with fflush(). NULL: no memory. */
FILE *script_writer__stream(struct script_writer *w);
/* Returns where the numbers are to be put, before anything else is added. */
struct script_numbers *script_writer__add_numbers(struct script_writer *w);
/* It is kept at least until script_writer__drain(). */
void script_writer__add_kept(struct script_writer *w, const struct kept_text *kept);

/* Between two samples or records: what was gathered may go on its way, if it is enough. */
void script_writer__end_record(struct script_writer *w);

/* Everything so far is with the files when this returns. 0 or -ENOMEM: some of it is lost. Errors of writing are the files'. */
int script_writer__drain(struct script_writer *w);

#endif
