/* SPDX-License-Identifier: GPL-2.0 */
/* The one key of terminal output. */
#ifndef PERF_UI_TUI_KEYBOARD_H
#define PERF_UI_TUI_KEYBOARD_H

#include <stdbool.h>

/* Until keyboard__release() keys arrive at once and are not echoed. false: fd is not our terminal in the foreground. */
bool keyboard__take(int fd);
void keyboard__release(void);

/* Call it when fd is readable: was it q? Also true at the end of input. */
bool keyboard__wants_end(int fd);

#endif
