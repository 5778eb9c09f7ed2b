/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watching a running system, for every command that does so: the target (-a, -p, -t, -C, or a command to start), the end (the
 * command or the target ends, a signal, --control stop), when events count (-D, --control), and the loop that waits. It knows
 * nothing about events, samples and files: the command provides these as operations and as handlers of the loop.
 *
 * Order of calls, with the caller's steps in between:
 *	run__new	finds the target; starts nothing
 *	run__prepare	blocks signals and forks the command, which waits
 *	 - open the events on run__tids() or on all CPUs, and enable them if not run__starts_disabled()
 *	run__start	starts the command and the spans
 *	 - add handlers to run__loop(): rings, intervals (a timer with `every`), keys of a live view (a descriptor), ends of all targets
 *	run__watch	runs the loop
 *	 - disable the events, read the last of them
 *	run__finish	restores signals, ends the command
 *	run__delete
 * After an error any call but run__delete may be skipped. One thread, one run at a time.
 */
#ifndef PERF_RUN_RUN_H
#define PERF_RUN_RUN_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"
#include "util/run/control.h"
#include "util/run/loop.h"
#include "util/run/spans.h"
#include "util/run/target.h"

struct run_opts { /* copied; the caller owns what pointers point to, which must outlive the run */
	bool system_wide;	   /* all tasks; otherwise pids and tids, or argv alone */
	const char *pids, *tids;   /* lists; NULL: none */
	const char *cpus;	   /* list; NULL: all */
	char *const *argv;	   /* the command; NULL: none */
	bool stdout_taken;	   /* by perf: redirect the command's output to the standard error */
	int signo;		   /* another signal, which does not end the run, but calls ops->signal; 0: none */
	const struct run_span *spans; /* when events count, ascending; NULL: always */
	unsigned int nr_spans;
	bool start_disabled;	   /* events count only when control enables them */
	bool silent_switches;	   /* no note when all events are switched */
	const struct run_control *control; /* NULL: none */
	unsigned int max_wait;	   /* ms: the loop makes a pass at least this often; 0: only when a handler is ready */
	void (*note)(void *data, const char *text); /* gets a message for each switch and each wrong command, one line without newline. May be NULL */
	void *note_data;
};

/*
 * Operations of the caller. Members may be NULL if they cannot be called: without spans and control only signal can be. Those that
 * return int return 0, or -errno with a message in err, which ends the run.
 */
struct run_ops {
	int (*enable)(void *data, bool on, struct errmsg *err); /* enable or disable all events */
	int (*switch_event)(void *data, unsigned int event, bool on, struct errmsg *err);
	const char *(*event_name)(void *data, unsigned int event); /* from 0 on; NULL: no more */
	void (*signal)(void *data); /* opts->signo has arrived */
	/*
	 * A CPU was offline and is back: open its events again. 1: they are open; 0: there are none for that CPU alone. The run tells of an
	 * error and goes on. May be NULL.
	 */
	int (*cpu_back)(void *data, int cpu, struct errmsg *err);
};

struct run;

/* -EINVAL: a wrong list; -ESRCH: no such process or thread. On error *run is NULL. */
int run__new(const struct run_opts *opts, const struct run_ops *ops, void *data, struct run **run, struct errmsg *err);

/* Are events disabled at first? Then run__start() or a command enables them. */
bool run__starts_disabled(const struct run *run);
/* Is the command alone the target? Then its events may wait for its exec (enable_on_exec). */
bool run__follows_command(const struct run *run);

int run__prepare(struct run *run, struct errmsg *err);

/* The target as in the lists, without the command. Owned by the run; the caller may update it (see target.h). */
struct run_target *run__target(struct run *run);
/*
 * Threads to open events on: those of the lists, or the waiting command, which exists from run__prepare() on. 0: all tasks. Owned by
 * run.
 */
const pid_t *run__tids(const struct run *run, int *nr);
/* What the kernel will name the command's task; from run__prepare() on, if there is a command. */
const char *run__command_comm(const struct run *run);

int run__start(struct run *run, struct errmsg *err);

/*
 * Handlers for signals, spans and control are called first, the caller's after them. Any handler may end the run by run_loop__end().
 */
struct run_loop *run__loop(struct run *run);
int run__watch(struct run *run, struct errmsg *err);

/*
 * Return perf's exit status, if nothing has failed: 128 + the number of the SIGINT, SIGTERM or SIGHUP that ended the run, otherwise that of
 * the command, otherwise 0. Ends a command that is still running, which does not count as its exit status.
 */
int run__finish(struct run *run);
/* The SIGINT, SIGTERM or SIGHUP that ended the run; 0: none did. */
int run__signal(const struct run *run);
/* What the command has used, after run__finish(); NULL: there was none. Owned by run. */
const struct rusage *run__usage(const struct run *run);
void run__delete(struct run *run); /* NULL is allowed. As run__finish(), if that was not called */

#endif
