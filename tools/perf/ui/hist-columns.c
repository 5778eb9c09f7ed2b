// SPDX-License-Identifier: GPL-2.0
#include "ui/hist-columns.h"

#include <string.h>

#define ADDR_WIDTH 16	    /* digits of an address */
#define LEVEL_WIDTH 4	    /* "[k] " before a symbol */
#define INLINED " (inlined)" /* after one */
#define PID_WIDTH 8	    /* "    123:" before a command name */

struct row { /* one cell that is being printed */
	FILE *fp;
	const struct hist_entry *entry;
	int width;
};

struct column {
	const char *title;
	int width; /* least width */
	bool right; /* aligned */
	int (*entry_width)(const struct hist_entry *entry); /* NULL: always .width */
	int (*print)(const struct row *row); /* as many columns as the row's width wants; returns how many */
};

double hist_entry__percent(const struct hist_entry *entry, u64 period)
{
	u64 total = entry->hists->total_period;

	return total ? period * 100.0 / total : 0.0;
}

static int print_overhead(const struct row *row)
{
	return fprintf(row->fp, "%*.2f%%", row->width - 1, hist_entry__percent(row->entry, row->entry->self.period));
}

static int print_children(const struct row *row)
{
	return fprintf(row->fp, "%*.2f%%", row->width - 1, hist_entry__percent(row->entry, row->entry->total.period));
}

static int print_samples(const struct row *row)
{
	return fprintf(row->fp, "%*llu", row->width, (unsigned long long)row->entry->self.nr);
}

static int print_period(const struct row *row)
{
	return fprintf(row->fp, "%*llu", row->width, (unsigned long long)row->entry->self.period);
}

static int comm_width(const struct hist_entry *entry)
{
	return strlen(entry->comm);
}

static int print_comm(const struct row *row)
{
	return fprintf(row->fp, "%-*s", row->width, row->entry->comm);
}

/* A dso that cannot be told leaves room for the address it is shown by elsewhere, as in perf. */
static int dso_width(const struct hist_entry *entry)
{
	int len = entry->dso ? strlen(entry->dso->short_name) : 0;

	return !entry->sym && len < ADDR_WIDTH ? ADDR_WIDTH : len;
}

static int print_dso(const struct row *row)
{
	return fprintf(row->fp, "%-*s", row->width, row->entry->dso ? row->entry->dso->short_name : "[unknown]");
}

static int symbol_width(const struct hist_entry *entry)
{
	if (entry->sym)
		return LEVEL_WIDTH + strlen(entry->sym->name);
	return LEVEL_WIDTH + 2 + ADDR_WIDTH;
}

static int print_symbol(const struct row *row)
{
	if (row->entry->sym)
		return fprintf(row->fp, "[%c] %s%s", row->entry->level, row->entry->sym->name,
			       row->entry->sym->inlined ? INLINED : "");
	return fprintf(row->fp, "[%c] %#.*llx", row->entry->level, ADDR_WIDTH, (unsigned long long)row->entry->addr);
}

/* A thread is shown by its last name, whatever it was called when it was sampled. */
static int pid_width(const struct hist_entry *entry)
{
	return PID_WIDTH + strlen(entry->thread->comm);
}

static int print_pid(const struct row *row)
{
	return fprintf(row->fp, "%*d:%-*s", PID_WIDTH - 1, row->entry->tid, row->width - PID_WIDTH,
		       row->entry->thread->comm);
}

static int print_cpu(const struct row *row)
{
	return fprintf(row->fp, "%*.*d", row->width, row->width, row->entry->cpu);
}

static int trace_width(const struct hist_entry *entry)
{
	return entry->trace ? strlen(entry->trace) : 0;
}

static int print_trace(const struct row *row)
{
	return fprintf(row->fp, "%s", row->entry->trace ?: "");
}

static const struct column columns[HIST_NR_FIELDS] = {
	[HIST_OVERHEAD] = { "Overhead", 8, true, NULL, print_overhead },
	[HIST_OVERHEAD_CHILDREN] = { "Children", 8, true, NULL, print_children },
	[HIST_SAMPLE] = { "Samples", 12, true, NULL, print_samples },
	[HIST_PERIOD] = { "Period", 12, true, NULL, print_period },
	[HIST_COMM] = { "Command", 7, false, comm_width, print_comm },
	[HIST_DSO] = { "Shared Object", 13, false, dso_width, print_dso },
	[HIST_SYM] = { "Symbol", 6, false, symbol_width, print_symbol },
	[HIST_PID] = { "    Pid:Command", 15, false, pid_width, print_pid },
	[HIST_CPU] = { "CPU", 3, false, NULL, print_cpu },
	[HIST_TRACE] = { "Trace output", 12, false, trace_width, print_trace },
};

static const char *column_title(const struct hists *hists, enum hist_field field)
{
	if (field == HIST_OVERHEAD && hists->opts.children && !hists->opts.layout.own_columns)
		return "Self";
	return columns[field].title;
}

void hists__measure(const struct hists *hists, int width[HIST_NR_FIELDS])
{
	const struct hist_field_list *list = &hists->opts.layout.columns;

	for (u32 i = 0; i < list->nr; i++) {
		const struct column *column = &columns[list->field[i]];

		width[i] = column->width;
		if (!column->entry_width)
			continue;
		for (u32 e = 0; e < hists->nr_entries; e++) {
			int w = column->entry_width(hists->entry[e]);

			if (w > width[i])
				width[i] = w;
		}
	}
}

void hists__fprintf_titles(const struct hists *hists, FILE *fp, const int width[HIST_NR_FIELDS])
{
	const struct hist_field_list *list = &hists->opts.layout.columns;

	for (u32 i = 0; i < list->nr; i++) {
		int w = columns[list->field[i]].right ? width[i] : -width[i];

		fprintf(fp, "%s%*s", i ? "  " : "", w, column_title(hists, list->field[i]));
	}
}

void hist_entry__fprintf(const struct hist_entry *entry, FILE *fp, const int width[HIST_NR_FIELDS])
{
	const struct hist_field_list *list = &entry->hists->opts.layout.columns;

	for (u32 i = 0; i < list->nr; i++) {
		struct row row = { .fp = fp, .entry = entry, .width = width[i] };
		int printed;

		fputs(i ? "  " : "", fp);
		printed = columns[list->field[i]].print(&row);
		if (i + 1 < list->nr && printed < width[i])
			fprintf(fp, "%*s", width[i] - printed, "");
	}
}
