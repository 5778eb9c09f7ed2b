/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watching a running system, for every command that does: whom (-a, -p, -t, -C, or a command that is started), how long (until the command
 * or the target ends, a signal, --control stop), when events count (-D, --control), and the loop that waits. It knows nothing of events,
 * samples and files: the command brings these as operations and as handlers of the loop.
 *
 * Order of calls, and what the caller does in between:
 *	run__new	the target is found; nothing is started
 *	run__prepare	signals are held back and the command is forked; it waits
 *	 - open the events on run__tids() or on all CPUs, and enable them if not run__starts_disabled()
 *	run__start	the command begins; spans begin
 *	 - add handlers to run__loop(): rings, intervals (a timer with `every`), keys of a live view (a descriptor), ends of all targets
 *	run__watch	the loop
 *	 - disable the events, read the last of them
 *	run__finish	signals are as before, the command has ended
 *	run__delete
 * After an error any call may be left out but run__delete. One thread, one run at a time.
 */
#ifndef PERF_RUN_RUN_H
#define PERF_RUN_RUN_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"
#include "util/run/control.h"
#include "util/run/loop.h"
#include "util/run/spans.h"
#include "util/run/target.h"

struct run_opts { /* copied; what pointers lead to is the caller's and must outlive the run */
	bool system_wide;	   /* all tasks; else pids and tids, else argv alone */
	const char *pids, *tids;   /* lists; NULL: none */
	const char *cpus;	   /* list; NULL: all */
	char *const *argv;	   /* the command; NULL: none */
	bool stdout_taken;	   /* by perf: the command's own output goes to the standard error */
	int signo;		   /* one more signal that does not end the run, but is told by ops->signal; 0: none */
	const struct run_span *spans; /* when events count, ascending; NULL: all the time */
	unsigned int nr_spans;
	bool start_disabled;	   /* events count only when control says so */
	const struct run_control *control; /* NULL: none */
	unsigned int max_wait;	   /* ms: the loop makes a pass at least so often; 0: only when there is something to do */
	void (*note)(void *data, const char *text); /* gets each switch and each odd command, in one line without newline. NULL: not wanted */
	void *note_data;
};

/*
 * What the run asks of its caller. Members may be NULL if nothing leads to their call: without spans and control that is all but signal.
 * Those that return int return 0, or -errno with a text in err, which ends the run.
 */
struct run_ops {
	int (*enable)(void *data, bool on, struct errmsg *err); /* all events, or disable them for a while */
	int (*switch_event)(void *data, unsigned int event, bool on, struct errmsg *err);
	const char *(*event_name)(void *data, unsigned int event); /* from 0; NULL: there are no more */
	void (*signal)(void *data); /* opts->signo has come */
};

struct run;

/* -EINVAL: a wrong list; -ESRCH: there is no such process or thread. On error *run is NULL. */
int run__new(const struct run_opts *opts, const struct run_ops *ops, void *data, struct run **run, struct errmsg *err);

/* Are events disabled at first? Then run__start() or a command enables them. */
bool run__starts_disabled(const struct run *run);
/* Is the command alone the target? Then its events may wait for its exec (enable_on_exec). */
bool run__follows_command(const struct run *run);

int run__prepare(struct run *run, struct errmsg *err);

/* The target as the lists name it, without the command. Owned by the run; the caller may update it (see target.h). */
struct run_target *run__target(struct run *run);
/* Threads to open events on: those of the lists, or the command that waits, which is there from run__prepare() on. 0: all tasks. Owned by run. */
const pid_t *run__tids(const struct run *run, int *nr);

int run__start(struct run *run, struct errmsg *err);

/*
 * Handlers for signals, spans and control are called first, those that the caller adds come after them. Any of them ends the run by
 * run_loop__end().
 */
struct run_loop *run__loop(struct run *run);
int run__watch(struct run *run, struct errmsg *err);

/*
 * The exit status of perf, if nothing has failed: 128 + the number of the SIGINT or SIGTERM that ended the run, else that of the command, else 0.
 * A command that still runs is ended, which does not count as its exit status.
 */
int run__finish(struct run *run);
void run__delete(struct run *run); /* NULL is allowed. As run__finish(), if that was not called */

#endif
