/* SPDX-License-Identifier: GPL-2.0 */
/* Ends a command when its recording is truncated while it is read (util/lib/file-map.h). */
#ifndef PERF_UI_LOST_INPUT_H
#define PERF_UI_LOST_INPUT_H

/* Exit with this status in that case: after one message, removing incomplete files, and the pager. */
void lost_input__end_with(int status);

#endif
