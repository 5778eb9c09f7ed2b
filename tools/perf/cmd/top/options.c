// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "top"
#include "cmd/top/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static unsigned int find_key(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_keys); i++) {
		if (strlen(sort_keys[i].name) == len && !memcmp(sort_keys[i].name, word, len))
			return sort_keys[i].key;
	}
	return 0;
}

static unsigned int counted_key(const char *sort)
{
	unsigned int keys = 0, key;

	for (const char *word = sort;; word += strcspn(word, ",") + 1) {
		key = find_key(word, strcspn(word, ","));
		if (!key)
			options__refuse_exit("  Error: -s %s: the keys that are counted live are comm, dso, symbol, cpu, pid and tid; perf record and perf "
					     "report know more\n", sort);
		keys |= key;
		if (!word[strcspn(word, ",")])
			return keys;
	}
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

int top_options__settle(struct top_options *o, char **argv)
{
	struct sample_bpf_options *counting = &o->counting;
	int ret;

	if (!o->delay || o->delay > 3600)
		options__refuse_exit("  Error: -d takes 1 to 3600 seconds: not %u\n", o->delay);
	if (o->view.hide_kernel && o->view.hide_user)
		options__refuse_exit("  Error: -K and -U together hide everything\n");
	counting->shown_key = counted_key(o->view.sort);
	counting->interval = o->delay * 1000;
	counting->live.top = true;
	counting->live.top_opts = &o->view;
	o->view.decay = !o->zero;
	o->view.seconds = o->delay;
	o->view.target = o->target;
	o->view.rate = o->rate;
	ret = sample_bpf_options__settle(counting, argv);
	describe_target(o);
	describe_rate(o);
	return ret;
}
