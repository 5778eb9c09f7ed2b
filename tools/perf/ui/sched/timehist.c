// SPDX-License-Identifier: GPL-2.0
#include "ui/sched/timehist.h"

#include <inttypes.h>
#include <string.h>
#include "util/lib/printable.h"
#include "util/lib/text.h"

#define PRIO_WIDTH 8
#define TIME_WIDTH 9
#define LABEL_MAX 64

static const char *label(struct timehist_layout *l, const struct timehist_task *task, char *buf)
{
	int len;

	if (!task->pid && !task->tid)
		len = snprintf(buf, LABEL_MAX, "%s", task->comm);
	else if (task->pid != task->tid && task->pid && task->pid != (u32)-1)
		len = snprintf(buf, LABEL_MAX, "%s[%u/%u]", task->comm, task->tid, task->pid);
	else
		len = snprintf(buf, LABEL_MAX, "%s[%u]", task->comm, task->tid);
	if (len >= LABEL_MAX)
		len = LABEL_MAX - 1;
	if (len > l->name_width)
		l->name_width = len;
	return printable__clean(buf);
}

static void repeat(char c, int nr)
{
	while (nr-- > 0)
		putchar(c);
}

void timehist__print_time(u64 ns, int width)
{
	printf("%*" PRIu64 ".%03" PRIu64 " ", width, (uint64_t)(ns / 1000000), (uint64_t)(ns / 1000 % 1000));
}

/* Headers */

static void print_cpu_digits(const struct timehist_layout *l)
{
	if (!l->visual)
		return;
	putchar(' ');
	for (u32 i = 0; i < l->nr_cpus; i++)
		printf("%x", i % 16);
	putchar(' ');
}

static void print_names(const struct timehist_layout *l)
{
	printf("%15s %6s ", "time", "cpu");
	print_cpu_digits(l);
	printf(" %-*s", l->name_width, "task name");
	if (l->prio)
		printf("  %-*s", PRIO_WIDTH, "prio");
	printf("  %9s  %9s  %9s", "wait time", "sch delay", "run time");
	if (l->pre_migrations)
		printf("  %9s", "pre-mig time");
	printf("%s\n", l->state ? "  state" : "");
}

static void print_units(const struct timehist_layout *l)
{
	printf("%15s %-6s ", "", "");
	if (l->visual)
		printf(" %*s ", (int)l->nr_cpus, "");
	printf(" %-*s", l->name_width, "[tid/pid]");
	if (l->prio)
		printf("  %-*s", PRIO_WIDTH, "");
	for (int i = 0; i < 3 + l->pre_migrations; i++)
		printf("  %*s", TIME_WIDTH, "(msec)");
	putchar('\n');
}

static void print_dashes(const struct timehist_layout *l)
{
	const int widths[] = { l->name_width, l->prio ? PRIO_WIDTH : 0, TIME_WIDTH, TIME_WIDTH, TIME_WIDTH, l->pre_migrations ? TIME_WIDTH : 0,
			       l->state ? 5 : 0 };

	repeat('-', 15);
	putchar(' ');
	repeat('-', 6);
	putchar(' ');
	if (l->visual) {
		putchar(' ');
		repeat('-', l->nr_cpus);
		putchar(' ');
	}
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		if (!widths[i])
			continue;
		printf("%s", i ? "  " : " ");
		repeat('-', widths[i]);
	}
	putchar('\n');
}

void timehist__print_header(const struct timehist_layout *l)
{
	print_names(l);
	print_units(l);
	print_dashes(l);
}

/* Lines */

static void print_place(u64 time, u32 cpu)
{
	char text[32];

	printf("%15s [%04u] ", text__format_time(text, sizeof(text), time), cpu);
}

static void print_visual(const struct timehist_layout *l, u32 cpu, char c)
{
	if (!l->visual)
		return;
	putchar(' ');
	for (u32 i = 0; i < l->nr_cpus; i++)
		putchar(i == cpu ? c : ' ');
	putchar(' ');
}

static void print_prio(const struct timehist_line *line)
{
	char text[32];

	if (line->prio_in != line->prio_out && line->prio_in != -1)
		snprintf(text, sizeof(text), "%d->%d", line->prio_in, line->prio_out);
	else
		snprintf(text, sizeof(text), "%d", line->prio_out);
	printf(" %-*s ", PRIO_WIDTH, text);
}

void timehist__print_frames(const struct sched_frames *frames)
{
	for (u32 i = 0; i < frames->nr; i++) {
		printf("%s", i ? " <- " : "");
		printable__fputs(frames->name[i] ?: "[unknown]", stdout);
	}
}

static void print_next(const struct timehist_layout *l, const struct timehist_task *next)
{
	char text[LABEL_MAX];

	snprintf(text, 30, "next: %s[%u]", next->comm, next->tid);
	printf(" %-*s", l->name_width, printable__clean(text));
}

void timehist__print_line(struct timehist_layout *l, const struct timehist_line *line)
{
	const bool idle = !line->task.tid;
	char text[LABEL_MAX];

	print_place(line->time, line->cpu);
	print_visual(l, line->cpu, idle ? 'i' : 's');
	label(l, &line->task, text);
	printf(" %-*s ", l->name_width, text);
	if (l->prio)
		print_prio(line);
	timehist__print_time(line->wait, 6);
	timehist__print_time(line->delay, 6);
	timehist__print_time(line->run, 6);
	if (l->pre_migrations)
		timehist__print_time(line->pre_migration, 6);
	if (l->state)
		printf(" %5c ", idle ? 'I' : line->state);
	if (l->next)
		print_next(l, &line->next);
	else if (l->wakeups)
		printf("  %-*s", l->name_width, "");
	if (!idle && line->frames) {
		fputs("   ", stdout);
		timehist__print_frames(line->frames);
	}
	putchar('\n');
}

static void print_event(struct timehist_layout *l, u64 time, u32 cpu, const struct timehist_task *by, char c)
{
	char text[LABEL_MAX];

	print_place(time, cpu);
	print_visual(l, cpu, c);
	label(l, by, text);
	printf(" %-*s ", l->name_width, text);
	printf("  %9s  %9s  %9s ", "", "", "");
}

void timehist__print_wakeup(struct timehist_layout *l, u64 time, u32 cpu, const struct timehist_task *by, const struct timehist_task *woken)
{
	char text[LABEL_MAX];

	print_event(l, time, cpu, by, ' ');
	printf("awakened: %s\n", label(l, woken, text));
}

void timehist__print_migration(struct timehist_layout *l, u64 time, u32 cpu, const struct timehist_task *by, const struct timehist_task *moved,
			       u32 from, u32 to)
{
	char text[LABEL_MAX];

	print_event(l, time, cpu, by, 'm');
	printf("migrated: %s cpu %u => %u\n", label(l, moved, text), from, to);
}

/* The summary */

void timehist__print_summary_header(struct timehist_layout *l, bool idle)
{
	const char *what = idle ? "Idle-time" : l->state ? "Wait-time" : "Runtime";

	printf("\n%s summary\n%*s  parent  %s  ", what, l->name_width, "comm", idle ? "sched-out" : " sched-in");
	if (idle)
		printf("  idle-time   min-idle    avg-idle    max-idle  stddev  migrations\n");
	else if (l->state)
		printf("   run-time      sleep      iowait     preempt       delay\n");
	else
		printf("   run-time    min-run     avg-run     max-run  stddev  migrations\n");
	printf("%*s            (count)       (msec)     (msec)      (msec)      (msec)       %s\n", l->name_width, "",
	       l->state && !idle ? "(msec)" : "%");
	repeat('-', 117);
	putchar('\n');
}

void timehist__print_sums(struct timehist_layout *l, const struct timehist_sums *s)
{
	const bool waits = l->state;
	char text[LABEL_MAX];

	label(l, &s->task, text);
	printf("%*s   %5d  %9" PRIu64 " ", l->name_width, text, (int)s->ppid, (uint64_t)s->nr);
	timehist__print_time(s->run, 8);
	timehist__print_time(waits ? s->sleep : s->min, 6);
	putchar(' ');
	timehist__print_time(waits ? s->iowait : (u64)s->mean, 6);
	putchar(' ');
	timehist__print_time(waits ? s->preempt : s->max, 6);
	if (waits) {
		putchar(' ');
		timehist__print_time(s->delay, 6);
	} else {
		printf("  %5.2f   %5" PRIu64, s->mean > 0 ? 100 * s->deviation / s->mean : 0, (uint64_t)s->migrations);
	}
	putchar('\n');
}
