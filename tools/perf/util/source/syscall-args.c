// SPDX-License-Identifier: GPL-2.0
/* The names of arguments are those of the kernel's functions: see events/syscalls/sys_enter_NAME/format in tracefs. */
#include "util/source/syscall-args.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include "util/lib/types.h"
#include "util/source/syscall-formats.h"

#define CONSTANT(call, arg, list) { call, arg, .names = &syscall_names_##list }
#define DESCRIPTOR(call, arg) { call, arg, .kind = SYSCALL_ARG_FD, .copy = { .kind = TRACE_COPY_FILE } }
#define DIRECTORY(call, arg) { call, arg, .kind = SYSCALL_ARG_DIR, .copy = { .kind = TRACE_COPY_FILE } }
#define GONE(call, arg) { call, arg, .kind = SYSCALL_ARG_FD, .copy = { .kind = TRACE_COPY_FILE, .early = 1 } } /* the call closes it */
#define TEXT(call, arg) { call, arg, .copy = { .kind = TRACE_COPY_STRING } }
#define COPY(call, arg, look, arg_of_size, ...) \
	{ call, arg, .shape = SYSCALL_SHAPE_##look, .size = arg_of_size, .copy = { .kind = TRACE_COPY_BYTES, __VA_ARGS__ } }
#define BUFFER_IN(call, arg, size) COPY(call, arg, TEXT, size, .from = TRACE_SIZE_ARG, .unit = 1)
#define BUFFER_OUT(call, arg) COPY(call, arg, TEXT, NULL, .from = TRACE_SIZE_RESULT, .unit = 1, .if_ok = 1)
#define IN(call, arg, shape, bytes) COPY(call, arg, shape, NULL, .from = TRACE_SIZE_FIXED, .unit = bytes, .limit = bytes)
#define IN_OUT(call, arg, shape, bytes) COPY(call, arg, shape, NULL, .from = TRACE_SIZE_FIXED, .unit = bytes, .limit = bytes, .early = 1) /* before */
#define OUT(call, arg, shape, bytes) COPY(call, arg, shape, NULL, .from = TRACE_SIZE_FIXED, .unit = bytes, .limit = bytes, .if_ok = 1)
#define ARRAY_IN(call, arg, shape, size, bytes, most) \
	COPY(call, arg, shape, size, .from = TRACE_SIZE_ARG, .unit = bytes, .limit = (bytes) * (most))
#define ARRAY_OUT(call, arg, shape, bytes, most) \
	COPY(call, arg, shape, NULL, .from = TRACE_SIZE_RESULT, .unit = bytes, .limit = (bytes) * (most), .if_ok = 1)
#define SIZED_OUT(call, arg, shape, size, most) COPY(call, arg, shape, size, .from = TRACE_SIZE_POINTER, .limit = most, .if_ok = 1)
#define VECTOR_IN(call, arg, nr) \
	{ call, arg, .shape = SYSCALL_SHAPE_VECTOR, .size = nr, .copy = { .kind = TRACE_COPY_VECTOR } }
#define VECTOR_OUT(call, arg, nr) \
	{ call, arg, .shape = SYSCALL_SHAPE_VECTOR, .size = nr, .copy = { .kind = TRACE_COPY_VECTOR, .from = TRACE_SIZE_RESULT, .if_ok = 1 } }

static const struct syscall_arg_rule rules[] = {
	/* Descriptors */
	OUT("pipe*", "fildes", INT, 8),
	GONE("close", "fd"), GONE("dup2", "newfd"), GONE("dup3", "newfd"),
	DIRECTORY(NULL, "dfd"), DIRECTORY(NULL, "olddfd"), DIRECTORY(NULL, "newdfd"), DIRECTORY(NULL, "from_dfd"), DIRECTORY(NULL, "to_dfd"),
	DIRECTORY("execveat", "fd"),
	DESCRIPTOR("dup2", "oldfd"), DESCRIPTOR("dup3", "oldfd"), DESCRIPTOR(NULL, "fd"), DESCRIPTOR(NULL, "ufd"), DESCRIPTOR(NULL, "epfd"),
	DESCRIPTOR(NULL, "fildes"), DESCRIPTOR(NULL, "in_fd"), DESCRIPTOR(NULL, "out_fd"), DESCRIPTOR(NULL, "fd_in"), DESCRIPTOR(NULL, "fd_out"),
	DESCRIPTOR(NULL, "fdin"), DESCRIPTOR(NULL, "fdout"), DESCRIPTOR(NULL, "pidfd"), DESCRIPTOR(NULL, "ruleset_fd"), DESCRIPTOR(NULL, "group_fd"),
	DESCRIPTOR("kexec*", "kernel_fd"), DESCRIPTOR(NULL, "mqdes"),

	/* Files */
	CONSTANT("open_tree*", "flags", open_tree), CONSTANT("open*", "flags", open), CONSTANT("accept4", "flags", socket_type),
	CONSTANT("access", "mode", access), CONSTANT("faccessat*", "mode", access), CONSTANT("faccessat2", "flags", faccess),
	CONSTANT("fchmodat2", "flags", at), CONSTANT("fchownat", "flag", at), CONSTANT("newfstatat", "flag", at), CONSTANT("unlinkat", "flag", at),
	CONSTANT("*xattrat", "at_flags", at), CONSTANT("file_?etattr", "at_flags", at), CONSTANT("linkat", "flags", at), CONSTANT("execveat", "flags", at), CONSTANT("name_to_handle_at", "flag", at),
	CONSTANT("utimensat", "flags", utime_flags), CONSTANT("statx", "flags", statx), CONSTANT("statx", "mask", statx_mask),
	CONSTANT("renameat2", "flags", rename), CONSTANT("lseek", "whence", whence), OUT("lseek", "result", UINT64, 8), CONSTANT("fcntl", "cmd", fcntl), 
	{ "fcntl", "arg", .kind = SYSCALL_ARG_COMMAND, .shape = SYSCALL_SHAPE_FLOCK,
	  .copy = { .kind = TRACE_COPY_BYTES, .from = TRACE_SIZE_FIXED, .unit = sizeof(struct flock), .limit = sizeof(struct flock) } },
	CONSTANT("ioctl", "cmd", ioctl), { "ioctl", "arg", .kind = SYSCALL_ARG_EITHER },
	CONSTANT("dup3", "flags", pipe), CONSTANT("pipe2", "flags", pipe), CONSTANT("flock", "cmd", flock), CONSTANT("fallocate", "mode", fallocate),
	CONSTANT("fadvise64", "advice", advice), CONSTANT("sync_file_range", "flags", sync_range), CONSTANT("close_range", "flags", close_range),
	CONSTANT("splice", "flags", splice), CONSTANT("tee", "flags", splice), CONSTANT("vmsplice", "flags", splice),
	CONSTANT("mount", "flags", mount), CONSTANT("umount2", "flags", umount), CONSTANT("move_mount", "flags", move_mount),
	CONSTANT("swapon", "swap_flags", swapon), CONSTANT("*setxattr", "flags", xattr), CONSTANT("memfd_create", "flags", memfd),
	CONSTANT("eventfd2", "flags", eventfd), CONSTANT("signalfd4", "flags", signalfd), CONSTANT("inotify_init1", "flags", inotify),
	CONSTANT("inotify_add_watch", "mask", inotify_mask), CONSTANT("epoll_create1", "flags", epoll), CONSTANT("epoll_ctl", "op", epoll_op),
	CONSTANT("timerfd_create", "flags", timerfd), CONSTANT("timerfd_settime", "flags", timer_flags),
	{ "*chmod*", "mode", .kind = SYSCALL_ARG_MODE }, { "mkdir*", "mode", .kind = SYSCALL_ARG_MODE }, { "mknod*", "mode", .kind = SYSCALL_ARG_MODE },
	{ "open*", "mode", .kind = SYSCALL_ARG_MODE }, { "creat", "mode", .kind = SYSCALL_ARG_MODE }, { "umask", "mask", .kind = SYSCALL_ARG_MODE },
	BUFFER_OUT("read", "buf"), BUFFER_OUT("pread64", "buf"), BUFFER_IN("write", "buf", "count"), BUFFER_IN("pwrite64", "buf", "count"),
	BUFFER_OUT("readlink*", "buf"), { "getcwd", "buf", .copy = { .kind = TRACE_COPY_STRING, .if_ok = 1 } }, BUFFER_OUT("*listxattr", "list"), BUFFER_OUT("*getxattr", "value"),
	BUFFER_IN("*setxattr", "value", "size"), ARRAY_OUT("getdents*", "dirent", DIRENT, 1, 1024),
	VECTOR_OUT("readv", "vec", "vlen"), VECTOR_OUT("preadv*", "vec", "vlen"), VECTOR_IN("writev", "vec", "vlen"), VECTOR_IN("pwritev*", "vec", "vlen"),
	VECTOR_IN("vmsplice", "uiov", "nr_segs"), VECTOR_OUT("process_vm_readv", "lvec", "liovcnt"), VECTOR_IN("process_vm_writev", "lvec", "liovcnt"),
	OUT("*stat*", "statbuf", STAT, sizeof(struct stat)), OUT("statx", "buffer", STATX, sizeof(struct statx)), OUT("*statfs", "buf", STATFS, sizeof(struct statfs)),
	IN("openat2", "how", OPEN_HOW, 24), IN("utimensat", "utimes", UTIMES, 32), IN("utimes", "utimes", TIMEVAL, 32),
	IN("futimesat", "utimes", TIMEVAL, 32), OUT("sendfile", "offset", UINT64, 8), IN("copy_file_range", "off_in", UINT64, 8),
	IN("copy_file_range", "off_out", UINT64, 8), IN("epoll_ctl", "event", EPOLL_EVENT, sizeof(struct epoll_event)), ARRAY_OUT("epoll_*wait*", "events", EPOLL_EVENTS, sizeof(struct epoll_event), 16),
	ARRAY_IN("*poll", "ufds", POLLFD, "nfds", 8, 16), IN_OUT("ppoll", "tsp", TIMESPEC, 16), IN_OUT("select", "tvp", TIMEVAL, 16),
	IN_OUT("pselect6", "tsp", TIMESPEC, 16), IN("epoll_pwait2", "timeout", TIMESPEC, 16),
	TEXT("mount", "dev_name"), TEXT("mount", "dir_name"), TEXT("mount", "type"), TEXT("umount2", "name"), TEXT("utime", "filename"),
	TEXT("utimes", "filename"),

	/* Memory */
	CONSTANT("mmap", "prot", prot), CONSTANT("mmap", "flags", mmap), CONSTANT("mprotect", "prot", prot), CONSTANT("pkey_mprotect", "prot", prot),
	CONSTANT("madvise", "behavior", madvise), CONSTANT("process_madvise", "behavior", madvise), CONSTANT("mremap", "flags", mremap),
	CONSTANT("msync", "flags", msync), CONSTANT("mlockall", "flags", mlock), CONSTANT("pkey_alloc", "init_val", pkey),
	{ "m*", "start", .kind = SYSCALL_ARG_ADDRESS }, { "brk", "brk", .kind = SYSCALL_ARG_ADDRESS },
	{ "mremap", "new_addr", .kind = SYSCALL_ARG_ADDRESS },
	CONSTANT("membarrier", "cmd", membarrier), CONSTANT("rseq", "flags", rseq), CONSTANT("futex", "op", futex), IN("futex", "utime", TIMESPEC, 16),

	/* Processes */
	CONSTANT("clone", "clone_flags", clone), CONSTANT("unshare", "unshare_flags", clone), CONSTANT("setns", "flags", clone),
	CONSTANT("prctl", "option", prctl),
	{ "prctl", "arg2", .kind = SYSCALL_ARG_COMMAND, .copy = { .kind = TRACE_COPY_STRING, .limit = 16 } },
	 CONSTANT("arch_prctl", "option", arch_prctl), { "arch_prctl", "addr", .kind = SYSCALL_ARG_ADDRESS },
	CONSTANT("ptrace", "request", ptrace), CONSTANT("wait4", "options", wait), CONSTANT("waitid", "options", wait), CONSTANT("waitid", "which", which_id),
	CONSTANT("prlimit64", "resource", resource), CONSTANT("getrlimit", "resource", resource), CONSTANT("setrlimit", "resource", resource),
	CONSTANT("getrusage", "who", rusage), CONSTANT("?etpriority", "which", prio), CONSTANT("ioprio_?et", "which", ioprio),
	CONSTANT("sched_setscheduler", "policy", sched), CONSTANT("sched_get_priority_*", "policy", sched), CONSTANT("personality", "personality", personality),
	CONSTANT("seccomp", "op", seccomp), CONSTANT("reboot", "cmd", reboot), CONSTANT("getrandom", "flags", getrandom), CONSTANT("keyctl", "option", keyctl),
	CONSTANT("bpf", "cmd", bpf_cmd), CONSTANT("pidfd_open", "flags", pidfd), CONSTANT("landlock_add_rule", "rule_type", landlock_rule),
	CONSTANT("landlock_create_ruleset", "flags", landlock_flags),
	{ "execve*", "argv", .shape = SYSCALL_SHAPE_STRINGS, .copy = { .kind = TRACE_COPY_STRINGS, .early = 1, .limit = 2048 } },
	{ "execve*", "filename", .copy = { .kind = TRACE_COPY_STRING, .early = 1, .limit = 1000 } },
	OUT("wait4", "stat_addr", STATUS, 4), OUT("wait4", "ru", RUSAGE, sizeof(struct rusage)), OUT("getrusage", "ru", RUSAGE, sizeof(struct rusage)), OUT("waitid", "infop", SIGINFO, 128),
	OUT("getrlimit", "rlim", RLIMIT, 16), IN("setrlimit", "rlim", RLIMIT, 16), IN("prlimit64", "new_rlim", RLIMIT, 16),
	OUT("prlimit64", "old_rlim", RLIMIT, 16), OUT("uname", "name", UTSNAME, sizeof(struct utsname)), OUT("sysinfo", "info", SYSINFO, sizeof(struct sysinfo)),
	IN("clone3", "uargs", CLONE_ARGS, 88), BUFFER_OUT("getrandom", "ubuf"), BUFFER_IN("sethostname", "name", "len"), BUFFER_IN("setdomainname", "name", "len"),
	OUT("getres?id", "ruidp", INT, 4), OUT("getresuid", "euidp", INT, 4), OUT("getresuid", "suidp", INT, 4),
	OUT("getres?id", "rgidp", INT, 4), OUT("getresgid", "egidp", INT, 4), OUT("getresgid", "sgidp", INT, 4), OUT("getcpu", "cpup", INT, 4),
	OUT("getcpu", "nodep", INT, 4),
	ARRAY_IN("sched_setaffinity", "user_mask_ptr", CPUS, "len", 1, 128), ARRAY_OUT("sched_getaffinity", "user_mask_ptr", CPUS, 1, 128),
	IN("io_uring_setup", "params", IO_URING, 40), CONSTANT("io_uring_enter", "flags", io_uring_enter),
	CONSTANT("io_uring_register", "opcode", io_uring_register),

	/* Signals */
	CONSTANT("kill", "sig", signal), CONSTANT("tkill", "sig", signal), CONSTANT("tgkill", "sig", signal), CONSTANT("rt_*sigqueueinfo", "sig", signal),
	CONSTANT("pidfd_send_signal", "sig", signal), CONSTANT("rt_sigaction", "sig", signal), CONSTANT("rt_sigprocmask", "how", sigmask_how),
	IN("rt_sigaction", "act", SIGACTION, 32), OUT("rt_sigaction", "oact", SIGACTION, 32), IN("rt_sigprocmask", "nset", SIGSET, 8),
	OUT("rt_sigprocmask", "oset", SIGSET, 8), OUT("rt_sigpending", "uset", SIGSET, 8), IN("rt_sigsuspend", "unewset", SIGSET, 8),
	IN("rt_sigreturn", "mask", SIGSET, 8),
	IN("rt_sigtimedwait", "uthese", SIGSET, 8), OUT("rt_sigtimedwait", "uinfo", SIGINFO, 128), IN("rt_sigtimedwait", "uts", TIMESPEC, 16),
	IN("signalfd*", "user_mask", SIGSET, 8), IN("ppoll", "sigmask", SIGSET, 8), IN("epoll_pwait*", "sigmask", SIGSET, 8),

	/* Sockets */
	CONSTANT("socket*", "family", domain), CONSTANT("socket*", "type", socket_type), CONSTANT("shutdown", "how", shutdown),
	CONSTANT("send*", "flags", msg), CONSTANT("recv*", "flags", msg), CONSTANT("?etsockopt", "level", socket_level),
	CONSTANT("?etsockopt", "optname", socket_option),
	ARRAY_IN("connect", "uservaddr", SOCKADDR, "addrlen", 1, 128), ARRAY_IN("bind", "umyaddr", SOCKADDR, "addrlen", 1, 128),
	ARRAY_IN("sendto", "addr", SOCKADDR, "addr_len", 1, 128), SIZED_OUT("accept*", "upeer_sockaddr", SOCKADDR, "upeer_addrlen", 128),
	SIZED_OUT("get*name", "usockaddr", SOCKADDR, "usockaddr_len", 128), SIZED_OUT("recvfrom", "addr", SOCKADDR, "addr_len", 128),
	OUT("accept*", "upeer_addrlen", INT, 4), OUT("get*name", "usockaddr_len", INT, 4), OUT("recvfrom", "addr_len", INT, 4),
	ARRAY_IN("setsockopt", "optval", OPTION, "optlen", 1, 32), SIZED_OUT("getsockopt", "optval", OPTION, "optlen", 32), OUT("getsockopt", "optlen", INT, 4),
	OUT("socketpair", "usockvec", INT, 8), BUFFER_IN("sendto", "buff", "len"), BUFFER_OUT("recvfrom", "ubuf"),
	{ "sendmsg", "msg", .shape = SYSCALL_SHAPE_MESSAGE, .copy = { .kind = TRACE_COPY_MESSAGE } },
	{ "recvmsg", "msg", .shape = SYSCALL_SHAPE_MESSAGE, .copy = { .kind = TRACE_COPY_MESSAGE, .from = TRACE_SIZE_RESULT, .if_ok = 1 } },

	/* Time */
	CONSTANT(NULL, "which_clock", clock), CONSTANT("timerfd_create", "clockid", clock), CONSTANT("clock_nanosleep", "flags", timer_flags),
	CONSTANT("timer_settime", "flags", timer_flags), CONSTANT("?etitimer", "which", itimer),
	IN_OUT("nanosleep", "rqtp", TIMESPEC, 16), IN_OUT("clock_nanosleep", "rqtp", TIMESPEC, 16), IN("clock_settime", "tp", TIMESPEC, 16),
	OUT("clock_get*", "tp", TIMESPEC, 16), OUT("gettimeofday", "tv", TIMEVAL, 16), IN("setitimer", "value", ITIMERVAL, 32),
	OUT("setitimer", "ovalue", ITIMERVAL, 32), OUT("getitimer", "value", ITIMERVAL, 32), IN("timer*_settime", "utmr", ITIMERSPEC, 32),
	IN("timer*_settime", "new_setting", ITIMERSPEC, 32), OUT("timer*_gettime", "otmr", ITIMERSPEC, 32), OUT("timer*_settime", "otmr", ITIMERSPEC, 32),
	OUT("timer_gettime", "setting", ITIMERSPEC, 32), OUT("timer_settime", "old_setting", ITIMERSPEC, 32), OUT("timer_create", "created_timer_id", INT, 4),
	OUT("sched_rr_get_interval", "interval", TIMESPEC, 16),

	/* Others */
	{ NULL, "addr", .kind = SYSCALL_ARG_ADDRESS },
	BUFFER_IN("mq_timedsend", "u_msg_ptr", "msg_len"), BUFFER_OUT("mq_timedreceive", "u_msg_ptr"),
};

const struct syscall_arg_rule *syscall_arg_rule(unsigned int i)
{
	return i < ARRAY_SIZE(rules) ? &rules[i] : NULL;
}
