/* SPDX-License-Identifier: GPL-2.0 */
/* Callchains in the output of perf script: most of their lines were printed before. */
#ifndef PERF_UI_SCRIPT_CHAIN_H
#define PERF_UI_SCRIPT_CHAIN_H

#include "ui/script/place.h"
#include "ui/script/writer.h"
#include "util/lib/number-table.h"

struct script_chains { /* starts zeroed */
	struct script_lines *lines; /* NULL: none so far; without memory for them printing is only slower */
	struct text line, list; /* lines to be kept */
	struct number_table place, callers; /* u64: where the text of parts is kept, by their ids; 0: it is not */
	/* u8: callers that were printed, by their ids, and by the numbers of callchain.h. Most come only once: keep the text of others. */
	struct number_table seen_ids, seen_numbers;
};

/* Print the callchain of a sample, which has one. */
void script_chains__print(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct session_sample *s);

/*
 * The same, and an empty line, for samples whose text depends on nothing else than their ids: keep it. A chain without callers is
 * completed by their text, see SESSION_NEEDS_PLACE.
 */
void script_chains__print_by_ids(struct script_chains *c, struct script_writer *w, const struct script_look *look,
				 const struct session_sample *s);
void script_chains__prefetch(const struct script_chains *c, const struct stack_ids *ids);
/* What is needed of a sample besides what is kept for its ids. */
enum session_need script_chains__need(const struct script_chains *c, const struct stack_ids *ids);
/* For a sample that needs nothing: print what is kept for its ids. Returns the numbers that precede it; the caller sets them. */
struct script_numbers *script_chains__print_known(const struct script_chains *c, struct script_writer *w, const struct stack_ids *ids);
/* Ids begin anew. */
void script_chains__forget(struct script_chains *c);
void script_chains__exit(struct script_chains *c);

#endif
