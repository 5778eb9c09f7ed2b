// SPDX-License-Identifier: GPL-2.0
#include "ui/script/numbers.h"

#include "ui/script/fields.h"
#include "util/lib/hash-index.h"

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

/* "  123." */
static void print_second(struct text *text, struct script_second *kept, u64 second)
{
	size_t start = text->len;

	if (kept->len && kept->second == second) {
		put_kept(text, kept->text, kept->len);
		return;
	}
	text__unsigned(text, second, 5, ' ');
	text__char(text, '.');
	kept->second = second;
	kept->len = keep(text, start, kept->text);
}

static void print_time(struct text *text, struct script_second *kept, u64 ns, bool all_digits)
{
	u64 second = ns / NSEC, frac = ns - second * NSEC;

	print_second(text, kept, second);
	text__digits(text, all_digits ? frac : frac / 1000, all_digits ? 9 : 6);
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

static void format_task(const struct script_numbers *n, bool latency, struct text *text)
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
}

static void print_task(const struct script_numbers *n, bool latency, struct script_clock *clock, struct text *text)
{
	struct script_task *kept = &clock->task[((u32)n->tid + 61 * (u32)n->cpu) % SCRIPT_NR_TASKS];
	size_t start = text->len;

	if (kept->len && kept->tid == n->tid && kept->cpu == n->cpu && kept->comm == n->comm && kept->pid == n->pid &&
	    kept->mask == n->mask && kept->comm_is_free == n->comm_is_free) {
		put_kept(text, kept->text, kept->len);
		return;
	}
	format_task(n, latency, text);
	*kept = (struct script_task){ .comm = n->comm, .mask = n->mask, .pid = n->pid, .tid = n->tid, .cpu = n->cpu,
				      .comm_is_free = n->comm_is_free };
	kept->len = keep(text, start, kept->text);
}

static void format_count(const struct script_numbers *n, int name_width, struct text *text)
{
	if (n->mask & SCRIPT_PERIOD) {
		text__unsigned(text, n->period, 10, ' ');
		text__char(text, ' ');
	}
	if (n->mask & SCRIPT_EVENT) {
		text__str_right(text, n->event, name_width);
		text__put(text, ": ", 2);
	}
}

static void print_count(const struct script_numbers *n, int name_width, struct script_clock *clock, struct text *text)
{
	u64 period = n->mask & SCRIPT_PERIOD ? n->period : 0;
	struct script_count *kept = &clock->count[hash_mix((uintptr_t)n->event, period) % SCRIPT_NR_EVENTS];
	size_t start = text->len;

	if (kept->len && kept->period == period && kept->event == n->event && kept->mask == n->mask) {
		put_kept(text, kept->text, kept->len);
		return;
	}
	format_count(n, name_width, text);
	*kept = (struct script_count){ .event = n->event, .mask = n->mask, .period = period };
	kept->len = keep(text, start, kept->text);
}

void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text)
{
	if (n->mask & (SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU))
		print_task(n, style->latency, clock, text);
	if (n->mask & SCRIPT_TIME)
		print_time(text, &clock->second, shown_time(clock, style->times, n->time), style->ns);
	if (n->mask & (SCRIPT_PERIOD | SCRIPT_EVENT))
		print_count(n, style->name_width, clock, text);
	if (n->ends_line)
		text__char(text, '\n');
}
