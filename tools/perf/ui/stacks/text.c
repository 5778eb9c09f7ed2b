// SPDX-License-Identifier: GPL-2.0
#include "ui/stacks/text.h"

#include <inttypes.h>
#include <string.h>
#include "ui/script/fields.h"
#include "ui/script/place.h"
#include "util/lib/advice.h"
#include "util/lib/printable.h"
#include "util/lib/stream.h"
#include "util/lib/text.h"
#include "util/source/syscall-number.h"

#define MAX_RANGES 12 /* of tids in a line */
#define MAX_WAITS 4   /* lines of a group */

const char *stacks_state__name(u32 state)
{
	switch (state) {
	case OFFCPU_SLEEPING:
		return "sleeping";
	case OFFCPU_DISK:
		return "in uninterruptible sleep";
	case OFFCPU_IDLE:
		return "idle";
	case OFFCPU_PREEMPTED:
		return "waiting for a CPU";
	case OFFCPU_STOPPED:
		return "stopped";
	case OFFCPU_RUNNING:
		return "running";
	default:
		return "ending";
	}
}

/* The line of a group */

/* "12.4 s" */
static void put_time(struct text *line, u64 ns)
{
	static const struct {
		u64 from, unit;
		const char *name;
	} units[] = { { 1000000000, 1000000000, "s" }, { 1000000, 1000000, "ms" }, { 0, 1000, "us" } };
	unsigned int i = 0;

	while (ns < units[i].from)
		i++;
	text__printf(line, ns / units[i].unit < 100 ? "%.1f %s" : "%.0f %s", (double)ns / units[i].unit, units[i].name);
}

static void put_times(struct text *line, const struct stacks_group *group)
{
	if (!group->greatest_ns)
		return;
	text__char(line, ' ');
	if (group->least_ns < group->greatest_ns - group->greatest_ns / 20) {
		put_time(line, group->least_ns);
		text__str(line, " to ");
	}
	put_time(line, group->greatest_ns);
}

static void put_who(struct text *line, const struct stacks_group *group)
{
	text__printf(line, "%u ", group->nr);
	if (!group->comm) {
		text__printf(line, "kernel thread%s", plural(group->nr));
		return;
	}
	text__printf(line, "thread%s of %s", plural(group->nr), comm__shown(group->comm));
	if (group->pid)
		text__printf(line, " (%u)", group->pid);
}

static void put_cpus(struct text *line, const struct stacks_group *group)
{
	const char *before = group->nr == 1 ? " on CPU " : " on CPUs ";

	for (u32 i = 0; i < group->nr; i++) {
		text__printf(line, "%s%u", before, group->thread[i]->task->cpu);
		before = ", ";
	}
}

static void put_call(struct text *line, const struct stacks_group *group)
{
	const char *name = group->call >= 0 ? syscall_name(group->call) : NULL;

	if (group->call < 0 || group->state == OFFCPU_RUNNING)
		return;
	if (name)
		text__printf(line, " in %s", name);
	else
		text__printf(line, " in system call %u", trace_is_compat(group->call) ? group->call - TRACE_COMPAT : (u32)group->call);
}

static const char *quality_note(u8 quality)
{
	switch (quality) {
	case STACK_TORN:
		return ", but never while perf looked: its stack is unknown";
	case STACK_RUNS:
		return " whenever perf looked: its stack is unknown";
	case STACK_CLOSED:
		return ", and its memory may not be read: the kernel's frames only";
	default:
		return "";
	}
}

static void put_head(struct text *line, const struct stacks_group *group)
{
	put_who(line, group);
	text__printf(line, ", %s", stacks_state__name(group->state));
	if (group->state == OFFCPU_RUNNING)
		put_cpus(line, group);
	else
		put_times(line, group);
	put_call(line, group);
	text__printf(line, "%s:\n", quality_note(group->quality));
}

/* Its threads: "    worker 1235-1284, 1290" */

static bool same_name(const struct stacks_group *group, u32 i, u32 j)
{
	return !strncmp(group->thread[i]->task->comm, group->thread[j]->task->comm, sizeof(group->thread[i]->task->comm));
}

static u32 end_of_name(const struct stacks_group *group, u32 i)
{
	u32 end = i;

	while (end < group->nr && same_name(group, i, end))
		end++;
	return end;
}

static u32 end_of_range(const struct stacks_group *group, u32 i, u32 end)
{
	while (i + 1 < end && group->thread[i + 1]->task->tid == group->thread[i]->task->tid + 1)
		i++;
	return i + 1;
}

static void put_name(struct text *line, const struct stacks_group *group, u32 i, u32 end, u32 max_ranges)
{
	char name[sizeof(group->thread[i]->task->comm) + 1];
	const char *before = " ";

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, group->thread[i]->task->comm);
	text__printf(line, "    %s", comm__shown(printable__clean(name)));
	for (u32 nr = 0, next; i < end; i = next, nr++) {
		if (nr == max_ranges) {
			text__printf(line, " and %u more", end - i);
			break;
		}
		next = end_of_range(group, i, end);
		text__printf(line, "%s%u", before, group->thread[i]->task->tid);
		if (next > i + 1)
			text__printf(line, "-%u", group->thread[next - 1]->task->tid);
		before = ", ";
	}
	text__char(line, '\n');
}

static void put_threads(struct text *line, const struct stacks_group *group, u32 max)
{
	for (u32 i = 0, end, nr = 0; i < group->nr; i = end, nr++) {
		end = end_of_name(group, i);
		if (nr == max) {
			text__printf(line, "    and %u thread%s of other names\n", group->nr - i, plural(group->nr - i));
			break;
		}
		put_name(line, group, i, end, max);
	}
}

/* "    waits for mutex 0x7fe5f2500040, held by thread 4711 (worker): 47 threads" */
static void put_waits(struct text *line, const struct stacks_group *group, u32 max)
{
	for (u32 i = 0; i < group->nr_waits; i++) {
		if (i == max) {
			text__printf(line, "    and %u other wait%s\n", group->nr_waits - i, plural(group->nr_waits - i));
			break;
		}
		text__printf(line, "    %s", group->wait[i].text);
		if (group->wait[i].nr != group->nr)
			text__printf(line, ": %u thread%s", group->wait[i].nr, plural(group->wait[i].nr));
		text__char(line, '\n');
	}
}

void stacks_text__put_frames(struct text *text, const struct stacks_look *look, const struct location *frame, u32 nr, bool cut)
{
	static const struct script_style style = {};
	const struct script_look frames = {
		.mask = SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO | (look->source_lines ? SCRIPT_SRCLINE : 0), .style = &style, .session = look->session,
	};

	script__print_frames(text, &frames, frame, nr);
	if (cut)
		text__str(text, "\t  and more callers: --max-stack shows them\n");
}

static void put_group(struct text *line, const struct stacks_look *look, const struct stacks_group *group)
{
	put_head(line, group);
	put_waits(line, group, look->all_tids ? UINT32_MAX : MAX_WAITS);
	put_threads(line, group, look->all_tids ? UINT32_MAX : MAX_RANGES);
	stacks_text__put_frames(line, look, group->frame, group->nr_frames, group->cut);
	text__char(line, '\n');
}

/* All */

void stacks_text__put_summary(struct text *line, const struct stacks_summary *summary, u32 nr_threads)
{
	text__printf(line, "# snapshot %u", summary->nr);
	if (summary->at_ns)
		text__printf(line, ", %.3f s later", summary->at_ns / 1e9);
	text__printf(line, ": %u thread%s, ", nr_threads, plural(nr_threads));
}

static void put_summary(struct text *line, const struct stacks_summary *summary, const struct stacks_groups *groups, u32 nr_groups)
{
	u32 nr = 0;

	for (u32 i = 0; i < nr_groups; i++)
		nr += stacks_groups__at(groups, i)->nr;
	stacks_text__put_summary(line, summary, nr);
	text__printf(line, "%u different stack%s, read in %.1f ms\n\n", nr_groups, plural(nr_groups), summary->took_ns / 1e6);
}

/* At once, as the cause of a failure is known right after it only. */
static void write_out(struct text *text, FILE *fp)
{
	if (text->buf)
		fwrite(text->buf, 1, text->len, fp);
	text->len = 0;
	stream__flush(fp);
}

void stacks_text__print(const struct stacks_look *look, const struct stacks_summary *summary, struct stacks_groups *groups)
{
	const u32 nr = stacks_groups__sort(groups);
	struct text line = {};

	put_summary(&line, summary, groups, nr);
	write_out(&line, look->fp);
	for (u32 i = 0; i < nr; i++) {
		put_group(&line, look, stacks_groups__at(groups, i));
		write_out(&line, look->fp);
	}
	text__exit(&line);
}
