// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "cmd/kwork/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/log.h"

/* Lists */

static const char *const class_names[KWORK_NR_CLASSES] = {
	[KWORK_IRQ] = "irq", [KWORK_SOFTIRQ] = "softirq", [KWORK_WORK] = "workqueue", [KWORK_TASK] = "sched",
	[KWORK_TASKLET] = "tasklet", [KWORK_TIMER] = "timer", [KWORK_HRTIMER] = "hrtimer", [KWORK_IPI] = "ipi",
};

#define OF(class) (1U << (class))
#define DEFAULT_CLASSES (OF(KWORK_IRQ) | OF(KWORK_SOFTIRQ) | OF(KWORK_WORK))
#define WAITING_CLASSES (OF(KWORK_SOFTIRQ) | OF(KWORK_WORK) | OF(KWORK_TASK)) /* what the kernel tells the delay of */
#define CLASS_NAMES "irq, softirq, workqueue, sched, tasklet, timer, hrtimer and ipi"
#define TOP_CLASSES (OF(KWORK_IRQ) | OF(KWORK_SOFTIRQ) | OF(KWORK_TASK))

void kwork_options__list_classes(void)
{
	for (int i = 0; i < KWORK_NR_CLASSES; i++)
		puts(class_names[i]);
}

static bool add_class(void *data, const char *word, size_t len)
{
	struct kwork_options *o = data;

	for (int i = 0; i < KWORK_NR_CLASSES; i++) {
		if (strlen(class_names[i]) != len || strncmp(class_names[i], word, len))
			continue;
		o->classes |= OF(i);
		return true;
	}
	return false;
}

int kwork_options__parse_classes(const struct option_row *row, const char *arg, bool unset)
{
	struct kwork_options *o = row->value;
	const char *word;
	size_t len;

	if (unset)
		return record_options__refuse_unset(row);
	o->classes = 0;
	if (!words__for_each(arg, add_class, o, &word, &len)) {
		pr_err("Unknown --event key: `%.*s'. -k takes " CLASS_NAMES "\n", (int)len, word);
		return -1;
	}
	if (o->classes)
		return 0;
	pr_err("-k takes " CLASS_NAMES ": not an empty list\n");
	return -1;
}

static const struct sort_name {
	const char *name;
	u32 views;
	enum kwork_sort key;
} sorts[] = {
	{ "runtime", OF(KWORK_VIEW_REPORT) | OF(KWORK_VIEW_TOP), KWORK_SORT_RUNTIME },
	{ "rate", OF(KWORK_VIEW_TOP), KWORK_SORT_RUNTIME },
	{ "max", OF(KWORK_VIEW_REPORT), KWORK_SORT_MAX_RUNTIME },
	{ "count", OF(KWORK_VIEW_REPORT), KWORK_SORT_RUNS },
	{ "avg", OF(KWORK_VIEW_LATENCY), KWORK_SORT_AVG_WAIT },
	{ "max", OF(KWORK_VIEW_LATENCY), KWORK_SORT_MAX_WAIT },
	{ "count", OF(KWORK_VIEW_LATENCY), KWORK_SORT_WAITS },
	{ "tid", OF(KWORK_VIEW_TOP), KWORK_SORT_TID },
};

void kwork_options__list_sorts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		if (sorts[i].key != KWORK_SORT_MAX_WAIT && sorts[i].key != KWORK_SORT_WAITS) /* the same word as before */
			puts(sorts[i].name);
	}
}

static bool add_sort(void *data, const char *word, size_t len)
{
	struct kwork_options *o = data;

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		if (!(sorts[i].views & OF(o->view)) || strlen(sorts[i].name) != len || strncmp(sorts[i].name, word, len))
			continue;
		if (o->nr_sorts < KWORK_MAX_SORTS)
			o->sort[o->nr_sorts++] = sorts[i].key;
		return true;
	}
	return false;
}

int kwork_options__parse_sort(const struct option_row *row, const char *arg, bool unset)
{
	struct kwork_options *o = row->value;
	const char *word;
	size_t len;

	if (unset)
		return record_options__refuse_unset(row);
	o->nr_sorts = 0;
	if (words__for_each(arg, add_sort, o, &word, &len))
		return 0;
	pr_err("-s: unknown key \"%.*s\". Take", (int)len, word);
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		if (sorts[i].views & OF(o->view))
			fprintf(stderr, " %s", sorts[i].name);
	}
	fputc('\n', stderr);
	return -1;
}

/* Checking and combining the options */

static void settle_sorts(struct kwork_options *o)
{
	static const enum kwork_sort usual[][3] = {
		[KWORK_VIEW_REPORT] = { KWORK_SORT_RUNTIME, KWORK_SORT_MAX_RUNTIME, KWORK_SORT_RUNS },
		[KWORK_VIEW_LATENCY] = { KWORK_SORT_AVG_WAIT, KWORK_SORT_MAX_WAIT, KWORK_SORT_WAITS },
		[KWORK_VIEW_TIMEHIST] = { KWORK_SORT_RUNTIME },
		[KWORK_VIEW_TOP] = { KWORK_SORT_RUNTIME, KWORK_SORT_RUNTIME, KWORK_SORT_TID },
	};

	if (o->nr_sorts)
		return;
	memcpy(o->sort, usual[o->view], sizeof(usual[o->view]));
	o->nr_sorts = ARRAY_SIZE(usual[o->view]);
}

void kwork_options__check(struct kwork_options *o)
{
	const bool top = o->view == KWORK_VIEW_TOP;

	if (o->kwork.max_rows < 1 || o->kwork.max_rows > 1 << 22)
		options__refuse_exit("-M takes 1 to %d\n", 1 << 22);
	if (o->view == KWORK_VIEW_LATENCY && (o->classes == OF(KWORK_IRQ) || o->classes & ~(OF(KWORK_IRQ) | WAITING_CLASSES)))
		options__refuse_exit("-k: the kernel does not tell when an interrupt was raised, nor when a tasklet or a timer was due, so they have no "
				     "latency. Take softirq, workqueue or sched\n");
	if (top && o->filter_text)
		options__refuse_exit("--filter: perf kwork top shows all time of the CPUs: take -n, or perf kwork report -k sched\n");
	if (top && o->classes && (o->classes & ~TOP_CLASSES || !(o->classes & OF(KWORK_TASK))))
		options__refuse_exit("perf kwork top shows sched, irq and softirq: take perf kwork report for others\n");
	settle_sorts(o);
	/* Interrupts and softirqs of top are in the times of CPUs. */
	o->kwork.classes = top ? OF(KWORK_TASK) : o->classes ?: DEFAULT_CLASSES;
	o->kwork.runs = o->view != KWORK_VIEW_LATENCY;
	o->kwork.waits = o->view == KWORK_VIEW_LATENCY || o->view == KWORK_VIEW_TIMEHIST;
	o->kwork.each = o->view == KWORK_VIEW_TIMEHIST;
}

static int add_event(struct kwork_options *o)
{
	struct errmsg err;
	int ret = evlist__add_kind(o->recording.evlist, &kwork_kind, NULL, &o->kwork, &err);

	if (!ret && o->filter_text)
		ret = evsel__add_filter(o->recording.evlist->evsel[0], "filter", o->filter_text, &err);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

int kwork_options__settle(struct kwork_options *o, char **argv)
{
	if (o->times)
		options__refuse_exit("--time is for recordings: with -b, the time of the command counts\n");
	if (o->reading.vmlinux || o->reading.kallsyms || o->reading.symfs)
		options__refuse_exit("--vmlinux, --kallsyms and --symfs are for recordings: the running kernel tells its names itself\n");
	o->recording.opts.run.system_wide = true;
	watching__settle(&o->watching, &o->recording);
	return add_event(o) ?: record_options__settle(&o->recording, argv);
}

/* Running */

static int take_row(void *data, const struct kwork_key *key, const struct kwork_row *row, struct errmsg *err)
{
	struct kwork_options *o = data;

	return kwork_rows__add(o->rows, key, row) ? errmsg__set(err, ENOMEM, "out of memory for rows") : 0;
}

static int take_cpu(void *data, const struct kwork_cpu_times *times, struct errmsg *err)
{
	const struct kwork_key key = { .class = KWORK_TASK, .id = (u64)times->cpu << 32 }; /* of each CPU its own */
	struct kwork_options *o = data;
	struct kwork_row idle = { .kernel = 1 };

	if (kwork_machine__add(&o->machine, times))
		return errmsg__set(err, ENOMEM, "out of memory for rows");
	if (o->view != KWORK_VIEW_TOP)
		return 0;
	snprintf(idle.name, sizeof(idle.name), "swapper/%u", times->cpu);
	idle.run = (struct kwork_times){ .count = 1, .total = times->idle, .greatest = times->idle };
	return take_row(o, &key, &idle, err);
}

const char *kwork_options__function(void *data, u64 address)
{
	struct kwork_options *o = data;
	const struct kernel_name *name;
	struct errmsg err;

	if (o->function)
		return o->function(o->function_data, address);
	if (!o->names_read && kernel_names__new(NULL, &o->names, &err))
		pr_warn("%s\n", err.text);
	o->names_read = true;
	name = o->names ? kernel_names__find(o->names, address) : NULL;
	return name && name->is_code ? name->name : NULL;
}

static const char *name_of_record(struct kwork_options *o, const struct kwork_record *r, char *buf, size_t size)
{
	const char *name = r->name;

	if (r->key.class == KWORK_SOFTIRQ)
		name = kwork_softirq_name(r->key.id) ?: "";
	else if (r->key.class == KWORK_IPI)
		name = kwork_ipi_name(r->key.id) ?: "";
	else if (KWORK_IS_FUNCTION(r->key.class))
		name = kwork_work_name(r->name, buf, size) ?: kwork_options__function(o, r->key.id);
	if (!name)
		snprintf(buf, size, "0x%" PRIx64, (uint64_t)r->key.id);
	return name ?: buf;
}

static int take_record(void *data, const struct kwork_record *record, struct errmsg *err)
{
	struct kwork_options *o = data;
	char buf[KWORK_NAME_LEN];
	const char *name = name_of_record(o, record, buf, sizeof(buf));

	if (kwork_rows__wants_name(o->rows, name))
		kwork_output__timehist(stdout, record, name);
	return 0;
}

int kwork_options__open_rows(struct kwork_options *o)
{
	const struct kwork_rows_opts opts = { .name = o->name, .function = kwork_options__function, .data = o };

	o->rows = kwork_rows__new(&opts);
	if (!o->rows) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	o->kwork.row = take_row;
	o->kwork.cpu = take_cpu;
	o->kwork.record = take_record;
	o->kwork.data = o;
	if (o->view == KWORK_VIEW_TIMEHIST)
		kwork_output__timehist_header(stdout);
	return 0;
}

int kwork_options__print(struct kwork_options *o)
{
	struct kwork_shown *const *shown;
	struct kwork_summary sum = { 0 };
	size_t nr;

	shown = kwork_rows__sort(o->rows, o->sort, o->nr_sorts, &nr);
	if (!shown)
		return -ENOMEM;
	if (o->view == KWORK_VIEW_REPORT)
		kwork_output__report(stdout, shown, nr, &sum);
	else if (o->view == KWORK_VIEW_LATENCY)
		kwork_output__latency(stdout, shown, nr, o->stages);
	else if (o->view == KWORK_VIEW_TOP)
		kwork_output__top(stdout, shown, nr, &o->machine);
	if (o->summary)
		kwork_output__summary(stdout, &sum, &o->machine);
	if (o->view != KWORK_VIEW_TIMEHIST)
		fputc('\n', stdout);
	return 0;
}

void kwork_options__finish(struct record_options *recording, const struct record_result *result)
{
	struct kwork_options *o = (struct kwork_options *)recording;

	if (kwork_options__print(o)) {
		pr_err("out of memory for rows\n");
		o->failed = true;
	}
	kwork_output__notes(result->counts[0].totals, recording->verbose > 0);
}

void kwork_options__exit(struct kwork_options *o)
{
	kwork_rows__delete(o->rows);
	kwork_machine__exit(&o->machine);
	kernel_names__delete(o->names);
}
