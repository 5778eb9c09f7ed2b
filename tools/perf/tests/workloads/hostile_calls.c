// SPDX-License-Identifier: GPL-2.0
/* System calls with bad pointers, huge sizes and texts that another thread changes, for tracers: most of them fail. */
#include "tests/workload.h"

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NR_PARTS 1024
#define NR_OPENS 20000
#define ESCAPES "\033]0;title\a\033[31m"

static char name[64] = "/nosuch";
static volatile int done;

static void *change_name(void *arg)
{
	while (!done) {
		strcpy(name, "/nosuch/first");
		strcpy(name, "/nosuch/" ESCAPES);
	}
	return NULL;
}

static void call_with_vectors(int fd)
{
	static struct iovec parts[NR_PARTS];
	struct msghdr msg = { .msg_name = (void *)5, .msg_namelen = UINT32_MAX, .msg_iov = (void *)7, .msg_iovlen = SIZE_MAX };

	for (int i = 0; i < NR_PARTS; i++)
		parts[i] = (struct iovec){ i % 3 ? parts : (void *)8, i % 5 ? 1UL << 40 : 16 };
	syscall(SYS_writev, fd, parts, (long)NR_PARTS);
	syscall(SYS_writev, fd, parts, -1L);
	syscall(SYS_readv, fd, 1L, 5L);
	syscall(SYS_writev, fd, 0xffffffff81000000UL, 3L);
	syscall(SYS_sendmsg, fd, 3L, 0L);
	syscall(SYS_sendmsg, fd, &msg, 0L);
}

static void call_with_pointers(int fd)
{
	char **words = calloc(5000, sizeof(*words));
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!words || page == MAP_FAILED)
		err(1, "memory");
	munmap(page + 4096, 4096);
	memset(page, 'z', 4096);
	for (int i = 0; i < 4999; i++)
		words[i] = i % 2 ? name : (char *)16;
	syscall(SYS_openat, AT_FDCWD, 8L, 0L);
	syscall(SYS_openat, AT_FDCWD, page, 0L); /* without an end */
	syscall(SYS_write, fd, page + 4090, 100L);
	syscall(SYS_write, fd, page, -1L);
	syscall(SYS_execve, 1L, 2L, 3L);
	syscall(SYS_execve, "/nosuch", words, words);
	syscall(SYS_connect, fd, words, -1L);
	syscall(SYS_getsockname, fd, 1L, 2L);
	syscall(SYS_ppoll, 4L, -1L, 0L, 0L, 0L);
	syscall(SYS_rt_sigaction, -1L, 1L, 2L, 8L);
	syscall(SYS_close, -1L);
	syscall(SYS_close, 1L << 30);
	syscall(SYS_dup3, fd, 1L << 30, -1L);
}

int workload_hostile_calls(int argc, char **argv)
{
	const int fd = open("/dev/null", O_RDWR);
	pthread_t thread;

	if (argc) {
		warnx("unexpected argument '%s'", argv[0]);
		return 1;
	}
	call_with_vectors(fd);
	call_with_pointers(fd);
	prctl(PR_SET_NAME, ESCAPES, 0, 0, 0);
	if (pthread_create(&thread, NULL, change_name, NULL))
		errx(1, "no thread");
	for (int i = 0; i < NR_OPENS; i++)
		syscall(SYS_openat, AT_FDCWD, name, 0L);
	done = 1;
	pthread_join(thread, NULL);
	return 7;
}
