// SPDX-License-Identifier: GPL-2.0
#include "ui/stat/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ui/stat/output-ops.h"
#include "util/lib/comma-list.h"
#include "util/lib/printable.h"
#include "util/lib/stream.h"

#define CLEAR_SCREEN "\033[H\033[2J"

const struct stat_group_column stat_group_columns[] = {
	[COUNTER_BY_NONE] = { "", NULL, 0, false },
	[COUNTER_BY_CPU] = { "cpu", "cpu", 7, false },
	[COUNTER_BY_CORE] = { "core", "core", 18, true },
	[COUNTER_BY_SOCKET] = { "socket", "socket", 6, true },
	[COUNTER_BY_DIE] = { "die", "die", 12, true },
	[COUNTER_BY_NODE] = { "node", "node", 6, true },
	[COUNTER_BY_CACHE] = { "cache", "cache", 22, true },
	[COUNTER_BY_CLUSTER] = { "cluster", "cluster", 20, true },
	[COUNTER_BY_THREAD] = { "            comm-pid", "thread", 25, false },
};

struct stat_output *stat_output__new(const struct stat_output_opts *opts, const struct counter_groups *groups)
{
	struct stat_output *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->opts = *opts;
	out->groups = groups;
	out->ops = opts->json ? &stat_json_ops : opts->separator ? &stat_csv_ops : &stat_text_ops;
	if (out->ops->localized)
		out->locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0); /* the rest of perf does without */
	return out;
}

void stat_output__delete(struct stat_output *out)
{
	if (out && out->locale)
		freelocale(out->locale);
	free(out);
}

/* Returns the locale to go back to. */
static locale_t enter_locale(const struct stat_output *out)
{
	return uselocale(out->locale);
}

const char *stat_metric__unit(const struct counter_metric *metric, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", metric->unit, metric->name ? "  " : "", metric->name ?: "");
	return buf;
}

const char *stat_metric__column(const struct stat_row *row, char *buf, size_t size)
{
	const char *name = row->metric.name, *cgroup = row->evsel->cgroup;

	snprintf(buf, size, "%s%s%s%s", name ?: row->evsel->name, name ? "" : "/sec", cgroup ? " " : "", cgroup ?: "");
	return printable__clean(buf);
}

double stat_row__value(const struct stat_row *row)
{
	return row->cell->value.mean * counter_event__scale(row->evsel);
}

int stat_row__decimals(const struct stat_row *row)
{
	const double scale = counter_event__scale(row->evsel);

	return scale == floor(scale) ? 0 : 2;
}

const char *stat_row__unit(const struct stat_row *row)
{
	return counter_event__unit(row->evsel);
}

const char *stat_row__why_not(const struct stat_row *row)
{
	static const char *const texts[] = {
		[COUNTER_NOT_SUPPORTED] = "<not supported>",
		[COUNTER_NOT_COUNTED] = "<not counted>",
		[COUNTER_COUNTED] = NULL,
	};

	return texts[row->cell->state];
}

/* With -M only what it names */
static bool is_wanted(const struct stat_output *out, const struct counter_metric *metric)
{
	comma_list__for_each(out->opts.metrics, wanted) {
		if (metric->name && *metric->name && list_word__is(wanted, metric->name))
			return true;
	}
	return !out->opts.metrics;
}

static void make_row(const struct stat_output *out, struct stat_row *row, const struct counter_cells *cells, unsigned int event, unsigned int group, double elapsed)
{
	row->evsel = cells->evlist->evsel[event];
	row->group = &cells->groups->group[group];
	row->cell = counter_cells__at(cells, event, group);
	row->has_metric = counter_metric__find(cells, event, group, elapsed, &row->metric) && is_wanted(out, &row->metric);
}

/* An event that counts on other CPUs only has no row in this group. */
static bool is_shown(const struct stat_output *out, const struct stat_row *row)
{
	if (row->cell->state == COUNTER_NOT_COUNTED && !row->cell->nr && out->groups->by != COUNTER_BY_NONE)
		return false;
	return !out->opts.hide_zero || row->cell->state != COUNTER_COUNTED || row->cell->value.mean > 0;
}

static void print_row(struct stat_output *out, const struct counter_cells *cells, unsigned int event, unsigned int group, double elapsed)
{
	struct stat_row row;

	make_row(out, &row, cells, event, group, elapsed);
	if (is_shown(out, &row))
		out->ops->row(out, &row);
}

/* CPUs and threads stand below their event, others above theirs. */
static void print_rows(struct stat_output *out, const struct counter_cells *cells, double elapsed)
{
	const bool by_event = out->groups->by == COUNTER_BY_CPU || out->groups->by == COUNTER_BY_THREAD;
	const unsigned int nr_events = cells->evlist->nr, nr_groups = out->groups->nr;
	const unsigned int outer = by_event ? nr_events : nr_groups, inner = by_event ? nr_groups : nr_events;

	for (unsigned int i = 0; i < outer; i++) {
		for (unsigned int j = 0; j < inner; j++)
			print_row(out, cells, by_event ? i : j, by_event ? j : i, elapsed);
	}
	if (out->ops->end_rows && nr_events)
		out->ops->end_rows(out);
}

/* A column exists if any group may have a metric there, in this interval or in a later one. */
static unsigned int choose_columns(const struct stat_output *out, struct stat_row *columns, const struct counter_cells *cells)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < cells->evlist->nr; i++) {
		for (unsigned int g = 0; g < cells->groups->nr; g++) {
			struct stat_row *column = &columns[nr];

			*column = (struct stat_row){ .evsel = cells->evlist->evsel[i], .group = &cells->groups->group[g] };
			if (counter_metric__may_be(cells, i, g, &column->metric) && is_wanted(out, &column->metric)) {
				nr++;
				break;
			}
		}
	}
	return nr;
}

static bool equal_names(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Without a metric a row keeps the column's name. */
static void make_metric(const struct stat_output *out, struct stat_row *row, const struct stat_row *column, const struct counter_cells *cells,
			unsigned int group, double elapsed)
{
	make_row(out, row, cells, column->evsel->idx, group, elapsed);
	if (row->has_metric && equal_names(row->metric.name, column->metric.name))
		return;
	row->has_metric = false;
	row->metric = column->metric;
}

static void print_metrics(struct stat_output *out, const struct counter_cells *cells, double elapsed)
{
	struct stat_row *columns = calloc(cells->evlist->nr + 1, sizeof(*columns)), *rows = calloc(cells->evlist->nr + 1, sizeof(*rows));
	const unsigned int nr = columns && rows ? choose_columns(out, columns, cells) : 0;

	if (nr && !out->has_names && out->ops->metric_names)
		out->ops->metric_names(out, columns, nr);
	out->has_names |= nr > 0;
	for (unsigned int g = 0; g < out->groups->nr && nr; g++) {
		for (unsigned int i = 0; i < nr; i++)
			make_metric(out, &rows[i], &columns[i], cells, g, elapsed);
		out->ops->metrics(out, rows, nr);
	}
	free(columns);
	free(rows);
}

void stat_output__title(struct stat_output *out, const char *what, unsigned int nr_runs)
{
	const locale_t own = enter_locale(out);

	if (out->ops->title)
		out->ops->title(out, what, nr_runs);
	uselocale(own);
}

/* Of the column in text */
static int unit_width(const struct evlist *evlist)
{
	int width = strlen("unit");

	for (unsigned int i = 0; i < evlist->nr; i++) {
		const int len = strlen(counter_event__unit(evlist->evsel[i]));

		if (len > width)
			width = len;
	}
	return width;
}

void stat_output__cells(struct stat_output *out, const struct counter_cells *cells, double elapsed, const struct stat_interval *interval)
{
	const locale_t own = enter_locale(out);

	out->interval = *interval;
	out->unit_width = unit_width(cells->evlist);
	if (interval->is_one && out->opts.clear) {
		fputs(CLEAR_SCREEN, out->opts.fp);
		out->has_heading = out->has_names = false;
	}
	if (interval->is_one && !out->has_heading && !out->opts.metric_only && out->ops->heading) {
		out->ops->heading(out);
		out->has_heading = true;
	}
	if (!interval->is_one)
		out->has_names = false;
	if (out->opts.metric_only)
		print_metrics(out, cells, elapsed);
	else
		print_rows(out, cells, elapsed);
	stream__flush(out->opts.fp);
	uselocale(own);
}

void stat_output__times(struct stat_output *out, const struct stat_times *times)
{
	const locale_t own = enter_locale(out);

	if (out->ops->times)
		out->ops->times(out, times);
	stream__flush(out->opts.fp);
	uselocale(own);
}
