/* SPDX-License-Identifier: GPL-2.0 */
/* Callchains in the output of perf script: most of their lines were printed before. */
#ifndef PERF_UI_SCRIPT_CHAIN_H
#define PERF_UI_SCRIPT_CHAIN_H

#include "ui/script/place.h"
#include "ui/script/writer.h"

struct script_chains { /* starts zeroed */
	struct script_lines *lines; /* NULL: none so far; without memory for them printing is only slower */
	struct text line, list; /* lines to be kept */
};

/* Print the callchain of a sample, which has one. tokens: those of session_again if both will be used; otherwise NULL. */
void script_chains__print(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct session_sample *s, struct session_tokens *tokens);
/* Print the same chain again, by these tokens. */
void script_chains__print_known(const struct script_chains *c, struct script_writer *w, const struct session_tokens *tokens);
void script_chains__exit(struct script_chains *c);

#endif
