/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trials of formats for the targets that load them, in place of util/event/tp-trial.c (whose object is then not linked): its child for
 * each format is most of the time that an input takes, since this process has all the memory of sanitizers to be copied. Here one child
 * judges many. It dies of what crashes libtraceevent, as that of perf does; then there is another.
 */
#ifndef TESTS_FUZZ_TP_TRIAL_H
#define TESTS_FUZZ_TP_TRIAL_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/fuzz/fuzz.h"
#include "util/event/tp-trial.h"

/* Some formats that it understands make libtraceevent 1.7 lose a token: a few bytes of the format's size. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:^tep_parse_format$";
}

#define JUDGED_BY_ONE 5000 /* formats: what libtraceevent loses of them adds up */
#define JUDGE_MILLISECONDS 200 /* of CPU time, for one of them; most take less than one */

struct trial_question {
	int long_size, sys_size; /* the name of the system and its NUL, then the format */
	size_t size;
};

static struct trial_judge {
	int fd;
	pid_t pid; /* 0: none */
	unsigned int judged;
} the_judge;

static inline bool judge__read(int fd, void *data, size_t size)
{
	while (size) {
		ssize_t got = read(fd, data, size);

		if (got <= 0)
			return false;
		data = (char *)data + got;
		size -= got;
	}
	return true;
}

static inline void __attribute__((noreturn)) judge__run(int fd)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM };
	struct trial_question q;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL);
	while (judge__read(fd, &q, sizeof(q))) {
		const struct itimerval limit = { .it_value.tv_usec = JUDGE_MILLISECONDS * 1000 }, none = {};
		char *text = malloc(q.sys_size + q.size + 1), passes;

		if (!text || !judge__read(fd, text, q.sys_size + q.size))
			break;
		setitimer(ITIMER_VIRTUAL, &limit, NULL);
		passes = tp_trial__judge(q.long_size, text, text + q.sys_size, q.size);
		setitimer(ITIMER_VIRTUAL, &none, NULL);
		free(text);
		if (write(fd, &passes, 1) != 1)
			break;
	}
	_exit(0);
}

static inline void judge__end(void)
{
	if (!the_judge.pid)
		return;
	close(the_judge.fd);
	kill(the_judge.pid, SIGKILL);
	waitpid(the_judge.pid, NULL, 0);
	the_judge.pid = 0;
}

static inline void judge__start(void)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		abort();
	the_judge = (struct trial_judge){ .fd = fd[0], .pid = fork() };
	if (the_judge.pid < 0)
		abort();
	if (!the_judge.pid) {
		close(fd[0]);
		judge__run(fd[1]);
	}
	close(fd[1]);
}

static inline bool ask_judge(int long_size, const char *sys, const char *format, size_t size)
{
	const struct trial_question q = { .long_size = long_size, .sys_size = strlen(sys) + 1, .size = size };
	struct iovec parts[] = { { (void *)&q, sizeof(q) }, { (void *)sys, q.sys_size }, { (void *)format, size } };
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
	char passes;

	if (the_judge.judged++ == JUDGED_BY_ONE)
		judge__end();
	if (!the_judge.pid)
		judge__start();
	if (sendmsg(the_judge.fd, &msg, MSG_NOSIGNAL) == (ssize_t)(sizeof(q) + q.sys_size + size) &&
	    judge__read(the_judge.fd, &passes, 1))
		return passes;
	judge__end();
	return false;
}

#define KNOWN_VERDICTS 256

/* Most inputs differ in other parts: what was judged is not asked again. */
bool tp_trial__passes(int long_size, const char *sys, const char *format, size_t size)
{
	static struct verdict {
		char *text; /* the judge's question without its sizes */
		size_t size;
		int long_size;
		bool passes;
	} known[KNOWN_VERDICTS];
	size_t sys_size = strlen(sys) + 1, all = sys_size + size;
	char *text = malloc(all);
	struct verdict *v;
	u32 hash = 0;

	if (!text)
		abort();
	memcpy(mempcpy(text, sys, sys_size), format, size);
	for (size_t i = 0; i < all; i++)
		hash = hash * 31 + (u8)text[i];
	v = &known[hash % KNOWN_VERDICTS];
	if (v->text && v->size == all && v->long_size == long_size && !memcmp(v->text, text, all)) {
		free(text);
		return v->passes;
	}
	free(v->text);
	*v = (struct verdict){ text, all, long_size, ask_judge(long_size, sys, format, size) };
	return v->passes;
}

#endif
