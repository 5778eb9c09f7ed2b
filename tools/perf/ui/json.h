/* SPDX-License-Identifier: GPL-2.0 */
/* Members of JSON objects, by yajl. */
#ifndef PERF_UI_JSON_H
#define PERF_UI_JSON_H

#include <stdio.h>
#include <yajl/yajl_gen.h>
#include "util/lib/types.h"

/*
 * Writes to fp as it goes; end it with yajl_gen_free(). NULL: out of memory. '<' is written as \u003c: the text may be embedded in a
 * page, where a name must not end its element.
 */
yajl_gen json__new(FILE *fp);

/* Replaces each byte of invalid UTF-8, which names may have, by '?'. */
void json__string(yajl_gen gen, const char *text);
/* The same alone, with its quotes and with '<' as it is: for objects whose layout other programs know. */
void json__print_string(FILE *fp, const char *text);
void json__number(yajl_gen gen, u64 value);
void json__put_number(yajl_gen gen, const char *key, u64 value);
void json__put_text(yajl_gen gen, const char *key, const char *value); /* NULL: writes nothing */
void json__put_now(yajl_gen gen, const char *key); /* time of day in seconds, to the millisecond like intervals */

#endif
