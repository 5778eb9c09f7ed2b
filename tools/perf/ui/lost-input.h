/* SPDX-License-Identifier: GPL-2.0 */
/* What becomes of a command whose recording is cut off while it is read (util/lib/file-map.h). */
#ifndef PERF_UI_LOST_INPUT_H
#define PERF_UI_LOST_INPUT_H

/* It then ends with this status: after one message, the removal of the files that are not whole, and the pager. */
void lost_input__end_with(int status);

#endif
