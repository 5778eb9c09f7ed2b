/* SPDX-License-Identifier: GPL-2.0 */
/* Members of JSON objects, by yajl. */
#ifndef PERF_UI_JSON_H
#define PERF_UI_JSON_H

#include <stdio.h>
#include <yajl/yajl_gen.h>
#include "util/lib/types.h"

/*
 * Writes to fp as it goes; to be ended by yajl_gen_free(). NULL: out of memory. '<' is written as \u003c: the text may stand in a page, and
 * no name in it ends what it stands in.
 */
yajl_gen json__new(FILE *fp);

/* Each byte that is no UTF-8, as names may have them, becomes '?'. */
void json__string(yajl_gen gen, const char *text);
void json__put_number(yajl_gen gen, const char *key, u64 value);
void json__put_text(yajl_gen gen, const char *key, const char *value); /* NULL: nothing is put */

#endif
