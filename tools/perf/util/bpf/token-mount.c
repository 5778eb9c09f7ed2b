// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes share the work, because the file system must be opened by one inside of the user namespace, and only one outside of it
 * may say what is delegated: the child enters the namespaces of the target and opens, this process configures, the child mounts.
 */
#include "util/bpf/token-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "util/lib/types.h"

/* From the child to its parent, in this order; the parent's answer after FS_OPENED is a byte. */
struct message {
	enum {
		FS_OPENED, /* value: its descriptor */
		FS_MOUNTED,
		FAILED, /* value: errno */
	} kind;
	enum child_step {
		ENTER_NAMESPACES,
		OPEN_FS,
		MOUNT_FS,
		MOVE_MOUNT,
	} step; /* that failed */
	int value;
};

static void tell(int sock, struct message m)
{
	if (send(sock, &m, sizeof(m), MSG_NOSIGNAL) != sizeof(m))
		_exit(1);
}

static void fail(int sock, enum child_step step)
{
	tell(sock, (struct message){ .kind = FAILED, .step = step, .value = errno });
	_exit(1);
}

/*
 * In there, this process has all rights of the user namespace, and the user id of root outside. It is not dumpable, so that root in there
 * cannot take it over by ptrace(2). What is mounted on the way to the directory may keep it waiting for ever.
 */
static _Noreturn void run_child(int pidfd, int sock)
{
	char go;
	int fs, mount_fd;

	if (prctl(PR_SET_DUMPABLE, 0) || setns(pidfd, CLONE_NEWUSER | CLONE_NEWNS))
		fail(sock, ENTER_NAMESPACES);
	fs = fsopen("bpf", FSOPEN_CLOEXEC);
	if (fs < 0 || fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0755", 0))
		fail(sock, OPEN_FS);
	/* Its root, if user 0 exists there */
	fsconfig(fs, FSCONFIG_SET_STRING, "uid", "0", 0);
	fsconfig(fs, FSCONFIG_SET_STRING, "gid", "0", 0);
	tell(sock, (struct message){ .kind = FS_OPENED, .value = fs });
	if (recv(sock, &go, 1, 0) != 1)
		_exit(1);
	mount_fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (mount_fd < 0)
		fail(sock, MOUNT_FS);
	if (move_mount(mount_fd, "", AT_FDCWD, TOKEN_MOUNT_DIR, MOVE_MOUNT_F_EMPTY_PATH))
		fail(sock, MOVE_MOUNT);
	tell(sock, (struct message){ .kind = FS_MOUNTED });
	_exit(0);
}

static int configure(int fs, const struct token_grant *grant, struct errmsg *err)
{
	const struct {
		const char *key, *value;
	} options[] = {
		{ "delegate_cmds", grant->cmds },
		{ "delegate_maps", grant->maps },
		{ "delegate_progs", grant->progs },
		{ "delegate_attachs", grant->attachs },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(options); i++) {
		if (fsconfig(fs, FSCONFIG_SET_STRING, options[i].key, options[i].value, 0))
			return errmsg__set(err, errno, "Cannot delegate BPF: the kernel refuses %s=%s: %s\nThis takes root outside of "
					   "user namespaces, and Linux 6.9.", options[i].key, options[i].value, strerror(errno));
	}
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return errmsg__set(err, errno, "Cannot make a bpffs that delegates BPF: %s\nThis takes Linux 6.9.", strerror(errno));
	return 0;
}

static int explain(const struct message *m, pid_t pid, struct errmsg *err)
{
	static const char *const steps[] = {
		[ENTER_NAMESPACES] = "enter its namespaces",
		[OPEN_FS] = "open a bpffs there",
		[MOUNT_FS] = "mount a bpffs there",
		[MOVE_MOUNT] = ("mount a bpffs at its " TOKEN_MOUNT_DIR),
	};

	return errmsg__set(err, m->value, "Cannot delegate BPF to process %d: cannot %s: %s", pid, steps[m->step], strerror(m->value));
}

static int receive(int sock, struct message *m, pid_t pid, struct errmsg *err)
{
	const ssize_t size = recv(sock, m, sizeof(*m), 0);

	if (size < 0 && errno == EAGAIN)
		return errmsg__set(err, ETIMEDOUT, "Cannot delegate BPF to process %d: its " TOKEN_MOUNT_DIR " does not answer", pid);
	if (size != sizeof(*m))
		return errmsg__set(err, EIO, "Cannot delegate BPF to process %d: the process that mounts has ended", pid);
	return m->kind == FAILED ? explain(m, pid, err) : 0;
}

/* The child's descriptor as one of ours */
static int take_fd(pid_t child, int fd, struct errmsg *err)
{
	int pidfd = syscall(SYS_pidfd_open, child, 0), taken;

	taken = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (taken < 0)
		taken = errmsg__set(err, errno, "Cannot take the opened bpffs: %s", strerror(errno));
	if (pidfd >= 0)
		close(pidfd);
	return taken;
}

static int lead_child(pid_t child, int sock, pid_t pid, const struct token_grant *grant, struct errmsg *err)
{
	struct message m;
	int ret = receive(sock, &m, pid, err), fs;

	if (ret)
		return ret;
	fs = take_fd(child, m.value, err);
	if (fs < 0)
		return fs;
	ret = configure(fs, grant, err);
	close(fs);
	if (!ret && send(sock, "", 1, MSG_NOSIGNAL) != 1)
		ret = errmsg__set(err, errno, "Cannot delegate BPF: %s", strerror(errno));
	return ret ?: receive(sock, &m, pid, err);
}

static int mount_by_child(int pidfd, pid_t pid, const struct token_grant *grant, struct errmsg *err)
{
	const struct timeval patience = { .tv_sec = 10 };
	int sock[2], ret;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
		return errmsg__set(err, errno, "Cannot make a socket: %s", strerror(errno));
	child = fork();
	if (!child) {
		close(sock[0]);
		run_child(pidfd, sock[1]);
	}
	close(sock[1]);
	setsockopt(sock[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ret = child < 0 ? errmsg__set(err, errno, "Cannot start a process: %s", strerror(errno)) : lead_child(child, sock[0], pid, grant, err);
	close(sock[0]); /* a child that waits for us ends */
	if (ret == -ETIMEDOUT)
		kill(child, SIGKILL); /* which may not end it soon */
	if (child > 0)
		waitpid(child, NULL, ret == -ETIMEDOUT ? WNOHANG : 0);
	return ret;
}

/* In the mount namespace of that process: has it a bpffs in that place that delegates something? */
static bool delegates_already(pid_t pid)
{
	char path[64], buf[8192];
	struct mntent ent;
	bool has = false;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/mounts", pid);
	fp = setmntent(path, "re");
	if (!fp)
		return false;
	while (getmntent_r(fp, &ent, buf, sizeof(buf))) {
		if (!strcmp(ent.mnt_dir, TOKEN_MOUNT_DIR))
			has = !strcmp(ent.mnt_type, "bpf") && strstr(ent.mnt_opts, "delegate_");
	}
	endmntent(fp);
	return has;
}

static bool shares_user_namespace(pid_t pid)
{
	struct stat own, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return !stat("/proc/self/ns/user", &own) && !stat(path, &its) && own.st_ino == its.st_ino && own.st_dev == its.st_dev;
}

static int add(int pidfd, pid_t pid, const struct token_grant *grant, struct errmsg *err)
{
	if (shares_user_namespace(pid))
		return errmsg__set(err, EINVAL, "Process %d is in the user namespace of this perf, where there are no BPF tokens: give it "
				   "CAP_BPF and CAP_PERFMON, or see --setup-filter", pid);
	if (delegates_already(pid))
		return errmsg__set(err, EEXIST, "A bpffs at " TOKEN_MOUNT_DIR " of process %d delegates BPF already. To replace it: nsenter -t %d "
				   "-U -m umount " TOKEN_MOUNT_DIR, pid, pid);
	return mount_by_child(pidfd, pid, grant, err);
}

int token_mount__add(pid_t pid, const struct token_grant *grant, struct errmsg *err)
{
	/* First, so that all that follows is about one process, even if it ends and its id is used again. */
	int pidfd = syscall(SYS_pidfd_open, pid, 0), ret;

	if (pidfd < 0)
		return errmsg__set(err, errno, "Cannot open process %d: %s", pid, strerror(errno));
	ret = add(pidfd, pid, grant, err);
	close(pidfd);
	return ret;
}
