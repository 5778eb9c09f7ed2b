/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens files whose names come from others: from recordings, from processes of other users, from /tmp. Whatever has replaced a file,
 * only a regular file is ever opened: opening a FIFO waits for a writer, and opening a device may have effects.
 */
#ifndef PERF_LIB_REGULAR_FILE_H
#define PERF_LIB_REGULAR_FILE_H

/*
 * Open for reading. nofollow is O_NOFOLLOW or 0. Returns a descriptor, or -errno; -EINVAL: not a regular file, -ENOSYS: /proc is not
 * mounted, -EREMOTE: on FUSE of another user (foreign-fuse.h).
 */
int regular_file__open(const char *path, int nofollow);

/*
 * Open path as seen by a process with the root directory root ("/proc/1/root"): symbolic links and ".." end at that root, where the
 * kernel would continue at ours. nofollow as above.
 */
int regular_file__open_in(const char *root, const char *path, int nofollow);

/* A directory below that root, in the same way: a descriptor with O_PATH, or -errno. */
int regular_file__open_dir_in(const char *root, const char *path);

#endif
