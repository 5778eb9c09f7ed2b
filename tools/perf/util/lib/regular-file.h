/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opening files whose names come from others: from recordings, from processes of other users, from /tmp. Whatever has taken a
 * file's place, nothing but a regular file is ever opened: opening a FIFO waits for a writer, and opening a device may act.
 */
#ifndef PERF_LIB_REGULAR_FILE_H
#define PERF_LIB_REGULAR_FILE_H

/* For reading. nofollow is O_NOFOLLOW or 0. A descriptor, or -errno; -EINVAL: it is no regular file, -ENOSYS: /proc is not mounted. */
int regular_file__open(const char *path, int nofollow);

/*
 * The path as a process sees it whose root directory is root ("/proc/1/root"): symbolic links and ".." end at that root, where
 * the kernel would go on at ours. nofollow as above.
 */
int regular_file__open_in(const char *root, const char *path, int nofollow);

#endif
