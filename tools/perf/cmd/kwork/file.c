// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "cmd/kwork/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/read/selection.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/session/session.h"
#include "util/source/kwork-events.h"
#include "util/source/recorded-filter.h"

static const char *const event_names[KWORK_EVENT_NR] = {
	[KWORK_EVENT_IRQ_BEGIN] = "irq:irq_handler_entry",
	[KWORK_EVENT_IRQ_END] = "irq:irq_handler_exit",
	[KWORK_EVENT_RAISE] = "irq:softirq_raise",
	[KWORK_EVENT_SOFTIRQ_BEGIN] = "irq:softirq_entry",
	[KWORK_EVENT_SOFTIRQ_END] = "irq:softirq_exit",
	[KWORK_EVENT_QUEUE] = "workqueue:workqueue_queue_work",
	[KWORK_EVENT_ACTIVATE] = "workqueue:workqueue_activate_work",
	[KWORK_EVENT_WORK_BEGIN] = "workqueue:workqueue_execute_start",
	[KWORK_EVENT_WORK_END] = "workqueue:workqueue_execute_end",
	[KWORK_EVENT_SWITCH] = "sched:sched_switch",
	[KWORK_EVENT_WAKING] = "sched:sched_waking",
	[KWORK_EVENT_WAKING_NEW] = "sched:sched_wakeup_new",
};
#define OLD_WAKING "sched:sched_wakeup"

struct kwork_file {
	struct kwork_options *o;
	struct session *session;
	struct selection selection, cpus; /* by time; by CPU */
	struct filter *filter; /* NULL: none */
	struct filter_table table;
	struct kwork_events *events;
	enum kwork_event_kind *kind; /* by event */
	const char **name;	     /* of the tracepoint, by event */
	u32 kinds;
	u64 last_time, nr_malformed;
	struct errmsg err;	     /* of a callback that ended the run */
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
}

static int compile_filter(struct kwork_file *f, struct errmsg *err)
{
	const struct filter_env env = { .period_is_time = true };
	const struct filter_input text = { "filter", f->o->filter_text };

	if (!text.text)
		return 0;
	return filter__parse_all(&text, 1, &f->filter, err) ?: filter__check(f->filter, &env, err) ?: filter__lower(f->filter, &f->table, err) ?:
	       recorded_filter__check(f->filter, &f->table, "recorded runs", "pid, tid, comm and cpu of the task at that time, when a run or wait "
				      "ended, and its length as period", "perf kwork record", err);
}

static bool has_cpu(void *data, u32 cpu)
{
	return selection__has_cpu(&((struct kwork_file *)data)->cpus, cpu);
}

/* Events */

static bool is_event(const char *name, const char *wanted)
{
	const size_t len = strlen(wanted);

	return !strncmp(name, wanted, len) && (!name[len] || name[len] == ':'); /* with a modifier */
}

static const char *find_kind(const char *name, enum kwork_event_kind *kind)
{
	for (int k = KWORK_EVENT_OTHER + 1; k < KWORK_EVENT_NR; k++) {
		if (!is_event(name, event_names[k]))
			continue;
		*kind = k;
		return event_names[k];
	}
	if (!is_event(name, OLD_WAKING))
		return NULL;
	*kind = KWORK_EVENT_WAKING;
	return OLD_WAKING;
}

static int find_events(struct kwork_file *f, struct errmsg *err)
{
	const u32 nr = session__nr_events(f->session);
	bool has_waking = false;

	f->kind = calloc(nr + 1, sizeof(*f->kind));
	f->name = calloc(nr + 1, sizeof(*f->name));
	if (!f->kind || !f->name)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (u32 i = 0; i < nr; i++) {
		f->name[i] = find_kind(session__event(f->session, i)->name, &f->kind[i]);
		if (f->name[i])
			f->kinds |= 1U << f->kind[i];
		has_waking |= f->name[i] && !strcmp(f->name[i], event_names[KWORK_EVENT_WAKING]);
	}
	for (u32 i = 0; i < nr && has_waking; i++) { /* what follows each waking, later */
		if (f->name[i] && !strcmp(f->name[i], OLD_WAKING))
			f->kind[i] = KWORK_EVENT_OTHER;
	}
	return 0;
}

/* A class needs these events. Interrupts, switches and others make the times exact, if they are there. */
static u32 needed_kinds(const struct kwork_options *o)
{
	static const u32 runs[KWORK_NR_CLASSES] = {
		[KWORK_IRQ] = 1U << KWORK_EVENT_IRQ_BEGIN | 1U << KWORK_EVENT_IRQ_END,
		[KWORK_SOFTIRQ] = 1U << KWORK_EVENT_SOFTIRQ_BEGIN | 1U << KWORK_EVENT_SOFTIRQ_END,
		[KWORK_WORK] = 1U << KWORK_EVENT_WORK_BEGIN | 1U << KWORK_EVENT_WORK_END,
		[KWORK_TASK] = 1U << KWORK_EVENT_SWITCH,
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

/* A class that was not recorded has no rows; if none was, or one that was asked for was not, that is an error. */
static int check_events(struct kwork_file *f, struct errmsg *err)
{
	const u32 needed = needed_kinds(f->o), missing = needed & ~f->kinds;

	for (int k = 0; k < KWORK_EVENT_NR; k++) {
		if (missing >> k & 1 && (f->o->classes || !(needed & f->kinds) || f->o->view == KWORK_VIEW_TOP))
			return errmsg__set(err, ENOENT, "%s has no event %s: record it with 'perf kwork record%s'", f->o->reading.input, event_names[k],
					   f->o->view == KWORK_VIEW_TOP ? " -k irq,softirq,sched" : "");
	}
	if (!session__formats(f->session))
		return errmsg__set(err, ENOENT, "%s has no formats of tracepoints: record it with 'perf kwork record'", f->o->reading.input);
	for (u32 i = 0; i < session__nr_events(f->session); i++) {
		const u64 wanted = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;

		if (f->kind[i] && (session__event(f->session, i)->event->attr.sample_type & wanted) != wanted)
			return errmsg__set(err, EINVAL, "the samples of %s lack tasks, times, CPUs or the fields of tracepoints: record it with "
					   "'perf kwork record'", f->o->reading.input);
	}
	return 0;
}

/* Reading */

static bool number(const struct kwork_file *f, const struct session_sample *sample, const char *field, u64 *value)
{
	return !tp_formats__number(session__formats(f->session), sample->sample->raw, sample->sample->raw_size, f->name[sample->evsel->idx], field, value);
}

/* buf has KWORK_NAME_LEN bytes. */
static bool text(const struct kwork_file *f, const struct session_sample *sample, const char *field, char *buf)
{
	struct tp_value value;

	if (tp_formats__value(session__formats(f->session), sample->sample->raw, sample->sample->raw_size, f->name[sample->evsel->idx], field, &value) ||
	    !value.is_text)
		return false;
	snprintf(buf, KWORK_NAME_LEN, "%.*s", (int)strnlen((const char *)value.bytes, value.size), (const char *)value.bytes);
	return true;
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
		.kind = f->kind[sample->evsel->idx], .time = raw->time, .cpu = raw->cpu, .pid = raw->pid, .tid = raw->tid, .comm = sample->thread->comm,
	};

	if (!ev.kind || selection__judge(&f->selection, sample) != SAMPLE_SHOWN)
		return 0;
	if (!read_fields(f, sample, &ev, name, comm)) {
		f->nr_malformed++;
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
	const u64 nr = f->nr_malformed + kwork_events__nr_malformed(f->events);

	session__warn(f->session, f->o->reading.input);
	if (nr)
		pr_warn("Warning:\n%" PRIu64 " samples of %s lack fields, or hold wrong ones; they are left out.\n", (uint64_t)nr, f->o->reading.input);
	if (f->o->kwork.classes & 1U << KWORK_WORK && f->o->kwork.runs && !(f->kinds & 1U << KWORK_EVENT_SWITCH))
		pr_info("%s has no sched:sched_switch: times of works hold the time in which they slept\n", f->o->reading.input);
	if (kwork_options__print(f->o)) {
		pr_err("out of memory for rows\n");
		return EXIT_SETUP;
	}
	kwork_output__notes(kwork_events__totals(f->events), f->o->recording.verbose > 0);
	if (fflush(stdout) || ferror(stdout)) {
		pr_err("cannot write the table: %s\n", strerror(errno));
		return EXIT_SETUP;
	}
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

	if (find_events(f, &err) || check_events(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	f->selection = (struct selection){ .times = f->o->times };
	f->cpus = (struct selection){ .cpus = f->o->recording.opts.run.cpus };
	if (selection__init(&f->selection, f->session, &err) || selection__init(&f->cpus, f->session, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	opts.kinds = f->kinds;
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
	free(f.kind);
	free(f.name);
	session__delete(f.session);
	return ret;
}
