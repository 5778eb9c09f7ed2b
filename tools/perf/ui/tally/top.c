// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/output.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "ui/report/stdio.h"
#include "util/lib/stream.h"
#include "util/lib/text.h"
#include "util/source/tally.h"

#define PLAIN_LINES 40 /* lines per round if there is no terminal */
#define CLEAR "\033[H\033[J"

struct event_table {
	char *name;
	struct hists hists;
	u64 nr, nr_kernel; /* samples of this round */
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

	if (top->opts.top) {
		opts.sort = top->opts.top->sort;
		opts.show_samples = top->opts.top->show_samples;
		return hist_layout__init(&top->layout, &opts, err);
	}
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

static bool is_hidden(const struct top *top, u8 cpumode)
{
	const struct tally_top_opts *opts = top->opts.top;

	return opts && (cpumode == PERF_RECORD_MISC_KERNEL ? opts->hide_kernel : opts->hide_user);
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
	table->nr += raw->count;
	table->nr_kernel += raw->cpumode == PERF_RECORD_MISC_KERNEL ? raw->count : 0;
	if (!is_hidden(top, raw->cpumode))
		return hists__add(&table->hists, &hs);
	hists__count_hidden(&table->hists, &hs);
	return 0;
}

/* As many rows as fit, each cut at the terminal's edge so that it stays one line. */
static void print_fitting(struct top *top, const char *text)
{
	struct winsize size = { 0 };
	int rows, width;

	if (top->terminal)
		ioctl(fileno(top->opts.fp), TIOCGWINSZ, &size);
	rows = size.ws_row ? size.ws_row - 1 : PLAIN_LINES;
	if (top->opts.top && top->opts.top->entries)
		rows = INT_MAX; /* they are counted elsewhere */
	width = size.ws_col;
	for (; *text && rows-- > 0; text += strcspn(text, "\n") + 1) {
		int len = strcspn(text, "\n");

		fprintf(top->opts.fp, "%.*s\n", width && len > width ? width : len, text);
		if (!text[len])
			break;
	}
	if (!top->terminal)
		fputc('\n', top->opts.fp);
	stream__flush(top->opts.fp);
}

/* As in perf, but for what is not known while samples are counted in the kernel: how many were lost. */
static void print_title(const struct top *top, FILE *fp, const struct event_table *table, bool first)
{
	const struct tally_top_opts *opts = top->opts.top;

	fprintf(fp, "   PerfTop: %7.0f irqs/sec  kernel:%4.1f%% [%s %s],  (%s)%s\n", (double)table->nr / opts->seconds,
		table->nr ? table->nr_kernel * 100.0 / table->nr : 0.0, opts->rate, table->name, opts->target,
		top->terminal && first ? "  q ends" : "");
	fputs("-------------------------------------------------------------------------------\n\n", fp);
}

static int print_perf_top(struct top *top, FILE *fp)
{
	const struct hist_stdio_opts opts = { .no_header = true };
	u32 nr = 0;

	for (u32 i = 0; i < top->nr_events; i++) {
		struct event_table *table = top->event[i];
		struct hists *hists = &table->hists;

		if (!table || !hists->nr_samples)
			continue;
		if (hists__sort(hists))
			return -ENOMEM;
		print_title(top, fp, table, !nr++);
		if (top->opts.top->entries && hists->nr_entries > top->opts.top->entries)
			hists->nr_entries = top->opts.top->entries;
		if (hists__fprintf(hists, fp, &opts))
			return -ENOMEM;
	}
	if (!nr)
		fprintf(fp, "   PerfTop: no samples (%s)%s\n", top->opts.top->target, top->terminal ? "  q ends" : "");
	return 0;
}

static int print_tables(struct top *top, FILE *fp)
{
	const struct hist_stdio_opts opts = { 0 };
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
		fprintf(fp, "# %s  %" PRIu64 " samples of %s%s\n#\n", now, table->hists.nr_samples, table->name,
			top->terminal && !nr ? "  (q ends)" : "");
		if (hists__fprintf(&table->hists, fp, &opts))
			return -ENOMEM;
		nr++;
	}
	if (!nr)
		fprintf(fp, "# %s  no samples%s\n", now, top->terminal ? "  (q ends)" : "");
	return 0;
}

static u64 decayed(u64 sum)
{
	return sum - (sum + 7) / 8; /* down to 0 */
}

/* Add an entry with a part of its sums to hists of the next round. */
static int add_decayed(struct hists *hists, const struct hist_entry *old)
{
	struct hist_entry *copy = malloc(hist_entry__size(hists));
	struct hist_entry *added;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, old, hist_entry__size(hists));
	copy->hists = hists;
	copy->number = 0;
	copy->became = copy->next_kept = NULL;
	copy->self = (struct hist_stat){ .period = decayed(old->self.period), .nr = decayed(old->self.nr) };
	added = copy->self.period ? hists__entry(hists, copy) : copy;
	hists->any_unnamed |= copy->unnamed;
	free(copy);
	return added ? 0 : -ENOMEM;
}

static int begin_next(const struct top *top, struct event_table *table)
{
	struct hists old = table->hists;
	bool decay = top->opts.top && top->opts.top->decay;
	int ret = 0;

	hists__init(&table->hists, &top->hist_opts);
	table->nr = table->nr_kernel = 0;
	for (u32 i = 0; decay && i < old.all.nr && !ret; i++)
		ret = add_decayed(&table->hists, old.all.entry[i]);
	if (decay) {
		table->hists.total_period = decayed(old.total_period);
		table->hists.nr_samples = decayed(old.nr_samples);
	}
	hists__exit(&old);
	return ret;
}

static int begin_round(struct top *top)
{
	int ret = 0;

	for (u32 i = 0; i < top->nr_events && !ret; i++) {
		if (top->event[i])
			ret = begin_next(top, top->event[i]);
	}
	return ret;
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
	ret = top->opts.top ? print_perf_top(top, fp) : print_tables(top, fp);
	ret = text__close_stream(fp, &text) ?: ret;
	if (!ret) {
		fputs(top->terminal ? CLEAR : "", top->opts.fp);
		print_fitting(top, text);
	}
	free(text);
	return begin_round(top) ?: ret;
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
