// SPDX-License-Identifier: GPL-2.0
#include "util/source/syscall-names.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/membarrier.h>
#include <linux/prctl.h>
#include <linux/openat2.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/rseq.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static const struct syscall_name_row access_rows[] = {
	{ F_OK, "F_OK" }, { R_OK, "R_OK" }, { W_OK, "W_OK" }, { X_OK, "X_OK" },
};
const struct syscall_names syscall_names_access = { "", 0, access_rows, ARRAY_SIZE(access_rows) };

static const struct syscall_name_row advice_rows[] = {
	{ POSIX_FADV_NORMAL, "NORMAL" }, { POSIX_FADV_RANDOM, "RANDOM" }, { POSIX_FADV_SEQUENTIAL, "SEQUENTIAL" },
	{ POSIX_FADV_WILLNEED, "WILLNEED" }, { POSIX_FADV_DONTNEED, "DONTNEED" }, { POSIX_FADV_NOREUSE, "NOREUSE" },
};
const struct syscall_names syscall_names_advice = { "POSIX_FADV_", ~0ULL, advice_rows, ARRAY_SIZE(advice_rows) };

static const struct syscall_name_row at_rows[] = {
	{ AT_SYMLINK_NOFOLLOW, "SYMLINK_NOFOLLOW" }, { AT_REMOVEDIR, "REMOVEDIR" }, { AT_SYMLINK_FOLLOW, "SYMLINK_FOLLOW" },
	{ AT_NO_AUTOMOUNT, "NO_AUTOMOUNT" }, { AT_EMPTY_PATH, "EMPTY_PATH" }, { AT_STATX_FORCE_SYNC, "STATX_FORCE_SYNC" },
	{ AT_STATX_DONT_SYNC, "STATX_DONT_SYNC" }, { AT_RECURSIVE, "RECURSIVE" },
};
const struct syscall_names syscall_names_at = { "AT_", 0, at_rows, ARRAY_SIZE(at_rows) };

static const struct syscall_name_row clock_rows[] = {
	{ CLOCK_REALTIME, "REALTIME" }, { CLOCK_MONOTONIC, "MONOTONIC" }, { CLOCK_PROCESS_CPUTIME_ID, "PROCESS_CPUTIME_ID" },
	{ CLOCK_THREAD_CPUTIME_ID, "THREAD_CPUTIME_ID" }, { CLOCK_MONOTONIC_RAW, "MONOTONIC_RAW" }, { CLOCK_REALTIME_COARSE, "REALTIME_COARSE" },
	{ CLOCK_MONOTONIC_COARSE, "MONOTONIC_COARSE" }, { CLOCK_BOOTTIME, "BOOTTIME" }, { CLOCK_REALTIME_ALARM, "REALTIME_ALARM" },
	{ CLOCK_BOOTTIME_ALARM, "BOOTTIME_ALARM" }, { CLOCK_TAI, "TAI" },
};
const struct syscall_names syscall_names_clock = { "CLOCK_", ~0ULL, clock_rows, ARRAY_SIZE(clock_rows) };

static const struct syscall_name_row clone_rows[] = {
	{ SIGCHLD, "SIGCHLD" },
	{ CLONE_VM, "VM" }, { CLONE_FS, "FS" }, { CLONE_FILES, "FILES" }, { CLONE_SIGHAND, "SIGHAND" }, { CLONE_PIDFD, "PIDFD" },
	{ CLONE_PTRACE, "PTRACE" }, { CLONE_VFORK, "VFORK" }, { CLONE_PARENT, "PARENT" }, { CLONE_THREAD, "THREAD" }, { CLONE_NEWNS, "NEWNS" },
	{ CLONE_SYSVSEM, "SYSVSEM" }, { CLONE_SETTLS, "SETTLS" }, { CLONE_PARENT_SETTID, "PARENT_SETTID" },
	{ CLONE_CHILD_CLEARTID, "CHILD_CLEARTID" }, { CLONE_DETACHED, "DETACHED" }, { CLONE_UNTRACED, "UNTRACED" },
	{ CLONE_CHILD_SETTID, "CHILD_SETTID" }, { CLONE_NEWCGROUP, "NEWCGROUP" }, { CLONE_NEWUTS, "NEWUTS" }, { CLONE_NEWIPC, "NEWIPC" },
	{ CLONE_NEWUSER, "NEWUSER" }, { CLONE_NEWPID, "NEWPID" }, { CLONE_NEWNET, "NEWNET" }, { CLONE_IO, "IO" },
};
const struct syscall_names syscall_names_clone = { "CLONE_", 0xff, clone_rows, ARRAY_SIZE(clone_rows) };

static const struct syscall_name_row close_range_rows[] = {
	{ CLOSE_RANGE_UNSHARE, "UNSHARE" }, { CLOSE_RANGE_CLOEXEC, "CLOEXEC" },
};
const struct syscall_names syscall_names_close_range = { "CLOSE_RANGE_", 0, close_range_rows, ARRAY_SIZE(close_range_rows) };

static const struct syscall_name_row domain_rows[] = {
	{ AF_UNSPEC, "UNSPEC" }, { AF_UNIX, "LOCAL" }, { AF_INET, "INET" }, { AF_AX25, "AX25" }, { AF_IPX, "IPX" }, { AF_APPLETALK, "APPLETALK" },
	{ AF_NETROM, "NETROM" }, { AF_BRIDGE, "BRIDGE" }, { AF_ATMPVC, "ATMPVC" }, { AF_X25, "X25" }, { AF_INET6, "INET6" }, { AF_ROSE, "ROSE" },
	{ AF_NETBEUI, "NETBEUI" }, { AF_SECURITY, "SECURITY" }, { AF_KEY, "KEY" }, { AF_NETLINK, "NETLINK" }, { AF_PACKET, "PACKET" },
	{ AF_ASH, "ASH" }, { AF_ECONET, "ECONET" }, { AF_ATMSVC, "ATMSVC" }, { AF_RDS, "RDS" }, { AF_IRDA, "IRDA" }, { AF_PPPOX, "PPPOX" },
	{ AF_WANPIPE, "WANPIPE" }, { AF_LLC, "LLC" }, { AF_IB, "IB" }, { AF_MPLS, "MPLS" }, { AF_CAN, "CAN" }, { AF_TIPC, "TIPC" },
	{ AF_BLUETOOTH, "BLUETOOTH" }, { AF_IUCV, "IUCV" }, { AF_RXRPC, "RXRPC" }, { AF_ISDN, "ISDN" }, { AF_PHONET, "PHONET" },
	{ AF_IEEE802154, "IEEE802154" }, { AF_CAIF, "CAIF" }, { AF_ALG, "ALG" }, { AF_NFC, "NFC" }, { AF_VSOCK, "VSOCK" }, { AF_KCM, "KCM" },
	{ AF_QIPCRTR, "QIPCRTR" }, { AF_SMC, "SMC" }, { AF_XDP, "XDP" },
};
const struct syscall_names syscall_names_domain = { "AF_", ~0ULL, domain_rows, ARRAY_SIZE(domain_rows) };

static const struct syscall_name_row epoll_rows[] = {
	{ EPOLL_CLOEXEC, "CLOEXEC" },
};
const struct syscall_names syscall_names_epoll = { "EPOLL_", 0, epoll_rows, ARRAY_SIZE(epoll_rows) };

static const struct syscall_name_row epoll_op_rows[] = {
	{ EPOLL_CTL_ADD, "ADD" }, { EPOLL_CTL_DEL, "DEL" }, { EPOLL_CTL_MOD, "MOD" },
};
const struct syscall_names syscall_names_epoll_op = { "EPOLL_CTL_", ~0ULL, epoll_op_rows, ARRAY_SIZE(epoll_op_rows) };

static const struct syscall_name_row eventfd_rows[] = {
	{ EFD_SEMAPHORE, "SEMAPHORE" }, { EFD_CLOEXEC, "CLOEXEC" }, { EFD_NONBLOCK, "NONBLOCK" },
};
const struct syscall_names syscall_names_eventfd = { "EFD_", 0, eventfd_rows, ARRAY_SIZE(eventfd_rows) };

static const struct syscall_name_row fallocate_rows[] = {
	{ FALLOC_FL_KEEP_SIZE, "KEEP_SIZE" }, { FALLOC_FL_PUNCH_HOLE, "PUNCH_HOLE" }, { FALLOC_FL_COLLAPSE_RANGE, "COLLAPSE_RANGE" },
	{ FALLOC_FL_ZERO_RANGE, "ZERO_RANGE" }, { FALLOC_FL_INSERT_RANGE, "INSERT_RANGE" }, { FALLOC_FL_UNSHARE_RANGE, "UNSHARE_RANGE" },
};
const struct syscall_names syscall_names_fallocate = { "FALLOC_FL_", 0, fallocate_rows, ARRAY_SIZE(fallocate_rows) };

static const struct syscall_name_row fcntl_rows[] = {
	{ F_DUPFD, "DUPFD" }, { F_GETFD, "GETFD" }, { F_SETFD, "SETFD" }, { F_GETFL, "GETFL" }, { F_SETFL, "SETFL" }, { F_GETLK, "GETLK" },
	{ F_SETLK, "SETLK" }, { F_SETLKW, "SETLKW" }, { F_SETOWN, "SETOWN" }, { F_GETOWN, "GETOWN" }, { F_SETSIG, "SETSIG" },
	{ F_GETSIG, "GETSIG" }, { F_SETOWN_EX, "SETOWN_EX" }, { F_GETOWN_EX, "GETOWN_EX" }, { F_OFD_GETLK, "OFD_GETLK" },
	{ F_OFD_SETLK, "OFD_SETLK" }, { F_OFD_SETLKW, "OFD_SETLKW" }, { F_SETLEASE, "SETLEASE" }, { F_GETLEASE, "GETLEASE" },
	{ F_NOTIFY, "NOTIFY" }, { F_DUPFD_CLOEXEC, "DUPFD_CLOEXEC" }, { F_SETPIPE_SZ, "SETPIPE_SZ" }, { F_GETPIPE_SZ, "GETPIPE_SZ" },
	{ 12, "GETLK64" }, { 13, "SETLK64" }, { 14, "SETLKW64" }, /* of 32-bit programs */
	{ F_ADD_SEALS, "ADD_SEALS" }, { F_GET_SEALS, "GET_SEALS" }, { F_GET_RW_HINT, "GET_RW_HINT" }, { F_SET_RW_HINT, "SET_RW_HINT" },
};
const struct syscall_names syscall_names_fcntl = { "F_", ~0ULL, fcntl_rows, ARRAY_SIZE(fcntl_rows) };

static const struct syscall_name_row fd_flags_rows[] = {
	{ FD_CLOEXEC, "CLOEXEC" },
};
const struct syscall_names syscall_names_fd_flags = { "FD_", 0, fd_flags_rows, ARRAY_SIZE(fd_flags_rows) };

static const struct syscall_name_row resolve_rows[] = {
	{ RESOLVE_NO_XDEV, "NO_XDEV" }, { RESOLVE_NO_MAGICLINKS, "NO_MAGICLINKS" }, { RESOLVE_NO_SYMLINKS, "NO_SYMLINKS" }, { RESOLVE_BENEATH, "BENEATH" },
	{ RESOLVE_IN_ROOT, "IN_ROOT" }, { RESOLVE_CACHED, "CACHED" },
};
const struct syscall_names syscall_names_resolve = { "RESOLVE_", 0, resolve_rows, ARRAY_SIZE(resolve_rows) };

/* As numbers, for headers that lack some: include/uapi/linux/io_uring.h */
static const struct syscall_name_row io_uring_setup_rows[] = {
	{ 1 << 0, "IOPOLL" }, { 1 << 1, "SQPOLL" }, { 1 << 2, "SQ_AFF" }, { 1 << 3, "CQSIZE" }, { 1 << 4, "CLAMP" }, { 1 << 5, "ATTACH_WQ" },
	{ 1 << 6, "R_DISABLED" }, { 1 << 7, "SUBMIT_ALL" }, { 1 << 8, "COOP_TASKRUN" }, { 1 << 9, "TASKRUN_FLAG" }, { 1 << 10, "SQE128" },
	{ 1 << 11, "CQE32" }, { 1 << 12, "SINGLE_ISSUER" }, { 1 << 13, "DEFER_TASKRUN" }, { 1 << 14, "NO_MMAP" }, { 1 << 15, "REGISTERED_FD_ONLY" },
	{ 1 << 16, "NO_SQARRAY" },
};
const struct syscall_names syscall_names_io_uring_setup = { "IORING_SETUP_", 0, io_uring_setup_rows, ARRAY_SIZE(io_uring_setup_rows) };

static const struct syscall_name_row io_uring_enter_rows[] = {
	{ 1 << 0, "GETEVENTS" }, { 1 << 1, "SQ_WAKEUP" }, { 1 << 2, "SQ_WAIT" }, { 1 << 3, "EXT_ARG" }, { 1 << 4, "REGISTERED_RING" },
	{ 1 << 5, "ABS_TIMER" }, { 1 << 6, "EXT_ARG_REG" }, { 1 << 7, "NO_IOWAIT" },
};
const struct syscall_names syscall_names_io_uring_enter = { "IORING_ENTER_", 0, io_uring_enter_rows, ARRAY_SIZE(io_uring_enter_rows) };

static const struct syscall_name_row io_uring_register_rows[] = {
	{ 0, "REGISTER_BUFFERS" }, { 1, "UNREGISTER_BUFFERS" }, { 2, "REGISTER_FILES" }, { 3, "UNREGISTER_FILES" }, { 4, "REGISTER_EVENTFD" },
	{ 5, "UNREGISTER_EVENTFD" }, { 6, "REGISTER_FILES_UPDATE" }, { 7, "REGISTER_EVENTFD_ASYNC" }, { 8, "REGISTER_PROBE" },
	{ 9, "REGISTER_PERSONALITY" }, { 10, "UNREGISTER_PERSONALITY" }, { 11, "REGISTER_RESTRICTIONS" }, { 12, "REGISTER_ENABLE_RINGS" },
	{ 13, "REGISTER_FILES2" }, { 14, "REGISTER_FILES_UPDATE2" }, { 15, "REGISTER_BUFFERS2" }, { 16, "REGISTER_BUFFERS_UPDATE" },
	{ 17, "REGISTER_IOWQ_AFF" }, { 18, "UNREGISTER_IOWQ_AFF" }, { 19, "REGISTER_IOWQ_MAX_WORKERS" }, { 20, "REGISTER_RING_FDS" },
	{ 21, "UNREGISTER_RING_FDS" }, { 22, "REGISTER_PBUF_RING" }, { 23, "UNREGISTER_PBUF_RING" }, { 24, "REGISTER_SYNC_CANCEL" },
	{ 25, "REGISTER_FILE_ALLOC_RANGE" }, { 26, "REGISTER_PBUF_STATUS" }, { 27, "REGISTER_NAPI" }, { 28, "UNREGISTER_NAPI" },
	{ 29, "REGISTER_CLOCK" }, { 30, "REGISTER_CLONE_BUFFERS" }, { 31, "REGISTER_SEND_MSG_RING" }, { 32, "REGISTER_ZCRX_IFQ" },
	{ 33, "REGISTER_RESIZE_RINGS" }, { 34, "REGISTER_MEM_REGION" }, { 1U << 31, "REGISTER_USE_REGISTERED_RING" },
};
const struct syscall_names syscall_names_io_uring_register = { "IORING_", 0x7fffffff, io_uring_register_rows, ARRAY_SIZE(io_uring_register_rows) };

static const struct syscall_name_row flock_rows[] = {
	{ LOCK_SH, "SH" }, { LOCK_EX, "EX" }, { LOCK_NB, "NB" }, { LOCK_UN, "UN" },
};
const struct syscall_names syscall_names_flock = { "LOCK_", 0, flock_rows, ARRAY_SIZE(flock_rows) };

static const struct syscall_name_row futex_rows[] = {
	{ FUTEX_WAIT, "WAIT" }, { FUTEX_WAKE, "WAKE" }, { FUTEX_FD, "FD" }, { FUTEX_REQUEUE, "REQUEUE" }, { FUTEX_CMP_REQUEUE, "CMP_REQUEUE" },
	{ FUTEX_WAKE_OP, "WAKE_OP" }, { FUTEX_LOCK_PI, "LOCK_PI" }, { FUTEX_UNLOCK_PI, "UNLOCK_PI" }, { FUTEX_TRYLOCK_PI, "TRYLOCK_PI" },
	{ FUTEX_WAIT_BITSET, "WAIT_BITSET" }, { FUTEX_WAKE_BITSET, "WAKE_BITSET" }, { FUTEX_WAIT_REQUEUE_PI, "WAIT_REQUEUE_PI" },
	{ FUTEX_CMP_REQUEUE_PI, "CMP_REQUEUE_PI" }, { FUTEX_LOCK_PI2, "LOCK_PI2" }, { FUTEX_PRIVATE_FLAG, "PRIVATE_FLAG" },
	{ FUTEX_CLOCK_REALTIME, "CLOCK_REALTIME" },
};
const struct syscall_names syscall_names_futex = { "FUTEX_", 127, futex_rows, ARRAY_SIZE(futex_rows) };

static const struct syscall_name_row getrandom_rows[] = {
	{ GRND_NONBLOCK, "NONBLOCK" }, { GRND_RANDOM, "RANDOM" }, { GRND_INSECURE, "INSECURE" },
};
const struct syscall_names syscall_names_getrandom = { "GRND_", 0, getrandom_rows, ARRAY_SIZE(getrandom_rows) };

static const struct syscall_name_row inotify_rows[] = {
	{ IN_CLOEXEC, "CLOEXEC" }, { IN_NONBLOCK, "NONBLOCK" },
};
const struct syscall_names syscall_names_inotify = { "IN_", 0, inotify_rows, ARRAY_SIZE(inotify_rows) };

static const struct syscall_name_row inotify_mask_rows[] = {
	{ IN_ALL_EVENTS, "ALL_EVENTS" }, { IN_ACCESS, "ACCESS" }, { IN_MODIFY, "MODIFY" }, { IN_ATTRIB, "ATTRIB" },
	{ IN_CLOSE_WRITE, "CLOSE_WRITE" }, { IN_CLOSE_NOWRITE, "CLOSE_NOWRITE" }, { IN_OPEN, "OPEN" }, { IN_MOVED_FROM, "MOVED_FROM" },
	{ IN_MOVED_TO, "MOVED_TO" }, { IN_CREATE, "CREATE" }, { IN_DELETE, "DELETE" }, { IN_DELETE_SELF, "DELETE_SELF" },
	{ IN_MOVE_SELF, "MOVE_SELF" }, { IN_ONLYDIR, "ONLYDIR" }, { IN_DONT_FOLLOW, "DONT_FOLLOW" }, { IN_EXCL_UNLINK, "EXCL_UNLINK" },
	{ IN_MASK_CREATE, "MASK_CREATE" }, { IN_MASK_ADD, "MASK_ADD" }, { IN_ISDIR, "ISDIR" }, { IN_ONESHOT, "ONESHOT" },
};
const struct syscall_names syscall_names_inotify_mask = { "IN_", 0, inotify_mask_rows, ARRAY_SIZE(inotify_mask_rows) };

static const struct syscall_name_row itimer_rows[] = {
	{ ITIMER_REAL, "REAL" }, { ITIMER_VIRTUAL, "VIRTUAL" }, { ITIMER_PROF, "PROF" },
};
const struct syscall_names syscall_names_itimer = { "ITIMER_", ~0ULL, itimer_rows, ARRAY_SIZE(itimer_rows) };

static const struct syscall_name_row keyctl_rows[] = {
	{ KEYCTL_GET_KEYRING_ID, "GET_KEYRING_ID" }, { KEYCTL_JOIN_SESSION_KEYRING, "JOIN_SESSION_KEYRING" }, { KEYCTL_UPDATE, "UPDATE" },
	{ KEYCTL_REVOKE, "REVOKE" }, { KEYCTL_CHOWN, "CHOWN" }, { KEYCTL_SETPERM, "SETPERM" }, { KEYCTL_DESCRIBE, "DESCRIBE" },
	{ KEYCTL_CLEAR, "CLEAR" }, { KEYCTL_LINK, "LINK" }, { KEYCTL_UNLINK, "UNLINK" }, { KEYCTL_SEARCH, "SEARCH" }, { KEYCTL_READ, "READ" },
	{ KEYCTL_INSTANTIATE, "INSTANTIATE" }, { KEYCTL_NEGATE, "NEGATE" }, { KEYCTL_SET_REQKEY_KEYRING, "SET_REQKEY_KEYRING" },
	{ KEYCTL_SET_TIMEOUT, "SET_TIMEOUT" }, { KEYCTL_ASSUME_AUTHORITY, "ASSUME_AUTHORITY" }, { KEYCTL_GET_SECURITY, "GET_SECURITY" },
	{ KEYCTL_SESSION_TO_PARENT, "SESSION_TO_PARENT" }, { KEYCTL_REJECT, "REJECT" }, { KEYCTL_INSTANTIATE_IOV, "INSTANTIATE_IOV" },
	{ KEYCTL_INVALIDATE, "INVALIDATE" }, { KEYCTL_GET_PERSISTENT, "GET_PERSISTENT" }, { KEYCTL_DH_COMPUTE, "DH_COMPUTE" },
};
const struct syscall_names syscall_names_keyctl = { "KEYCTL_", ~0ULL, keyctl_rows, ARRAY_SIZE(keyctl_rows) };

static const struct syscall_name_row madvise_rows[] = {
	{ MADV_NORMAL, "NORMAL" }, { MADV_RANDOM, "RANDOM" }, { MADV_SEQUENTIAL, "SEQUENTIAL" }, { MADV_WILLNEED, "WILLNEED" },
	{ MADV_DONTNEED, "DONTNEED" }, { MADV_FREE, "FREE" }, { MADV_REMOVE, "REMOVE" }, { MADV_DONTFORK, "DONTFORK" }, { MADV_DOFORK, "DOFORK" },
	{ MADV_HWPOISON, "HWPOISON" }, { MADV_MERGEABLE, "MERGEABLE" }, { MADV_UNMERGEABLE, "UNMERGEABLE" }, { MADV_HUGEPAGE, "HUGEPAGE" },
	{ MADV_NOHUGEPAGE, "NOHUGEPAGE" }, { MADV_DONTDUMP, "DONTDUMP" }, { MADV_DODUMP, "DODUMP" }, { MADV_WIPEONFORK, "WIPEONFORK" },
	{ MADV_KEEPONFORK, "KEEPONFORK" }, { MADV_COLD, "COLD" }, { MADV_PAGEOUT, "PAGEOUT" }, { MADV_POPULATE_READ, "POPULATE_READ" },
	{ MADV_POPULATE_WRITE, "POPULATE_WRITE" }, { MADV_DONTNEED_LOCKED, "DONTNEED_LOCKED" },
};
const struct syscall_names syscall_names_madvise = { "MADV_", ~0ULL, madvise_rows, ARRAY_SIZE(madvise_rows) };

static const struct syscall_name_row memfd_rows[] = {
	{ MFD_CLOEXEC, "CLOEXEC" }, { MFD_ALLOW_SEALING, "ALLOW_SEALING" }, { MFD_HUGETLB, "HUGETLB" },
};
const struct syscall_names syscall_names_memfd = { "MFD_", 0, memfd_rows, ARRAY_SIZE(memfd_rows) };

static const struct syscall_name_row mlock_rows[] = {
	{ MCL_CURRENT, "CURRENT" }, { MCL_FUTURE, "FUTURE" }, { MCL_ONFAULT, "ONFAULT" },
};
const struct syscall_names syscall_names_mlock = { "MCL_", 0, mlock_rows, ARRAY_SIZE(mlock_rows) };

static const struct syscall_name_row mmap_rows[] = {
	{ MAP_SHARED, "SHARED" }, { MAP_PRIVATE, "PRIVATE" }, { MAP_SHARED_VALIDATE, "SHARED_VALIDATE" }, { MAP_FIXED, "FIXED" },
	{ MAP_ANONYMOUS, "ANONYMOUS" }, { MAP_GROWSDOWN, "GROWSDOWN" }, { MAP_DENYWRITE, "DENYWRITE" }, { MAP_EXECUTABLE, "EXECUTABLE" },
	{ MAP_LOCKED, "LOCKED" }, { MAP_NORESERVE, "NORESERVE" }, { MAP_POPULATE, "POPULATE" }, { MAP_NONBLOCK, "NONBLOCK" },
	{ MAP_STACK, "STACK" }, { MAP_HUGETLB, "HUGETLB" }, { MAP_SYNC, "SYNC" }, { MAP_FIXED_NOREPLACE, "FIXED_NOREPLACE" },
#ifdef MAP_32BIT /* x86 only */
	{ MAP_32BIT, "32BIT" },
#endif
};
const struct syscall_names syscall_names_mmap = { "MAP_", 15, mmap_rows, ARRAY_SIZE(mmap_rows) };

static const struct syscall_name_row mount_rows[] = {
	{ MS_RDONLY, "RDONLY" }, { MS_NOSUID, "NOSUID" }, { MS_NODEV, "NODEV" }, { MS_NOEXEC, "NOEXEC" }, { MS_SYNCHRONOUS, "SYNCHRONOUS" },
	{ MS_REMOUNT, "REMOUNT" }, { MS_MANDLOCK, "MANDLOCK" }, { MS_DIRSYNC, "DIRSYNC" }, { MS_NOATIME, "NOATIME" },
	{ MS_NODIRATIME, "NODIRATIME" }, { MS_BIND, "BIND" }, { MS_MOVE, "MOVE" }, { MS_REC, "REC" }, { MS_SILENT, "SILENT" },
	{ MS_POSIXACL, "POSIXACL" }, { MS_UNBINDABLE, "UNBINDABLE" }, { MS_PRIVATE, "PRIVATE" }, { MS_SLAVE, "SLAVE" }, { MS_SHARED, "SHARED" },
	{ MS_RELATIME, "RELATIME" }, { MS_KERNMOUNT, "KERNMOUNT" }, { MS_I_VERSION, "I_VERSION" }, { MS_STRICTATIME, "STRICTATIME" },
	{ MS_LAZYTIME, "LAZYTIME" },
};
const struct syscall_names syscall_names_mount = { "MS_", 0, mount_rows, ARRAY_SIZE(mount_rows) };

static const struct syscall_name_row move_mount_rows[] = {
	{ MOVE_MOUNT_F_SYMLINKS, "F_SYMLINKS" }, { MOVE_MOUNT_F_AUTOMOUNTS, "F_AUTOMOUNTS" }, { MOVE_MOUNT_F_EMPTY_PATH, "F_EMPTY_PATH" },
	{ MOVE_MOUNT_T_SYMLINKS, "T_SYMLINKS" }, { MOVE_MOUNT_T_AUTOMOUNTS, "T_AUTOMOUNTS" }, { MOVE_MOUNT_T_EMPTY_PATH, "T_EMPTY_PATH" },
	{ MOVE_MOUNT_SET_GROUP, "SET_GROUP" },
};
const struct syscall_names syscall_names_move_mount = { "MOVE_MOUNT_", 0, move_mount_rows, ARRAY_SIZE(move_mount_rows) };

static const struct syscall_name_row mremap_rows[] = {
	{ MREMAP_MAYMOVE, "MAYMOVE" }, { MREMAP_FIXED, "FIXED" }, { MREMAP_DONTUNMAP, "DONTUNMAP" },
};
const struct syscall_names syscall_names_mremap = { "MREMAP_", 0, mremap_rows, ARRAY_SIZE(mremap_rows) };

static const struct syscall_name_row msg_rows[] = {
	{ MSG_OOB, "OOB" }, { MSG_PEEK, "PEEK" }, { MSG_DONTROUTE, "DONTROUTE" }, { MSG_CTRUNC, "CTRUNC" }, { MSG_PROXY, "PROXY" },
	{ MSG_TRUNC, "TRUNC" }, { MSG_DONTWAIT, "DONTWAIT" }, { MSG_EOR, "EOR" }, { MSG_WAITALL, "WAITALL" }, { MSG_FIN, "FIN" },
	{ MSG_SYN, "SYN" }, { MSG_CONFIRM, "CONFIRM" }, { MSG_RST, "RST" }, { MSG_ERRQUEUE, "ERRQUEUE" }, { MSG_NOSIGNAL, "NOSIGNAL" },
	{ MSG_MORE, "MORE" }, { MSG_WAITFORONE, "WAITFORONE" }, { MSG_BATCH, "BATCH" }, { MSG_FASTOPEN, "FASTOPEN" },
	{ MSG_CMSG_CLOEXEC, "CMSG_CLOEXEC" },
};
const struct syscall_names syscall_names_msg = { "MSG_", 0, msg_rows, ARRAY_SIZE(msg_rows) };

static const struct syscall_name_row msync_rows[] = {
	{ MS_ASYNC, "ASYNC" }, { MS_INVALIDATE, "INVALIDATE" }, { MS_SYNC, "SYNC" },
};
const struct syscall_names syscall_names_msync = { "MS_", 0, msync_rows, ARRAY_SIZE(msync_rows) };

static const struct syscall_name_row open_rows[] = {
	{ O_RDONLY, "RDONLY" }, { O_WRONLY, "WRONLY" }, { O_RDWR, "RDWR" }, { O_TMPFILE, "TMPFILE" }, { O_DIRECTORY, "DIRECTORY" },
	{ O_CREAT, "CREAT" }, { O_EXCL, "EXCL" }, { O_NOCTTY, "NOCTTY" }, { O_TRUNC, "TRUNC" }, { O_APPEND, "APPEND" },
	{ O_NONBLOCK, "NONBLOCK" }, { O_SYNC, "SYNC" }, { O_DSYNC, "DSYNC" }, { O_ASYNC, "ASYNC" }, { O_DIRECT, "DIRECT" },
	{ 0100000, "LARGEFILE" }, { O_NOFOLLOW, "NOFOLLOW" }, { O_NOATIME, "NOATIME" }, { O_CLOEXEC, "CLOEXEC" }, { O_PATH, "PATH" },
};
const struct syscall_names syscall_names_open = { "O_", 3, open_rows, ARRAY_SIZE(open_rows) };

static const struct syscall_name_row open_tree_rows[] = {
	{ OPEN_TREE_CLONE, "CLONE" }, { OPEN_TREE_CLOEXEC, "CLOEXEC" },
};
const struct syscall_names syscall_names_open_tree = { "OPEN_TREE_", 0, open_tree_rows, ARRAY_SIZE(open_tree_rows) };

static const struct syscall_name_row personality_rows[] = {
	{ ADDR_NO_RANDOMIZE, "ADDR_NO_RANDOMIZE" }, { MMAP_PAGE_ZERO, "MMAP_PAGE_ZERO" }, { ADDR_COMPAT_LAYOUT, "ADDR_COMPAT_LAYOUT" },
	{ READ_IMPLIES_EXEC, "READ_IMPLIES_EXEC" }, { ADDR_LIMIT_32BIT, "ADDR_LIMIT_32BIT" }, { SHORT_INODE, "SHORT_INODE" },
	{ WHOLE_SECONDS, "WHOLE_SECONDS" }, { STICKY_TIMEOUTS, "STICKY_TIMEOUTS" }, { ADDR_LIMIT_3GB, "ADDR_LIMIT_3GB" },
};
const struct syscall_names syscall_names_personality = { "", 0, personality_rows, ARRAY_SIZE(personality_rows) };

static const struct syscall_name_row pidfd_rows[] = {
	{ O_NONBLOCK, "NONBLOCK" },
};
const struct syscall_names syscall_names_pidfd = { "PIDFD_", 0, pidfd_rows, ARRAY_SIZE(pidfd_rows) };

static const struct syscall_name_row pkey_rows[] = {
	{ PKEY_DISABLE_ACCESS, "DISABLE_ACCESS" }, { PKEY_DISABLE_WRITE, "DISABLE_WRITE" },
};
const struct syscall_names syscall_names_pkey = { "PKEY_", 0, pkey_rows, ARRAY_SIZE(pkey_rows) };

static const struct syscall_name_row poll_rows[] = {
	{ POLLIN, "IN" }, { POLLPRI, "PRI" }, { POLLOUT, "OUT" }, { POLLRDNORM, "RDNORM" }, { POLLRDBAND, "RDBAND" }, { POLLWRNORM, "WRNORM" },
	{ POLLWRBAND, "WRBAND" }, { POLLMSG, "MSG" }, { POLLREMOVE, "REMOVE" }, { POLLRDHUP, "RDHUP" }, { POLLERR, "ERR" }, { POLLHUP, "HUP" },
	{ POLLNVAL, "NVAL" },
};
const struct syscall_names syscall_names_poll = { "POLL", 0, poll_rows, ARRAY_SIZE(poll_rows) };

static const struct syscall_name_row prctl_rows[] = {
	{ PR_SET_PDEATHSIG, "SET_PDEATHSIG" }, { PR_GET_PDEATHSIG, "GET_PDEATHSIG" }, { PR_GET_DUMPABLE, "GET_DUMPABLE" },
	{ PR_SET_DUMPABLE, "SET_DUMPABLE" }, { PR_GET_UNALIGN, "GET_UNALIGN" }, { PR_SET_UNALIGN, "SET_UNALIGN" },
	{ PR_GET_KEEPCAPS, "GET_KEEPCAPS" }, { PR_SET_KEEPCAPS, "SET_KEEPCAPS" }, { PR_GET_FPEMU, "GET_FPEMU" }, { PR_SET_FPEMU, "SET_FPEMU" },
	{ PR_GET_FPEXC, "GET_FPEXC" }, { PR_SET_FPEXC, "SET_FPEXC" }, { PR_GET_TIMING, "GET_TIMING" }, { PR_SET_TIMING, "SET_TIMING" },
	{ PR_SET_NAME, "SET_NAME" }, { PR_GET_NAME, "GET_NAME" }, { PR_GET_ENDIAN, "GET_ENDIAN" }, { PR_SET_ENDIAN, "SET_ENDIAN" },
	{ PR_GET_SECCOMP, "GET_SECCOMP" }, { PR_SET_SECCOMP, "SET_SECCOMP" }, { PR_CAPBSET_READ, "CAPBSET_READ" },
	{ PR_CAPBSET_DROP, "CAPBSET_DROP" }, { PR_GET_TSC, "GET_TSC" }, { PR_SET_TSC, "SET_TSC" }, { PR_GET_SECUREBITS, "GET_SECUREBITS" },
	{ PR_SET_SECUREBITS, "SET_SECUREBITS" }, { PR_SET_TIMERSLACK, "SET_TIMERSLACK" }, { PR_GET_TIMERSLACK, "GET_TIMERSLACK" },
	{ PR_TASK_PERF_EVENTS_DISABLE, "TASK_PERF_EVENTS_DISABLE" }, { PR_TASK_PERF_EVENTS_ENABLE, "TASK_PERF_EVENTS_ENABLE" },
	{ PR_MCE_KILL, "MCE_KILL" }, { PR_MCE_KILL_GET, "MCE_KILL_GET" }, { PR_SET_MM, "SET_MM" },
	{ PR_SET_CHILD_SUBREAPER, "SET_CHILD_SUBREAPER" }, { PR_GET_CHILD_SUBREAPER, "GET_CHILD_SUBREAPER" },
	{ PR_SET_NO_NEW_PRIVS, "SET_NO_NEW_PRIVS" }, { PR_GET_NO_NEW_PRIVS, "GET_NO_NEW_PRIVS" }, { PR_GET_TID_ADDRESS, "GET_TID_ADDRESS" },
	{ PR_SET_THP_DISABLE, "SET_THP_DISABLE" }, { PR_GET_THP_DISABLE, "GET_THP_DISABLE" }, { PR_SET_FP_MODE, "SET_FP_MODE" },
	{ PR_GET_FP_MODE, "GET_FP_MODE" }, { PR_CAP_AMBIENT, "CAP_AMBIENT" }, { PR_SET_IO_FLUSHER, "SET_IO_FLUSHER" },
	{ PR_GET_IO_FLUSHER, "GET_IO_FLUSHER" }, { PR_SET_SYSCALL_USER_DISPATCH, "SET_SYSCALL_USER_DISPATCH" }, { PR_SCHED_CORE, "SCHED_CORE" },
	{ PR_SET_PTRACER, "SET_PTRACER" }, { PR_SET_VMA, "SET_VMA" },
};
const struct syscall_names syscall_names_prctl = { "PR_", ~0ULL, prctl_rows, ARRAY_SIZE(prctl_rows) };

static const struct syscall_name_row prio_rows[] = {
	{ PRIO_PROCESS, "PROCESS" }, { PRIO_PGRP, "PGRP" }, { PRIO_USER, "USER" },
};
const struct syscall_names syscall_names_prio = { "PRIO_", ~0ULL, prio_rows, ARRAY_SIZE(prio_rows) };

static const struct syscall_name_row prot_rows[] = {
	{ PROT_NONE, "NONE" }, { PROT_READ, "READ" }, { PROT_WRITE, "WRITE" }, { PROT_EXEC, "EXEC" }, { 0x8, "SEM" },
	{ PROT_GROWSDOWN, "GROWSDOWN" }, { PROT_GROWSUP, "GROWSUP" },
};
const struct syscall_names syscall_names_prot = { "PROT_", 0, prot_rows, ARRAY_SIZE(prot_rows) };

static const struct syscall_name_row ptrace_rows[] = {
	{ PTRACE_TRACEME, "TRACEME" }, { PTRACE_PEEKTEXT, "PEEKTEXT" }, { PTRACE_PEEKDATA, "PEEKDATA" }, { PTRACE_PEEKUSER, "PEEKUSER" },
	{ PTRACE_POKETEXT, "POKETEXT" }, { PTRACE_POKEDATA, "POKEDATA" }, { PTRACE_POKEUSER, "POKEUSER" }, { PTRACE_CONT, "CONT" },
	{ PTRACE_KILL, "KILL" }, { PTRACE_SINGLESTEP, "SINGLESTEP" },
#ifdef PT_GETREGS /* not on arm64 */
	{ PTRACE_GETREGS, "GETREGS" }, { PTRACE_SETREGS, "SETREGS" }, { PTRACE_GETFPREGS, "GETFPREGS" }, { PTRACE_SETFPREGS, "SETFPREGS" },
#endif
	{ PTRACE_ATTACH, "ATTACH" }, { PTRACE_DETACH, "DETACH" },
	{ PTRACE_SYSCALL, "SYSCALL" }, { PTRACE_SETOPTIONS, "SETOPTIONS" }, { PTRACE_GETEVENTMSG, "GETEVENTMSG" },
	{ PTRACE_GETSIGINFO, "GETSIGINFO" }, { PTRACE_SETSIGINFO, "SETSIGINFO" }, { PTRACE_GETREGSET, "GETREGSET" },
	{ PTRACE_SETREGSET, "SETREGSET" }, { PTRACE_SEIZE, "SEIZE" }, { PTRACE_INTERRUPT, "INTERRUPT" }, { PTRACE_LISTEN, "LISTEN" },
	{ PTRACE_PEEKSIGINFO, "PEEKSIGINFO" }, { PTRACE_GETSIGMASK, "GETSIGMASK" }, { PTRACE_SETSIGMASK, "SETSIGMASK" },
	{ PTRACE_SECCOMP_GET_FILTER, "SECCOMP_GET_FILTER" }, { PTRACE_GET_SYSCALL_INFO, "GET_SYSCALL_INFO" },
};
const struct syscall_names syscall_names_ptrace = { "PTRACE_", ~0ULL, ptrace_rows, ARRAY_SIZE(ptrace_rows) };

static const struct syscall_name_row reboot_rows[] = {
	{ LINUX_REBOOT_CMD_RESTART, "RESTART" }, { LINUX_REBOOT_CMD_HALT, "HALT" }, { LINUX_REBOOT_CMD_CAD_ON, "CAD_ON" },
	{ LINUX_REBOOT_CMD_CAD_OFF, "CAD_OFF" }, { LINUX_REBOOT_CMD_POWER_OFF, "POWER_OFF" }, { LINUX_REBOOT_CMD_RESTART2, "RESTART2" },
	{ LINUX_REBOOT_CMD_SW_SUSPEND, "SW_SUSPEND" }, { LINUX_REBOOT_CMD_KEXEC, "KEXEC" },
};
const struct syscall_names syscall_names_reboot = { "LINUX_REBOOT_CMD_", ~0ULL, reboot_rows, ARRAY_SIZE(reboot_rows) };

static const struct syscall_name_row rename_rows[] = {
	{ 1, "NOREPLACE" }, { 2, "EXCHANGE" }, { 4, "WHITEOUT" },
};
const struct syscall_names syscall_names_rename = { "RENAME_", 0, rename_rows, ARRAY_SIZE(rename_rows) };

static const struct syscall_name_row resource_rows[] = {
	{ RLIMIT_CPU, "CPU" }, { RLIMIT_FSIZE, "FSIZE" }, { RLIMIT_DATA, "DATA" }, { RLIMIT_STACK, "STACK" }, { RLIMIT_CORE, "CORE" },
	{ RLIMIT_RSS, "RSS" }, { RLIMIT_NPROC, "NPROC" }, { RLIMIT_NOFILE, "NOFILE" }, { RLIMIT_MEMLOCK, "MEMLOCK" }, { RLIMIT_AS, "AS" },
	{ RLIMIT_LOCKS, "LOCKS" }, { RLIMIT_SIGPENDING, "SIGPENDING" }, { RLIMIT_MSGQUEUE, "MSGQUEUE" }, { RLIMIT_NICE, "NICE" },
	{ RLIMIT_RTPRIO, "RTPRIO" }, { RLIMIT_RTTIME, "RTTIME" },
};
const struct syscall_names syscall_names_resource = { "RLIMIT_", ~0ULL, resource_rows, ARRAY_SIZE(resource_rows) };

static const struct syscall_name_row rusage_rows[] = {
	{ RUSAGE_SELF, "SELF" }, { (u32)RUSAGE_CHILDREN, "CHILDREN" }, { RUSAGE_THREAD, "THREAD" },
};
const struct syscall_names syscall_names_rusage = { "RUSAGE_", ~0ULL, rusage_rows, ARRAY_SIZE(rusage_rows) };

static const struct syscall_name_row sa_flags_rows[] = {
	{ SA_NOCLDSTOP, "NOCLDSTOP" }, { SA_NOCLDWAIT, "NOCLDWAIT" }, { SA_SIGINFO, "SIGINFO" }, { SA_ONSTACK, "ONSTACK" },
	{ SA_RESTART, "RESTART" }, { SA_NODEFER, "NODEFER" }, { SA_RESETHAND, "RESETHAND" }, { 0x04000000, "RESTORER" },
};
const struct syscall_names syscall_names_sa_flags = { "SA_", 0, sa_flags_rows, ARRAY_SIZE(sa_flags_rows) };

static const struct syscall_name_row sched_rows[] = {
	{ 0, "NORMAL" }, { SCHED_FIFO, "FIFO" }, { SCHED_RR, "RR" }, { SCHED_BATCH, "BATCH" }, { SCHED_IDLE, "IDLE" },
	{ SCHED_DEADLINE, "DEADLINE" }, { 7, "EXT" }, { 0x40000000, "RESET_ON_FORK" },
};
const struct syscall_names syscall_names_sched = { "SCHED_", 0xff, sched_rows, ARRAY_SIZE(sched_rows) };

static const struct syscall_name_row seccomp_rows[] = {
	{ SECCOMP_SET_MODE_STRICT, "SET_MODE_STRICT" }, { SECCOMP_SET_MODE_FILTER, "SET_MODE_FILTER" },
	{ SECCOMP_GET_ACTION_AVAIL, "GET_ACTION_AVAIL" }, { SECCOMP_GET_NOTIF_SIZES, "GET_NOTIF_SIZES" },
};
const struct syscall_names syscall_names_seccomp = { "SECCOMP_", ~0ULL, seccomp_rows, ARRAY_SIZE(seccomp_rows) };

static const struct syscall_name_row shutdown_rows[] = {
	{ SHUT_RD, "RD" }, { SHUT_WR, "WR" }, { SHUT_RDWR, "RDWR" },
};
const struct syscall_names syscall_names_shutdown = { "SHUT_", ~0ULL, shutdown_rows, ARRAY_SIZE(shutdown_rows) };

static const struct syscall_name_row sigmask_how_rows[] = {
	{ SIG_BLOCK, "BLOCK" }, { SIG_UNBLOCK, "UNBLOCK" }, { SIG_SETMASK, "SETMASK" },
};
const struct syscall_names syscall_names_sigmask_how = { "SIG_", ~0ULL, sigmask_how_rows, ARRAY_SIZE(sigmask_how_rows) };

static const struct syscall_name_row signal_rows[] = {
	{ SIGHUP, "HUP" }, { SIGINT, "INT" }, { SIGQUIT, "QUIT" }, { SIGILL, "ILL" }, { SIGTRAP, "TRAP" }, { SIGABRT, "ABRT" }, { SIGBUS, "BUS" },
	{ SIGFPE, "FPE" }, { SIGKILL, "KILL" }, { SIGUSR1, "USR1" }, { SIGSEGV, "SEGV" }, { SIGUSR2, "USR2" }, { SIGPIPE, "PIPE" },
	{ SIGALRM, "ALRM" }, { SIGTERM, "TERM" }, { SIGSTKFLT, "STKFLT" }, { SIGCHLD, "CHLD" }, { SIGCONT, "CONT" }, { SIGSTOP, "STOP" },
	{ SIGTSTP, "TSTP" }, { SIGTTIN, "TTIN" }, { SIGTTOU, "TTOU" }, { SIGURG, "URG" }, { SIGXCPU, "XCPU" }, { SIGXFSZ, "XFSZ" },
	{ SIGVTALRM, "VTALRM" }, { SIGPROF, "PROF" }, { SIGWINCH, "WINCH" }, { SIGIO, "IO" }, { SIGPWR, "PWR" }, { SIGSYS, "SYS" },
};
const struct syscall_names syscall_names_signal = { "SIG", ~0ULL, signal_rows, ARRAY_SIZE(signal_rows) };

static const struct syscall_name_row signalfd_rows[] = {
	{ SFD_CLOEXEC, "CLOEXEC" }, { SFD_NONBLOCK, "NONBLOCK" },
};
const struct syscall_names syscall_names_signalfd = { "SFD_", 0, signalfd_rows, ARRAY_SIZE(signalfd_rows) };

static const struct syscall_name_row socket_type_rows[] = {
	{ SOCK_STREAM, "STREAM" }, { SOCK_DGRAM, "DGRAM" }, { SOCK_RAW, "RAW" }, { SOCK_RDM, "RDM" }, { SOCK_SEQPACKET, "SEQPACKET" },
	{ SOCK_DCCP, "DCCP" }, { SOCK_PACKET, "PACKET" }, { SOCK_NONBLOCK, "NONBLOCK" }, { SOCK_CLOEXEC, "CLOEXEC" },
};
const struct syscall_names syscall_names_socket_type = { "SOCK_", 15, socket_type_rows, ARRAY_SIZE(socket_type_rows) };

static const struct syscall_name_row socket_level_rows[] = {
	{ SOL_IP, "IP" }, { SOL_SOCKET, "SOCKET" }, { 6, "TCP" }, { 17, "UDP" }, { SOL_IPV6, "IPV6" }, { SOL_RAW, "RAW" },
	{ SOL_PACKET, "PACKET" }, { SOL_NETLINK, "NETLINK" },
};
const struct syscall_names syscall_names_socket_level = { "SOL_", ~0ULL, socket_level_rows, ARRAY_SIZE(socket_level_rows) };

static const struct syscall_name_row socket_option_rows[] = {
	{ SO_DEBUG, "DEBUG" }, { SO_REUSEADDR, "REUSEADDR" }, { SO_TYPE, "TYPE" }, { SO_ERROR, "ERROR" }, { SO_DONTROUTE, "DONTROUTE" },
	{ SO_BROADCAST, "BROADCAST" }, { SO_SNDBUF, "SNDBUF" }, { SO_RCVBUF, "RCVBUF" }, { SO_KEEPALIVE, "KEEPALIVE" },
	{ SO_OOBINLINE, "OOBINLINE" }, { SO_NO_CHECK, "NO_CHECK" }, { SO_PRIORITY, "PRIORITY" }, { SO_LINGER, "LINGER" },
	{ SO_BSDCOMPAT, "BSDCOMPAT" }, { SO_REUSEPORT, "REUSEPORT" }, { SO_PASSCRED, "PASSCRED" }, { SO_PEERCRED, "PEERCRED" },
	{ SO_RCVLOWAT, "RCVLOWAT" }, { SO_SNDLOWAT, "SNDLOWAT" }, { SO_RCVTIMEO, "RCVTIMEO" }, { SO_SNDTIMEO, "SNDTIMEO" },
	{ SO_BINDTODEVICE, "BINDTODEVICE" }, { SO_ATTACH_FILTER, "ATTACH_FILTER" }, { SO_DETACH_FILTER, "DETACH_FILTER" },
	{ SO_PEERNAME, "PEERNAME" }, { SO_TIMESTAMP, "TIMESTAMP" }, { SO_ACCEPTCONN, "ACCEPTCONN" }, { SO_PEERSEC, "PEERSEC" },
	{ SO_SNDBUFFORCE, "SNDBUFFORCE" }, { SO_RCVBUFFORCE, "RCVBUFFORCE" }, { SO_PASSSEC, "PASSSEC" }, { SO_TIMESTAMPNS, "TIMESTAMPNS" },
	{ SO_MARK, "MARK" }, { SO_TIMESTAMPING, "TIMESTAMPING" }, { SO_PROTOCOL, "PROTOCOL" }, { SO_DOMAIN, "DOMAIN" },
	{ SO_RXQ_OVFL, "RXQ_OVFL" }, { SO_PEEK_OFF, "PEEK_OFF" }, { SO_BUSY_POLL, "BUSY_POLL" }, { SO_INCOMING_CPU, "INCOMING_CPU" },
	{ SO_ATTACH_BPF, "ATTACH_BPF" }, { SO_COOKIE, "COOKIE" }, { SO_ZEROCOPY, "ZEROCOPY" },
};
const struct syscall_names syscall_names_socket_option = { "SO_", ~0ULL, socket_option_rows, ARRAY_SIZE(socket_option_rows) };

static const struct syscall_name_row tcp_option_rows[] = {
	{ TCP_NODELAY, "NODELAY" }, { TCP_MAXSEG, "MAXSEG" }, { TCP_CORK, "CORK" }, { TCP_KEEPIDLE, "KEEPIDLE" }, { TCP_KEEPINTVL, "KEEPINTVL" },
	{ TCP_KEEPCNT, "KEEPCNT" }, { TCP_SYNCNT, "SYNCNT" }, { TCP_LINGER2, "LINGER2" }, { TCP_DEFER_ACCEPT, "DEFER_ACCEPT" },
	{ TCP_WINDOW_CLAMP, "WINDOW_CLAMP" }, { TCP_INFO, "INFO" }, { TCP_QUICKACK, "QUICKACK" }, { TCP_CONGESTION, "CONGESTION" },
	{ TCP_USER_TIMEOUT, "USER_TIMEOUT" }, { TCP_FASTOPEN, "FASTOPEN" },
};
const struct syscall_names syscall_names_tcp_option = { "TCP_", ~0ULL, tcp_option_rows, ARRAY_SIZE(tcp_option_rows) };

static const struct syscall_name_row ip_option_rows[] = {
	{ IP_TOS, "TOS" }, { IP_TTL, "TTL" }, { IP_HDRINCL, "HDRINCL" }, { IP_OPTIONS, "OPTIONS" }, { IP_ROUTER_ALERT, "ROUTER_ALERT" },
	{ IP_RECVOPTS, "RECVOPTS" }, { IP_RETOPTS, "RETOPTS" }, { IP_PKTINFO, "PKTINFO" }, { IP_PKTOPTIONS, "PKTOPTIONS" },
	{ IP_MTU_DISCOVER, "MTU_DISCOVER" }, { IP_RECVERR, "RECVERR" }, { IP_RECVTTL, "RECVTTL" }, { IP_RECVTOS, "RECVTOS" },
	{ IP_MTU, "MTU" }, { IP_FREEBIND, "FREEBIND" }, { IP_TRANSPARENT, "TRANSPARENT" }, { IP_ORIGDSTADDR, "ORIGDSTADDR" },
	{ IP_MINTTL, "MINTTL" }, { IP_NODEFRAG, "NODEFRAG" }, { IP_CHECKSUM, "CHECKSUM" },
	{ IP_BIND_ADDRESS_NO_PORT, "BIND_ADDRESS_NO_PORT" }, { IP_MULTICAST_IF, "MULTICAST_IF" }, { IP_MULTICAST_TTL, "MULTICAST_TTL" },
	{ IP_MULTICAST_LOOP, "MULTICAST_LOOP" }, { IP_ADD_MEMBERSHIP, "ADD_MEMBERSHIP" }, { IP_DROP_MEMBERSHIP, "DROP_MEMBERSHIP" },
	{ IP_UNBLOCK_SOURCE, "UNBLOCK_SOURCE" }, { IP_BLOCK_SOURCE, "BLOCK_SOURCE" },
	{ IP_ADD_SOURCE_MEMBERSHIP, "ADD_SOURCE_MEMBERSHIP" }, { IP_DROP_SOURCE_MEMBERSHIP, "DROP_SOURCE_MEMBERSHIP" },
	{ IP_MULTICAST_ALL, "MULTICAST_ALL" }, { IP_UNICAST_IF, "UNICAST_IF" },
};
const struct syscall_names syscall_names_ip_option = { "IP_", ~0ULL, ip_option_rows, ARRAY_SIZE(ip_option_rows) };

static const struct syscall_name_row ipv6_option_rows[] = {
	{ IPV6_ADDRFORM, "ADDRFORM" }, { IPV6_CHECKSUM, "CHECKSUM" }, { IPV6_UNICAST_HOPS, "UNICAST_HOPS" },
	{ IPV6_MULTICAST_IF, "MULTICAST_IF" }, { IPV6_MULTICAST_HOPS, "MULTICAST_HOPS" }, { IPV6_MULTICAST_LOOP, "MULTICAST_LOOP" },
	{ IPV6_ADD_MEMBERSHIP, "ADD_MEMBERSHIP" }, { IPV6_DROP_MEMBERSHIP, "DROP_MEMBERSHIP" }, { IPV6_ROUTER_ALERT, "ROUTER_ALERT" },
	{ IPV6_MTU_DISCOVER, "MTU_DISCOVER" }, { IPV6_MTU, "MTU" }, { IPV6_RECVERR, "RECVERR" }, { IPV6_V6ONLY, "V6ONLY" },
	{ IPV6_RECVPKTINFO, "RECVPKTINFO" }, { IPV6_PKTINFO, "PKTINFO" }, { IPV6_RECVHOPLIMIT, "RECVHOPLIMIT" },
	{ IPV6_HOPLIMIT, "HOPLIMIT" }, { IPV6_RECVHOPOPTS, "RECVHOPOPTS" }, { IPV6_HOPOPTS, "HOPOPTS" },
	{ IPV6_RTHDRDSTOPTS, "RTHDRDSTOPTS" }, { IPV6_RECVRTHDR, "RECVRTHDR" }, { IPV6_RTHDR, "RTHDR" },
	{ IPV6_RECVDSTOPTS, "RECVDSTOPTS" }, { IPV6_DSTOPTS, "DSTOPTS" }, { IPV6_RECVPATHMTU, "RECVPATHMTU" },
	{ IPV6_PATHMTU, "PATHMTU" }, { IPV6_DONTFRAG, "DONTFRAG" }, { IPV6_RECVTCLASS, "RECVTCLASS" }, { IPV6_TCLASS, "TCLASS" },
	{ IPV6_AUTOFLOWLABEL, "AUTOFLOWLABEL" }, { IPV6_ADDR_PREFERENCES, "ADDR_PREFERENCES" }, { IPV6_MINHOPCOUNT, "MINHOPCOUNT" },
	{ IPV6_ORIGDSTADDR, "ORIGDSTADDR" }, { IPV6_TRANSPARENT, "TRANSPARENT" }, { IPV6_UNICAST_IF, "UNICAST_IF" },
	{ IPV6_FREEBIND, "FREEBIND" },
};
const struct syscall_names syscall_names_ipv6_option = { "IPV6_", ~0ULL, ipv6_option_rows, ARRAY_SIZE(ipv6_option_rows) };

static const struct syscall_name_row splice_rows[] = {
	{ SPLICE_F_MOVE, "MOVE" }, { SPLICE_F_NONBLOCK, "NONBLOCK" }, { SPLICE_F_MORE, "MORE" }, { SPLICE_F_GIFT, "GIFT" },
};
const struct syscall_names syscall_names_splice = { "SPLICE_F_", 0, splice_rows, ARRAY_SIZE(splice_rows) };

static const struct syscall_name_row statx_rows[] = {
	{ AT_SYMLINK_NOFOLLOW, "SYMLINK_NOFOLLOW" }, { AT_NO_AUTOMOUNT, "NO_AUTOMOUNT" }, { AT_EMPTY_PATH, "EMPTY_PATH" },
	{ AT_STATX_FORCE_SYNC, "STATX_FORCE_SYNC" }, { AT_STATX_DONT_SYNC, "STATX_DONT_SYNC" },
};
const struct syscall_names syscall_names_statx = { "AT_", 0, statx_rows, ARRAY_SIZE(statx_rows) };

static const struct syscall_name_row statx_mask_rows[] = {
	{ 0xfff, "ALL" }, { STATX_BASIC_STATS, "BASIC_STATS" }, { STATX_TYPE, "TYPE" }, { STATX_MODE, "MODE" }, { STATX_NLINK, "NLINK" },
	{ STATX_UID, "UID" }, { STATX_GID, "GID" }, { STATX_ATIME, "ATIME" }, { STATX_MTIME, "MTIME" }, { STATX_CTIME, "CTIME" },
	{ STATX_INO, "INO" }, { STATX_SIZE, "SIZE" }, { STATX_BLOCKS, "BLOCKS" }, { STATX_BTIME, "BTIME" }, { STATX_MNT_ID, "MNT_ID" },
};
const struct syscall_names syscall_names_statx_mask = { "STATX_", 0, statx_mask_rows, ARRAY_SIZE(statx_mask_rows) };

static const struct syscall_name_row swapon_rows[] = {
	{ SWAP_FLAG_PREFER, "PREFER" }, { SWAP_FLAG_DISCARD, "DISCARD" },
};
const struct syscall_names syscall_names_swapon = { "SWAP_FLAG_", 0, swapon_rows, ARRAY_SIZE(swapon_rows) };

static const struct syscall_name_row sync_range_rows[] = {
	{ SYNC_FILE_RANGE_WAIT_BEFORE, "WAIT_BEFORE" }, { SYNC_FILE_RANGE_WRITE, "WRITE" }, { SYNC_FILE_RANGE_WAIT_AFTER, "WAIT_AFTER" },
};
const struct syscall_names syscall_names_sync_range = { "SYNC_FILE_RANGE_", 0, sync_range_rows, ARRAY_SIZE(sync_range_rows) };

static const struct syscall_name_row timer_flags_rows[] = {
	{ TIMER_ABSTIME, "ABSTIME" },
};
const struct syscall_names syscall_names_timer_flags = { "TIMER_", 0, timer_flags_rows, ARRAY_SIZE(timer_flags_rows) };

static const struct syscall_name_row timerfd_rows[] = {
	{ TFD_CLOEXEC, "CLOEXEC" }, { TFD_NONBLOCK, "NONBLOCK" },
};
const struct syscall_names syscall_names_timerfd = { "TFD_", 0, timerfd_rows, ARRAY_SIZE(timerfd_rows) };

static const struct syscall_name_row umount_rows[] = {
	{ MNT_FORCE, "MNT_FORCE" }, { MNT_DETACH, "MNT_DETACH" }, { MNT_EXPIRE, "MNT_EXPIRE" }, { UMOUNT_NOFOLLOW, "UMOUNT_NOFOLLOW" },
};
const struct syscall_names syscall_names_umount = { "", 0, umount_rows, ARRAY_SIZE(umount_rows) };

static const struct syscall_name_row wait_rows[] = {
	{ WNOHANG, "NOHANG" }, { WUNTRACED, "UNTRACED" }, { WEXITED, "EXITED" }, { WCONTINUED, "CONTINUED" }, { WNOWAIT, "NOWAIT" },
	{ 0x20000000, "__WNOTHREAD" }, { 0x40000000, "__WALL" }, { 0x80000000, "__WCLONE" },
};
const struct syscall_names syscall_names_wait = { "W", 0, wait_rows, ARRAY_SIZE(wait_rows) };

static const struct syscall_name_row which_id_rows[] = {
	{ P_ALL, "ALL" }, { P_PID, "PID" }, { P_PGID, "PGID" }, { P_PIDFD, "PIDFD" },
};
const struct syscall_names syscall_names_which_id = { "P_", ~0ULL, which_id_rows, ARRAY_SIZE(which_id_rows) };

static const struct syscall_name_row xattr_rows[] = {
	{ XATTR_CREATE, "CREATE" }, { XATTR_REPLACE, "REPLACE" },
};
const struct syscall_names syscall_names_xattr = { "XATTR_", 0, xattr_rows, ARRAY_SIZE(xattr_rows) };

static const struct syscall_name_row ioctl_rows[] = {
	{ TCGETS, "TCGETS" }, { TCSETS, "TCSETS" }, { TCSETSW, "TCSETSW" }, { TCSETSF, "TCSETSF" }, { TIOCGWINSZ, "TIOCGWINSZ" },
	{ TIOCSWINSZ, "TIOCSWINSZ" }, { TIOCGPGRP, "TIOCGPGRP" }, { TIOCSPGRP, "TIOCSPGRP" }, { TIOCSCTTY, "TIOCSCTTY" },
	{ TIOCNOTTY, "TIOCNOTTY" }, { TIOCGPTN, "TIOCGPTN" }, { TIOCSPTLCK, "TIOCSPTLCK" }, { FIONREAD, "FIONREAD" }, { FIONBIO, "FIONBIO" },
	{ FIOASYNC, "FIOASYNC" }, { FIOCLEX, "FIOCLEX" }, { FIONCLEX, "FIONCLEX" }, { TIOCGSID, "TIOCGSID" }, { TIOCGPTPEER, "TIOCGPTPEER" },
	{ SIOCGIFCONF, "SIOCGIFCONF" }, { SIOCGIFNAME, "SIOCGIFNAME" }, { SIOCGIFINDEX, "SIOCGIFINDEX" }, { SIOCGIFFLAGS, "SIOCGIFFLAGS" },
	{ SIOCGIFADDR, "SIOCGIFADDR" }, { SIOCGIFMTU, "SIOCGIFMTU" }, { SIOCGIFHWADDR, "SIOCGIFHWADDR" }, { _IOW(0x94, 9, int), "FICLONE" },
	{ _IOW(0x94, 13, u64[4]), "FICLONERANGE" }, { _IOR('f', 1, long), "FS_IOC_GETFLAGS" }, { _IOW('f', 2, long), "FS_IOC_SETFLAGS" },
	{ BLKGETSIZE64, "BLKGETSIZE64" }, { BLKSSZGET, "BLKSSZGET" },
	{ SECCOMP_IOCTL_NOTIF_RECV, "SECCOMP_IOCTL_NOTIF_RECV" }, { SECCOMP_IOCTL_NOTIF_SEND, "SECCOMP_IOCTL_NOTIF_SEND" },
	{ SECCOMP_IOCTL_NOTIF_ID_VALID, "SECCOMP_IOCTL_NOTIF_ID_VALID" }, { _IOW('!', 3, u64[3]), "SECCOMP_IOCTL_NOTIF_ADDFD" },
	{ _IOW('!', 4, u64), "SECCOMP_IOCTL_NOTIF_SET_FLAGS" },
};
const struct syscall_names syscall_names_ioctl = { "", ~0ULL, ioctl_rows, ARRAY_SIZE(ioctl_rows) };

static const struct syscall_name_row bpf_cmd_rows[] = {
	{ BPF_MAP_CREATE, "MAP_CREATE" }, { BPF_MAP_LOOKUP_ELEM, "MAP_LOOKUP_ELEM" }, { BPF_MAP_UPDATE_ELEM, "MAP_UPDATE_ELEM" },
	{ BPF_MAP_DELETE_ELEM, "MAP_DELETE_ELEM" }, { BPF_MAP_GET_NEXT_KEY, "MAP_GET_NEXT_KEY" }, { BPF_PROG_LOAD, "PROG_LOAD" },
	{ BPF_OBJ_PIN, "OBJ_PIN" }, { BPF_OBJ_GET, "OBJ_GET" }, { BPF_PROG_ATTACH, "PROG_ATTACH" }, { BPF_PROG_DETACH, "PROG_DETACH" },
	{ BPF_PROG_TEST_RUN, "PROG_TEST_RUN" }, { BPF_PROG_GET_NEXT_ID, "PROG_GET_NEXT_ID" }, { BPF_MAP_GET_NEXT_ID, "MAP_GET_NEXT_ID" },
	{ BPF_PROG_GET_FD_BY_ID, "PROG_GET_FD_BY_ID" }, { BPF_MAP_GET_FD_BY_ID, "MAP_GET_FD_BY_ID" },
	{ BPF_OBJ_GET_INFO_BY_FD, "OBJ_GET_INFO_BY_FD" }, { BPF_PROG_QUERY, "PROG_QUERY" }, { BPF_RAW_TRACEPOINT_OPEN, "RAW_TRACEPOINT_OPEN" },
	{ BPF_BTF_LOAD, "BTF_LOAD" }, { BPF_BTF_GET_FD_BY_ID, "BTF_GET_FD_BY_ID" }, { BPF_TASK_FD_QUERY, "TASK_FD_QUERY" },
	{ BPF_MAP_LOOKUP_AND_DELETE_ELEM, "MAP_LOOKUP_AND_DELETE_ELEM" }, { BPF_MAP_FREEZE, "MAP_FREEZE" },
	{ BPF_BTF_GET_NEXT_ID, "BTF_GET_NEXT_ID" }, { BPF_MAP_LOOKUP_BATCH, "MAP_LOOKUP_BATCH" },
	{ BPF_MAP_LOOKUP_AND_DELETE_BATCH, "MAP_LOOKUP_AND_DELETE_BATCH" }, { BPF_MAP_UPDATE_BATCH, "MAP_UPDATE_BATCH" },
	{ BPF_MAP_DELETE_BATCH, "MAP_DELETE_BATCH" }, { BPF_LINK_CREATE, "LINK_CREATE" }, { BPF_LINK_UPDATE, "LINK_UPDATE" },
	{ BPF_LINK_GET_FD_BY_ID, "LINK_GET_FD_BY_ID" }, { BPF_LINK_GET_NEXT_ID, "LINK_GET_NEXT_ID" }, { BPF_ENABLE_STATS, "ENABLE_STATS" },
	{ BPF_ITER_CREATE, "ITER_CREATE" }, { BPF_LINK_DETACH, "LINK_DETACH" }, { BPF_PROG_BIND_MAP, "PROG_BIND_MAP" },
};
const struct syscall_names syscall_names_bpf_cmd = { "BPF_", ~0ULL, bpf_cmd_rows, ARRAY_SIZE(bpf_cmd_rows) };

static const struct syscall_name_row ip_protocol_rows[] = {
	{ IPPROTO_IP, "IP" }, { IPPROTO_ICMP, "ICMP" }, { IPPROTO_IGMP, "IGMP" }, { IPPROTO_TCP, "TCP" }, { IPPROTO_UDP, "UDP" },
	{ IPPROTO_IPV6, "IPV6" }, { IPPROTO_ICMPV6, "ICMPV6" }, { IPPROTO_SCTP, "SCTP" }, { IPPROTO_RAW, "RAW" },
};
const struct syscall_names syscall_names_ip_protocol = { "IPPROTO_", ~0ULL, ip_protocol_rows, ARRAY_SIZE(ip_protocol_rows) };

static const struct syscall_name_row landlock_rule_rows[] = {
	{ LANDLOCK_RULE_PATH_BENEATH, "LANDLOCK_RULE_PATH_BENEATH" }, { 2, "LANDLOCK_RULE_NET_PORT" },
};
const struct syscall_names syscall_names_landlock_rule = { "", ~0ULL, landlock_rule_rows, ARRAY_SIZE(landlock_rule_rows) };

static const struct syscall_name_row landlock_flags_rows[] = {
	{ LANDLOCK_CREATE_RULESET_VERSION, "VERSION" },
};
const struct syscall_names syscall_names_landlock_flags = { "LANDLOCK_CREATE_RULESET_", 0, landlock_flags_rows, ARRAY_SIZE(landlock_flags_rows) };

static const struct syscall_name_row rseq_rows[] = {
	{ RSEQ_FLAG_UNREGISTER, "UNREGISTER" },
};
const struct syscall_names syscall_names_rseq = { "RSEQ_FLAG_", 0, rseq_rows, ARRAY_SIZE(rseq_rows) };

static const struct syscall_name_row membarrier_rows[] = {
	{ MEMBARRIER_CMD_QUERY, "QUERY" }, { MEMBARRIER_CMD_GLOBAL, "GLOBAL" }, { MEMBARRIER_CMD_GLOBAL_EXPEDITED, "GLOBAL_EXPEDITED" },
	{ MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, "REGISTER_GLOBAL_EXPEDITED" }, { MEMBARRIER_CMD_PRIVATE_EXPEDITED, "PRIVATE_EXPEDITED" },
	{ MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, "REGISTER_PRIVATE_EXPEDITED" },
	{ MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, "PRIVATE_EXPEDITED_SYNC_CORE" },
	{ MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, "REGISTER_PRIVATE_EXPEDITED_SYNC_CORE" },
};
const struct syscall_names syscall_names_membarrier = { "MEMBARRIER_CMD_", ~0ULL, membarrier_rows, ARRAY_SIZE(membarrier_rows) };

static const struct syscall_name_row ioprio_rows[] = {
	{ 1, "PROCESS" }, { 2, "PGRP" }, { 3, "USER" },
};
const struct syscall_names syscall_names_ioprio = { "IOPRIO_WHO_", ~0ULL, ioprio_rows, ARRAY_SIZE(ioprio_rows) };

static const struct syscall_name_row lock_type_rows[] = {
	{ F_RDLCK, "RDLCK" }, { F_WRLCK, "WRLCK" }, { F_UNLCK, "UNLCK" },
};
const struct syscall_names syscall_names_lock_type = { "F_", ~0ULL, lock_type_rows, ARRAY_SIZE(lock_type_rows) };

static const struct syscall_name_row utime_flags_rows[] = {
	{ AT_SYMLINK_NOFOLLOW, "SYMLINK_NOFOLLOW" }, { AT_EMPTY_PATH, "EMPTY_PATH" },
};
const struct syscall_names syscall_names_utime_flags = { "AT_", 0, utime_flags_rows, ARRAY_SIZE(utime_flags_rows) };

static const struct syscall_name_row arch_prctl_rows[] = {
	{ 0x1001, "SET_GS" }, { 0x1002, "SET_FS" }, { 0x1003, "GET_FS" }, { 0x1004, "GET_GS" }, { 0x1011, "GET_CPUID" }, { 0x1012, "SET_CPUID" },
	{ 0x5001, "SHSTK_ENABLE" }, { 0x5002, "SHSTK_DISABLE" }, { 0x5005, "SHSTK_STATUS" },
};
const struct syscall_names syscall_names_arch_prctl = { "ARCH_", ~0ULL, arch_prctl_rows, ARRAY_SIZE(arch_prctl_rows) };

static const struct syscall_name_row epoll_events_rows[] = {
	{ EPOLLIN, "IN" }, { EPOLLPRI, "PRI" }, { EPOLLOUT, "OUT" }, { EPOLLERR, "ERR" }, { EPOLLHUP, "HUP" }, { EPOLLRDNORM, "RDNORM" },
	{ EPOLLRDBAND, "RDBAND" }, { EPOLLWRNORM, "WRNORM" }, { EPOLLWRBAND, "WRBAND" }, { EPOLLMSG, "MSG" }, { EPOLLRDHUP, "RDHUP" },
	{ EPOLLEXCLUSIVE, "EXCLUSIVE" }, { EPOLLWAKEUP, "WAKEUP" }, { EPOLLONESHOT, "ONESHOT" }, { EPOLLET, "ET" },
};
const struct syscall_names syscall_names_epoll_events = { "EPOLL", 0, epoll_events_rows, ARRAY_SIZE(epoll_events_rows) };

static const struct syscall_name_row faccess_rows[] = {
	{ AT_EACCESS, "EACCESS" }, { AT_SYMLINK_NOFOLLOW, "SYMLINK_NOFOLLOW" }, { AT_EMPTY_PATH, "EMPTY_PATH" },
};
const struct syscall_names syscall_names_faccess = { "AT_", 0, faccess_rows, ARRAY_SIZE(faccess_rows) };

static const struct syscall_name_row pipe_rows[] = {
	{ O_CLOEXEC, "CLOEXEC" }, { O_NONBLOCK, "NONBLOCK" }, { O_DIRECT, "DIRECT" },
};
const struct syscall_names syscall_names_pipe = { "O_", 0, pipe_rows, ARRAY_SIZE(pipe_rows) };

static const struct syscall_name_row whence_rows[] = {
	{ SEEK_SET, "SET" }, { SEEK_CUR, "CUR" }, { SEEK_END, "END" }, { SEEK_DATA, "DATA" }, { SEEK_HOLE, "HOLE" },
};
const struct syscall_names syscall_names_whence = { "SEEK_", ~0ULL, whence_rows, ARRAY_SIZE(whence_rows) };

static const struct syscall_name_row utime_rows[] = {
	{ UTIME_NOW, "NOW" }, { UTIME_OMIT, "OMIT" },
};
const struct syscall_names syscall_names_utime = { "UTIME_", ~0ULL, utime_rows, ARRAY_SIZE(utime_rows) };

/* As a number, for headers that lack it: include/uapi/linux/fcntl.h */
static const struct syscall_name_row seal_rows[] = {
	{ F_SEAL_SEAL, "SEAL" }, { F_SEAL_SHRINK, "SHRINK" }, { F_SEAL_GROW, "GROW" }, { F_SEAL_WRITE, "WRITE" }, { 16, "FUTURE_WRITE" },
	{ 32, "EXEC" },
};
const struct syscall_names syscall_names_seal = { "F_SEAL_", 0, seal_rows, ARRAY_SIZE(seal_rows) };

static const struct syscall_name_row notify_rows[] = {
	{ DN_ACCESS, "ACCESS" }, { DN_MODIFY, "MODIFY" }, { DN_CREATE, "CREATE" }, { DN_DELETE, "DELETE" }, { DN_RENAME, "RENAME" },
	{ DN_ATTRIB, "ATTRIB" }, { 0x80000000, "MULTISHOT" },
};
const struct syscall_names syscall_names_notify = { "DN_", 0, notify_rows, ARRAY_SIZE(notify_rows) };

static const struct syscall_name_row capability_rows[] = {
	{ CAP_CHOWN, "CHOWN" }, { CAP_DAC_OVERRIDE, "DAC_OVERRIDE" }, { CAP_DAC_READ_SEARCH, "DAC_READ_SEARCH" }, { CAP_FOWNER, "FOWNER" },
	{ CAP_FSETID, "FSETID" }, { CAP_KILL, "KILL" }, { CAP_SETGID, "SETGID" }, { CAP_SETUID, "SETUID" }, { CAP_SETPCAP, "SETPCAP" },
	{ CAP_LINUX_IMMUTABLE, "LINUX_IMMUTABLE" }, { CAP_NET_BIND_SERVICE, "NET_BIND_SERVICE" }, { CAP_NET_BROADCAST, "NET_BROADCAST" },
	{ CAP_NET_ADMIN, "NET_ADMIN" }, { CAP_NET_RAW, "NET_RAW" }, { CAP_IPC_LOCK, "IPC_LOCK" }, { CAP_IPC_OWNER, "IPC_OWNER" },
	{ CAP_SYS_MODULE, "SYS_MODULE" }, { CAP_SYS_RAWIO, "SYS_RAWIO" }, { CAP_SYS_CHROOT, "SYS_CHROOT" }, { CAP_SYS_PTRACE, "SYS_PTRACE" },
	{ CAP_SYS_PACCT, "SYS_PACCT" }, { CAP_SYS_ADMIN, "SYS_ADMIN" }, { CAP_SYS_BOOT, "SYS_BOOT" }, { CAP_SYS_NICE, "SYS_NICE" },
	{ CAP_SYS_RESOURCE, "SYS_RESOURCE" }, { CAP_SYS_TIME, "SYS_TIME" }, { CAP_SYS_TTY_CONFIG, "SYS_TTY_CONFIG" }, { CAP_MKNOD, "MKNOD" },
	{ CAP_LEASE, "LEASE" }, { CAP_AUDIT_WRITE, "AUDIT_WRITE" }, { CAP_AUDIT_CONTROL, "AUDIT_CONTROL" }, { CAP_SETFCAP, "SETFCAP" },
	{ CAP_MAC_OVERRIDE, "MAC_OVERRIDE" }, { CAP_MAC_ADMIN, "MAC_ADMIN" }, { CAP_SYSLOG, "SYSLOG" }, { CAP_WAKE_ALARM, "WAKE_ALARM" },
	{ CAP_BLOCK_SUSPEND, "BLOCK_SUSPEND" }, { CAP_AUDIT_READ, "AUDIT_READ" }, { CAP_PERFMON, "PERFMON" }, { CAP_BPF, "BPF" },
	{ CAP_CHECKPOINT_RESTORE, "CHECKPOINT_RESTORE" },
};
const struct syscall_names syscall_names_capability = { "CAP_", ~0ULL, capability_rows, ARRAY_SIZE(capability_rows) };

static const struct syscall_name_row cap_ambient_rows[] = {
	{ PR_CAP_AMBIENT_IS_SET, "IS_SET" }, { PR_CAP_AMBIENT_RAISE, "RAISE" }, { PR_CAP_AMBIENT_LOWER, "LOWER" },
	{ PR_CAP_AMBIENT_CLEAR_ALL, "CLEAR_ALL" },
};
const struct syscall_names syscall_names_cap_ambient = { "PR_CAP_AMBIENT_", ~0ULL, cap_ambient_rows, ARRAY_SIZE(cap_ambient_rows) };

const char *syscall_names__find(const struct syscall_names *names, u64 value)
{
	for (unsigned int i = 0; i < names->nr; i++) {
		if (names->row[i].value == value)
			return names->row[i].name;
	}
	return NULL;
}
