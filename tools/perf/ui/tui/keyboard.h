/* SPDX-License-Identifier: GPL-2.0 */
/* The one key that the output on a terminal knows. */
#ifndef PERF_UI_TUI_KEYBOARD_H
#define PERF_UI_TUI_KEYBOARD_H

#include <stdbool.h>

/* From now until keyboard__release() keys come at once and are not echoed. False: fd is not the terminal of us in the foreground. */
bool keyboard__take(int fd);
void keyboard__release(void);

/* Once fd is readable: was it q? Also true if nobody can press it any more. */
bool keyboard__wants_end(int fd);

#endif
