/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the constants that arguments of system calls are made of. */
#ifndef PERF_SOURCE_SYSCALL_NAMES_H
#define PERF_SOURCE_SYSCALL_NAMES_H

#include "util/lib/types.h"

struct syscall_name_row {
	u64 value;
	const char *name; /* without the prefix */
};

/*
 * Bits below `choice` hold one value of several, the others are flags. A row of several flags at once comes before its parts.
 */
struct syscall_names {
	const char *prefix; /* "O_" */
	u64 choice;	    /* ~0: the whole argument is one value; 0: flags only */
	const struct syscall_name_row *row;
	unsigned int nr;
};

/* By name */
#define SYSCALL_NAME_LISTS(X) \
	X(access) X(advice) X(at) X(clock) X(clone) X(close_range) X(domain) X(epoll) X(epoll_op) X(epoll_events) X(faccess) X(pipe) X(eventfd) X(fallocate) X(fcntl) X(fd_flags) X(flock) \
	X(futex) X(getrandom) X(inotify) X(inotify_mask) X(itimer) X(keyctl) X(madvise) X(memfd) X(mlock) X(mmap) X(mount) X(move_mount) \
	X(mremap) X(msg) X(msync) X(open) X(open_tree) X(personality) X(pidfd) X(pkey) X(poll) X(prctl) X(arch_prctl) X(prio) X(prot) X(ptrace) X(reboot) X(rename) \
	X(resource) X(rusage) X(sa_flags) X(sched) X(seccomp) X(shutdown) X(sigmask_how) X(signal) X(signalfd) X(socket_type) X(socket_level) \
	X(socket_option) X(tcp_option) X(ip_option) X(ipv6_option) X(splice) X(statx) X(statx_mask) X(swapon) X(sync_range) X(timer_flags) X(timerfd) X(umount) X(wait) X(whence) X(which_id) X(xattr) X(ioctl) \
	X(bpf_cmd) X(ip_protocol) X(landlock_rule) X(landlock_flags) X(rseq) X(membarrier) X(ioprio) X(lock_type) X(utime_flags) X(resolve) X(io_uring_setup) \
	X(io_uring_enter) X(io_uring_register) X(utime) X(seal) X(notify) X(capability) X(cap_ambient)

#define SYSCALL_NAMES_DECLARE(list) extern const struct syscall_names syscall_names_##list;
SYSCALL_NAME_LISTS(SYSCALL_NAMES_DECLARE)
#undef SYSCALL_NAMES_DECLARE

/* The name of one value; NULL: none has it. */
const char *syscall_names__find(const struct syscall_names *names, u64 value);

#endif
