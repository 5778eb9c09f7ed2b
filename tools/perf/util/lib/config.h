/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of perf, shared with other perfs: /etc/perfconfig and ~/.perfconfig, or only the file in $PERF_CONFIG. The
 * format is git's: [section] lines, followed by "name = value"; '#' and ';' begin comments.
 */
#ifndef PERF_LIB_CONFIG_H
#define PERF_LIB_CONFIG_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

struct config;

enum config_which {
	CONFIG_ALL,    /* if both files have a name, the user's value counts */
	CONFIG_SYSTEM,
	CONFIG_USER,
};

/*
 * Read the files. A missing file is empty, and so is the user's if it belongs to somebody else or others may write it; note gets a
 * line about that. -EINVAL: malformed line.
 */
int config__read(enum config_which which, void (*note)(const char *text), struct config **config, struct errmsg *err);
void config__delete(struct config *config);

/* Get the value of "section.name"; NULL: not set. A name without a value is "". Valid until the delete. */
const char *config__get(const struct config *config, const char *key);
/* "true", "yes", "on", "" or a non-zero number; "false", "no", "off" or 0. -EINVAL: none of these. */
int config__bool(const char *value, bool *on);

/* All values, in the order of the files; stops at a non-zero return and returns it. */
int config__for_each(const struct config *config, int (*cb)(const char *key, const char *value, void *data), void *data);

/* Set one value in a file; keeps its other lines. Replaces the file as a whole, or not at all. */
int config__set(enum config_which which, const char *key, const char *value, struct errmsg *err);

/* Is it "section.name", both made of letters, digits, '-' and '_'? */
bool config__is_key(const char *key);

#endif
