// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct test_workload workloads[] = {
	{ "blocked", "[threads|headless|restless|running|deadlock|held [threads]]", "threads that are blocked at known places, or wait for one another", workload_blocked },
	{ "brstack", "[loops]", "branches between functions of known names", workload_brstack },
	{ "callchain", "", "one system call in callchain_do_syscall(), which callchain_foo() calls", workload_callchain },
	{ "code_with_type", "[seconds [loops]]", "time in test_rs(), which adds to members of a struct Buf", workload_code_with_type },
	{ "context_switch_loop", "[loops]", "two processes, proc1 and proc2, wait for each other", workload_context_switch_loop },
	{ "datasym", "[seconds]", "writes to a variable with a symbol, buf1", workload_datasym },
	{ "demoloop", "[seconds]", "threads render, parse and log use 60, 30 and 10 % of its time", workload_demoloop },
	{ "denied_calls", "", "system calls that seccomp answers, and numbers that no call has", workload_denied_calls },
	{ "deterministic", "", "the same few instructions in function1() and function2()", workload_deterministic },
	{ "faults", "<pages> threads|processes <number> [gate]", "page faults, counted exactly, of tasks named fault-0, ...", workload_faults },
	{ "heldlocks", "inode|pipe|epoll|directory", "thread lock-waiter waits for a lock of lock-holder; prints ns at least and at most, and both tids",
	  workload_heldlocks },
	{ "hostile_calls", "", "system calls with bad pointers and huge sizes, and texts that change", workload_hostile_calls },
	{ "inlineloop", "[seconds]", "time in leaf() and middle(), which are inlined into parent()", workload_inlineloop },
	{ "jitdump", "[seconds]", "one call of code that jit-PID.dump names; or time in jit_workload(), jit_replaced(), and that moved", workload_jitdump },
	{ "landlock", "", "two calls of landlock_add_rule(2), which fail", workload_landlock },
	{ "leafloop", "[seconds]", "time in leaf(), which parent() calls", workload_leafloop },
	{ "make_maps", "maps", "BPF maps, each of which the kernel frees in a work of its own", workload_make_maps },
	{ "maplock", "[seconds]", "own_code() and libc, while the memory map is locked", workload_maplock },
	{ "maploop", "[seconds]", "bpf(2), where the kernel takes no samples for BPF programs", workload_maploop },
	{ "mapwaits", "", "thread lock-waiter waits for the mmap_lock that lock-holder takes; prints what heldlocks does, and how often it slept",
	  workload_mapwaits },
	{ "phases", "[ms [sleepers]]", "threads that compute, sleep, read, wait for a mutex, and compete for a CPU; prints their clocks", workload_phases },
	{ "named_threads", "[threads [loops]]", "threads thread1, ... in named_threads_thread1(), ...", workload_named_threads },
	{ "noploop", "[seconds]", "time in one function", workload_noploop },
	{ "progloop", "[seconds]", "a tracepoint's BPF program, where the kernel takes none either", workload_progloop },
	{ "shareloop", "[seconds]", "seven_parts() and three_parts() use 70 and 30 % of its time", workload_shareloop },
	{ "sleepy", "[threads|read|ever]", "30 sleeps of 20 ms in nap(), 3 of 400 ms in slumber()", workload_sleepy },
	{ "sqrtloop", "[seconds]", "time in a forked child", workload_sqrtloop },
	{ "starter", "threads|children|siblings", "a task for each byte that it reads, answered with that byte", workload_starter },
	{ "syscalls", "", "some hundred system calls with known arguments", workload_syscalls },
	{ "thloop", "[seconds [threads]]", "time in test_loop() of two threads, all but one under thfunc()", workload_thloop },
	{ "traploop", "[loops]", "traps into the kernel in trap_bench(), on arm64", workload_traploop },
	{ "userlocks", "mutex|rwlock|condition|ball|shared", "threads or processes lock-a and lock-b wait for each other; prints ns", workload_userlocks },
	{ NULL, NULL, NULL, NULL },
};

int workload__run(const char *name, int argc, char **argv)
{
	const struct test_workload *w;

	for (w = workloads; w->name; w++) {
		if (!strcmp(w->name, name))
			return w->run(argc, argv);
	}
	warnx("no workload is named '%s': see 'perf test --list-workloads'", name);
	return 1;
}

int workload__parse_loops(int argc, char **argv, unsigned long *loops)
{
	char *end;

	if (argc > 1) {
		warnx("unexpected argument '%s'", argv[1]);
		return -1;
	}
	if (!argc)
		return 0;
	errno = 0;
	*loops = strtoul(argv[0], &end, 10);
	if (!isdigit((unsigned char)argv[0][0]) || *end || errno) {
		warnx("'%s' is no number", argv[0]);
		return -1;
	}
	return 0;
}

volatile sig_atomic_t workload_done;

static void set_done(int sig)
{
	workload_done = 1;
}

int workload__start(int argc, char **argv)
{
	return workload__start_threads(argc, argv, 1);
}

int workload__start_threads(int argc, char **argv, unsigned int nr)
{
	struct itimerval timer = { 0 };
	double seconds = 1;
	char *end;

	if (argc > 1) {
		warnx("unexpected argument '%s'", argv[1]);
		return -1;
	}
	if (argc) {
		seconds = strtod(argv[0], &end);
		if (end == argv[0] || *end || !(seconds >= 0.001 && seconds <= 1e6)) {
			warnx("'%s' is no number of seconds from 0.001 to 1000000", argv[0]);
			return -1;
		}
	}
	seconds *= nr;
	timer.it_value.tv_sec = seconds;
	timer.it_value.tv_usec = (seconds - timer.it_value.tv_sec) * 1e6;
	signal(SIGPROF, set_done);
	signal(SIGINT, set_done);
	if (setitimer(ITIMER_PROF, &timer, NULL)) {
		warn("setitimer");
		return -1;
	}
	return 0;
}
