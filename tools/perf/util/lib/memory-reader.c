// SPDX-License-Identifier: GPL-2.0
#include "util/lib/memory-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 50 /* with a child that waits in the kernel: swapped pages take some milliseconds */
#define MANY 8	       /* times in vain: a user whose memory is like that again and again shall not cost much time */
#define LITTLE_PATIENCE_MS 2
#define MAX_SLICES 40  /* with a child that runs, or waits for a CPU */
#define MAX_USERS 16   /* with such memory that are told apart; all others count as one */
#define MAX_LEFT 32    /* children that have not ended yet: FUSE lets some wait even when they are killed */

/* Shared with the child */
struct request {
	pid_t tid;
	u64 address;
	size_t size;
	ssize_t result;
	char data[MEMORY_READER_MAX];
};

static struct reader {
	pthread_mutex_t lock;
	pid_t pid; /* 0: there is none */
	int sock;
	struct request *request;
	struct {
		uid_t uid;
		u32 nr_in_vain;
	} user[MAX_USERS];
	u32 nr_users;
	pid_t left[MAX_LEFT]; /* 0: a free place */
} the_reader = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The child: system calls only, as other threads may have had locks when it began */

static _Noreturn void serve(int sock, pid_t parent, struct request *r)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(sock, 0) || syscall(SYS_close_range, 1, ~0U, 0))
		_exit(1);
	while (read(0, &byte, 1) == 1) {
		const struct iovec local = { r->data, r->size }, remote = { (void *)(uintptr_t)r->address, r->size };
		const ssize_t size = process_vm_readv(r->tid, &local, 1, &remote, 1, 0);

		r->result = size < 0 ? -errno : size;
		if (write(0, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* It sends no signal when it ends, and no other wait(2) sees it. Signals to the terminal's processes are not for it. */
static pid_t clone_child(int sock, struct request *request)
{
	const pid_t parent = getpid();
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (!pid)
		serve(sock, parent, request);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid;
}

static int start(struct reader *r)
{
	int sock[2], err;

	r->request = mmap(NULL, sizeof(*r->request), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->request == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock)) {
		err = errno;
		munmap(r->request, sizeof(*r->request));
		return -err;
	}
	r->pid = clone_child(sock[1], r->request);
	err = errno;
	close(sock[1]);
	if (r->pid > 0) {
		r->sock = sock[0];
		return 0;
	}
	r->pid = 0;
	close(sock[0]);
	munmap(r->request, sizeof(*r->request));
	return -err;
}

/* Children that are left behind */

static bool has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG | __WCLONE) != 0;
}

/* A free place for one more; NULL: there are too many. */
static pid_t *find_place(struct reader *r)
{
	pid_t *place = NULL;

	for (int i = 0; i < MAX_LEFT; i++) {
		if (r->left[i] && has_ended(r->left[i]))
			r->left[i] = 0;
		if (!r->left[i])
			place = &r->left[i];
	}
	return place;
}

static void leave(struct reader *r)
{
	pid_t *place = find_place(r);

	kill(r->pid, SIGKILL);
	if (place && !has_ended(r->pid))
		*place = r->pid;
	close(r->sock);
	munmap(r->request, sizeof(*r->request)); /* it writes into its own */
	r->pid = 0;
}

/* All */

static bool waits_in_kernel(pid_t pid)
{
	char path[32], stat[256] = "";
	const char *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, stat, sizeof(stat) - 1) <= 0)
		*stat = '\0';
	close(fd);
	end = strrchr(stat, ')');
	return end && end[1] == ' ' && end[2] != 'R';
}

/* How often the memory of this thread's user has been waited for in vain */
static u32 *in_vain(struct reader *r, pid_t tid)
{
	char path[32];
	struct stat st;
	u32 i = 0;

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (stat(path, &st))
		st.st_uid = 0;
	while (i < r->nr_users && r->user[i].uid != st.st_uid)
		i++;
	if (i == MAX_USERS)
		return &r->user[MAX_USERS - 1].nr_in_vain;
	if (i == r->nr_users) {
		r->user[i].uid = st.st_uid;
		r->nr_users++;
	}
	return &r->user[i].nr_in_vain;
}

/* Nobody has to be looked up before somebody's memory was waited for in vain. */
static int patience_ms(struct reader *r, pid_t tid)
{
	return r->nr_users && *in_vain(r, tid) >= MANY ? LITTLE_PATIENCE_MS : PATIENCE_MS;
}

/* The child's answer: the number of bytes in r->request->data. -EPIPE: it has ended */
static ssize_t receive(struct reader *r)
{
	struct pollfd fd = { .fd = r->sock, .events = POLLIN };
	const int ms = patience_ms(r, r->request->tid);
	char byte;
	int nr;

	for (int i = 0; i < MAX_SLICES; i++) {
		do
			nr = poll(&fd, 1, ms);
		while (nr < 0 && errno == EINTR);
		if (nr > 0)
			return recv(r->sock, &byte, 1, 0) == 1 ? r->request->result : -EPIPE;
		if (waits_in_kernel(r->pid))
			break;
	}
	++*in_vain(r, r->request->tid);
	return -ETIMEDOUT;
}

static ssize_t ask(struct reader *r, pid_t tid, u64 address, size_t size)
{
	ssize_t ret = r->pid ? 0 : find_place(r) ? start(r) : -EAGAIN;

	if (ret)
		return ret;
	r->request->tid = tid;
	r->request->address = address;
	r->request->size = size;
	ret = send(r->sock, "", 1, MSG_NOSIGNAL) == 1 ? receive(r) : -EPIPE;
	if (ret == -EPIPE || ret == -ETIMEDOUT)
		leave(r);
	return ret;
}

ssize_t memory_reader__read(pid_t tid, u64 address, void *to, size_t size)
{
	struct reader *r = &the_reader;
	ssize_t ret;

	if (size > MEMORY_READER_MAX)
		size = MEMORY_READER_MAX;
	pthread_mutex_lock(&r->lock);
	ret = ask(r, tid, address, size);
	if (ret == -EPIPE) /* somebody has killed it, or the thread that started it has ended */
		ret = ask(r, tid, address, size);
	if (ret > (ssize_t)size)
		ret = size;
	if (ret > 0)
		memcpy(to, r->request->data, ret);
	pthread_mutex_unlock(&r->lock);
	return ret ?: -EFAULT;
}

pid_t memory_reader__start(void)
{
	struct reader *r = &the_reader;
	pid_t pid;

	pthread_mutex_lock(&r->lock);
	if (!r->pid)
		start(r);
	pid = r->pid;
	pthread_mutex_unlock(&r->lock);
	return pid;
}

bool memory_reader__is(pid_t pid)
{
	struct reader *r = &the_reader;
	bool is;

	pthread_mutex_lock(&r->lock);
	is = r->pid && r->pid == pid;
	for (int i = 0; i < MAX_LEFT; i++)
		is |= r->left[i] && r->left[i] == pid;
	pthread_mutex_unlock(&r->lock);
	return is;
}
