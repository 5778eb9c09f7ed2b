// SPDX-License-Identifier: GPL-2.0
#include "cmd/stacks/live.h"

#include <errno.h>
#include <string.h>
#include "cmd/common/build-id-dir.h"
#include "cmd/stacks/recording.h"
#include "cmd/stacks/running.h"

#define EVENT_ID 1
#define MAX_TAKEN 100 /* snapshots by one session */

/* The session learns of files by the records that a recording would begin with. */

static int feed(void *data, const void *records, size_t size)
{
	static const struct session_ops none = {};
	struct stacks_live *live = data;
	int ret = live->recording ? stacks_recording__tell(live->recording, records, size, live->err) : 0;

	return ret ?: session__feed(live->session, records, size, &none, NULL, live->err);
}

static int explain(struct stacks_live *live, int ret)
{
	if (ret == -ENOMEM)
		return errmsg__set(live->err, ENOMEM, "out of memory");
	return ret;
}

static int meet(void *data, u32 pid, struct errmsg *err)
{
	struct stacks_live *live = data;
	int ret = live->recording ? stacks_recording__part(live->recording, pid, err) : 0;

	if (ret)
		return ret;
	live->err = err;
	return explain(live, synth__process(live->synth, pid) ?: synth__flush(live->synth));
}

static int open_synth(struct stacks_live *live, struct errmsg *err)
{
	const struct synth_opts opts = {
		.attr = &live->event.attr, .id = EVENT_ID, .build_ids = true, .data_maps = true, .write = feed, .data = live,
	};
	int ret = synth__new(&opts, &live->synth, err);

	live->err = err;
	return ret ?: explain(live, synth__kernel(live->synth) ?: synth__flush(live->synth));
}

static int open_session(struct stacks_live *live, struct errmsg *err)
{
	const struct session_opts session = { .resolver = { .symtab = { .cache = build_id_dir(NULL) }, .no_inline = !live->inlined } };
	const struct file_places places = { .cache = build_id_dir(NULL) };
	int ret = session__open_live(&session, &live->event, 1, &live->session, err) ?: open_synth(live, err);

	if (ret)
		return ret;
	live->unwinder = unwinder__new(session__machine(live->session), &places);
	if (live->unwinder && live->recording)
		unwinder__keep_returns(live->unwinder);
	return live->unwinder ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

static void close_session(struct stacks_live *live)
{
	callchain__exit(&live->chain);
	unwinder__delete(live->unwinder);
	synth__delete(live->synth);
	session__delete(live->session);
	live->unwinder = NULL;
	live->synth = NULL;
	live->session = NULL;
	live->nr_taken = 0;
}

int stacks_live__begin(struct stacks_live *live, const struct snapshot_opts *opts, struct errmsg *err)
{
	live->event.attr = (struct perf_event_attr){
		.size = sizeof(live->event.attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	if (live->recording)
		live->event = *stacks_recording__event(live->recording);
	return snapshot__new(opts, &live->snapshot, err) ?: open_session(live, err);
}

/* A session keeps all threads and maps that it was ever told of. */
static int renew_session(struct stacks_live *live, struct errmsg *err)
{
	if (live->keeps_names || live->nr_taken++ < MAX_TAKEN)
		return 0;
	close_session(live);
	return open_session(live, err);
}

int stacks_live__take(struct stacks_live *live, struct errmsg *err)
{
	struct thread_stacks_opts opts = { .snapshot = live->snapshot, .max_frames = live->max_stack, .meet = meet, .data = live };
	int ret = renew_session(live, err);

	if (ret)
		return ret;
	opts.machine = session__machine(live->session);
	opts.unwinder = live->unwinder;
	return thread_stacks__take(&live->stacks, &opts, err) ?:
	       stacks_running__sample(&live->stacks, session__machine(live->session), live->unwinder, live->max_stack,
				      !snapshot__has_bpf(live->snapshot), err);
}

const char *stacks_live__comm(const struct stacks_live *live, const struct snapshot_task *task)
{
	const struct thread *leader = task->kernel ? NULL : machine__known_thread(session__machine(live->session), task->pid);

	return leader ? leader->comm : NULL;
}

/* Threads of the kernel, and those that are newer than what the session was told */
static int set_name(struct machine *machine, const struct snapshot_task *task)
{
	struct {
		struct record_comm record;
		char comm[sizeof(task->comm)];
	} r = { .record = { .header = { .type = PERF_RECORD_COMM, .size = sizeof(r) }, .pid = task->pid, .tid = task->tid } };

	memcpy(r.record.comm, task->comm, sizeof(r.comm));
	return machine__process(machine, (const union perf_record *)&r);
}

static bool is_cut(const struct thread_stack *stack, u32 max)
{
	u32 nr = 0;

	while (nr < stack->nr && stack->chain[stack->nr - 1 - nr] < PERF_CONTEXT_MAX)
		nr++;
	return nr >= max && nr < stack->nr && stack->chain[stack->nr - 1 - nr] == PERF_CONTEXT_USER_CALLS_;
}

int stacks_live__resolve(struct stacks_live *live, const struct thread_stack *stack, struct thread **thread, bool *cut)
{
	const struct snapshot_task *task = stack->task;
	const struct perf_sample sample = {
		.pid = task->pid, .tid = task->tid, .cpumode = PERF_RECORD_MISC_KERNEL, .callchain = stack->chain, .nr_callchain = stack->nr,
	};
	struct machine *machine = session__machine(live->session);

	*thread = machine__thread(machine, task->pid, task->tid);
	if (!*thread || (!(*thread)->comm_set && set_name(machine, task)))
		return -ENOMEM;
	*cut = is_cut(stack, live->max_stack);
	return callchain__resolve(&live->chain, session__resolver(live->session), *thread, &sample, UINT32_MAX);
}

void stacks_live__exit(struct stacks_live *live)
{
	thread_stacks__exit(&live->stacks);
	close_session(live);
	snapshot__delete(live->snapshot);
}
