/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of perf, which its users share with other perfs: /etc/perfconfig and ~/.perfconfig, or the file that $PERF_CONFIG
 * names alone. The form is git's: [section] lines, and below them "name = value"; '#' and ';' begin comments.
 */
#ifndef PERF_LIB_CONFIG_H
#define PERF_LIB_CONFIG_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

struct config;

enum config_which {
	CONFIG_ALL,    /* of a name that is in both files the user's value counts */
	CONFIG_SYSTEM,
	CONFIG_USER,
};

/*
 * Read what there is. A file that does not exist is empty, and so is the user's if it is somebody else's or may be written by others,
 * which note is told of, in one line. -EINVAL: a line that is none.
 */
int config__read(enum config_which which, void (*note)(const char *text), struct config **config, struct errmsg *err);
void config__delete(struct config *config);

/* Of "section.name"; NULL: it is not set. A name without a value is "". Until the delete. */
const char *config__get(const struct config *config, const char *key);
/* "true", "yes", "on", "" or a number but 0; "false", "no", "off" or 0. -EINVAL: none of these. */
int config__bool(const char *value, bool *on);

/* All that is set, in the order of the files; a return that is not 0 stops and is handed on. */
int config__for_each(const struct config *config, int (*cb)(const char *key, const char *value, void *data), void *data);

/* Set one value in a file; its other lines stay as they are. The file is replaced as a whole, or not at all. */
int config__set(enum config_which which, const char *key, const char *value, struct errmsg *err);

/* Is it "section.name", both of letters, digits, '-' and '_'? */
bool config__is_key(const char *key);

#endif
