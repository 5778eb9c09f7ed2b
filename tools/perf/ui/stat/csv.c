// SPDX-License-Identifier: GPL-2.0
/* perf stat for scripts: a line for each count. Numbers have a decimal point whatever the locale is. */
#include "ui/stat/output-ops.h"

#include <stdlib.h>
#include <string.h>
#include "util/lib/printable.h"

static void print_quoted(const char *text, FILE *fp)
{
	fputc('"', fp);
	for (; *text; text++)
		fprintf(fp, "%s%c", *text == '"' ? "\"" : "", *text);
	fputc('"', fp);
}

/* A text that holds the separator stands in quotes, as in RFC 4180: names of tasks and cgroups may be anything. */
static void print_text(struct stat_output *out, const char *text)
{
	const char *separator = out->opts.separator;
	FILE *fp = out->opts.fp;
	char *clean = strdup(text);

	if (clean && (strstr(printable__clean(clean), separator) || strchr(clean, '"')))
		print_quoted(clean, fp);
	else
		printable__fputs(text, fp);
	fputs(separator, fp);
	free(clean);
}

static void print_prefix(struct stat_output *out, const struct counter_group *group, const unsigned int *nr)
{
	const char *separator = out->opts.separator;
	FILE *fp = out->opts.fp;

	if (out->interval.is_one)
		fprintf(fp, "%.9f%s", out->interval.at, separator);
	else if (out->opts.mark_summary)
		fprintf(fp, "summary%s", separator);
	if (out->groups->by != COUNTER_BY_NONE)
		print_text(out, group->name);
	if (stat_group_columns[out->groups->by].has_nr && nr)
		fprintf(fp, "%u%s", *nr, separator);
}

static void print_count(struct stat_output *out, const struct stat_row *row)
{
	const char *why_not = stat_row__why_not(row);

	if (why_not)
		fputs(why_not, out->opts.fp);
	else
		fprintf(out->opts.fp, "%.*f", stat_row__decimals(row), stat_row__value(row));
}

static void print_row(struct stat_output *out, const struct stat_row *row)
{
	const char *separator = out->opts.separator;
	FILE *fp = out->opts.fp;
	char unit[128];

	print_prefix(out, row->group, &row->cell->nr);
	print_count(out, row);
	fprintf(fp, "%s%s%s", separator, row->cell->state == COUNTER_NOT_SUPPORTED ? "" : stat_row__unit(row), separator);
	print_text(out, row->evsel->name);
	if (out->opts.cgroups)
		print_text(out, row->evsel->cgroup ?: "");
	if (out->opts.nr_runs > 1)
		fprintf(fp, "%.2f%%%s", stats__error_percent(&row->cell->value), separator);
	fprintf(fp, "%llu%s%.2f%s", (unsigned long long)counter_cell__runtime(row->cell), separator, counter_cell__percent(row->cell), separator);
	if (row->has_metric)
		fprintf(fp, "%.*f%s%s\n", row->metric.decimals, row->metric.value, separator,
			stat_metric__unit(&row->metric, unit, sizeof(unit)));
	else
		fprintf(fp, "%s\n", separator);
}

static void print_metric_names(struct stat_output *out, const struct stat_row *rows, unsigned int nr)
{
	const char *separator = out->opts.separator;
	char name[256];

	if (out->interval.is_one)
		fprintf(out->opts.fp, "time%s", separator);
	if (out->groups->by != COUNTER_BY_NONE)
		fprintf(out->opts.fp, "%s%s", stat_group_columns[out->groups->by].key, separator);
	for (unsigned int i = 0; i < nr; i++)
		print_text(out, stat_metric__column(&rows[i], name, sizeof(name)));
	fputc('\n', out->opts.fp);
}

static void print_metrics(struct stat_output *out, const struct stat_row *rows, unsigned int nr)
{
	print_prefix(out, rows[0].group, NULL);
	for (unsigned int i = 0; i < nr; i++) {
		if (rows[i].has_metric)
			fprintf(out->opts.fp, "%.*f", rows[i].metric.decimals, rows[i].metric.plain);
		fputs(out->opts.separator, out->opts.fp);
	}
	fputc('\n', out->opts.fp);
}

const struct stat_ops stat_csv_ops = {
	.row = print_row,
	.metric_names = print_metric_names,
	.metrics = print_metrics,
};
