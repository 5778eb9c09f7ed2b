/* SPDX-License-Identifier: GPL-2.0 */
/* For commands that watch the running system and get all results from functions of their own, so that nothing is recorded. */
#ifndef PERF_CMD_RECORD_WATCHING_H
#define PERF_CMD_RECORD_WATCHING_H

#include <stdbool.h>
#include "cmd/record/options.h"

struct watching {
	struct tally_opts counting;
	struct record_rows sink; /* gets no rows; ends the run when nobody reads the output */
};

#define WATCHING_INIT { .counting = TALLY_OPTS_INIT }

/* Before record_options__settle(): w must outlive the run. */
void watching__settle(struct watching *w, struct record_options *recording);

/*
 * Run until the command ends. Without a command, a signal is the way to end, which hint says first (NULL: nothing); the exit status is then 0.
 * argv: the command, as record_options__parse() leaves it.
 */
int watching__run(struct record_options *recording, char *const *argv, const char *hint, record_tell finish);

/* Call take for each word of a list with commas or blanks. false: it refused *word, of *len bytes. */
bool words__for_each(const char *list, bool (*take)(void *data, const char *word, size_t len), void *data, const char **word, size_t *len);

#endif
