/* SPDX-License-Identifier: GPL-2.0 */
/* Which recordings are in a directory. */
#ifndef PERF_UI_TUI_RECORDINGS_H
#define PERF_UI_TUI_RECORDINGS_H

#include "util/lib/fs.h"

/*
 * The sorted names of those in directory other than the recording at path except: files that begin as one does, and directories with such a
 * file "data". NULL with errno set. End it with fs_names__delete().
 */
struct fs_names *recordings__read(const char *directory, const char *except);

#endif
