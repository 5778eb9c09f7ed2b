// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <string.h>

static int record__enable(void *data, bool on, struct errmsg *err)
{
	const struct record *rec = data;
	int ret = on ? sampler__enable(rec->sampler, err) : sampler__pause(rec->sampler);

	return ret && !on ? errmsg__set(err, -ret, "cannot disable the events: %s", strerror(-ret)) : ret;
}

static int record__switch_event(void *data, unsigned int event, bool on, struct errmsg *err)
{
	const struct record *rec = data;
	int ret = on ? sampler__enable_event(rec->sampler, event, err) : sampler__disable_event(rec->sampler, event);

	if (!ret || on)
		return ret;
	return errmsg__set(err, -ret, "cannot disable event %s: %s", rec->evlist->evsel[event]->name, strerror(-ret));
}

static const char *record__event_name(void *data, unsigned int event)
{
	const struct record *rec = data;

	return event < rec->evlist->nr ? rec->evlist->evsel[event]->name : NULL;
}

static void record__want_next_file(void *data)
{
	struct record *rec = data;

	rec->switch_wanted = true;
}

static int record__cpu_back(void *data, int cpu, struct errmsg *err)
{
	struct record *rec = data;

	return sampler__reopen_cpu(rec->sampler, cpu, err);
}

int record__new_run(struct record *rec)
{
	static const struct run_ops ops = {
		.enable = record__enable,
		.switch_event = record__switch_event,
		.event_name = record__event_name,
		.signal = record__want_next_file,
		.cpu_back = record__cpu_back,
	};
	const struct record_opts *opts = rec->opts;
	struct run_opts run_opts = opts->run;

	run_opts.stdout_taken = opts->output && !strcmp(opts->output, "-");
	run_opts.signo = opts->switching.signo;
	run_opts.max_wait = record__max_wait(rec);
	return run__new(&run_opts, &ops, rec, &rec->run, rec->err);
}
