/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of the text of a tracepoint's record. A file chooses the format, and the kernel limits a text to 8 KiB: formats that would make much
 * more of a record are not evaluated.
 */
#ifndef PERF_EVENT_TP_TEXT_H
#define PERF_EVENT_TP_TEXT_H

#define TP_TEXT_FIXED 8192    /* characters of a text, for any record */
#define TP_TEXT_PER_BYTE 128  /* and for each byte of the record */
#define TP_TEXT_NAME 512      /* characters of a function, or of a kernel string */
#define TP_TEXT_WIDTH 1024    /* of a conversion */
#define TP_TEXT_MASK (1 << 16) /* bits of a mask */

#endif
