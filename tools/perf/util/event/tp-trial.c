// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/lib/types.h"

#define TRIAL_SECONDS 5 /* for a format that makes parsing run forever */

static void __attribute__((noreturn)) child(int long_size, const char *sys, const char *format, size_t size, int result_fd)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM };

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL); /* a handler would treat the crash as its own */
	alarm(TRIAL_SECONDS);
	if (tp_trial__judge(long_size, sys, format, size) && write(result_fd, "", 1) < 0) {
		/* Without an answer refuse the format. */
	}
	_exit(0);
}

bool tp_trial__passes(int long_size, const char *sys, const char *format, size_t size)
{
	ssize_t answered;
	int fd[2];
	char answer;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid)
		child(long_size, sys, format, size, fd[1]);
	close(fd[1]);
	do
		answered = read(fd[0], &answer, 1);
	while (answered < 0 && errno == EINTR);
	close(fd[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return answered == 1;
}
