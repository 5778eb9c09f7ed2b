// SPDX-License-Identifier: GPL-2.0
#include "ui/script/numbers.h"

#include "ui/script/fields.h"

#define NSEC 1000000000
#define COMM_WIDTH 16
#define LATENCY_COMM_WIDTH 8
#define PERIOD_WIDTH 10

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

/* A constant size needs no call: the excess is overwritten. */
static void put_kept(struct text *text, const char *from, u32 len)
{
	char *to = text__reserve(text, SCRIPT_KEPT);

	if (!to)
		return;
	memcpy(to, from, SCRIPT_KEPT);
	text->len += len;
}

/* Keep what was printed since start. 0: it is too long. */
static u32 keep(const struct text *text, size_t start, char *to)
{
	size_t len = text->len - start;

	if (text->failed || len > SCRIPT_KEPT)
		return 0;
	memcpy(to, text->buf + start, len);
	return len;
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

/* "[001] " */
static void print_cpu(struct text *text, s32 cpu, bool latency)
{
	if (latency) {
		text__signed(text, cpu, 3);
		text__char(text, ' ');
		return;
	}
	text__char(text, '[');
	if (cpu >= 0 && cpu < 1000)
		text__digits(text, cpu, 3);
	else
		text__printf(text, "%03d", cpu);
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

/* All before the digits behind the second: "wl     123/123     [001]  1000." */
static void format_task(const struct script_numbers *n, bool latency, u64 second, struct text *text)
{
	if (n->mask & SCRIPT_COMM)
		print_comm(text, n->comm, latency, n->comm_is_free);
	if (n->mask & SCRIPT_PID && n->mask & SCRIPT_TID) {
		print_pid_tid(text, n->pid, n->tid);
	} else if (n->mask & (SCRIPT_PID | SCRIPT_TID)) {
		text__signed(text, n->mask & SCRIPT_PID ? n->pid : n->tid, 7);
		text__char(text, ' ');
	}
	if (n->mask & SCRIPT_CPU)
		print_cpu(text, n->cpu, latency);
	if (n->mask & SCRIPT_TIME) {
		text__unsigned(text, second, 5, ' ');
		text__char(text, '.');
	}
}

/* Only the CPU differs from that of the thread's line before: put the other one into what is kept. */
static bool change_cpu(struct script_task *kept, s32 cpu)
{
	char *to = kept->text + kept->cpu_at;

	if (kept->cpu == cpu || !(kept->mask & SCRIPT_CPU))
		return true;
	if (!kept->cpu_at || cpu < 0 || cpu >= 1000)
		return false;
	to[0] = '0' + cpu / 100;
	to[1] = '0' + cpu / 10 % 10;
	to[2] = '0' + cpu % 10;
	kept->cpu = cpu;
	return true;
}

static bool is_same_task(struct script_task *kept, const struct script_numbers *n, u64 time)
{
	return kept->len && time - kept->since < NSEC && kept->tid == n->tid && kept->comm == n->comm && kept->pid == n->pid &&
	       kept->mask == n->mask && kept->comm_is_free == n->comm_is_free && change_cpu(kept, n->cpu);
}

/* Of what ends with "001] ", and with "1000." if there is a time. */
static u32 find_cpu(const char *text, u32 len, bool time)
{
	u32 at = len;

	while (time && at > 0 && text[at - 1] != ' ')
		at--;
	while (at > 0 && text[at - 1] == ' ')
		at--;
	return at >= 5 && text[at - 1] == ']' && text[at - 5] == '[' ? at - 4 : 0;
}

/* Returns the nanoseconds of the second that was printed. */
static u32 print_task(const struct script_numbers *n, bool latency, u64 time, struct script_clock *clock, struct text *text)
{
	struct script_task *kept = &clock->task[(u32)n->tid % SCRIPT_NR_TASKS];
	size_t start = text->len;
	u64 second;

	if (is_same_task(kept, n, time)) {
		put_kept(text, kept->text, kept->len);
		return time - kept->since;
	}
	second = time / NSEC;
	format_task(n, latency, second, text);
	*kept = (struct script_task){ .comm = n->comm, .pid = n->pid, .tid = n->tid, .cpu = n->cpu, .mask = n->mask,
				      .comm_is_free = n->comm_is_free, .since = second * NSEC };
	kept->len = keep(text, start, kept->text);
	if (n->mask & SCRIPT_CPU && !latency && n->cpu >= 0)
		kept->cpu_at = find_cpu(kept->text, kept->len, n->mask & SCRIPT_TIME);
	return time - second * NSEC;
}

/* "     250235 cpu-clock: " */
static void format_event(const struct script_numbers *n, int name_width, struct text *text)
{
	if (n->mask & SCRIPT_PERIOD) {
		text__unsigned(text, n->period, PERIOD_WIDTH, ' ');
		text__char(text, ' ');
	}
	if (n->mask & SCRIPT_EVENT) {
		text__str_right(text, n->event, name_width);
		text__put(text, ": ", 2);
	}
}

/* Only the period differs from that of the line before: put the other one into what is kept. */
static bool change_period(struct script_event *kept, const struct script_numbers *n)
{
	if (kept->period == n->period || !(n->mask & SCRIPT_PERIOD))
		return true;
	if (kept->period >= EIGHT_DIGITS || n->period >= EIGHT_DIGITS)
		return false;
	decimal__put_right(kept->text, n->period, PERIOD_WIDTH);
	kept->period = n->period;
	return true;
}

static void print_event(const struct script_numbers *n, int name_width, struct script_clock *clock, struct text *text)
{
	struct script_event *kept = &clock->event[(uintptr_t)n->event / 16 % SCRIPT_NR_EVENTS];
	size_t start = text->len;

	if (kept->len && kept->event == n->event && kept->mask == n->mask && change_period(kept, n)) {
		put_kept(text, kept->text, kept->len);
		return;
	}
	format_event(n, name_width, text);
	*kept = (struct script_event){ .event = n->event, .period = n->period, .mask = n->mask };
	kept->len = keep(text, start, kept->text);
}

/* The digits behind the second. */
static void print_part(struct text *text, u32 ns, bool all_digits)
{
	if (all_digits)
		text__digits(text, ns, 9);
	else
		text__digits(text, ns / 1000, 6);
	text__put(text, ": ", 2);
}

void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text)
{
	u64 time = n->mask & SCRIPT_TIME ? shown_time(clock, style->times, n->time) : 0;
	u32 ns = 0;

	if (n->mask & (SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME))
		ns = print_task(n, style->latency, time, clock, text);
	if (n->mask & SCRIPT_TIME)
		print_part(text, ns, style->ns);
	if (n->mask & (SCRIPT_PERIOD | SCRIPT_EVENT))
		print_event(n, style->name_width, clock, text);
	if (n->ends_line)
		text__char(text, '\n');
}
