/* SPDX-License-Identifier: GPL-2.0 */
/* Callchains as perf script prints them: most are lines that were printed before. */
#ifndef PERF_UI_SCRIPT_CHAIN_H
#define PERF_UI_SCRIPT_CHAIN_H

#include "ui/script-place.h"
#include "ui/script-writer.h"

struct script_chains { /* starts zeroed */
	struct script_lines *lines; /* NULL: not yet any; without memory for them we only are slower */
	struct text text; /* of a line */
	const struct kept_lines **room; /* for those of a list */
	u32 alloc;
};

/* The sample has a callchain. */
void script_chains__print(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct session_sample *s);
void script_chains__exit(struct script_chains *c);

#endif
