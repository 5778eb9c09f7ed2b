// SPDX-License-Identifier: GPL-2.0
/* Some hundred system calls with known arguments, many of which fail, in a directory of their own: for tracers. */
#include "tests/workload.h"

#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* Through syscall(2), so that the C library takes no other call. */
#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

static long last; /* a result that nobody needs */

static void call_on_files(void)
{
	char buf[256], *nowhere = NULL;
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	struct flock lock = { .l_type = F_WRLCK, .l_start = 5, .l_len = 7 };
	struct stat st;
	int fd = CALL(openat, AT_FDCWD, "file", O_RDWR | O_CREAT | O_EXCL, 0640), other;

	CALL(write, fd, "hello, \"world\"\n", 15);
	CALL(pwrite64, fd, "HE", 2, 0);
	CALL(lseek, fd, 0L, SEEK_SET);
	CALL(lseek, fd, -100L, SEEK_CUR);
	CALL(read, fd, buf, sizeof(buf));
	CALL(pread64, fd, buf, 5, 2);
	CALL(read, fd, buf, sizeof(buf));
	CALL(fstat, fd, &st);
	CALL(newfstatat, AT_FDCWD, "file", &st, AT_SYMLINK_NOFOLLOW);
	CALL(newfstatat, AT_FDCWD, "nosuch", &st, 0);
	CALL(ftruncate, fd, 4096);
	CALL(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 8192);
	CALL(fadvise64, fd, 0, 0, POSIX_FADV_RANDOM);
	CALL(fsync, fd);
	CALL(fdatasync, fd);
	CALL(flock, fd, LOCK_EX | LOCK_NB);
	CALL(fcntl, fd, F_GETFD, 0);
	CALL(fcntl, fd, F_SETFD, FD_CLOEXEC);
	CALL(fcntl, fd, F_GETFL, 0);
	CALL(fcntl, fd, F_SETLK, &lock);
	CALL(fcntl, fd, F_SETLK, nowhere);
	CALL(fchmod, fd, 0600);
	CALL(fchown, fd, 0, 0);
	other = CALL(dup, fd);
	CALL(dup3, other, 77, O_CLOEXEC);
	CALL(close, 77);
	CALL(close, other);
	CALL(close, 4711);
	CALL(openat, AT_FDCWD, "file", O_WRONLY | O_CREAT | O_EXCL, 0600);
	CALL(openat, AT_FDCWD, nowhere, O_RDONLY, 0);
	CALL(openat, AT_FDCWD, "nosuch/file", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	other = CALL(openat2, AT_FDCWD, "file", &how, sizeof(how));
	CALL(sendfile, fd, other, NULL, 4);
	CALL(copy_file_range, other, NULL, fd, NULL, 4, 0);
	CALL(close, other);
	CALL(close, fd);
}

static void call_on_names(void)
{
	struct timespec times[2] = { { 1, 2 }, { 3, 4 } };
	char buf[256];
	struct statfs fs;
	int dir;

	CALL(faccessat, AT_FDCWD, "file", R_OK | W_OK);
	CALL(faccessat2, AT_FDCWD, "nosuch", F_OK, AT_EACCESS);
	CALL(mkdirat, AT_FDCWD, "dir", 0755);
	dir = CALL(openat, AT_FDCWD, "dir", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	CALL(mkdirat, dir, "below", 0700);
	CALL(getdents64, dir, buf, sizeof(buf));
	CALL(unlinkat, dir, "below", AT_REMOVEDIR);
	CALL(linkat, AT_FDCWD, "file", dir, "link", 0);
	CALL(symlinkat, "../file", dir, "symlink");
	CALL(readlinkat, dir, "symlink", buf, sizeof(buf));
	CALL(renameat2, dir, "link", dir, "moved", RENAME_NOREPLACE);
	CALL(unlinkat, dir, "moved", 0);
	CALL(unlinkat, dir, "symlink", 0);
	CALL(utimensat, AT_FDCWD, "file", times, 0);
	CALL(fchmodat, AT_FDCWD, "file", 04755);
	CALL(statfs, ".", &fs);
	CALL(truncate, "file", 3);
	CALL(setxattr, "file", "user.name", "value", 5, XATTR_CREATE);
	CALL(getxattr, "file", "user.nosuch", buf, sizeof(buf));
	CALL(umask, 022);
	CALL(fchdir, dir);
	CALL(getcwd, buf, sizeof(buf));
	CALL(chdir, "..");
	CALL(close, dir);
	CALL(unlinkat, AT_FDCWD, "dir", AT_REMOVEDIR);
	CALL(unlinkat, AT_FDCWD, "file", 0);
	CALL(execve, "nosuch/program", ((char *[]){ "program", "first", "second word", NULL }), ((char *[]){ NULL }));
}

static void call_on_pipes(void)
{
	struct iovec out[2] = { { "first", 5 }, { "second", 6 } };
	char a[4], b[16];
	struct iovec in[2] = { { a, sizeof(a) }, { b, sizeof(b) } };
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 4711 };
	struct pollfd pfd[2] = { { .events = POLLIN }, { .fd = -1, .events = POLLOUT } };
	struct timespec none = { 0, 1000 };
	uint64_t one = 1;
	int fd[2], ep, ev;

	CALL(pipe2, fd, O_CLOEXEC | O_NONBLOCK);
	CALL(read, fd[0], a, sizeof(a));
	CALL(writev, fd[1], out, 2);
	pfd[0].fd = fd[0];
	CALL(ppoll, pfd, 2, &none, NULL, 8);
	ep = CALL(epoll_create1, EPOLL_CLOEXEC);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, fd[0], &event);
	CALL(epoll_pwait, ep, &event, 1, 0, NULL, 8);
	CALL(readv, fd[0], in, 2);
	CALL(epoll_ctl, ep, EPOLL_CTL_DEL, fd[0], NULL);
	ev = CALL(eventfd2, 3, EFD_CLOEXEC | EFD_NONBLOCK);
	CALL(write, ev, &one, sizeof(one));
	CALL(close, ev);
	CALL(close, ep);
	CALL(close, fd[0]);
	CALL(write, fd[1], "lost", 4); /* SIGPIPE is ignored */
	CALL(close, fd[1]);
	CALL(inotify_init1, IN_NONBLOCK | IN_CLOEXEC);
}

static void call_on_sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(2), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "nosuch.socket" };
	struct iovec part = { "message", 7 };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	char buf[32];
	int on = 1, fd, pair[2];
	socklen_t len = sizeof(in);

	fd = CALL(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_IP);
	CALL(setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	in.sin_port = 0;
	CALL(bind, fd, &in, sizeof(in));
	CALL(listen, fd, 5);
	CALL(getsockname, fd, &in, &len);
	in.sin_port = htons(1);
	CALL(connect, fd, &in, sizeof(in));
	CALL(close, fd);
	fd = CALL(socket, AF_INET, SOCK_DGRAM, 0);
	CALL(sendto, fd, "datagram", 8, MSG_DONTWAIT | MSG_NOSIGNAL, &in, sizeof(in));
	CALL(close, fd);
	fd = CALL(socket, AF_INET6, SOCK_STREAM, 0);
	CALL(connect, fd, &in6, sizeof(in6));
	CALL(close, fd);
	fd = CALL(socket, AF_UNIX, SOCK_STREAM, 0);
	CALL(connect, fd, &un, sizeof(un));
	CALL(close, fd);
	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
	CALL(sendmsg, pair[0], &msg, MSG_NOSIGNAL);
	CALL(recvfrom, pair[1], buf, sizeof(buf), 0, NULL, NULL);
	CALL(shutdown, pair[0], SHUT_WR);
	CALL(recvfrom, pair[1], buf, sizeof(buf), MSG_DONTWAIT, NULL, NULL);
	CALL(close, pair[0]);
	CALL(close, pair[1]);
	CALL(connect, 4711, &in, sizeof(in));
}

static void call_on_memory(void)
{
	char *p = (char *)CALL(mmap, NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	CALL(mprotect, p, 4096, PROT_READ);
	CALL(mprotect, p, 4096, PROT_NONE);
	CALL(madvise, p, 8192, MADV_DONTNEED);
	CALL(msync, p, 4096, MS_SYNC);
	CALL(munmap, p, 8192);
	CALL(mmap, NULL, 0, PROT_NONE, MAP_SHARED, -1, 0);
	CALL(brk, 0);
	fd = CALL(memfd_create, "memory", MFD_CLOEXEC);
	CALL(close, fd);
}

static void call_on_time(void)
{
	struct timespec ts = { 0, 1000 };
	struct itimerspec timer = { .it_value = { 100, 5 } };
	int fd;

	CALL(clock_gettime, CLOCK_MONOTONIC, &ts);
	CALL(clock_getres, CLOCK_REALTIME, &ts);
	ts = (struct timespec){ 0, 1000 };
	CALL(nanosleep, &ts, NULL);
	CALL(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL);
	ts.tv_nsec = -1;
	CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
	fd = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);
	CALL(timerfd_settime, fd, 0, &timer, NULL);
	CALL(close, fd);
}

static void call_on_tasks(void)
{
	struct rlimit limit = { 256, 512 };
	struct utsname name;
	sigset_t set;
	int word = 1, status;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CALL(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
	CALL(kill, 0, 0);
	CALL(tgkill, -1, -1, SIGUSR1);
	CALL(getpid);
	CALL(getppid);
	CALL(getuid);
	CALL(geteuid);
	CALL(setpgid, 0, 0);
	CALL(getpgid, 0);
	CALL(prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
	CALL(getpriority, PRIO_PROCESS, 0);
	CALL(sched_yield);
	CALL(sched_getscheduler, 0);
	CALL(prctl, PR_SET_NAME, "named", 0, 0, 0);
	CALL(uname, &name);
	CALL(futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0);
	CALL(futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
	CALL(getrandom, &word, 0, GRND_NONBLOCK);
	child = fork();
	if (!child)
		CALL(exit_group, 7);
	CALL(wait4, child, &status, 0, NULL);
	CALL(wait4, -1, NULL, WNOHANG, NULL);
	CALL(ioctl, 0x1234, 0x5401 /* TCGETS */, NULL);
}

int workload_syscalls(int argc, char **argv)
{
	char dir[40];

	if (argc) {
		warnx("unexpected argument '%s'", argv[0]);
		return 1;
	}
	snprintf(dir, sizeof(dir), "/tmp/syscalls.%010d", getpid()); /* of one length; mkdtemp(3) takes some calls, or none */
	if (mkdir(dir, 0700) || chdir(dir))
		err(1, "%s", dir);
	signal(SIGPIPE, SIG_IGN);
	call_on_files();
	call_on_names();
	call_on_pipes();
	call_on_sockets();
	call_on_memory();
	call_on_time();
	call_on_tasks();
	last = chdir("/");
	return rmdir(dir);
}
