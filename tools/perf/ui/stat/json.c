// SPDX-License-Identifier: GPL-2.0
/* perf stat as JSON: an object for each count, one a line. Counts are texts, as in other perfs: they may be "<not counted>". */
#include <string.h>
#include "ui/json.h"
#include "ui/stat/output-ops.h"

static void put_key(struct stat_output *out, const char *key)
{
	fputs(out->began ? ", " : "{", out->opts.fp);
	json__print_string(out->opts.fp, key);
	fputs(" : ", out->opts.fp);
	out->began = true;
}

static void put_text(struct stat_output *out, const char *key, const char *text)
{
	put_key(out, key);
	json__print_string(out->opts.fp, text);
}

static void put_number(struct stat_output *out, const char *key, const char *format, double value)
{
	put_key(out, key);
	fprintf(out->opts.fp, format, value);
}

static void begin(struct stat_output *out, const struct counter_group *group, const unsigned int *nr)
{
	const struct stat_group_column *column = &stat_group_columns[out->groups->by];

	out->began = false;
	if (out->interval.is_one)
		put_number(out, "interval", "%.9f", out->interval.at);
	if (column->key)
		put_text(out, column->key, group->cpu >= 0 ? group->name + strlen("CPU") : group->name);
	if (column->has_nr && nr)
		put_number(out, "counters", "%.0f", *nr);
}

static void print_row(struct stat_output *out, const struct stat_row *row)
{
	const char *why_not = stat_row__why_not(row);
	char unit[128];

	begin(out, row->group, &row->cell->nr);
	if (why_not)
		put_text(out, "counter-value", why_not);
	else
		put_number(out, "counter-value", "\"%.6f\"", stat_row__value(row));
	put_text(out, "unit", row->cell->state == COUNTER_NOT_SUPPORTED ? "" : stat_row__unit(row));
	put_text(out, "event", row->evsel->name);
	if (out->opts.cgroups)
		put_text(out, "cgroup", row->evsel->cgroup ?: "");
	if (out->opts.nr_runs > 1)
		put_number(out, "variance", "%.2f", stats__error_percent(&row->cell->value));
	put_number(out, "event-runtime", "%.0f", counter_cell__runtime(row->cell));
	put_number(out, "pcnt-running", "%.2f", counter_cell__percent(row->cell));
	if (row->has_metric) {
		put_number(out, "metric-value", "\"%.6f\"", row->metric.value);
		put_text(out, "metric-unit", stat_metric__unit(&row->metric, unit, sizeof(unit)));
	}
	fputs("}\n", out->opts.fp);
}

static void print_metrics(struct stat_output *out, const struct stat_row *rows, unsigned int nr)
{
	char name[256];

	begin(out, rows[0].group, NULL);
	for (unsigned int i = 0; i < nr; i++) {
		if (rows[i].has_metric)
			put_number(out, stat_metric__column(&rows[i], name, sizeof(name)), "\"%.6f\"", rows[i].metric.plain);
	}
	fputs(out->began ? "}\n" : "{}\n", out->opts.fp);
}

const struct stat_ops stat_json_ops = {
	.row = print_row,
	.metrics = print_metrics,
};
