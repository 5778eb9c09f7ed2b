/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the text of one record of a tracepoint can become. A file chooses the format, and the kernel gives a text 8 KiB at most: formats
 * that can make much more of a record are not printed.
 */
#ifndef PERF_EVENT_TP_TEXT_H
#define PERF_EVENT_TP_TEXT_H

#include <stdbool.h>
#include "util/lib/types.h"

struct tep_event;
struct tep_print_arg;

#define TP_TEXT_FIXED 8192    /* characters of a text, whatever is in the record */
#define TP_TEXT_PER_BYTE 128  /* and for each byte of the record: a mask of CPUs takes 38 at worst */
#define TP_TEXT_NAME 512      /* characters of a function, or of a string of the kernel's */

/* Do the print format and the fields of an event that was parsed stay below TP_TEXT_FIXED + TP_TEXT_PER_BYTE * size? */
bool tp_text__is_bounded(const struct tep_event *event);

/* An argument that a '*' takes: printf is only called with a value from 0 to max, which is what is_bounded() reckons with. */
struct tp_length {
	const struct tep_print_arg *arg; /* the event's */
	u32 max;
};

/* Of the print format. malloc'ed, NULL if there are none. 0 or -ENOMEM. */
int tp_text__find_lengths(const struct tep_event *event, struct tp_length **lengths, u32 *nr);

#endif
