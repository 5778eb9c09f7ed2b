// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "lock"

#include "cmd/lock/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cmd/read/options.h"
#include "cmd/read/recorded-hits.h"
#include "cmd/read/selection.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/session/session.h"
#include "util/source/lock-pairs.h"
#include "util/source/lock-places.h"
#include "util/symbol/running-kernel.h"

enum hit_kind { HIT_OTHER, HIT_BEGIN, HIT_END, HIT_LOCKDEP };

static const struct recorded_hit_name names[] = {
	{ HIT_BEGIN, "lock:contention_begin" },
	{ HIT_END, "lock:contention_end" },
	{ HIT_LOCKDEP, "lock:lock_acquire" },
};

struct lock_file {
	struct lock_options *o;
	struct session *session;
	struct selection selection; /* of who waits, when the wait begins */
	struct filter *filter;	    /* NULL: none */
	struct filter_table table;
	struct lock_pairs *pairs;
	struct recorded_hits hits; /* their kinds are of enum hit_kind */
	u64 last_time;
	bool names_chosen;
};

/* Options */

static bool has_target(const struct lock_options *o)
{
	const struct run_opts *run = &o->recording.opts.run;

	return run->system_wide || run->cpus || run->pids || run->tids || o->recording.uid_set;
}

bool lock_file__wanted(const struct lock_options *o, char *const *argv)
{
	return o->reading.input || (!o->use_bpf && !argv[0] && !has_target(o) && !access("perf.data", F_OK));
}

/* What only the running kernel knows, or does */
static void refuse_options(const struct lock_options *o, char *const *argv)
{
	if (o->use_bpf)
		options__refuse_exit("-i and -b exclude each other: -i reads a file, -b watches the system\n");
	if (argv[0])
		options__refuse_exit("-i reads a file and runs no command: leave out \"%s\", or -i\n", argv[0]);
	if (o->locks.futexes || o->locks.user_stacks)
		options__refuse_exit("--futex and --user-callers: a recording of perf lock record has neither: leave them out, or watch the system (-b)\n");
	if (o->recording.opts.attr.callgraph.mode != CALLGRAPH_NONE || o->recording.opts.unwind_mb)
		options__refuse_exit("--call-graph and --unwind-memory take stacks while waits happen, and a recording has its own: leave them out\n");
	if (o->by_owner)
		options__refuse_exit("-o: a recording does not tell who holds a lock: leave it out, or watch the system (-b)\n");
	if (o->cgroups)
		options__refuse_exit("-G: a recording does not tell which cgroups are below others: take --lock-cgroup, or watch the system (-b)\n");
	if (o->recording.uid_set)
		options__refuse_exit("-u: a recording does not tell the user of a task: give perf lock record this option\n");
	if (o->write)
		options__refuse_exit("-w writes waits while they happen, and a recording has them already: leave it out\n");
	if (o->output.interval)
		options__refuse_exit("-I: a recording is read at once: leave it out\n");
	if (o->locks.max_waits != LOCK_MAX_WAITS)
		options__refuse_exit("-M makes room in the kernel, and a recording needs none: leave it out\n");
}

static int settle_lock(struct lock_options *o, const char *word, size_t len, struct errmsg *err)
{
	char text[LOCK_NAME_MAX];
	u64 address;

	snprintf(text, sizeof(text), "%.*s", (int)len, word);
	if (lock_options__parse_address(text, &address))
		return lock_options__add_address(o, address, err);
	if (lock_place__is_one(text))
		return errmsg__set(err, EINVAL, "-L: a recording does not tell which locks are \"%s\": give addresses or variables of the kernel, or "
				   "watch the system (-b)", text);
	return lock_options__add_place(o, text, err);
}

static int settle_locks(struct lock_options *o, struct errmsg *err)
{
	int ret = lock_options__for_each_lock(o, settle_lock, err);

	if (!o->nr_places)
		o->locks.addresses = o->address;
	return ret;
}

static int compile_filter(struct lock_file *f, struct errmsg *err)
{
	const struct filter_env env = { .period_is_time = true };
	const struct filter_input text = { "filter", f->o->filter_text };

	if (!text.text)
		return 0;
	return filter__parse_all(&text, 1, &f->filter, err) ?: filter__check(f->filter, &env, err) ?: filter__lower(f->filter, &f->table, err) ?:
	       lock_pairs__check_filter(f->filter, &f->table, err);
}

static int settle_selection(struct lock_file *f, struct errmsg *err)
{
	const struct run_opts *run = &f->o->recording.opts.run;

	f->selection = (struct selection){ .cpus = run->cpus, .pids = run->pids, .tids = run->tids };
	return selection__init(&f->selection, f->session, err);
}

/* Events */

static int find_events(struct lock_file *f, struct errmsg *err)
{
	int ret;

	f->hits = (struct recorded_hits){ .session = f->session, .input = f->o->reading.input, .command = "perf lock record" };
	ret = recorded_hits__find(&f->hits, names, ARRAY_SIZE(names), err);
	if (ret)
		return ret;
	for (size_t i = 0; i < ARRAY_SIZE(names) && names[i].kind != HIT_LOCKDEP; i++) {
		const bool found = f->hits.kinds >> names[i].kind & 1;

		if (!found && f->hits.kinds >> HIT_LOCKDEP & 1)
			return errmsg__set(err, EOPNOTSUPP, "%s has events of lockdep (lock:lock_acquire, ...), and not %s: this perf reads waits only. "
					   "Record them with 'perf lock record', or take the perf of your distribution", f->o->reading.input,
					   names[i].name);
		if (!found || !session__formats(f->session))
			return errmsg__set(err, ENOENT, "%s has no event %s: record waits for locks with 'perf lock record'", f->o->reading.input,
					   names[i].name);
	}
	recorded_hits__ignore(&f->hits, "lock:lock_acquire");
	return recorded_hits__check(&f->hits, PERF_SAMPLE_TID | PERF_SAMPLE_TIME, "tasks, times", err);
}

static int check_contents(const struct lock_file *f, struct errmsg *err)
{
	const struct lock_options *o = f->o;
	const bool stacks = (o->output.view == LOCK_VIEW_CALLER && !o->show_tasks) || o->substring || o->output.stacks || lock_stacks__wanted(&o->stacks);

	for (u32 i = 0; i < session__nr_events(f->session); i++) {
		const u64 has = session__event(f->session, i)->event->attr.sample_type;

		if (f->hits.kind[i] != HIT_BEGIN)
			continue;
		if (stacks && !(has & PERF_SAMPLE_CALLCHAIN))
			return errmsg__set(err, EINVAL, "%s has no callchains: record waits for locks with 'perf lock record', or show "
					   "tasks or locks (-t, -l) without -v, -S and flame graphs", o->reading.input);
		if (o->by_cgroup && !(has & PERF_SAMPLE_CGROUP))
			return errmsg__set(err, EINVAL, "--lock-cgroup: %s does not tell the cgroups of tasks: record them with 'perf lock record "
					   "--all-cgroups'", o->reading.input);
	}
	return 0;
}

/* Reading */

/* The kernel's part of a callchain: what is between its marker and the next one */
static void set_frames(struct lock_hit *hit, const struct perf_sample *sample)
{
	const u64 *word = sample->callchain, *end = word + sample->nr_callchain;

	while (word < end && *word != (u64)PERF_CONTEXT_KERNEL)
		word++;
	if (word == end)
		return;
	hit->frame = ++word;
	while (word < end && *word < (u64)PERF_CONTEXT_MAX)
		word++;
	hit->nr_frames = word - hit->frame;
}

static int find_stack(struct lock_file *f, const struct session_sample *sample, u64 place[2])
{
	struct lock_stack_place at = { 0 };

	if (lock_stacks__wanted(&f->o->stacks) && lock_stacks__find(&f->o->stacks, sample, &at))
		return -ENOMEM;
	place[0] = at.line;
	place[1] = (uintptr_t)at.node;
	return 0;
}

static int take_hit(struct lock_file *f, const struct session_sample *sample, enum hit_kind kind)
{
	const struct perf_sample *raw = sample->sample;
	struct lock_hit hit = {
		.time = raw->time, .pid = raw->pid, .tid = raw->tid, .cpu = raw->cpu, .cgroup = raw->cgroup, .comm = sample->thread->comm,
	};
	u64 flags = 0;

	if (!recorded_hits__number(&f->hits, sample, "lock_addr", &hit.lock) ||
	    (kind == HIT_BEGIN && !recorded_hits__number(&f->hits, sample, "flags", &flags)) || flags >= LOCK_NR_FLAGS) {
		f->hits.nr_malformed++;
		return 0;
	}
	if (kind == HIT_END)
		return lock_pairs__end(f->pairs, &hit);
	if (selection__judge(&f->selection, sample) != SAMPLE_SHOWN)
		return 0;
	hit.flags = flags;
	set_frames(&hit, raw);
	if (find_stack(f, sample, hit.place))
		return -ENOMEM;
	return lock_pairs__begin(f->pairs, &hit);
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct lock_file *f = data;
	const enum hit_kind kind = recorded_hits__kind(&f->hits, sample);

	if (sample->sample->time > f->last_time)
		f->last_time = sample->sample->time;
	return kind ? take_hit(f, sample, kind) : 0;
}

/*
 * Variables are named by kallsyms alone. Its addresses are those of the recording if the same boot of the kernel was recorded, or if the
 * user says so.
 */
static bool has_its_addresses(const struct lock_file *f)
{
	struct machine *machine = session__machine(f->session);
	const char *name;
	const u64 recorded = machine__kernel_text(machine, &name);
	u64 address;

	if (f->o->reading.kallsyms)
		return true;
	return recorded && running_kernel__is_recorded(machine) && kallsyms__lookup(NULL, &name, &address, 1) == 1 && address == recorded;
}

static void choose_names(struct lock_file *f)
{
	struct lock_options *o = f->o;
	struct errmsg err;

	f->names_chosen = true;
	if (o->output.view == LOCK_VIEW_LOCK || o->show_locks || o->place) {
		if (has_its_addresses(f) && kernel_names__new(o->reading.kallsyms, &o->names, &err))
			pr_warn("%s\n", err.text);
	}
	lock_frames__init(&o->frames, o->names);
	o->frames.resolver = session__resolver(f->session);
}

static void count_stack(struct lock_file *f, const struct tally_row *row, const u64 place[2])
{
	const struct lock_stack_place at = { .line = place[0], .node = (struct stack_node *)(uintptr_t)place[1] };

	lock_stacks__count(&f->o->stacks, &at, row->count, row->period);
}

static int take_row(void *data, const struct tally_row *row, const u64 place[2])
{
	struct lock_file *f = data;

	if (!f->names_chosen)
		choose_names(f);
	if (!lock_rows__wants(f->o->rows, row))
		return 0;
	if (lock_stacks__wanted(&f->o->stacks))
		count_stack(f, row, place);
	if (f->o->locks_too && lock_rows__add(f->o->locks_too, row))
		return -ENOMEM;
	return lock_rows__add(f->o->rows, row);
}

static int read_all(struct lock_file *f)
{
	static const struct session_ops ops = { .sample = take_sample };
	struct errmsg err;
	int ret = session__run(f->session, &ops, f, &err) ?: lock_pairs__finish(f->pairs, f->last_time);

	if (ret == -ENOMEM)
		pr_err("out of memory for the waits\n");
	else if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

static int print_all(struct lock_file *f)
{
	const struct tally_counts counts = { 0 };

	session__warn(f->session, f->o->reading.input);
	recorded_hits__warn(&f->hits, f->hits.nr_malformed, "without lock_addr or flags");
	if (lock_options__print_round(f->o)) {
		pr_err("out of memory for the table of waits\n");
		return EXIT_SETUP;
	}
	if (lock_options__print_end(f->o, lock_pairs__totals(f->pairs), &counts))
		return EXIT_SETUP;
	return session__is_damaged(f->session) ? EXIT_DAMAGED : 0;
}

/* Returns an exit status. */
static int prepare(struct lock_file *f)
{
	const struct run_opts *run = &f->o->recording.opts.run;
	const struct lock_pairs_opts opts = {
		.locks = &f->o->locks, .filter = f->filter ? &f->table : NULL, .selected = run->cpus || run->pids || run->tids, .cb = take_row, .data = f,
	};
	struct errmsg err;

	if (find_events(f, &err) || check_contents(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (settle_selection(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	f->pairs = lock_pairs__new(&opts);
	if (!f->pairs) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	session__want(f->session, lock_stacks__wanted(&f->o->stacks) ? SESSION_CHAINS : SESSION_ADDRESSES, SESSION_NO_IDS);
	return lock_options__open_rows(f->o, session__machine(f->session));
}

static int read_file(struct lock_file *f)
{
	struct errmsg err;
	int ret;

	if (settle_locks(f->o, &err) || compile_filter(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	f->session = read_options__open(&f->o->reading, false);
	if (!f->session)
		return EXIT_SETUP;
	ret = prepare(f) ?: read_all(f);
	return ret ?: print_all(f);
}

int lock_file__run(struct lock_options *o, char *const *argv)
{
	struct lock_file f = { .o = o };
	int ret;

	refuse_options(o, argv);
	if (!o->reading.input)
		o->reading.input = "perf.data";
	o->reading.verbose = o->recording.verbose;
	ret = read_file(&f);
	lock_pairs__delete(f.pairs);
	selection__exit(&f.selection);
	filter__delete(f.filter);
	recorded_hits__exit(&f.hits);
	session__delete(f.session);
	return ret;
}
