// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command and lets system calls of it fail, as if the kernel had refused them, wherever in libc or in a library they are made:
 * a seccomp filter sends them here (seccomp_unotify(2)). At the command's end it tells what was left open.
 *
 *	inject [-c CALL] [-e ERROR [-n N[+]]] [-o REPORT] COMMAND [ARGS...]
 *
 * CALL is a pattern (fnmatch(3)) of a call's text: its name, and what it is made on: "openat /proc/1/maps", "write /tmp/perf.data",
 * "mmap anon_inode:[perf_event]", "mmap -" (memory), "bpf PROG_LOAD", "ioctl SET_BPF". With ERROR the N-th of these calls fails, with
 * N+ each from the N-th on; SHORT lets a read or write do half of its work. Calls are counted from the first fcntl(0, F_GETFD) on,
 * with which perf's main() begins: what the dynamic linker does before is not perf's.
 *
 * REPORT has lines "call TEXT" (without ERROR), "failed TEXT" (what was made to fail), "left fd TEXT", "left ring TEXT", "left thread"
 * (when the process exited), "left child PID" (afterwards), "hung" (it was killed after HANG_SECONDS).
 *
 * The exit status is the command's, 128 + N if signal N ended it, 125 if there was no way to run it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANG_SECONDS 60
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SHORT 100000 /* no errno */

/* What a call is made on: its first or second argument is a path, its first a descriptor, ... */
enum on { ON_NOTHING, ON_PATH0, ON_PATH1, ON_FD0, ON_MAPPED, ON_BPF, ON_IOCTL };

static const struct call {
	const char *name;
	int nr;
	enum on on;
} calls[] = {
#define CALL(name, on) { #name, SYS_##name, on }
#ifdef SYS_open /* younger architectures have only the calls with a directory */
	CALL(open, ON_PATH0), CALL(rename, ON_PATH0), CALL(unlink, ON_PATH0), CALL(readlink, ON_PATH0), CALL(access, ON_PATH0),
	CALL(link, ON_PATH0), CALL(poll, ON_NOTHING), CALL(epoll_wait, ON_NOTHING), CALL(fork, ON_NOTHING), CALL(stat, ON_PATH0),
	CALL(lstat, ON_PATH0), CALL(mkdir, ON_PATH0), CALL(rmdir, ON_PATH0), CALL(chmod, ON_PATH0), CALL(chown, ON_PATH0),
	CALL(dup2, ON_FD0),
#endif
	CALL(openat, ON_PATH1), CALL(renameat, ON_PATH1), CALL(renameat2, ON_PATH1), CALL(unlinkat, ON_PATH1), CALL(readlinkat, ON_PATH1),
	CALL(faccessat, ON_PATH1), CALL(linkat, ON_PATH1), CALL(newfstatat, ON_PATH1), CALL(fstat, ON_FD0), CALL(fstatfs, ON_FD0),
	CALL(statfs, ON_PATH0), CALL(mkdirat, ON_PATH1), CALL(read, ON_FD0), CALL(pread64, ON_FD0), CALL(write, ON_FD0),
	CALL(pwrite64, ON_FD0), CALL(writev, ON_FD0), CALL(pwritev, ON_FD0), CALL(lseek, ON_FD0), CALL(ftruncate, ON_FD0),
	CALL(fsync, ON_FD0), CALL(getdents64, ON_FD0), CALL(mmap, ON_MAPPED), CALL(mremap, ON_NOTHING), CALL(brk, ON_NOTHING),
	CALL(mprotect, ON_NOTHING), CALL(perf_event_open, ON_NOTHING), CALL(bpf, ON_BPF), CALL(ioctl, ON_IOCTL), CALL(fcntl, ON_FD0),
	CALL(clone, ON_NOTHING), CALL(clone3, ON_NOTHING), CALL(execve, ON_PATH0), CALL(epoll_create1, ON_NOTHING),
	CALL(epoll_ctl, ON_NOTHING), CALL(epoll_pwait, ON_NOTHING), CALL(ppoll, ON_NOTHING), CALL(signalfd4, ON_NOTHING),
	CALL(eventfd2, ON_NOTHING), CALL(pipe2, ON_NOTHING), CALL(socketpair, ON_NOTHING), CALL(socket, ON_NOTHING),
	CALL(sendto, ON_FD0), CALL(recvfrom, ON_FD0), CALL(timerfd_create, ON_NOTHING), CALL(timerfd_settime, ON_NOTHING),
	CALL(memfd_create, ON_NOTHING), CALL(sched_setaffinity, ON_NOTHING), CALL(sched_getaffinity, ON_NOTHING),
	CALL(setns, ON_NOTHING), CALL(unshare, ON_NOTHING), CALL(fsopen, ON_NOTHING), CALL(fsconfig, ON_NOTHING), CALL(fsmount, ON_NOTHING),
	CALL(move_mount, ON_NOTHING), CALL(open_tree, ON_NOTHING), CALL(mount_setattr, ON_NOTHING), CALL(uname, ON_NOTHING), CALL(sysinfo, ON_NOTHING),
	CALL(prctl, ON_NOTHING), CALL(rt_sigaction, ON_NOTHING), CALL(rt_sigprocmask, ON_NOTHING), CALL(wait4, ON_NOTHING),
	CALL(kill, ON_NOTHING), CALL(dup3, ON_FD0), CALL(pidfd_open, ON_NOTHING), CALL(process_vm_readv, ON_NOTHING),
	CALL(sendmsg, ON_FD0), CALL(recvmsg, ON_FD0), CALL(fadvise64, ON_FD0), CALL(fallocate, ON_FD0), CALL(copy_file_range, ON_FD0),
	CALL(sendfile, ON_FD0), CALL(getrandom, ON_NOTHING), CALL(prlimit64, ON_NOTHING), CALL(nanosleep, ON_NOTHING),
	CALL(clock_nanosleep, ON_NOTHING), CALL(statx, ON_PATH1), CALL(fchmod, ON_FD0), CALL(fchown, ON_FD0),
	CALL(fchmodat, ON_PATH1), CALL(fchownat, ON_PATH1), CALL(umount2, ON_PATH0), CALL(flock, ON_FD0), CALL(waitid, ON_NOTHING),
	CALL(exit_group, ON_NOTHING),
};

/* In the order of enum bpf_cmd */
static const char *const bpf_commands[] = {
	"MAP_CREATE", "MAP_LOOKUP_ELEM", "MAP_UPDATE_ELEM", "MAP_DELETE_ELEM", "MAP_GET_NEXT_KEY", "PROG_LOAD", "OBJ_PIN", "OBJ_GET",
	"PROG_ATTACH", "PROG_DETACH", "PROG_TEST_RUN", "PROG_GET_NEXT_ID", "MAP_GET_NEXT_ID", "PROG_GET_FD_BY_ID", "MAP_GET_FD_BY_ID",
	"OBJ_GET_INFO_BY_FD", "PROG_QUERY", "RAW_TRACEPOINT_OPEN", "BTF_LOAD", "BTF_GET_FD_BY_ID", "TASK_FD_QUERY",
	"MAP_LOOKUP_AND_DELETE_ELEM", "MAP_FREEZE", "BTF_GET_NEXT_ID", "MAP_LOOKUP_BATCH", "MAP_LOOKUP_AND_DELETE_BATCH",
	"MAP_UPDATE_BATCH", "MAP_DELETE_BATCH", "LINK_CREATE", "LINK_UPDATE", "LINK_GET_FD_BY_ID", "LINK_GET_NEXT_ID", "ENABLE_STATS",
	"ITER_CREATE", "LINK_DETACH", "PROG_BIND_MAP", "TOKEN_CREATE",
};

static const struct {
	unsigned int request;
	const char *name;
} ioctls[] = {
	{ PERF_EVENT_IOC_ENABLE, "ENABLE" }, { PERF_EVENT_IOC_DISABLE, "DISABLE" }, { PERF_EVENT_IOC_SET_OUTPUT, "SET_OUTPUT" },
	{ PERF_EVENT_IOC_SET_BPF, "SET_BPF" }, { PERF_EVENT_IOC_SET_FILTER, "SET_FILTER" }, { PERF_EVENT_IOC_ID, "ID" },
	{ PERF_EVENT_IOC_RESET, "RESET" }, { PERF_EVENT_IOC_QUERY_BPF, "QUERY_BPF" },
	{ PERF_EVENT_IOC_PAUSE_OUTPUT, "PAUSE_OUTPUT" }, { PERF_EVENT_IOC_MODIFY_ATTRIBUTES, "MODIFY_ATTRIBUTES" },
};

static const struct {
	const char *name;
	int error;
} errors[] = {
#define ERROR(e) { #e, e }
	ERROR(EPERM), ERROR(ENOENT), ERROR(ESRCH), ERROR(EINTR), ERROR(EIO), ERROR(E2BIG), ERROR(EBADF), ERROR(EAGAIN), ERROR(ENOMEM),
	ERROR(EACCES), ERROR(EBUSY), ERROR(EEXIST), ERROR(ENODEV), ERROR(EINVAL), ERROR(ENFILE), ERROR(EMFILE), ERROR(ENOSPC), ERROR(EROFS),
	ERROR(EPIPE), ERROR(ENOBUFS), ERROR(ENOSYS), ERROR(EOPNOTSUPP), ERROR(EDQUOT), ERROR(ELOOP),
	ERROR(ECHILD), ERROR(SHORT),
};

static const char *pattern = "*";
static int error;		 /* 0: none, the calls are listed */
static unsigned long first = 1, last = 1;
static FILE *report;
static pid_t child;
static bool begun, at_end;
static unsigned long matched;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fprintf(stderr, "inject: ");
	vfprintf(stderr, format, ap);
	fprintf(stderr, ": %s\n", strerror(errno));
	if (child)
		kill(child, SIGKILL);
	_exit(125);
}

/* The filter */

static bool may_match(const struct call *call)
{
	size_t len = strcspn(pattern, " *?[");

	return call->nr == SYS_exit_group || call->nr == SYS_fcntl || pattern[len] == '*' || pattern[len] == '?' || pattern[len] == '[' ||
	       (strlen(call->name) == len && !strncmp(call->name, pattern, len));
}

/* Returns the descriptor by which the calls come here. */
static int install_filter(void)
{
	struct sock_filter code[2 * ARRAY_SIZE(calls) + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .filter = code };
	unsigned short nr = 1;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!may_match(&calls[i]))
			continue;
		code[nr++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1);
		code[nr++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[nr++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = nr;
	/* A user without CAP_SYS_ADMIN may filter only what can gain no privilege. */
	if (geteuid())
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/*
 * We take the descriptor out of the child. Until then it must not exec, which would close it, and may make no call that is filtered: so
 * the two talk by memory.
 */
static int start(char **argv)
{
	int *listener = mmap(NULL, sizeof(*listener), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), pidfd, fd;

	if (listener == MAP_FAILED)
		die("memory");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		fd = install_filter();
		__atomic_store_n(listener, fd < 0 ? -1 : fd, __ATOMIC_SEQ_CST);
		while (fd >= 0 && __atomic_load_n(listener, __ATOMIC_SEQ_CST))
			sched_yield();
		syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
		execvp(argv[0], argv);
		die("%s", argv[0]);
	}
	while (!(fd = __atomic_load_n(listener, __ATOMIC_SEQ_CST)) && !waitpid(child, NULL, WNOHANG))
		sched_yield();
	pidfd = syscall(SYS_pidfd_open, child, 0);
	fd = fd > 0 ? syscall(SYS_pidfd_getfd, pidfd, fd, 0) : -1;
	if (fd < 0)
		die("seccomp");
	close(pidfd);
	__atomic_store_n(listener, 0, __ATOMIC_SEQ_CST);
	return fd;
}

/* The text of a call */

static void read_path(const struct seccomp_notif *n, unsigned long long at, char *text, size_t size)
{
	struct iovec local = { text, size - 1 }, remote = { (void *)(unsigned long)at, size - 1 };
	ssize_t got = process_vm_readv(n->pid, &local, 1, &remote, 1, 0);

	if (got < 0) { /* a page that ends before */
		local.iov_len = remote.iov_len = 4096 - at % 4096 < size ? 4096 - at % 4096 : size - 1;
		got = process_vm_readv(n->pid, &local, 1, &remote, 1, 0);
	}
	text[got > 0 ? got : 0] = '\0';
}

static void fd_text(pid_t pid, int fd, char *text, size_t size)
{
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	len = readlink(path, text, size - 1);
	text[len > 0 ? len : 0] = '\0';
}

static const char *ioctl_name(unsigned int request)
{
	for (size_t i = 0; i < ARRAY_SIZE(ioctls); i++) {
		if (ioctls[i].request == request)
			return ioctls[i].name;
	}
	return "?";
}

static void call_text(const struct seccomp_notif *n, const struct call *call, char *text, size_t size)
{
	const unsigned long long *args = n->data.args;
	char on[512] = "";

	switch (call->on) {
	case ON_NOTHING:
		break;
	case ON_PATH0:
	case ON_PATH1:
		read_path(n, args[call->on == ON_PATH1], on, sizeof(on));
		break;
	case ON_FD0:
		fd_text(n->pid, args[0], on, sizeof(on));
		break;
	case ON_MAPPED:
		fd_text(n->pid, args[4], on, sizeof(on));
		if ((int)args[4] < 0)
			strcpy(on, "-");
		break;
	case ON_BPF:
		snprintf(on, sizeof(on), "%s", args[0] < ARRAY_SIZE(bpf_commands) ? bpf_commands[args[0]] : "?");
		break;
	case ON_IOCTL:
		snprintf(on, sizeof(on), "%s", ioctl_name(args[1]));
		break;
	}
	snprintf(text, size, "%s%s%s", call->name, *on ? " " : "", on);
}

/* What a read or write is to move; of several parts the first one. */
static struct iovec moved(const struct seccomp_notif *n)
{
	struct iovec part = { (void *)(unsigned long)n->data.args[1], n->data.args[2] };
	struct iovec local = { &part, sizeof(part) }, remote = { part.iov_base, sizeof(part) };

	if ((n->data.nr == SYS_writev || n->data.nr == SYS_pwritev) && process_vm_readv(n->pid, &local, 1, &remote, 1, 0) != sizeof(part))
		die("parts of a write");
	return part;
}

/* A read or write that does half of its work: done here, on the same open file. -1: the memory is none that others may read, as a ring. */
static long long half(const struct seccomp_notif *n)
{
	const int nr = n->data.nr;
	const bool writes = nr == SYS_write || nr == SYS_writev || nr == SYS_pwrite64 || nr == SYS_pwritev;
	const bool positioned = nr == SYS_pread64 || nr == SYS_pwrite64 || nr == SYS_pwritev;
	struct iovec remote = moved(n), local = { NULL, (remote.iov_len + 1) / 2 };
	int pidfd = syscall(SYS_pidfd_open, child, 0), fd = syscall(SYS_pidfd_getfd, pidfd, (int)n->data.args[0], 0);
	ssize_t done = -1;

	local.iov_base = malloc(local.iov_len);
	remote.iov_len = local.iov_len;
	if (!local.iov_base || fd < 0)
		die("half a read or write");
	if (writes && process_vm_readv(n->pid, &local, 1, &remote, 1, 0) == (ssize_t)local.iov_len)
		done = positioned ? pwrite(fd, local.iov_base, local.iov_len, n->data.args[3]) : write(fd, local.iov_base, local.iov_len);
	else if (!writes)
		done = positioned ? pread(fd, local.iov_base, local.iov_len, n->data.args[3]) : read(fd, local.iov_base, local.iov_len);
	if (!writes && done > 0) {
		local.iov_len = remote.iov_len = done;
		process_vm_writev(n->pid, &local, 1, &remote, 1, 0);
	}
	free(local.iov_base);
	close(fd);
	close(pidfd);
	return done;
}

/* What is open at the end */

/* Who has joined a thread may still see it here: the kernel wakes him before it takes the thread from the list. A thread that is left stays. */
static int threads_left(void)
{
	char path[64];
	int threads = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", child);
	for (int tries = 0; tries < 1000 && threads != 1; tries++) {
		DIR *dir = opendir(path);

		if (tries)
			usleep(1000);
		threads = 0;
		for (struct dirent *entry; dir && (entry = readdir(dir));)
			threads += *entry->d_name != '.';
		if (dir)
			closedir(dir);
	}
	return threads > 1 ? threads - 1 : 0;
}

static void report_left(void)
{
	char path[64], text[512], line[512];
	struct dirent *entry;
	DIR *dir;
	FILE *maps;
	int threads;

	snprintf(path, sizeof(path), "/proc/%d/fd", child);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.' || atoi(entry->d_name) <= STDERR_FILENO)
			continue;
		fd_text(child, atoi(entry->d_name), text, sizeof(text));
		fprintf(report, "left fd %s %s\n", entry->d_name, text);
	}
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/proc/%d/maps", child);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "anon_inode:"))
			fprintf(report, "left ring %s", strstr(line, "anon_inode:"));
	}
	if (maps)
		fclose(maps);
	threads = threads_left();
	if (threads)
		fprintf(report, "left threads %d\n", threads);
}

/* Calls */

static bool is_child(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", child, tid);
	return tid == child || !access(path, F_OK);
}

/* Decides about a call, whose text it fills in: returns whether it is to fail. */
static bool fails(const struct seccomp_notif *n, char *text, size_t size)
{
	/* Others run a command that perf records; but that they become it is perf's doing. */
	if (!begun || (n->data.nr != SYS_execve && !is_child(n->pid)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].nr != n->data.nr)
			continue;
		call_text(n, &calls[i], text, size);
		if (fnmatch(pattern, text, 0))
			return false;
		matched++;
		if (!error)
			fprintf(report, "call %s\n", text);
		return error && matched >= first && matched <= last;
	}
	return false;
}

static void answer(int listener, struct seccomp_notif *n)
{
	struct seccomp_notif_resp r = { .id = n->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	bool ended = n->data.nr == SYS_exit_group && n->pid == (unsigned int)child;
	char text[600];

	if (ended && begun) {
		at_end = true;
		report_left();
	} else if (fails(n, text, sizeof(text))) {
		r.error = error == SHORT ? 0 : -error;
		r.val = error == SHORT ? half(n) : 0;
		if (r.val >= 0) {
			r.flags = 0;
			fprintf(report, "failed %s\n", text);
		}
	}
	if (r.flags)
		r.val = r.error = 0;
	/* Seen afterwards: this call itself is none of those counted. */
	begun |= n->data.nr == SYS_fcntl && n->data.args[0] == STDIN_FILENO && n->data.args[1] == F_GETFD && n->pid == (unsigned int)child;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r); /* ENOENT: a signal took the call back */
}

static bool gone(int *status)
{
	static bool is_gone;
	static int child_status;
	int s;

	for (pid_t pid; (pid = waitpid(-1, &s, WNOHANG)) > 0;) {
		if (pid == child) {
			is_gone = true;
			child_status = s;
		}
	}
	*status = child_status;
	return is_gone;
}

/* Processes of the command that have outlived it are our children now. */
static void report_orphans(void)
{
	char path[64], line[256] = "", *at = line;
	FILE *fp;
	pid_t pid;
	int len;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fp = fopen(path, "r");
	if (!fp || !fgets(line, sizeof(line), fp))
		*line = '\0';
	if (fp)
		fclose(fp);
	for (; sscanf(at, "%d%n", &pid, &len) == 1; at += len) {
		fprintf(report, "left child %d\n", pid);
		kill(pid, SIGKILL);
	}
}

static int serve(int listener)
{
	time_t end = time(NULL) + HANG_SECONDS;
	struct seccomp_notif n;
	int status;

	while (!gone(&status)) {
		struct pollfd fd = { .fd = listener, .events = POLLIN };

		if (time(NULL) > end) {
			fprintf(report, "hung\n");
			kill(child, SIGKILL);
			end += HANG_SECONDS;
		}
		/* SIGCHLD ends the wait, but may come just before it. */
		if (poll(&fd, 1, at_end ? 1 : 20) <= 0 || !(fd.revents & POLLIN))
			continue;
		memset(&n, 0, sizeof(n));
		if (!ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n))
			answer(listener, &n);
	}
	report_orphans();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int error_number(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (!strcmp(errors[i].name, name))
			return errors[i].error;
	}
	errno = EINVAL;
	die("no such error: %s", name);
}

static void on_child(int signo)
{
	(void)signo;
}

int main(int argc, char **argv)
{
	int opt, listener, status;
	char *end;

	report = stderr;
	while ((opt = getopt(argc, argv, "+c:e:n:o:")) >= 0) {
		if (opt == 'c') {
			pattern = optarg;
		} else if (opt == 'e') {
			error = error_number(optarg);
		} else if (opt == 'n') {
			first = last = strtoul(optarg, &end, 10);
			last = *end ? -1UL : last;
		} else if (opt != 'o' || !(report = fopen(optarg, "we"))) {
			die("%s", opt == 'o' ? optarg : "usage");
		}
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = on_child }, NULL);
	listener = start(argv + optind);
	status = serve(listener);
	fclose(report);
	return status;
}
