// SPDX-License-Identifier: GPL-2.0
/*
 * System calls that seccomp answers, for tracers: the kernel tells of their end only. Of each kind one: an error, a signal that is handled, a
 * supervisor's answer, a thread and a process that are killed. And calls whose numbers nothing has.
 */
#include "tests/workload.h"

#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER 4711 /* of the supervisor */

struct rule {
	unsigned int nr, action;
};

static const struct rule rules[] = {
	{ SYS_unshare, SECCOMP_RET_ERRNO | EPERM },
	{ SYS_sethostname, SECCOMP_RET_TRAP },
	{ SYS_getpgid, SECCOMP_RET_USER_NOTIF },
	{ SYS_personality, SECCOMP_RET_KILL_THREAD },
	{ SYS_setdomainname, SECCOMP_RET_KILL_PROCESS },
	{ SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS },
	{ -1, SECCOMP_RET_ERRNO | EACCES },
};

/* Returns the supervisor's descriptor. */
static int install_filter(void)
{
	struct sock_filter insn[2 + 2 * sizeof(rules) / sizeof(*rules)] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	const size_t nr_rules = sizeof(rules) / sizeof(*rules);
	struct sock_fprog program = { .len = 2 + 2 * nr_rules, .filter = insn };
	int fd;

	for (size_t i = 0; i < nr_rules; i++) {
		insn[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rules[i].nr, 0, 1);
		insn[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, rules[i].action);
	}
	insn[1 + 2 * nr_rules] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (fd < 0)
		err(1, "seccomp");
	return fd;
}

static void *answer(void *arg)
{
	const int fd = (intptr_t)arg;
	struct seccomp_notif call = { 0 };
	struct seccomp_notif_resp reply = { .val = ANSWER };

	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
		err(1, "no call for the supervisor");
	reply.id = call.id;
	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &reply))
		err(1, "no answer of the supervisor");
	return NULL;
}

static void take_signal(int sig)
{
}

static void *lose_thread(void *arg)
{
	syscall(SYS_personality, 0xffffffffL);
	return NULL;
}

static void lose_process(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		syscall(SYS_setdomainname, "nowhere", 7L);
		_exit(1);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
		errx(1, "the child was not killed");
}

int workload_denied_calls(int argc, char **argv)
{
	pthread_t thread;

	if (argc) {
		warnx("unexpected argument '%s'", argv[0]);
		return 1;
	}
	signal(SIGSYS, take_signal);
	syscall(-1L, 3L);
	if (pthread_create(&thread, NULL, answer, (void *)(intptr_t)install_filter()))
		errx(1, "no thread");
	if (syscall(SYS_getpgid, 0L) != ANSWER)
		errx(1, "another answer");
	pthread_join(thread, NULL);
	for (int i = 0; i < 3; i++) {
		if (unshare(CLONE_NEWUTS) != -1 || errno != EPERM)
			errx(1, "unshare was not denied");
		getppid();
	}
	syscall(SYS_sethostname, "nobody", 6L);
	syscall(999L, 1L, 2L);
	syscall(-1L, 3L);
	syscall(0x40000027L);
	if (pthread_create(&thread, NULL, lose_thread, NULL))
		errx(1, "no thread");
	pthread_join(thread, NULL);
	lose_process();
	return 7;
}
