// SPDX-License-Identifier: GPL-2.0
#include "util/run/run-state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int run__new(const struct run_opts *opts, const struct run_ops *ops, void *data, struct run **runp, struct errmsg *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int ret = -ENOMEM;

	*runp = NULL;
	if (run) {
		run->opts = *opts;
		run->ops = ops;
		run->data = data;
		run->signals.fd = -1;
		run->hotplug.fd = -1;
		run->workload.fd = -1;
		run->loop = run_loop__new(opts->max_wait);
	}
	if (!run || !run->loop)
		errmsg__set(err, ENOMEM, "out of memory");
	else
		ret = run_target__resolve(&run->target, opts->pids, opts->tids, opts->cpus, err);
	if (ret)
		run__delete(run);
	else
		*runp = run;
	return ret;
}

void run__delete(struct run *run)
{
	if (!run)
		return;
	run__finish(run);
	hotplug__exit(&run->hotplug);
	run_target__exit(&run->target);
	run_loop__delete(run->loop);
	free(run);
}

bool run__follows_command(const struct run *run)
{
	return run->opts.argv && !run->opts.system_wide && !run->target.nr_tids;
}

struct run_target *run__target(struct run *run)
{
	return &run->target;
}

const pid_t *run__tids(const struct run *run, int *nr)
{
	*nr = run__follows_command(run) ? 1 : run->target.nr_tids;
	return run__follows_command(run) ? &run->workload.pid : run->target.tids;
}

const char *run__command_comm(const struct run *run)
{
	return run->workload.comm;
}

struct run_loop *run__loop(struct run *run)
{
	return run->loop;
}

/* A signal, or the end of the command, ends the run. */
static int run__take_signals(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct run *run = data;
	int signo;

	while ((signo = signals__next(&run->signals))) {
		if (signo == SIGCHLD) {
			if (workload__reap(&run->workload))
				run_loop__end(loop);
		} else if (signo == run->opts.signo) {
			run->ops->signal(run->data);
		} else {
			run->signo = signo;
			run_loop__end(loop);
		}
	}
	return 0;
}

/* CPUs that come and go */

static void run__tell_back(const struct run *run, int cpu, u64 ns, int ret, const struct errmsg *err)
{
	char away[32] = "";
	struct errmsg text;

	if (ns)
		snprintf(away, sizeof(away), " for %.3f s", ns / 1e9);
	if (ret < 0)
		errmsg__set(&text, -ret, "CPU %d was offline%s. Its events cannot be opened again, so what it does now is missing: %s", cpu, away, err->text);
	else
		errmsg__set(&text, 0, "CPU %d was offline%s: its events were opened again", cpu, away);
	run__tell(run, text.text);
}

static int run__handle_hotplug(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct run *run = data;
	enum hotplug_change change;
	struct errmsg why, text;
	int cpu, ret;
	u64 ns;

	while ((change = hotplug__next(&run->hotplug, &cpu, &ns)) != HOTPLUG_NONE) {
		if (change == HOTPLUG_BACK) {
			ret = run->ops->cpu_back(run->data, cpu, &why);
			if (ret)
				run__tell_back(run, cpu, ns, ret, &why);
		} else if (run->opts.system_wide && !run->target.cpus) {
			errmsg__set(&text, 0, "CPU %d came online. It was offline when perf began, so what it does is missing", cpu);
			run__tell(run, text.text);
		}
	}
	return 0;
}

static int run__watch_cpus(struct run *run, struct errmsg *err)
{
	int ret = run->ops->cpu_back ? hotplug__init(&run->hotplug) : 0;

	if (run->hotplug.fd >= 0)
		run_loop__add_fd(run->loop, &run->on_hotplug, run->hotplug.fd, run__handle_hotplug, run);
	return ret ? errmsg__set(err, -ret, "out of memory") : 0;
}

int run__prepare(struct run *run, struct errmsg *err)
{
	int ret = signals__take(&run->signals, run->opts.signo, err);

	if (!ret && run->opts.argv)
		ret = workload__fork(&run->workload, run->opts.argv, &run->signals, run->opts.stdout_taken, err);
	if (ret)
		return ret;
	run_loop__add_fd(run->loop, &run->on_signals, run->signals.fd, run__take_signals, run);
	run__add_spans(run);
	run__add_control(run);
	return run__watch_cpus(run, err);
}

int run__start(struct run *run, struct errmsg *err)
{
	int ret = run->opts.argv ? workload__exec(&run->workload, err) : 0;

	return ret ? ret : run__begin_spans(run, err);
}

int run__watch(struct run *run, struct errmsg *err)
{
	return run_loop__run(run->loop, err);
}

int run__finish(struct run *run)
{
	bool ended_by_us;

	/* Watching is over; from now on another Ctrl-C kills perf itself, in case the command ignores SIGTERM. */
	signals__release(&run->signals);
	ended_by_us = !workload__reap(&run->workload);
	workload__end(&run->workload);
	if (run->signo)
		return 128 + run->signo;
	return run->opts.argv && !ended_by_us ? workload__exit_code(&run->workload) : 0;
}

const struct rusage *run__usage(const struct run *run)
{
	return run->workload.ended ? &run->workload.usage : NULL;
}

int run__signal(const struct run *run)
{
	return run->signo;
}
