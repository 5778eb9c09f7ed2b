// SPDX-License-Identifier: GPL-2.0
#include "util/lib/threads.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

u32 threads__nr_cpus(void)
{
	cpu_set_t set;
	long nr;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set);
	nr = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than a cpu_set_t holds */
	return nr > 1 ? nr : 1;
}

int threads__start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	sigdelset(&all, SIGBUS); /* raised by the thread itself: blocked, it would kill without a message */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}
