/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in recordings are what tasks, files and other machines call themselves. Shown as they are, they could give orders to the
 * terminal (ESC ...) or end the line and begin one that looks like another sample.
 */
#ifndef PERF_LIB_PRINTABLE_H
#define PERF_LIB_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "util/lib/types.h"

/* Bytes of the UTF-8 character at s (RFC 3629: shortest form, no surrogates, up to U+10FFFF), all before end; 0: it is none. */
size_t utf8_length(const u8 *s, const u8 *end);

/*
 * Put '?' in the place of each byte that is not text: of control characters but the tab, also those above ASCII (U+0080 to U+009F), and
 * of what is no UTF-8. A NUL is one of them, if it is among the len bytes. True: something was.
 */
bool printable__clean_bytes(char *text, size_t len);
char *printable__clean(char *text); /* the same up to the NUL; returns text */

/* Put '?' in the place of each byte that is no UTF-8, and of no other: for forms that promise it. Returns text. */
char *utf8__clean(char *text);
bool utf8__is_valid(const char *text);

/* Write a clean copy of text. */
void printable__fputs(const char *text, FILE *fp);

#endif
