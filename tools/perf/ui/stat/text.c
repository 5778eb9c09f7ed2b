// SPDX-License-Identifier: GPL-2.0
/* perf stat for people. Columns are padded to their width at the end of the line, too, as in other perfs. */
#include <math.h>
#include <string.h>
#include "ui/stat/output-ops.h"
#include "util/lib/printable.h"

#define NAME_WIDTH 32
#define CGROUP_WIDTH 16
#define METRIC_WIDTH 38
#define COLUMN_WIDTH 20 /* of --metric-only */

static void print_title(struct stat_output *out, const char *what, unsigned int nr_runs)
{
	fputs("\n Performance counter stats for ", out->opts.fp);
	printable__fputs(what, out->opts.fp);
	if (out->opts.nr_runs > 1)
		fprintf(out->opts.fp, " (%u runs)", nr_runs);
	fputs(":\n\n", out->opts.fp);
}

static void print_heading(struct stat_output *out)
{
	const struct stat_group_column *column = &stat_group_columns[out->groups->by];

	fputs("#           time ", out->opts.fp);
	if (column->width)
		fprintf(out->opts.fp, "%-*s", column->width, column->name);
	if (column->has_nr)
		fputs(" ctrs ", out->opts.fp);
	fprintf(out->opts.fp, "%18s %*s events\n", "counts", out->unit_width, "unit");
}

/* A name as wide as its column: comms are right-aligned up to the number of their thread. */
static void print_group(struct stat_output *out, const struct counter_group *group, const unsigned int *nr)
{
	const struct stat_group_column *column = &stat_group_columns[out->groups->by];
	const char *dash = strrchr(group->name, '-');

	if (out->interval.is_one)
		fprintf(out->opts.fp, "%16.9f ", out->interval.at);
	if (out->groups->by == COUNTER_BY_THREAD && dash)
		fprintf(out->opts.fp, "%16.*s-%-8s", (int)(dash - group->name), group->name, dash + 1);
	else if (column->width)
		fprintf(out->opts.fp, "%-*s", column->width, group->name);
	if (column->has_nr && nr)
		fprintf(out->opts.fp, " %4u ", *nr);
}

static void print_count(struct stat_output *out, const struct stat_row *row)
{
	fprintf(out->opts.fp, out->opts.big_num ? "%'18.*f" : "%18.*f", stat_row__decimals(row), stat_row__value(row));
}

static void print_metric(struct stat_output *out, const struct stat_row *row)
{
	char unit[128];

	if (!row->has_metric)
		fprintf(out->opts.fp, "%*s", METRIC_WIDTH, "");
	else
		fprintf(out->opts.fp, " # %8.*f %-*s", row->metric.decimals, row->metric.value, METRIC_WIDTH - 12,
			stat_metric__unit(&row->metric, unit, sizeof(unit)));
}

/* Anyone may name a cgroup, with what controls a terminal. */
static void print_cgroup(FILE *fp, const char *path)
{
	char shown[4096];

	snprintf(shown, sizeof(shown), "%s", path);
	fprintf(fp, " %-*s", CGROUP_WIDTH, printable__clean(shown));
}

static void print_row(struct stat_output *out, const struct stat_row *row)
{
	FILE *fp = out->opts.fp;
	const char *why_not = stat_row__why_not(row);
	const double percent = counter_cell__percent(row->cell), error = stats__error_percent(&row->cell->value);

	print_group(out, row->group, &row->cell->nr);
	if (why_not)
		fprintf(fp, "%18s", why_not);
	else
		print_count(out, row);
	fprintf(fp, " %-*s %-*s", out->unit_width, row->cell->state == COUNTER_NOT_SUPPORTED ? "" : stat_row__unit(row), NAME_WIDTH,
		row->evsel->name);
	if (out->opts.cgroups)
		print_cgroup(fp, row->evsel->cgroup ?: "");
	print_metric(out, row);
	if (out->opts.nr_runs > 1 && error > 0)
		fprintf(fp, "  ( +-%6.2f%% )", error);
	if (!why_not && row->cell->running < row->cell->enabled)
		fprintf(fp, "  (%.2f%%)", percent);
	fputc('\n', fp);
}

static void print_end(struct stat_output *out)
{
	if (!out->interval.is_one)
		fputc('\n', out->opts.fp);
}

static int column_width(const char *name)
{
	const int len = strlen(name);

	return len > COLUMN_WIDTH ? len : COLUMN_WIDTH;
}

static void print_metric_names(struct stat_output *out, const struct stat_row *rows, unsigned int nr)
{
	char name[256];

	if (out->interval.is_one)
		fprintf(out->opts.fp, "%-16s ", "#           time");
	if (out->groups->by != COUNTER_BY_NONE)
		fprintf(out->opts.fp, "%-*s", stat_group_columns[out->groups->by].width, out->interval.is_one ?
			stat_group_columns[out->groups->by].name : "");
	for (unsigned int i = 0; i < nr; i++) {
		stat_metric__column(&rows[i], name, sizeof(name));
		fprintf(out->opts.fp, "%*s ", column_width(name), name);
	}
	fputc('\n', out->opts.fp);
}

static void print_metrics(struct stat_output *out, const struct stat_row *rows, unsigned int nr)
{
	char number[64], name[256];

	print_group(out, rows[0].group, NULL);
	for (unsigned int i = 0; i < nr; i++) {
		number[0] = '\0';
		if (rows[i].has_metric)
			snprintf(number, sizeof(number), "%.*f", rows[i].metric.decimals, rows[i].metric.plain);
		fprintf(out->opts.fp, "%*s ", column_width(stat_metric__column(&rows[i], name, sizeof(name))), number);
	}
	fputc('\n', out->opts.fp);
}

/* Each run, its distance from the mean, and a bar of up to 40 characters that shows that distance. */
static void print_single_runs(struct stat_output *out, const struct stat_times *times)
{
	const double mean = times->elapsed.mean;

	fprintf(out->opts.fp, "%7s# Table of individual measurements:\n", "");
	for (unsigned int i = 0; i < times->elapsed.nr; i++) {
		const double run = times->run[i], share = mean > 0 ? fabs(run - mean) / mean : 0;
		int len = share * 100 / 5;

		if (len > 40)
			len = 40;
		fprintf(out->opts.fp, "%18.9f (%+.9f) %.*s\n", run / 1e9, (run - mean) / 1e9, len + 1, "##########################################");
	}
	fprintf(out->opts.fp, "\n%7s# Final result:\n", "");
}

static void print_times(struct stat_output *out, const struct stat_times *times)
{
	FILE *fp = out->opts.fp;

	if (out->opts.metric_only)
		fputc('\n', fp);
	if (out->opts.nr_runs > 1) {
		if (out->opts.single_runs)
			print_single_runs(out, times);
		fprintf(fp, "%18.9f +- %.9f seconds time elapsed", times->elapsed.mean / 1e9, stats__error(&times->elapsed) / 1e9);
		if (stats__error(&times->elapsed) > 0)
			fprintf(fp, "  ( +-%6.2f%% )", stats__error_percent(&times->elapsed));
		fputs("\n\n", fp);
		return;
	}
	fprintf(fp, "%18.9f seconds time elapsed\n", times->elapsed.mean / 1e9);
	if (times->has_usage)
		fprintf(fp, "\n%18.9f seconds user\n%18.9f seconds sys\n\n", times->user / 1e6, times->sys / 1e6);
	fputc('\n', fp);
}

const struct stat_ops stat_text_ops = {
	.localized = true,
	.title = print_title,
	.heading = print_heading,
	.row = print_row,
	.end_rows = print_end,
	.metric_names = print_metric_names,
	.metrics = print_metrics,
	.times = print_times,
};
