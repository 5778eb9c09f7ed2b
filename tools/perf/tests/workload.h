/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small programs with a known profile, run by `perf test -w NAME`, for tests to record. Their functions are never inlined, and are
 * compiled with frame pointers, so that names and callchains are known, too. They use only the C library: tests run them in a
 * separate program (workload-main.c), which never has a sanitizer, as that would be visible in a profile.
 */
#ifndef PERF_TESTS_WORKLOAD_H
#define PERF_TESTS_WORKLOAD_H

#include <signal.h>
#include <sys/time.h>

struct test_workload {
	const char *name;
	const char *args;
	const char *help;
	int (*run)(int argc, char **argv); /* argv[0] is the first argument; returns the exit status */
};

extern const struct test_workload workloads[]; /* ends with a row whose name is NULL */

/* Returns the exit status of the workload with that name; 1 after a message if there is none. */
int workload__run(const char *name, int argc, char **argv);

#define WORKLOAD_FUNCTION static __attribute__((noinline, noclone))

/* Set when the time of workload__start() is over, and by SIGINT. */
extern volatile sig_atomic_t workload_done;

/*
 * Start the clock for the optional argument [seconds] (default 1, fractions allowed). It measures the CPU time of all threads, so
 * that on a busy machine no samples are missing. 0, or -1 after a message.
 */
int workload__start(int argc, char **argv);
/* The same for nr threads that compute all the time: the clock ends after nr times as much CPU time, so each thread has its share. */
int workload__start_threads(int argc, char **argv, unsigned int nr);

/* The optional argument [loops], a number, to *loops, which stays as it is without. 0, or -1 after a message. */
int workload__parse_loops(int argc, char **argv, unsigned long *loops);

int workload_blocked(int argc, char **argv);
int workload_brstack(int argc, char **argv);
int workload_callchain(int argc, char **argv);
int workload_code_with_type(int argc, char **argv);
int workload_context_switch_loop(int argc, char **argv);
int workload_datasym(int argc, char **argv);
int workload_demoloop(int argc, char **argv);
int workload_denied_calls(int argc, char **argv);
int workload_deterministic(int argc, char **argv);
int workload_faults(int argc, char **argv);
int workload_heldlocks(int argc, char **argv);
int workload_hostile_calls(int argc, char **argv);
int workload_inlineloop(int argc, char **argv);
int workload_jitdump(int argc, char **argv);
int workload_landlock(int argc, char **argv);
int workload_leafloop(int argc, char **argv);
int workload_make_maps(int argc, char **argv);
int workload_maplock(int argc, char **argv);
int workload_maploop(int argc, char **argv);
int workload_mapwaits(int argc, char **argv);
int workload_named_threads(int argc, char **argv);
int workload_phases(int argc, char **argv);
int workload_noploop(int argc, char **argv);
int workload_progloop(int argc, char **argv);
int workload_shareloop(int argc, char **argv);
int workload_sleepy(int argc, char **argv);
int workload_sqrtloop(int argc, char **argv);
int workload_starter(int argc, char **argv);
int workload_syscalls(int argc, char **argv);
int workload_thloop(int argc, char **argv);
int workload_traploop(int argc, char **argv);
int workload_userlocks(int argc, char **argv);

#endif
