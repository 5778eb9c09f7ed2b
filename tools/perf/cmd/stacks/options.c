// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stacks"

#include "cmd/stacks/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/common/target.h"
#include "cmd/stacks/deadlocks.h"
#include "cmd/stacks/recording.h"
#include "ui/session-stdio.h"
#include "ui/stacks/json.h"
#include "ui/stacks/text.h"
#include "ui/stacks/waits.h"
#include "util/lib/advice.h"
#include "util/lib/clock.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"

struct stacks_run {
	struct stacks_options *opts;
	struct run *run;
	struct stacks_live live;
	struct stacks_json *json; /* NULL: not wanted */
	struct stacks_recording *recording; /* NULL: not wanted */
	struct run_handler timer;
	u64 nr, began_at; /* of snapshots */
};

/* One snapshot */

/* The stacks are counted, and put together unless groups is NULL. */
static int take_stacks(struct stacks_run *r, const struct stacks_waits *waits, struct stacks_groups *groups)
{
	struct stacks_live *live = &r->live;
	struct text text = {};
	int ret = 0;

	for (u32 i = 0; i < live->stacks.nr && !ret; i++) {
		const struct thread_stack *stack = &live->stacks.stack[i];
		struct thread *thread;
		bool cut;

		ret = stacks_live__resolve(live, stack, &thread, &cut);
		ret = ret ?: stacks_profile__add(&r->opts->profile, thread, &live->chain);
		if (ret || !groups)
			continue;
		text.len = 0;
		stacks_waits__describe(waits, &text, stack);
		text__char(&text, '\0');
		ret = text.failed ? -ENOMEM : stacks_groups__add(groups, stacks_live__comm(live, stack->task), stack, &live->chain, cut, text.buf);
	}
	text__exit(&text);
	return ret;
}

static int print_groups(struct stacks_run *r, const struct stacks_look *look, const struct stacks_summary *summary)
{
	struct stacks_groups *groups = stacks_groups__new();
	struct stacks_waits waits;
	struct errmsg err;
	int ret = stacks_waits__init(&waits, r->live.session, &r->live.stacks, &err);

	ret = ret ?: groups ? take_stacks(r, &waits, groups) : -ENOMEM;
	if (!ret && r->json)
		stacks_json__add(r->json, summary, groups);
	else if (!ret)
		stacks_text__print(look, summary, groups);
	stacks_waits__exit(&waits);
	stacks_groups__delete(groups);
	return ret;
}

static int print(struct stacks_run *r, const struct stacks_summary *summary)
{
	const struct stacks_options *o = r->opts;
	const struct stacks_look look = {
		.session = r->live.session, .fp = stdout, .source_lines = o->source_lines, .all_tids = o->verbose > 0,
	};

	if (o->deadlocks)
		return stacks_deadlocks__print(&r->live, &look, summary);
	if (o->profile.folded)
		return take_stacks(r, NULL, NULL);
	return print_groups(r, &look, summary);
}

static int record(struct stacks_run *r, struct errmsg *err)
{
	const struct thread_stacks *stacks = &r->live.stacks;
	int ret = 0;

	for (u32 i = 0; i < stacks->nr && !ret; i++)
		ret = stacks_recording__add(r->recording, &stacks->stack[i], err);
	return ret;
}

static int take(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct stacks_run *r = data;
	const u64 begin = clock__ns(CLOCK_MONOTONIC);
	struct stacks_summary summary = { .nr = ++r->nr };
	int ret;

	if (r->recording)
		stacks_recording__set_time(r->recording, begin);
	ret = stacks_live__take(&r->live, err);
	if (!ret && r->recording)
		ret = record(r, err);
	if (ret)
		return ret;
	r->began_at = r->began_at ?: begin;
	summary.at_ns = begin - r->began_at;
	summary.took_ns = clock__ns(CLOCK_MONOTONIC) - begin;
	if (!r->recording && print(r, &summary))
		return errmsg__set(err, ENOMEM, "out of memory");
	if (r->nr == r->opts->nr || stream__flush(stdout))
		run_loop__end(loop);
	return 0;
}

/* All */

static struct sampler_target target_of(const struct stacks_run *r)
{
	struct sampler_target target = { .system_wide = r->opts->run.system_wide, .no_events = true, .inherit = r->opts->nr != 1 };

	target.tids = run__tids(r->run, &target.nr_tids);
	if (target.inherit)
		target.opened_at = clock__ns(CLOCK_BOOTTIME);
	return target;
}

static void tell_proc(void *data, const struct errmsg *why)
{
	pr_info("%s\nWithout them perf shows stacks in user space only, of processes that this user may trace.\n\n", why->text);
}

static int begin(struct stacks_run *r, struct errmsg *err)
{
	const struct stacks_options *o = r->opts;
	const struct sampler_target target = target_of(r);
	struct filter_input filters[2];
	struct snapshot_opts opts = { .target = &target, .filters = filters, .without_bpf = tell_proc };
	char user[32];
	uid_t uid;

	if (o->user) {
		if (target__parse_user(o->user, &uid))
			exit(EXIT_USAGE);
		snprintf(user, sizeof(user), "uid == %u", uid);
		filters[opts.nr_filters++] = (struct filter_input){ .domain = "-u", .text = user };
	}
	if (o->filter)
		filters[opts.nr_filters++] = (struct filter_input){ .domain = "filter", .text = o->filter };
	r->live.max_stack = o->max_stack;
	r->live.inlined = o->inlined;
	r->live.keeps_names = o->profile.flamegraph;
	r->live.recording = r->recording;
	return stacks_live__begin(&r->live, &opts, err) ?: r->recording ? stacks_recording__begin(r->recording, err) :
									  stacks_profile__begin(&r->opts->profile, err);
}

static int finish_recording(struct stacks_run *r, struct errmsg *err)
{
	const u64 nr = stacks_recording__nr(r->recording);
	int ret = stacks_recording__finish(r->recording, err);

	if (!ret)
		pr_info("[ perf stacks: Wrote %" PRIu64 " stack%s of %" PRIu64 " snapshot%s to %s ]\n", nr, plural(nr), r->nr, plural(r->nr), r->opts->path);
	return ret;
}

static int watch(struct stacks_run *r, struct errmsg *err)
{
	int ret;

	r->json = r->opts->json ? stacks_json__new(stdout) : NULL;
	if (r->opts->json && !r->json)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = run__prepare(r->run, err) ?: begin(r, err) ?: run__start(r->run, err);
	if (ret)
		return ret;
	run_loop__add_timer(run__loop(r->run), &r->timer, run_loop__now(), r->opts->interval, take, r);
	ret = run__watch(r->run, err);
	if (r->json)
		stacks_json__finish(r->json);
	return ret ?: r->recording ? finish_recording(r, err) : stacks_profile__finish(&r->opts->profile, err);
}

static void check(const struct stacks_options *o, char **argv)
{
	const struct option_use forms[] = {
		{ "-o", o->path },
		{ "--folded", o->profile.folded },
		{ "--json", o->json },
		{ "--deadlocks", o->deadlocks },
	}, counted[] = {
		{ "-o", o->path },
		{ "--flamegraph", o->profile.flamegraph },
		{ "--deadlocks", o->deadlocks },
	};

	if (argv[0])
		options__refuse_exit("perf stacks starts no command: it shows where running tasks are. Name them by -p or -t\n");
	if (!o->max_stack)
		options__refuse_exit("--max-stack takes a number of frames, from 1 on\n");
	if (!o->interval)
		options__refuse_exit("-i takes a number of milliseconds, from 1 on\n");
	options__check_exclusive(forms, ARRAY_SIZE(forms));
	options__check_exclusive(counted, ARRAY_SIZE(counted));
}

static int exit_status(int ret)
{
	return !ret ? 0 : ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
}

static int new_recording(struct stacks_run *r, int nr_words, const char *const *words, struct errmsg *err)
{
	if (!r->opts->path)
		return 0;
	r->recording = stacks_recording__new(r->opts->path, nr_words, words);
	return r->recording ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

int stacks_options__run(struct stacks_options *o, char **argv, int nr_words, const char *const *words)
{
	static const struct run_ops ops = {};
	struct stacks_run r = { .opts = o };
	struct errmsg err;
	int ret, status;

	check(o, argv);
	target__settle(&o->run, argv, o->user != NULL);
	ret = new_recording(&r, nr_words, words, &err) ?: run__new(&o->run, &ops, NULL, &r.run, &err);
	ret = ret ?: watch(&r, &err);
	if (ret)
		pr_err("%s\n", err.text);
	else
		session__warn(r.live.session, "the running system");
	stacks_json__delete(r.json);
	stacks_profile__exit(&o->profile);
	stacks_live__exit(&r.live);
	stacks_recording__delete(r.recording);
	status = r.run ? run__finish(r.run) : 0;
	run__delete(r.run);
	return exit_status(ret) ?: stream__flush(stdout) ? EXIT_SETUP : status;
}
