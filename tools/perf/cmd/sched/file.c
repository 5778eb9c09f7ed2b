// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include "cmd/sched/file.h"

#include <inttypes.h>
#include <string.h>
#include "builtin.h"
#include "cmd/record/watching.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"

#define SWITCH "sched:sched_switch"
#define WAKING "sched:sched_waking"
#define OLD_WAKING "sched:sched_wakeup" /* follows each sched_waking, later */

static const struct recorded_hit_name names[] = {
	{ SCHED_HIT_SWITCH, SWITCH },
	{ SCHED_HIT_WAKING, WAKING },
	{ SCHED_HIT_WAKING, OLD_WAKING },
	{ SCHED_HIT_WAKING, "sched:sched_wakeup_new" },
	{ SCHED_HIT_RUNTIME, "sched:sched_stat_runtime" },
	{ SCHED_HIT_MIGRATE, "sched:sched_migrate_task" },
};

static int find_events(struct sched_file *f)
{
	struct errmsg err;

	f->hits = (struct recorded_hits){ .session = f->session, .input = f->reading->input, .command = "perf sched record" };
	if (recorded_hits__find(&f->hits, names, ARRAY_SIZE(names), &err) ||
	    recorded_hits__check(&f->hits, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, "tasks, times, CPUs", &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (!(f->hits.kinds >> SCHED_HIT_SWITCH & 1)) {
		pr_err("%s has no event " SWITCH ": record it with 'perf sched record'\n", f->reading->input);
		return EXIT_SETUP;
	}
	if (recorded_hits__has(&f->hits, WAKING))
		recorded_hits__ignore(&f->hits, OLD_WAKING);
	return 0;
}

void sched_file__parse(int argc, char **argv, const struct option_row *rows, const char *const *usages)
{
	const char *name = argv[0];

	if (options__parse(argc, argv, rows, usages, false))
		options__refuse_exit("perf sched %s reads a recording and runs no command: leave out \"%s\", or give the recording with -i\n", name,
				     argv[0]);
}

int sched_file__open(struct sched_file *f)
{
	struct errmsg err;

	read_options__choose_input(f->reading);
	f->session = read_options__open(f->reading, false);
	if (!f->session || find_events(f))
		return EXIT_SETUP;
	if (selection__init(&f->selection, f->session, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	f->nr_cpus = perfdata_reader__features(session__reader(f->session))->nrcpus_online;
	if (f->nr_cpus > SCHED_MAX_CPUS) /* it tells nothing */
		f->nr_cpus = 0;
	return 0;
}

int sched_file__run(struct sched_file *f, const struct session_ops *ops, void *data, enum session_detail detail)
{
	f->err.text[0] = '\0';
	session__want(f->session, detail, SESSION_NO_IDS);
	if (session__run(f->session, ops, data, &f->err)) {
		pr_err("%s\n", f->err.text[0] ? f->err.text : "out of memory for tasks");
		return EXIT_SETUP;
	}
	stream__flush(stdout);
	session__warn(f->session, f->reading->input);
	recorded_hits__warn(&f->hits, f->hits.nr_malformed, "with missing or wrong fields");
	return 0;
}

int sched_file__status(const struct sched_file *f)
{
	if (stream__flush(stdout)) /* perf tells it at its end */
		return EXIT_SETUP;
	return session__is_damaged(f->session) ? EXIT_DAMAGED : 0;
}

void sched_file__close(struct sched_file *f)
{
	recorded_hits__exit(&f->hits);
	selection__exit(&f->selection);
	session__delete(f->session);
}

enum sched_hit_kind sched_file__kind(struct sched_file *f, const struct session_sample *sample)
{
	const enum sched_hit_kind kind = recorded_hits__kind(&f->hits, sample);
	const u32 cpu = sample->sample->cpu;

	if (!kind)
		return SCHED_HIT_OTHER;
	if (cpu >= SCHED_MAX_CPUS) {
		f->hits.nr_malformed++;
		return SCHED_HIT_OTHER;
	}
	if (cpu >= f->nr_cpus)
		f->nr_cpus = cpu + 1;
	return kind;
}

/* The letters of the bits in prev_state, as the kernel prints them. No bit: it would go on */
static char letter_of(u64 state)
{
	static const char letters[] = "SDTtXZPI";

	for (int i = 0; letters[i]; i++) {
		if (state >> i & 1)
			return letters[i];
	}
	return 'R';
}

/* Its pid is unknown if nothing told of it: it ended before others that ran, or the record of its start is lost. */
static struct thread *thread_of(struct sched_file *f, u32 tid)
{
	struct machine *machine = session__machine(f->session);

	return machine__known_thread(machine, tid) ?: machine__thread(machine, tid ? (u32)-1 : 0, tid);
}

bool sched_file__number(struct sched_file *f, const struct session_sample *sample, const char *field, u64 *value)
{
	const bool found = recorded_hits__number(&f->hits, sample, field, value);

	f->hits.nr_malformed += !found;
	return found;
}

static const char *name_of(struct sched_file *f, const struct session_sample *sample, const struct thread *thread, const char *field, char *text)
{
	const bool found = recorded_hits__text(&f->hits, sample, field, text, SCHED_COMM_LEN) && *text;

	if (!found)
		snprintf(text, SCHED_COMM_LEN, "%s", thread->comm);
	return thread->comm_set || !thread->tid ? thread->comm : text;
}

bool sched_file__read_switch(struct sched_file *f, const struct session_sample *sample, struct sched_switch_hit *hit)
{
	u64 prev, next, state;

	if (!sched_file__number(f, sample, "prev_pid", &prev) || !sched_file__number(f, sample, "next_pid", &next) ||
	    !sched_file__number(f, sample, "prev_state", &state) || !sched_file__number(f, sample, "prev_prio", &hit->prev_prio) ||
	    !sched_file__number(f, sample, "next_prio", &hit->next_prio))
		return false;
	hit->state = letter_of(state);
	hit->prev = thread_of(f, prev);
	hit->next = thread_of(f, next);
	if (!hit->prev || !hit->next)
		return false;
	hit->prev_comm = name_of(f, sample, hit->prev, "prev_comm", hit->prev_text);
	hit->next_comm = name_of(f, sample, hit->next, "next_comm", hit->next_text);
	return true;
}

struct thread *sched_file__read_task(struct sched_file *f, const struct session_sample *sample, const char **comm, char *text)
{
	struct thread *thread;
	u64 tid;

	if (!sched_file__number(f, sample, "pid", &tid))
		return NULL;
	thread = thread_of(f, tid);
	if (thread)
		*comm = name_of(f, sample, thread, "comm", text);
	return thread;
}

bool sched_file__is_in_time(const struct sched_file *f, u64 time)
{
	for (u32 i = 0; i < f->selection.nr_times; i++) {
		if (time >= f->selection.time[i].from && time <= f->selection.time[i].to)
			return true;
	}
	return !f->selection.nr_times;
}

void sched_file__print_lost(const struct sched_file *f)
{
	const struct session_stats *stats = session__stats(f->session);

	if (stats->lost_events && stats->nr_events)
		printf("  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64 ", in %" PRIu64 " chunks)\n",
		       100.0 * stats->lost_events / stats->nr_events, (uint64_t)stats->lost_events, (uint64_t)stats->nr_events,
		       (uint64_t)stats->nr[PERF_RECORD_LOST]);
}
