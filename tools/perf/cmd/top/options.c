// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "top"
#include "cmd/top/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record/callgraph.h"
#include "ui/tui/browser.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"

/* Keys of rows, and what the kernel has to count by for them. */
static const struct {
	const char *name;
	unsigned int key;
} sort_keys[] = {
	{ "comm", TALLY_KEY_COMM }, { "dso", TALLY_KEY_SYM }, { "symbol", TALLY_KEY_SYM },	 { "sym", TALLY_KEY_SYM },
	{ "cpu", TALLY_KEY_CPU },   { "pid", TALLY_KEY_TID }, { "tid", TALLY_KEY_TID },
};

void top_options__list_keys(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_keys); i++)
		puts(sort_keys[i].name);
}

int top_options__parse_callgraph(const struct option_row *row, const char *arg, bool unset)
{
	struct top_options *o = row->value;

	o->callers = !unset;
	return record_callgraph__parse(&(struct option_row){ .value = &o->counting.recording.opts.attr.callgraph }, arg, unset);
}

static unsigned int find_key(struct list_word word)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_keys); i++) {
		if (list_word__is(word, sort_keys[i].name))
			return sort_keys[i].key;
	}
	return 0;
}

static unsigned int counted_key(const char *sort)
{
	unsigned int keys = 0, key;

	comma_list__for_each(sort, word) {
		key = find_key(word);
		if (!key)
			options__refuse_exit("  Error: -s %s: the keys that are counted live are comm, dso, symbol, cpu, pid and tid; perf record and perf "
					     "report know more\n", sort);
		keys |= key;
	}
	return keys;
}

static void describe_target(struct top_options *o)
{
	const struct run_opts *run = &o->counting.recording.opts.run;

	if (run->pids)
		snprintf(o->target, sizeof(o->target), "target_pid: %s", run->pids);
	else if (run->tids)
		snprintf(o->target, sizeof(o->target), "target_tid: %s", run->tids);
	else if (run->cpus)
		snprintf(o->target, sizeof(o->target), "all, CPU: %s", run->cpus);
	else
		snprintf(o->target, sizeof(o->target), "all, %ld CPUs", sysconf(_SC_NPROCESSORS_ONLN));
}

static void describe_rate(struct top_options *o)
{
	u64 period = o->counting.recording.opts.attr.period;

	if (period)
		snprintf(o->rate, sizeof(o->rate), "%llu", (unsigned long long)period);
	else
		snprintf(o->rate, sizeof(o->rate), "%uHz", (unsigned int)o->counting.recording.opts.attr.freq);
}

/*
 * Counted places are of processes; callers are counted together with the place. Without a place nothing would tell the kernel's part, which the
 * title shows and -K hides.
 */
static unsigned int shown_key(const struct top_options *o)
{
	unsigned int key = counted_key(o->report.sort ?: TOP_SORT) | TALLY_KEY_SYM;

	if (o->report.selection.comms)
		key |= TALLY_KEY_COMM;
	if (!o->callers)
		return key;
	return (key & ~(unsigned int)TALLY_KEY_SYM) | TALLY_KEY_PID | TALLY_KEY_COMM | TALLY_KEY_KSTACK | TALLY_KEY_USTACK;
}

static int settle_browser(struct top_options *o)
{
	if (o->stdio && o->tui)
		options__refuse_exit("  Error: --stdio and --tui exclude each other\n");
	if (o->tui && o->entries)
		options__refuse_exit("  Error: -E goes with --stdio: the browser shows all rows\n");
	o->browse = o->tui || (!o->stdio && !o->entries && browser__can_run());
	if (!o->browse || browser__can_run())
		return 0;
	pr_err("there is no terminal to draw on: take --stdio\n");
	return EXIT_SETUP;
}

static int settle_selection(struct top_options *o)
{
	struct errmsg err;
	int ret = selection__init(&o->report.selection, NULL, &err);

	if (ret)
		pr_err("%s\n", err.text);
	return !ret ? 0 : ret == -ENOMEM ? EXIT_SETUP : EXIT_USAGE;
}

int top_options__settle(struct top_options *o, char **argv)
{
	struct sample_bpf_options *counting = &o->counting;
	int ret;

	if (!o->delay || o->delay > 3600)
		options__refuse_exit("  Error: -d takes 1 to 3600 seconds: not %u\n", o->delay);
	if (o->hide_kernel && o->hide_user)
		options__refuse_exit("  Error: -K and -U together hide everything\n");
	ret = settle_browser(o) ?: settle_selection(o);
	if (ret)
		return ret;
	read_options__place_code(&o->report.reading, &o->report.code);
	counting->shown_key = shown_key(o);
	counting->interval = o->delay * 1000;
	counting->live.top = true;
	counting->counting.anew = !o->browse; /* the session forgets */
	if (!o->report.sort)
		o->report.sort = TOP_SORT;
	ret = sample_bpf_options__settle(counting, argv);
	describe_target(o);
	describe_rate(o);
	return ret;
}
