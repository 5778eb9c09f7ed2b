// SPDX-License-Identifier: GPL-2.0
#include "ui/script/numbers.h"

#include "ui/script/fields.h"

#define NSEC 1000000000
#define COMM_WIDTH 16
#define LATENCY_COMM_WIDTH 8

/* For the styles that do not print the time itself. */
static u64 shown_time(struct script_clock *clock, enum script_times times, u64 time)
{
	u64 since;

	if (times == SCRIPT_TIMES_PLAIN)
		return time;
	if (!clock->any)
		clock->first = clock->previous = time;
	clock->any = true;
	since = times == SCRIPT_TIMES_RELATIVE ? clock->first : clock->previous;
	clock->previous = time;
	return time - since;
}

static void print_time(struct text *text, u64 ns, bool all_digits)
{
	u64 frac = ns % NSEC;

	text__unsigned(text, ns / NSEC, 5, ' ');
	text__char(text, '.');
	text__unsigned(text, all_digits ? frac : frac / 1000, all_digits ? 9 : 6, '0');
	text__put(text, ": ", 2);
}

/* "    123/123     " */
static void print_pid_tid(struct text *text, s32 pid, s32 tid)
{
	size_t start;

	text__signed(text, pid, 7);
	text__char(text, '/');
	start = text->len;
	text__signed(text, tid, 0);
	do
		text__char(text, ' ');
	while (text->len - start < 8 && !text->failed);
}

static void print_cpu(struct text *text, s32 cpu, bool latency)
{
	if (latency) {
		text__signed(text, cpu, 3);
		text__char(text, ' ');
		return;
	}
	text__char(text, '[');
	if (cpu < 0)
		text__printf(text, "%03d", cpu);
	else
		text__unsigned(text, cpu, 3, '0');
	text__put(text, "] ", 2);
}

static void print_comm(struct text *text, const char *comm, bool latency, bool is_free)
{
	if (latency)
		text__printf(text, "%*.*s", LATENCY_COMM_WIDTH, LATENCY_COMM_WIDTH, comm);
	else if (is_free)
		text__str(text, comm);
	else
		text__str_right(text, comm, COMM_WIDTH);
	text__char(text, ' ');
}

void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text)
{
	if (n->mask & SCRIPT_COMM)
		print_comm(text, n->comm, style->latency, n->comm_is_free);
	if (n->mask & SCRIPT_PID && n->mask & SCRIPT_TID) {
		print_pid_tid(text, n->pid, n->tid);
	} else if (n->mask & (SCRIPT_PID | SCRIPT_TID)) {
		text__signed(text, n->mask & SCRIPT_PID ? n->pid : n->tid, 7);
		text__char(text, ' ');
	}
	if (n->mask & SCRIPT_CPU)
		print_cpu(text, n->cpu, style->latency);
	if (n->mask & SCRIPT_TIME)
		print_time(text, shown_time(clock, style->times, n->time), style->ns);
	if (n->mask & SCRIPT_PERIOD) {
		text__unsigned(text, n->period, 10, ' ');
		text__char(text, ' ');
	}
	if (n->mask & SCRIPT_EVENT) {
		text__str_right(text, n->event, style->name_width);
		text__put(text, ": ", 2);
	}
}
