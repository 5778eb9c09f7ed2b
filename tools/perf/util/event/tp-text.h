/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits the length of the text of a tracepoint's record. A file chooses the format, and the kernel limits a text to 8 KiB: formats
 * that can produce much more are not printed.
 */
#ifndef PERF_EVENT_TP_TEXT_H
#define PERF_EVENT_TP_TEXT_H

#include <stdbool.h>
#include "util/lib/types.h"

struct tep_event;
struct tep_print_arg;

#define TP_TEXT_FIXED 8192    /* characters of a text, for any record */
#define TP_TEXT_PER_BYTE 128  /* and for each byte of the record: a mask of CPUs takes at most 38 */
#define TP_TEXT_NAME 512      /* characters of a function, or of a kernel string */

/* Do the print format and the fields of a parsed event stay below TP_TEXT_FIXED + TP_TEXT_PER_BYTE * size? */
bool tp_text__is_bounded(const struct tep_event *event);

/* The argument of a '*': printf is only called with a value from 0 to max, the limit that is_bounded() assumes. */
struct tp_length {
	const struct tep_print_arg *arg; /* owned by the event */
	u32 max;
};

/* Find those in the print format. malloc'ed, NULL if there are none. 0 or -ENOMEM. */
int tp_text__find_lengths(const struct tep_event *event, struct tp_length **lengths, u32 *nr);

#endif
