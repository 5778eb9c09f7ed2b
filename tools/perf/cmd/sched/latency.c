// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include "cmd/sched/latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "builtin.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/printable.h"

/* Options */

static const char *const sort_names[] = {
	[SCHED_SORT_AVG] = "avg", [SCHED_SORT_MAX] = "max", [SCHED_SORT_SWITCH] = "switch", [SCHED_SORT_RUNTIME] = "runtime", [SCHED_SORT_PID] = "pid",
};

void sched_latency__list_sorts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_names); i++)
		puts(sort_names[i]);
}

void sched_latency__list_modes(void)
{
	puts("log\nlinear");
}

static bool add_sort(void *data, const char *word, size_t len)
{
	struct sched_latency_options *o = data;

	for (size_t i = 0; i < ARRAY_SIZE(sort_names); i++) {
		if (strlen(sort_names[i]) != len || strncmp(sort_names[i], word, len))
			continue;
		if (o->nr_sorts < SCHED_MAX_SORTS)
			o->sort[o->nr_sorts++] = i;
		return true;
	}
	return false;
}

int sched_latency__parse_sort(const struct option_row *row, const char *arg, bool unset)
{
	struct sched_latency_options *o = row->value;
	const char *word;
	size_t len;

	if (unset)
		return record_options__refuse_unset(row);
	o->nr_sorts = 0;
	if (words__for_each(arg, add_sort, o, &word, &len))
		return 0;
	pr_err("Unknown --sort key: `%.*s'. Take avg, max, switch, runtime or pid\n", (int)len, word);
	return -1;
}

static void settle_sorts(struct sched_latency_options *o)
{
	static const enum sched_sort usual[] = { SCHED_SORT_AVG, SCHED_SORT_MAX, SCHED_SORT_SWITCH, SCHED_SORT_RUNTIME };

	if (o->nr_sorts)
		return;
	memcpy(o->sort, usual, sizeof(usual));
	o->nr_sorts = ARRAY_SIZE(usual);
}

void sched_latency__check(struct sched_latency_options *o)
{
	if (o->sched.max_rows < 1 || o->sched.max_rows > 1 << 22)
		options__refuse_exit("-M takes 1 to %d\n", 1 << 22);
	if (o->hist_mode) {
		if (strcmp(o->hist_mode, "log") && strcmp(o->hist_mode, "linear"))
			options__refuse_exit("Invalid --hist-mode '%s', expected 'log' or 'linear'\n", o->hist_mode);
		o->histogram = true;
		o->sched.linear = !strcmp(o->hist_mode, "linear");
	}
	settle_sorts(o);
}

bool sched_latency__has_target(const struct sched_latency_options *o)
{
	const struct run_opts *run = &o->recording.opts.run;

	return run->system_wide || run->pids || run->tids;
}

/* Watching */

static int add_event(struct sched_latency_options *o)
{
	struct errmsg err;
	int ret = evlist__add_kind(o->recording.evlist, &sched_kind, NULL, &o->sched, &err);

	if (!ret && o->filter_text)
		ret = evsel__add_filter(o->recording.evlist->evsel[0], "filter", o->filter_text, &err);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

static void name_frames(struct sched_latency_options *o, const struct sched_stack *stack, struct sched_frames *frames)
{
	frames->nr = 0;
	for (u64 i = 0; i < stack->nr && i < SCHED_MAX_FRAMES; i++) {
		const struct kernel_name *name = kernel_names__find(o->names, stack->frame[i] - 1); /* the call */

		frames->name[frames->nr++] = name && name->is_code ? name->name : NULL;
	}
}

static int take_row(void *data, const struct sched_row *row, const struct sched_stack *stack, struct errmsg *err)
{
	struct sched_latency_options *o = data;
	char comm[SCHED_COMM_LEN + 1];
	struct sched_frames frames;

	if (stack && o->names)
		name_frames(o, stack, &frames);
	snprintf(comm, sizeof(comm), "%.*s", SCHED_COMM_LEN, row->comm);
	if (!*comm) /* woken, and never on a CPU */
		snprintf(comm, sizeof(comm), ":%u", row->tid);
	return sched_rows__add(o->rows, row, comm, stack && o->names ? &frames : NULL) ? errmsg__set(err, ENOMEM, "out of memory for rows") : 0;
}

static int settle(struct sched_latency_options *o, char **argv)
{
	struct errmsg err;

	if (o->times)
		options__refuse_exit("--time is for recordings: watching begins and ends with the command\n");
	if (o->reading->vmlinux || o->reading->symfs)
		options__refuse_exit("--vmlinux and --symfs are for recordings: the names of the running kernel come from /proc/kallsyms, or --kallsyms\n");
	if (o->reading->kallsyms && !o->sched.stacks)
		options__refuse_exit("--kallsyms names the functions of stacks: take -g, too\n");
	if (!argv[0] && !sched_latency__has_target(o))
		o->recording.opts.run.system_wide = true;
	watching__settle(&o->watching, &o->recording);
	o->sched.row = take_row;
	o->sched.data = o;
	if (o->sched.stacks && kernel_names__new(o->reading->kallsyms, &o->names, &err))
		pr_warn("%s\n", err.text);
	return add_event(o) ?: record_options__settle(&o->recording, argv);
}

/* Results */

int sched_latency__print(struct sched_latency_options *o, const struct sched_totals *totals)
{
	if (sched_rows__print(o->rows, o->sort, o->nr_sorts, o->sched.stacks, stdout)) {
		pr_err("out of memory for rows\n");
		return EXIT_SETUP;
	}
	fputc('\n', stdout);
	if (o->histogram)
		sched_rows__print_histogram(totals, o->sched.linear, stdout);
	return 0;
}

#define U(value) ((uint64_t)(value))

static void warn_losses(const struct sched_totals *t)
{
	if (t->lost_rows)
		pr_warn("%" PRIu64 " %s in no row: there was no room for more tasks. -M makes room\n", U(t->lost_rows),
			t->lost_rows == 1 ? "waking or switch is" : "wakings and switches are");
	if (t->missed)
		pr_warn("%" PRIu64 " hit%s (of any task) %s missed: a BPF program was already running on that CPU\n", U(t->missed), plural(t->missed), were(t->missed));
	if (t->unseen)
		pr_info("%" PRIu64 " wait%s ended without a switch that the kernel showed: perf takes the end from the runtime afterwards\n",
			U(t->unseen), plural(t->unseen));
	if (t->lost_stacks)
		pr_warn("%" PRIu64 " longest wait%s no stack\n", U(t->lost_stacks), t->lost_stacks == 1 ? " has" : "s have");
}

void sched_latency__notes(const struct sched_latency_options *o, const struct sched_totals *t)
{
	char comm[SCHED_COMM_LEN + 1];

	if (o->recording.quiet)
		return;
	warn_losses(t);
	if (t->waiting && (t->longest > t->greatest || o->recording.verbose > 0)) { /* else the table shows longer ones */
		snprintf(comm, sizeof(comm), "%.*s", SCHED_COMM_LEN, t->longest_comm);
		pr_info("%" PRIu64 " task%s still waited for a CPU at the end, %s:%u for %.3f ms; no row has that\n", U(t->waiting), plural(t->waiting),
			printable__clean(comm), t->longest_tid, t->longest / 1e6);
	}
	if (o->recording.verbose <= 0)
		return;
	pr_info("%" PRIu64 " switch%s, %" PRIu64 " wait%s counted, %" PRIu64 " dropped by the filter; %" PRIu64 " turn%s whose waking was not seen\n",
		U(t->switches), t->switches == 1 ? "" : "es", U(t->kept), plural(t->kept), U(t->dropped), U(t->unwoken), plural(t->unwoken));
	if (t->idle || t->busy)
		pr_info("CPUs: tasks had %.3f ms, idle %.3f ms, unknown %.3f ms, in %.3f ms\n", t->busy / 1e6, t->idle / 1e6, t->unknown / 1e6,
			t->elapsed / 1e6);
}

static void finish(struct record_options *recording, const struct record_result *result)
{
	struct sched_latency_options *o = (struct sched_latency_options *)recording;
	const struct sched_totals *totals = result->counts[0].totals;

	o->failed = sched_latency__print(o, totals);
	sched_latency__notes(o, totals);
}

int sched_latency__watch(struct sched_latency_options *o, char **argv)
{
	int ret = settle(o, argv);

	if (ret)
		return ret;
	ret = watching__run(&o->recording, argv, "Watching, press Ctrl+C to stop and report", finish);
	return o->failed ? EXIT_SETUP : ret;
}
