/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in recordings come from tasks, files and other machines. Printed as they are, they could control the terminal (ESC ...) or
 * end the line and begin one that looks like another sample.
 */
#ifndef PERF_LIB_PRINTABLE_H
#define PERF_LIB_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "util/lib/types.h"

/* Length of the UTF-8 character at s (RFC 3629: shortest form, no surrogates, up to U+10FFFF), which must end before end; 0: invalid. */
size_t utf8_length(const u8 *s, const u8 *end);

/*
 * Replace each byte that is not text by '?': control characters, including those above ASCII (U+0080 to U+009F), invalid
 * UTF-8, and any NUL among the len bytes. true: something was replaced.
 */
bool printable__clean_bytes(char *text, size_t len);
char *printable__clean(char *text); /* the same up to the NUL; returns text */
bool printable__is_clean(const char *text); /* Would nothing be replaced? */

bool printable__clean_line(char *text, size_t len); /* of source or a message, which keeps its tabs; otherwise as above */

/* Replace each byte of invalid UTF-8 by '?', and no other: for formats that require UTF-8. Returns text. */
char *utf8__clean(char *text);
bool utf8__is_valid(const char *text);

/* Write a clean copy of text. */
void printable__fputs(const char *text, FILE *fp);

#endif
