/* SPDX-License-Identifier: GPL-2.0 */
/* Callchains as perf script prints them: most are lines that were printed before. */
#ifndef PERF_UI_SCRIPT_CHAIN_H
#define PERF_UI_SCRIPT_CHAIN_H

#include "ui/script/place.h"
#include "ui/script/writer.h"

struct script_chains { /* starts zeroed */
	struct script_lines *lines; /* NULL: not yet any; without memory for them we only are slower */
	struct text line, list; /* that are to be kept */
};

/* The sample has a callchain. tokens: of session_again, if there both will be asked for; else NULL. */
void script_chains__print(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct session_sample *s, struct session_tokens *tokens);
/* The same chain again, by these tokens. */
void script_chains__print_known(const struct script_chains *c, struct script_writer *w, const struct session_tokens *tokens);
void script_chains__exit(struct script_chains *c);

#endif
