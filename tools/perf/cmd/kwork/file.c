// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "cmd/kwork/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cmd/read/recorded-hits.h"
#include "cmd/read/selection.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"
#include "util/session/session.h"
#include "util/source/kwork-events.h"
#include "util/source/recorded-filter.h"

#define WAKING "sched:sched_waking"
#define OLD_WAKING "sched:sched_wakeup" /* follows each sched_waking, later */

static const struct recorded_hit_name names[] = {
	{ KWORK_EVENT_IRQ_BEGIN, "irq:irq_handler_entry" },
	{ KWORK_EVENT_IRQ_END, "irq:irq_handler_exit" },
	{ KWORK_EVENT_RAISE, "irq:softirq_raise" },
	{ KWORK_EVENT_SOFTIRQ_BEGIN, "irq:softirq_entry" },
	{ KWORK_EVENT_SOFTIRQ_END, "irq:softirq_exit" },
	{ KWORK_EVENT_QUEUE, "workqueue:workqueue_queue_work" },
	{ KWORK_EVENT_ACTIVATE, "workqueue:workqueue_activate_work" },
	{ KWORK_EVENT_WORK_BEGIN, "workqueue:workqueue_execute_start" },
	{ KWORK_EVENT_WORK_END, "workqueue:workqueue_execute_end" },
	{ KWORK_EVENT_SWITCH, "sched:sched_switch" },
	{ KWORK_EVENT_WAKING, WAKING },
	{ KWORK_EVENT_WAKING, OLD_WAKING },
	{ KWORK_EVENT_WAKING_NEW, "sched:sched_wakeup_new" },
	{ KWORK_EVENT_TASKLET_BEGIN, "irq:tasklet_entry" },
	{ KWORK_EVENT_TASKLET_END, "irq:tasklet_exit" },
	{ KWORK_EVENT_TIMER_BEGIN, "timer:timer_expire_entry" },
	{ KWORK_EVENT_TIMER_END, "timer:timer_expire_exit" },
	{ KWORK_EVENT_HRTIMER_BEGIN, "timer:hrtimer_expire_entry" },
	{ KWORK_EVENT_HRTIMER_END, "timer:hrtimer_expire_exit" },
	{ KWORK_EVENT_IPI_BEGIN, "irq_vectors:reschedule_entry" },
	{ KWORK_EVENT_IPI_END, "irq_vectors:reschedule_exit" },
	{ KWORK_EVENT_IPI_BEGIN, "irq_vectors:call_function_entry" },
	{ KWORK_EVENT_IPI_END, "irq_vectors:call_function_exit" },
	{ KWORK_EVENT_IPI_BEGIN, "irq_vectors:call_function_single_entry" },
	{ KWORK_EVENT_IPI_END, "irq_vectors:call_function_single_exit" },
	{ KWORK_EVENT_IPI_BEGIN, "irq_vectors:local_timer_entry" },
	{ KWORK_EVENT_IPI_END, "irq_vectors:local_timer_exit" },
};

struct kwork_file {
	struct kwork_options *o;
	struct session *session;
	struct selection selection, cpus; /* by time; by CPU */
	struct filter *filter; /* NULL: none */
	struct filter_table table;
	struct kwork_events *events;
	struct recorded_hits hits; /* their kinds are of enum kwork_event_kind */
	u64 last_time;
	struct errmsg err; /* of a callback that ended the run */
};

/* Options */

bool kwork_file__wanted(const struct kwork_options *o, char *const *argv)
{
	return o->reading.input || (!o->use_bpf && !argv[0] && !access("perf.data", F_OK));
}

static void refuse_options(const struct kwork_options *o, char *const *argv)
{
	if (o->use_bpf)
		options__refuse_exit("-i and -b exclude each other: -i reads a file, -b watches the system\n");
	if (argv[0])
		options__refuse_exit("-i reads a file and runs no command: leave out \"%s\", or -i\n", argv[0]);
	if (o->kwork.max_rows != KWORK_MAX_ROWS)
		options__refuse_exit("-M makes room in the kernel, and a recording needs none: leave it out\n");
	if (o->recording.opts.mmap_pages)
		options__refuse_exit("-m makes a ring buffer, and a recording needs none: leave it out\n");
}

static int compile_filter(struct kwork_file *f, struct errmsg *err)
{
	return recorded_filter__compile(f->o->filter_text, &f->filter, &f->table, "recorded runs", "pid, tid, comm and cpu of the task at that "
					"time, when a run or wait ended, and its length as period", "perf kwork record", err);
}

static bool has_cpu(void *data, u32 cpu)
{
	return selection__has_cpu(&((struct kwork_file *)data)->cpus, cpu);
}

/* Events */

/* A class needs these events. Interrupts, switches and others make the times exact, if they are there. */
static u32 needed_kinds(const struct kwork_options *o)
{
	static const u32 runs[KWORK_NR_CLASSES] = {
		[KWORK_IRQ] = 1U << KWORK_EVENT_IRQ_BEGIN | 1U << KWORK_EVENT_IRQ_END,
		[KWORK_SOFTIRQ] = 1U << KWORK_EVENT_SOFTIRQ_BEGIN | 1U << KWORK_EVENT_SOFTIRQ_END,
		[KWORK_WORK] = 1U << KWORK_EVENT_WORK_BEGIN | 1U << KWORK_EVENT_WORK_END,
		[KWORK_TASK] = 1U << KWORK_EVENT_SWITCH,
		[KWORK_TASKLET] = 1U << KWORK_EVENT_TASKLET_BEGIN | 1U << KWORK_EVENT_TASKLET_END,
		[KWORK_TIMER] = 1U << KWORK_EVENT_TIMER_BEGIN | 1U << KWORK_EVENT_TIMER_END,
		[KWORK_HRTIMER] = 1U << KWORK_EVENT_HRTIMER_BEGIN | 1U << KWORK_EVENT_HRTIMER_END,
		[KWORK_IPI] = 1U << KWORK_EVENT_IPI_BEGIN | 1U << KWORK_EVENT_IPI_END,
	};
	static const u32 waits[KWORK_NR_CLASSES] = {
		[KWORK_SOFTIRQ] = 1U << KWORK_EVENT_RAISE | 1U << KWORK_EVENT_SOFTIRQ_BEGIN,
		[KWORK_WORK] = 1U << KWORK_EVENT_ACTIVATE | 1U << KWORK_EVENT_WORK_BEGIN,
		[KWORK_TASK] = 1U << KWORK_EVENT_SWITCH | 1U << KWORK_EVENT_WAKING,
	};
	u32 needed = 0;

	for (int i = 0; i < KWORK_NR_CLASSES; i++) {
		if (o->kwork.classes >> i & 1)
			needed |= o->view == KWORK_VIEW_LATENCY ? waits[i] : runs[i];
	}
	return needed;
}

/* What perf kwork record does not record by itself */
static const char *option_for(int kind)
{
	return kind >= KWORK_EVENT_IPI_BEGIN ? " -k tasklet,timer,hrtimer,ipi" : "";
}

/* Classes that were not recorded have no rows. It is an error if none was recorded, or if one that -k names was not. */
static int check_events(struct kwork_file *f, struct errmsg *err)
{
	const u32 needed = needed_kinds(f->o), missing = needed & ~f->hits.kinds;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (missing >> names[i].kind & 1 && (f->o->classes || !(needed & f->hits.kinds) || f->o->view == KWORK_VIEW_TOP))
			return errmsg__set(err, ENOENT, "%s has no event %s: record it with 'perf kwork record%s'", f->o->reading.input, names[i].name,
					   f->o->view == KWORK_VIEW_TOP ? " -k irq,softirq,sched" : option_for(names[i].kind));
	}
	return recorded_hits__check(&f->hits, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, "tasks, times, CPUs", err);
}

/* Reading */

static bool number(const struct kwork_file *f, const struct session_sample *sample, const char *field, u64 *value)
{
	return recorded_hits__number(&f->hits, sample, field, value);
}

/* buf has KWORK_NAME_LEN bytes. */
static bool text(const struct kwork_file *f, const struct session_sample *sample, const char *field, char *buf)
{
	return recorded_hits__text(&f->hits, sample, field, buf, KWORK_NAME_LEN);
}

static bool read_switch(const struct kwork_file *f, const struct session_sample *sample, struct kwork_event *ev, char *name, char *comm)
{
	u64 state, tid;

	if (!number(f, sample, "next_pid", &ev->id) || !number(f, sample, "prev_state", &state) || !number(f, sample, "prev_pid", &tid) ||
	    !text(f, sample, "next_comm", name) || !text(f, sample, "prev_comm", comm))
		return false;
	ev->name = name;
	ev->comm = comm;
	ev->tid = tid;
	if (ev->pid == (u32)-1) /* it has ended */
		ev->pid = 0;
	ev->runnable = !(state & 0xff);
	return true;
}

/* false: a field is missing. name and comm have KWORK_NAME_LEN bytes. */
static bool read_fields(const struct kwork_file *f, const struct session_sample *sample, struct kwork_event *ev, char *name, char *comm)
{
	switch (ev->kind) {
	case KWORK_EVENT_IRQ_BEGIN:
		ev->name = name;
		return number(f, sample, "irq", &ev->id) && text(f, sample, "name", name);
	case KWORK_EVENT_IRQ_END:
		return number(f, sample, "irq", &ev->id);
	case KWORK_EVENT_RAISE:
	case KWORK_EVENT_SOFTIRQ_BEGIN:
	case KWORK_EVENT_SOFTIRQ_END:
		return number(f, sample, "vec", &ev->id) && ev->id < KWORK_MAX_SOFTIRQS;
	case KWORK_EVENT_WORK_BEGIN:
		return number(f, sample, "work", &ev->id) && number(f, sample, "function", &ev->function);
	case KWORK_EVENT_QUEUE:
	case KWORK_EVENT_ACTIVATE:
	case KWORK_EVENT_WORK_END:
		return number(f, sample, "work", &ev->id);
	case KWORK_EVENT_IPI_BEGIN:
	case KWORK_EVENT_IPI_END:
		return number(f, sample, "vector", &ev->id);
	case KWORK_EVENT_TASKLET_BEGIN:
		return number(f, sample, "tasklet", &ev->id) && number(f, sample, "func", &ev->function);
	case KWORK_EVENT_TASKLET_END:
		return number(f, sample, "tasklet", &ev->id);
	case KWORK_EVENT_TIMER_BEGIN:
		return number(f, sample, "timer", &ev->id) && number(f, sample, "function", &ev->function);
	case KWORK_EVENT_TIMER_END:
		return number(f, sample, "timer", &ev->id);
	case KWORK_EVENT_HRTIMER_BEGIN:
		return number(f, sample, "hrtimer", &ev->id) && number(f, sample, "function", &ev->function);
	case KWORK_EVENT_HRTIMER_END:
		return number(f, sample, "hrtimer", &ev->id);
	case KWORK_EVENT_SWITCH:
		return read_switch(f, sample, ev, name, comm);
	default:
		ev->name = name;
		return number(f, sample, "pid", &ev->id) && text(f, sample, "comm", name);
	}
}

static u32 pid_of(const struct kwork_file *f, u64 tid)
{
	const struct thread *thread = machine__known_thread(session__machine(f->session), tid);

	return thread ? thread->pid : 0;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct kwork_file *f = data;
	const struct perf_sample *raw = sample->sample;
	char name[KWORK_NAME_LEN], comm[KWORK_NAME_LEN];
	struct kwork_event ev = {
		.kind = recorded_hits__kind(&f->hits, sample), .time = raw->time, .cpu = raw->cpu, .pid = raw->pid, .tid = raw->tid, .comm = sample->thread->comm,
	};

	if (!ev.kind || selection__judge(&f->selection, sample) != SAMPLE_SHOWN)
		return 0;
	if (!read_fields(f, sample, &ev, name, comm)) {
		f->hits.nr_malformed++;
		return 0;
	}
	if (raw->time > f->last_time)
		f->last_time = raw->time;
	if (ev.kind == KWORK_EVENT_WAKING || ev.kind == KWORK_EVENT_WAKING_NEW)
		ev.id_pid = pid_of(f, ev.id);
	return kwork_events__add(f->events, &ev, &f->err);
}

static const char *function_of(void *data, u64 address)
{
	struct kwork_file *f = data;
	struct location loc;

	resolver__resolve(session__resolver(f->session), NULL, PERF_RECORD_MISC_KERNEL, address, &loc);
	return loc.sym ? loc.sym->name : NULL;
}

static int read_all(struct kwork_file *f)
{
	static const struct session_ops ops = { .sample = take_sample };
	const struct perfdata_features *features = perfdata_reader__features(session__reader(f->session));
	int ret;

	f->err.text[0] = '\0';
	ret = session__run(f->session, &ops, f, &f->err) ?:
	      kwork_events__finish(f->events, f->last_time, f->o->kwork.runs ? features->nrcpus_online : 0, &f->err);
	if (ret)
		pr_err("%s\n", f->err.text);
	return ret ? EXIT_SETUP : 0;
}

static int print_all(struct kwork_file *f)
{
	session__warn(f->session, f->o->reading.input);
	recorded_hits__warn(&f->hits, f->hits.nr_malformed + kwork_events__nr_malformed(f->events), "with missing or wrong fields");
	if (f->o->kwork.classes & 1U << KWORK_WORK && f->o->kwork.runs && f->hits.kinds & 1U << KWORK_EVENT_WORK_BEGIN &&
	    !(f->hits.kinds & 1U << KWORK_EVENT_SWITCH))
		pr_info("%s has no sched:sched_switch: times of works hold the time in which they slept\n", f->o->reading.input);
	if (kwork_options__print(f->o)) {
		pr_err("out of memory for rows\n");
		return EXIT_SETUP;
	}
	kwork_output__notes(kwork_events__totals(f->events), f->o->recording.verbose > 0);
	if (stream__flush(stdout)) /* perf tells it at its end */
		return EXIT_SETUP;
	return session__is_damaged(f->session) ? EXIT_DAMAGED : 0;
}

/* Returns an exit status. */
static int prepare(struct kwork_file *f)
{
	struct kwork_events_opts opts = {
		.kwork = &f->o->kwork, .filter = f->filter ? &f->table : NULL, .data = f,
		.has_cpu = f->o->recording.opts.run.cpus ? has_cpu : NULL,
	};
	struct errmsg err;

	f->hits = (struct recorded_hits){ .session = f->session, .input = f->o->reading.input, .command = "perf kwork record" };
	if (recorded_hits__find(&f->hits, names, ARRAY_SIZE(names), &err) || check_events(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (recorded_hits__has(&f->hits, WAKING))
		recorded_hits__ignore(&f->hits, OLD_WAKING);
	f->selection = (struct selection){ .times = f->o->times };
	f->cpus = (struct selection){ .cpus = f->o->recording.opts.run.cpus };
	if (selection__init(&f->selection, f->session, &err) || selection__init(&f->cpus, f->session, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	opts.kinds = f->hits.kinds;
	f->events = kwork_events__new(&opts);
	if (!f->events) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	f->o->function = function_of;
	f->o->function_data = f;
	return kwork_options__open_rows(f->o);
}

static int read_file(struct kwork_file *f)
{
	struct errmsg err;
	int ret;

	if (compile_filter(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	f->session = read_options__open(&f->o->reading, false);
	if (!f->session)
		return EXIT_SETUP;
	ret = prepare(f);
	if (ret)
		return ret;
	session__want(f->session, SESSION_ADDRESSES, SESSION_NO_IDS);
	return read_all(f) ?: print_all(f);
}

int kwork_file__run(struct kwork_options *o, char *const *argv)
{
	struct kwork_file f = { .o = o };
	int ret;

	refuse_options(o, argv);
	if (!o->reading.input)
		o->reading.input = "perf.data";
	o->reading.verbose = o->recording.verbose;
	ret = read_file(&f);
	kwork_events__delete(f.events);
	selection__exit(&f.selection);
	selection__exit(&f.cpus);
	filter__delete(f.filter);
	recorded_hits__exit(&f.hits);
	session__delete(f.session);
	return ret;
}
