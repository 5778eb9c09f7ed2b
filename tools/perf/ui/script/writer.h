/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes perf script's output to files. Output is collected in pieces; a separate thread formats and writes them, while more is
 * collected. With only one CPU the collecting thread does both.
 *
 * A piece may refer to text that is kept elsewhere, so that frequent output is copied only once, by that thread, or not at all.
 */
#ifndef PERF_UI_SCRIPT_WRITER_H
#define PERF_UI_SCRIPT_WRITER_H

#include <stdio.h>
#include "ui/script/lines.h"
#include "ui/script/numbers.h"

struct script_writer;

/* style must outlive the writer. NULL: no memory. */
struct script_writer *script_writer__new(const struct script_style *style);
/* Output that was not drained may be lost. */
void script_writer__delete(struct script_writer *w);

/* Set the file for the next pieces. Do not write to a file before script_writer__drain(), or to another FILE for it. */
void script_writer__set_file(struct script_writer *w, FILE *fp);

/* The text for output that is no other kind of piece; the same pointer during the life of the writer. */
struct text *script_writer__text(struct script_writer *w);
/* A FILE for code that prints to one: fflush() appends to the same text. NULL: no memory. */
FILE *script_writer__stream(struct script_writer *w);
/* Returns where to put the numbers, before anything else is added. */
struct script_numbers *script_writer__add_numbers(struct script_writer *w);
/* The text must stay until script_writer__drain(). */
void script_writer__add_kept(struct script_writer *w, struct kept_text kept);
/* Numbers and two such texts, in this order: the usual kind of record. Their len may be 0. */
struct script_numbers *script_writer__add_line(struct script_writer *w, struct kept_text first, struct kept_text second);

/* Call it between two samples or records: passes on the collected output if it is enough. */
void script_writer__end_record(struct script_writer *w);

/* Returns when all output is written to the files. 0 or -ENOMEM: some is lost. Check the files for write errors. */
int script_writer__drain(struct script_writer *w);

#endif
