/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the known name that is nearest to a misspelt one. */
#ifndef PERF_EVENT_SUGGEST_H
#define PERF_EVENT_SUGGEST_H

struct suggest {
	const char *word;	/* as written */
	unsigned int distance;	/* of best */
	char best[128];		/* "": nothing near */
};

void suggest__init(struct suggest *s, const char *word);
void suggest__offer(struct suggest *s, const char *known);

/* "; did you mean 'cycles'?", or "" if nothing was near. Returns buf. */
const char *suggest__text(const struct suggest *s, char *buf, unsigned int size);

#endif
