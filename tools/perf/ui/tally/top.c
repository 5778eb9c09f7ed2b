// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ui/report/stdio.h"
#include "ui/tally/fitting.h"
#include "util/lib/advice.h"
#include "util/lib/text.h"
#include "util/source/tally.h"

struct event_table {
	char *name;
	struct hists hists;
};

struct top {
	struct tally_output out;
	struct tally_output_opts opts;
	struct hist_layout layout;
	struct hist_opts hist_opts;
	struct event_table **event; /* by session_event->idx; NULL: no samples so far. Entries point into them, so they stay where they are */
	u32 nr_events;
	bool terminal;
};

/* Columns like perf top's; keys without a column are summed up. */
static const struct {
	unsigned int keys;
	const char *column;
} columns[] = {
	{ TALLY_KEY_CPU, "cpu" },
	{ TALLY_KEY_PID | TALLY_KEY_TID, "pid" },
	{ TALLY_KEY_COMM, "comm" },
	{ TALLY_KEY_IP | TALLY_KEY_SYM | TALLY_KEY_KSTACK | TALLY_KEY_USTACK, "dso,sym" },
};

static int init_layout(struct top *top, struct errmsg *err)
{
	struct hist_layout_opts opts = { .default_sort = "comm,dso,sym", .show_samples = true };
	char sort[64] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		if (top->opts.key & columns[i].keys)
			sprintf(sort + strlen(sort), "%s%s", *sort ? "," : "", columns[i].column);
	}
	if (*sort)
		opts.sort = sort;
	else if (top->opts.key)
		return errmsg__set(err, EINVAL, "--top has no column for any key of --key: it shows cpu, pid, tid, comm, ip, sym, and the "
				   "innermost function of kstack and ustack");
	return hist_layout__init(&top->layout, &opts, err);
}

static struct event_table *find_table(struct top *top, const struct session_event *event)
{
	struct event_table **more, *table;

	if (event->idx >= top->nr_events) {
		more = reallocarray(top->event, event->idx + 1, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + top->nr_events, 0, (event->idx + 1 - top->nr_events) * sizeof(*more));
		top->event = more;
		top->nr_events = event->idx + 1;
	}
	if (top->event[event->idx])
		return top->event[event->idx];
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	top->event[event->idx] = table;
	hists__init(&table->hists, &top->hist_opts);
	table->name = strdup(event->name);
	return table->name ? table : NULL;
}

static int top__sample(struct tally_output *out, const struct session_sample *sample)
{
	struct top *top = (struct top *)out;
	const struct perf_sample *raw = sample->sample;
	const struct hist_sample hs = {
		.thread = sample->thread,
		.loc = &sample->loc,
		.cpu = raw->sample_type & PERF_SAMPLE_CPU ? (s32)raw->cpu : -1,
		.period = raw->period,
		.nr = raw->count,
	};
	struct event_table *table = find_table(top, sample->evsel);

	if (!table)
		return -ENOMEM;
	return hists__add(&table->hists, &hs);
}

static int print_tables(struct top *top, FILE *fp)
{
	const struct hist_stdio_opts opts = { .terminal_width = top->terminal ? fitting__width(top->opts.fp) : 0 };
	char now[16];
	time_t t = time(NULL);
	u32 i, nr = 0;

	strftime(now, sizeof(now), "%T", localtime(&t));
	for (i = 0; i < top->nr_events; i++) {
		struct event_table *table = top->event[i];

		if (!table || !table->hists.nr_samples)
			continue;
		if (hists__sort(&table->hists))
			return -ENOMEM;
		fprintf(fp, "# %s  %" PRIu64 " sample%s of %s%s\n#\n", now, table->hists.nr_samples, plural(table->hists.nr_samples), table->name,
			top->terminal && !nr ? "  (q ends)" : "");
		if (hists__fprintf(&table->hists, fp, &opts))
			return -ENOMEM;
		nr++;
	}
	if (!nr)
		fprintf(fp, "# %s  no samples%s\n", now, top->terminal ? "  (q ends)" : "");
	return 0;
}

static void begin_round(struct top *top)
{
	for (u32 i = 0; i < top->nr_events; i++) {
		if (!top->event[i])
			continue;
		hists__exit(&top->event[i]->hists);
		hists__init(&top->event[i]->hists, &top->hist_opts);
	}
}

static int top__round(struct tally_output *out)
{
	struct top *top = (struct top *)out;
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int ret;

	if (!fp)
		return -ENOMEM;
	ret = print_tables(top, fp);
	ret = text__close_stream(fp, &text) ?: ret;
	if (!ret)
		fitting__print(top->opts.fp, text, top->terminal, false);
	free(text);
	begin_round(top);
	return ret;
}

static void top__delete(struct tally_output *out)
{
	struct top *top = (struct top *)out;

	if (!top)
		return;
	for (u32 i = 0; i < top->nr_events; i++) {
		if (!top->event[i])
			continue;
		hists__exit(&top->event[i]->hists);
		free(top->event[i]->name);
		free(top->event[i]);
	}
	free(top->event);
	free(top);
}

struct tally_output *tally_top__new(const struct tally_output_opts *opts, struct errmsg *err)
{
	static const struct tally_output_ops ops = {
		.sample = top__sample,
		.round = top__round,
		.delete = top__delete,
	};
	struct top *top = calloc(1, sizeof(*top));

	if (!top) {
		errmsg__set(err, ENOMEM, "out of memory");
		return NULL;
	}
	top->out.ops = &ops;
	top->opts = *opts;
	top->hist_opts.layout = &top->layout;
	top->terminal = isatty(fileno(opts->fp));
	if (init_layout(top, err)) {
		top__delete(&top->out);
		return NULL;
	}
	return &top->out;
}
