// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "top"
#include "cmd/top/output.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/top/browse.h"
#include "cmd/top/picture.h"
#include "ui/report/stdio.h"
#include "ui/tally/fitting.h"
#include "util/lib/log.h"
#include "util/lib/text.h"

struct top_output {
	struct tally_output out;
	struct top_options *options;
	struct top_view view;
	struct top_event *count;
	struct top_samples *samples;
	struct top_browse *browse; /* NULL: text */
	bool terminal;
};

static struct top_output *of(struct tally_output *out)
{
	return (struct top_output *)out;
}

/* With the first sample there is a session. */
static int begin(struct top_output *top)
{
	struct session *session = top->options->counting.live.session;
	u32 nr = session__nr_events(session);

	top->count = calloc(nr ?: 1, sizeof(*top->count));
	top->view = (struct top_view){
		.session = session, .report = &top->options->report, .count = top->count, .shown = calloc(nr ?: 1, sizeof(*top->view.shown)),
		.hide_kernel = top->options->hide_kernel, .hide_user = top->options->hide_user,
	};
	return top->count && top->view.shown ? 0 : -ENOMEM;
}

static int take_sample(struct tally_output *out, const struct session_sample *sample)
{
	struct top_output *top = of(out);
	struct top_event *count;

	if (!top->count && begin(top))
		return -ENOMEM;
	if (top->browse && top_browse__controls(top->browse)->frozen)
		return 0;
	count = &top->count[sample->evsel->idx];
	count->nr += sample->sample->count;
	count->nr_kernel += sample->sample->cpumode == PERF_RECORD_MISC_KERNEL ? sample->sample->count : 0;
	return top_samples__add(top->samples, sample);
}

/* As in perf. */
static void print_title(const struct top_output *top, FILE *fp, u32 number, bool first)
{
	const struct top_options *o = top->options;
	const struct top_event *count = &top->count[number];

	fprintf(fp, "   PerfTop: %7.0f irqs/sec  kernel:%4.1f%% [%s %s],  (%s)%s\n", (double)count->nr / o->delay,
		count->nr ? count->nr_kernel * 100.0 / count->nr : 0.0, o->rate, session__event(top->view.session, number)->name, o->target,
		top->terminal && first ? "  q ends" : "");
	fputs("-------------------------------------------------------------------------------\n\n", fp);
}

static int print_picture(const struct top_output *top, struct top_picture *picture, FILE *fp)
{
	const struct hist_stdio_opts opts = { .no_header = true };
	u32 nr = 0;

	for (u32 i = 0; i < picture->nr; i++) {
		struct hists *hists = &picture->rows.hists[picture->number[i]];

		if (!hists->nr_samples)
			continue;
		print_title(top, fp, picture->number[i], !nr++);
		if (top->options->entries && hists->nr_entries > top->options->entries)
			hists->nr_entries = top->options->entries;
		if (hists__fprintf(hists, fp, &opts))
			return -ENOMEM;
	}
	if (!nr)
		fprintf(fp, "   PerfTop: no samples (%s)%s\n", top->options->target, top->terminal ? "  q ends" : "");
	return 0;
}

static int print_no_samples(const struct top_output *top)
{
	char text[256];

	snprintf(text, sizeof(text), "   PerfTop: no samples (%s)%s\n", top->options->target, top->terminal ? "  q ends" : "");
	fitting__print(stdout, text, top->terminal, false);
	return 0;
}

static int print(struct top_output *top, struct top_picture *picture)
{
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int ret;

	if (!fp)
		return -ENOMEM;
	ret = print_picture(top, picture, fp);
	ret = text__close_stream(fp, &text) ?: ret;
	if (!ret)
		fitting__print(stdout, text, top->terminal, top->options->entries);
	free(text);
	return ret;
}

static int show(struct top_output *top, bool zero)
{
	struct top_picture *picture;
	struct errmsg err;
	int ret = 0;

	if (!top->count)
		return top->browse ? 0 : print_no_samples(top);
	picture = top_picture__new(&top->view, top->samples, &err);
	if (!picture)
		return -ENOMEM;
	if (top->browse) {
		ret = top_browse__show(top->browse, picture);
	} else {
		ret = print(top, picture);
		top_picture__delete(picture);
	}
	for (u32 i = 0; i < session__nr_events(top->view.session); i++)
		top->count[i].nr = top->count[i].nr_kernel = 0;
	top_samples__age(top->samples, zero);
	return ret;
}

static int end_round(struct tally_output *out)
{
	struct top_output *top = of(out);
	const struct top_controls *controls = top->browse ? top_browse__controls(top->browse) : NULL;

	if (!controls)
		return show(top, top->options->zero);
	if (controls->frozen)
		return 0;
	top->view.hide_kernel = controls->hide_kernel;
	top->view.hide_user = controls->hide_user;
	return show(top, controls->zero);
}

static void take_counts(struct tally_output *out, u32 event, u64 not_counted, u64 dropped)
{
	struct top_output *top = of(out);

	if (!top->count || event >= session__nr_events(top->view.session))
		return;
	top->count[event].not_counted = not_counted;
	top->count[event].dropped = dropped;
}

static void forget(struct tally_output *out)
{
	top_samples__clear(of(out)->samples);
}

static void lock(struct tally_output *out)
{
	top_browse__lock(of(out)->browse);
}

static void unlock(struct tally_output *out)
{
	top_browse__unlock(of(out)->browse);
}

static int end_fd(struct tally_output *out)
{
	return top_browse__fd(of(out)->browse);
}

static void finish(struct tally_output *out)
{
	top_browse__end(of(out)->browse);
}

static void delete(struct tally_output *out)
{
	struct top_output *top = of(out);

	if (!top)
		return;
	top_browse__delete(top->browse);
	top_samples__delete(top->samples);
	free(top->count);
	free(top->view.shown);
	free(top);
}

struct tally_output *top_output__new(struct top_options *o)
{
	/* The browser keeps rows, zooms and code of what the session would forget. */
	static const struct tally_output_ops browser_ops = {
		.sample = take_sample, .round = end_round, .counts = take_counts, .lock = lock, .unlock = unlock, .fd = end_fd, .finish = finish, .delete = delete,
	}, text_ops = {
		.sample = take_sample, .round = end_round, .counts = take_counts, .forget = forget, .delete = delete,
	};
	struct top_output *top = calloc(1, sizeof(*top));

	if (top) {
		top->out.ops = o->browse ? &browser_ops : &text_ops;
		top->options = o;
		top->terminal = isatty(STDOUT_FILENO);
		top->samples = top_samples__new();
		top->browse = o->browse ? top_browse__new(o) : NULL;
	}
	if (top && top->samples && (top->browse || !o->browse)) {
		if (o->browse) { /* until there are samples */
			puts("Waiting for samples; Ctrl-C ends");
			fflush(stdout);
		}
		return &top->out;
	}
	pr_err("out of memory\n");
	delete(&top->out);
	return NULL;
}
