// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "ui/kwork/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/advice.h"
#include "util/lib/array.h"
#include "util/lib/log.h"
#include "util/lib/text.h"

#define NAME_WIDTH 30
#define MS_WIDTH 10
#define COUNT_WIDTH 9
#define TIME_WIDTH 17
#define BAR_WIDTH 30

static double ms(u64 ns)
{
	return ns / 1e6;
}

static void separator(FILE *fp, int width)
{
	fputc(' ', fp);
	while (width-- > 0)
		fputc('-', fp);
	fputc('\n', fp);
}

/* Tables */

static int print_header(FILE *fp, const char *total, const char *longest, bool stages)
{
	int width = 0;

	fputs("\n ", fp);
	width += fprintf(fp, " %-*s | %-4s |", NAME_WIDTH, "Kwork Name", "Cpu");
	width += fprintf(fp, " %-*s |", MS_WIDTH + 3, total);
	width += fprintf(fp, " %-*s |", COUNT_WIDTH, "Count");
	width += fprintf(fp, " Max %-*s |", MS_WIDTH - 1, longest);
	width += fprintf(fp, " Max %s %-*s |", longest, TIME_WIDTH - 3 - (int)strlen(longest), "start");
	width += fprintf(fp, " Max %s %-*s |", longest, TIME_WIDTH - 3 - (int)strlen(longest), "end");
	if (stages)
		width += fprintf(fp, " %-*s |", MS_WIDTH + 3, "Avg inactive");
	fputc('\n', fp);
	separator(fp, width);
	return width;
}

static void print_first(FILE *fp, const struct kwork_shown *shown)
{
	char label[KWORK_LABEL_LEN];

	kwork_label(shown->class, shown->name, shown->class == KWORK_TASK ? shown->tid : shown->row.number, label, sizeof(label));
	fprintf(fp, "  %-*s |", NAME_WIDTH, label);
	if (shown->class == KWORK_TASK)
		fprintf(fp, " %-4s |", "-");
	else
		fprintf(fp, " %04u |", shown->cpu);
}

static void print_times(FILE *fp, const struct kwork_times *t, u64 first)
{
	char begin[32], end[32];

	fprintf(fp, " %*.3f ms | %*" PRIu64 " | %*.3f ms | %*s s | %*s s |", MS_WIDTH, ms(first), COUNT_WIDTH, (uint64_t)t->count, MS_WIDTH,
		ms(t->greatest), TIME_WIDTH, text__format_time(begin, sizeof(begin), t->begin), TIME_WIDTH,
		text__format_time(end, sizeof(end), t->end));
}

void kwork_output__report(FILE *fp, struct kwork_shown *const *rows, size_t nr, struct kwork_summary *sum)
{
	const int width = print_header(fp, "Total Runtime", "runtime", false);

	for (size_t i = 0; i < nr; i++) {
		const struct kwork_times *t = &rows[i]->row.run;

		if (!t->count)
			continue;
		print_first(fp, rows[i]);
		print_times(fp, t, t->total);
		fputc('\n', fp);
		sum->count += t->count;
		sum->ns += t->total;
	}
	separator(fp, width);
}

void kwork_output__latency(FILE *fp, struct kwork_shown *const *rows, size_t nr, bool stages)
{
	const int width = print_header(fp, "Avg delay", "delay", stages);

	for (size_t i = 0; i < nr; i++) {
		const struct kwork_times *t = &rows[i]->row.wait;

		if (!t->count)
			continue;
		print_first(fp, rows[i]);
		print_times(fp, t, t->total / t->count);
		if (stages && rows[i]->class == KWORK_WORK)
			fprintf(fp, " %*.3f ms |", MS_WIDTH, ms(rows[i]->row.queued.total / t->count));
		else if (stages)
			fprintf(fp, " %*s |", MS_WIDTH + 3, "");
		fputc('\n', fp);
	}
	separator(fp, width);
}

static u64 sum_of(const struct kwork_machine *m, size_t offset)
{
	u64 sum = 0;

	for (u32 i = 0; i < m->nr_cpus; i++)
		sum += *(const u64 *)((const char *)&m->cpu[i] + offset);
	return sum;
}
#define SUM_OF(m, member) sum_of(m, offsetof(struct kwork_cpu_times, member))

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

void kwork_output__summary(FILE *fp, const struct kwork_summary *sum, const struct kwork_machine *m)
{
	fprintf(fp, "  Total count            : %9" PRIu64 "\n", (uint64_t)sum->count);
	fprintf(fp, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n", ms(sum->ns), percent(sum->ns, SUM_OF(m, elapsed)));
	fprintf(fp, "  Total time span (msec) : %9.3f\n", m->nr_cpus ? ms(m->cpu[0].elapsed) : 0);
}

/* Runs */

void kwork_output__timehist_header(FILE *fp)
{
	static const char dots[] = "------------------------------";

	fprintf(fp, " %-*s  %-*s  %-6s  %-*s  %-*s  %-*s\n", TIME_WIDTH, "Runtime start", TIME_WIDTH, "Runtime end", "Cpu", NAME_WIDTH, "Kwork name",
		MS_WIDTH, "Runtime", MS_WIDTH, "Delaytime");
	fprintf(fp, " %-*s  %-*s  %-6s  %-*s  %-*s  %-*s\n", TIME_WIDTH, "", TIME_WIDTH, "", "", NAME_WIDTH, "(TYPE)NAME:NUM", MS_WIDTH, "(msec)",
		MS_WIDTH, "(msec)");
	fprintf(fp, " %.*s  %.*s  %.6s  %.*s  %.*s  %.*s\n", TIME_WIDTH, dots, TIME_WIDTH, dots, dots, NAME_WIDTH, dots, MS_WIDTH, dots, MS_WIDTH,
		dots);
}

void kwork_output__timehist(FILE *fp, const struct kwork_record *r, const char *name)
{
	char begin[32], end[32], label[KWORK_LABEL_LEN];

	kwork_label(r->key.class, name, r->key.class == KWORK_TASK ? r->key.id : r->number, label, sizeof(label));
	fprintf(fp, " %*s  %*s  [%04u]  %-*s  %*.3f ", TIME_WIDTH, text__format_time(begin, sizeof(begin), r->begin), TIME_WIDTH,
		text__format_time(end, sizeof(end), r->end), r->cpu, NAME_WIDTH, label, MS_WIDTH, ms(r->ns));
	if (r->raised)
		fprintf(fp, " %*.3f ", MS_WIDTH, ms(r->wait));
	else
		fprintf(fp, " %*s ", MS_WIDTH, "");
	fputc('\n', fp);
}

/* Shares */

int kwork_machine__add(struct kwork_machine *m, const struct kwork_cpu_times *times)
{
	if (array__extend(m->cpu, m->nr_cpus))
		return -ENOMEM;
	m->cpu[m->nr_cpus++] = *times;
	return 0;
}

void kwork_machine__exit(struct kwork_machine *m)
{
	free(m->cpu);
	*m = (struct kwork_machine){ 0 };
}

static void print_bars(FILE *fp, const struct kwork_machine *m)
{
	static const char bar[] = "||||||||||||||||||||||||||||||", rest[] = "                              ";

	for (u32 i = 0; i < m->nr_cpus; i++) {
		const struct kwork_cpu_times *t = &m->cpu[i];
		const u64 busy = t->elapsed > t->idle ? t->elapsed - t->idle : 0;
		const int len = t->elapsed ? BAR_WIDTH * busy / t->elapsed : 0;

		fprintf(fp, "%%Cpu%-4u[%.*s%.*s %6.2f%%]\n", t->cpu, len, bar, BAR_WIDTH - len, rest, percent(busy, t->elapsed));
	}
}

void kwork_output__top(FILE *fp, struct kwork_shown *const *rows, size_t nr, const struct kwork_machine *m)
{
	const u64 all = SUM_OF(m, elapsed), one = m->nr_cpus ? m->cpu[0].elapsed : 0;
	int width;

	fprintf(fp, "\nTotal  : %10.3f ms, %u cpus\n", ms(all), m->nr_cpus);
	fprintf(fp, "%%Cpu(s): %6.2f%% id, %6.2f%% hi, %6.2f%% si\n", percent(SUM_OF(m, idle), all), percent(SUM_OF(m, irq), all),
		percent(SUM_OF(m, softirq), all));
	print_bars(fp, m);
	fputs("\n ", fp);
	width = fprintf(fp, " %7s  %7s  %6s  %16s  %-16s", "PID", "SPID", "%CPU", "RUNTIME", "COMMAND");
	fputc('\n', fp);
	separator(fp, width);
	for (size_t i = 0; i < nr; i++) {
		const struct kwork_shown *r = rows[i];

		if (!r->row.run.total)
			continue;
		fprintf(fp, "  %7u  %7u  %6.2f  %13.3f ms  %s%s%s\n", r->row.number, r->tid, percent(r->row.run.total, one), ms(r->row.run.total),
			r->row.kernel ? "[" : "", r->name, r->row.kernel ? "]" : "");
	}
	fputs("\n", fp);
}

/* Notes */

static void tell(u64 nr, const char *what)
{
	char line[160];

	if (nr)
		pr_warn("%s\n", counted(line, sizeof(line), nr, what));
}

void kwork_output__notes(const struct kwork_totals *t, bool verbose)
{
	tell(t->lost_rows, "{run or wait is|runs and waits are} missing: the map of rows was full. Take room for more (-M)");
	tell(t->lost_waits, "{work has|works have} no wait: the map of works that wait was full. Take room for more (-M)");
	tell(t->lost_works, "{run of a work is|runs of works are} missing: the kernel had no memory to follow {it|them}");
	tell(t->lost_records, "{run is|runs are} missing: the ring buffer was full. Take a larger one (-m), or fewer classes (-k)");
	tell(t->missed, "{hit (of any task) was|hits (of any task) were} missed: a BPF program was already running on that CPU");
	if (!verbose)
		return;
	tell(t->unended, "{run|runs} had no end that perf saw, and {is|are} left out");
	tell(t->open, "{run|runs} went on at the end: {it is|they are} counted with {its|their} time so far");
	tell(t->waiting, "{task|tasks} waited at the end: {it is|they are} counted with {its|their} time so far");
	tell(t->early, "{work was|works were} queued before perf watched: {it has|they have} no wait");
}
