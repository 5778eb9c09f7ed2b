// SPDX-License-Identifier: GPL-2.0
#include "ui/lock/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "ui/round-time.h"
#include "util/bpf_skel/lock.h"
#include "util/lib/advice.h"
#include "util/source/lock-types.h"

static const char *const titles[] = {
	[LOCK_CONTENDED] = "contended", [LOCK_WAIT_TOTAL] = "total wait", [LOCK_WAIT_MAX] = "max wait",
	[LOCK_WAIT_MIN] = "min wait",	[LOCK_AVG_WAIT] = "avg wait",
};

/* What follows the numbers: the width of the first column, and the titles of both */
static const struct {
	int width;
	const char *first, *second; /* first NULL: there is only the other one */
} tails[] = {
	[LOCK_VIEW_CALLER] = { 10, "type", "caller" },
	[LOCK_VIEW_TASK] = { 10, "pid", "comm" },
	[LOCK_VIEW_LOCK] = { 16, "address", "symbol" },
	[LOCK_VIEW_CGROUP] = { 0, NULL, "cgroup" },
};

static int width_of(enum lock_number number)
{
	return number == LOCK_CONTENDED ? 10 : 12;
}

/* For people */

#define NAME_WIDTH 20 /* where names come first */

static void print_header(const struct lock_output_opts *o)
{
	if (o->name_first)
		fprintf(o->fp, "%*s ", NAME_WIDTH, "Name");
	for (unsigned int i = 0; i < o->nr_columns; i++)
		fprintf(o->fp, "%s%*s", i ? " " : "", width_of(o->columns[i]), titles[o->columns[i]]);
	if (!o->name_first && tails[o->view].first)
		fprintf(o->fp, "   %*s", tails[o->view].width, tails[o->view].first);
	if (!o->name_first)
		fprintf(o->fp, "   %s", tails[o->view].second);
	fputs("\n\n", o->fp);
}

static void print_time(FILE *fp, u64 ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 60e9, "m" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ns >= units[i].ns) {
			fprintf(fp, "%9.2f %-2s", ns / units[i].ns, units[i].name);
			return;
		}
	}
	fprintf(fp, "%9" PRIu64 " ns", ns);
}

static void print_first(const struct lock_output_opts *o, const struct lock_row *row)
{
	const int width = tails[o->view].width;

	if (o->view == LOCK_VIEW_CALLER)
		fprintf(o->fp, "%*s", width, lock_type__name(row->type));
	else if (o->view == LOCK_VIEW_LOCK)
		fprintf(o->fp, "%0*" PRIx64, width, row->lock);
	else if (row->tid >= LOCK_OWNER_READERS)
		fprintf(o->fp, "%*d", width, -1);
	else
		fprintf(o->fp, "%*u", width, row->tid);
}

/* A lock that has no name is known by its address. */
static void print_name(const struct lock_output_opts *o, const struct lock_row *row)
{
	char address[NAME_WIDTH];

	snprintf(address, sizeof(address), "%" PRIx64, row->lock);
	fprintf(o->fp, "%*s ", NAME_WIDTH, o->view == LOCK_VIEW_LOCK && !*row->name ? address : row->name);
}

static void print_tail(const struct lock_output_opts *o, const struct lock_row *row)
{
	if (tails[o->view].first) {
		fputs("   ", o->fp);
		print_first(o, row);
	}
	if (o->view == LOCK_VIEW_LOCK)
		fprintf(o->fp, "   %s%s(%s)", row->name, *row->name ? " " : "", lock_type__name(row->type));
	else
		fprintf(o->fp, "   %s", row->name);
}

static void print_row(const struct lock_output_opts *o, const struct lock_row *row)
{
	if (o->name_first)
		print_name(o, row);
	for (unsigned int i = 0; i < o->nr_columns; i++) {
		if (i)
			fputc(' ', o->fp);
		if (o->columns[i] == LOCK_CONTENDED)
			fprintf(o->fp, "%*" PRIu64, width_of(o->columns[i]), row->nr);
		else
			print_time(o->fp, lock_row__number(row, o->columns[i]));
	}
	if (!o->name_first)
		print_tail(o, row);
	fputc('\n', o->fp);
}

static void print_stack(const struct lock_output_opts *o, const struct lock_row *row, const struct lock_frames *frames)
{
	char name[LOCK_NAME_MAX];

	for (u32 i = 0; i < row->nr_frames; i++)
		fprintf(o->fp, "\t\t\t0x%" PRIx64 "  %s\n", (u64)row->frame[i], lock_frames__name(frames, row->stack_pid, row->frame[i], name, sizeof(name)));
}

/* For programs */

static void print_names(const struct lock_output_opts *o)
{
	fputs("# output: ", o->fp);
	for (unsigned int i = 0; i < o->nr_columns; i++)
		fprintf(o->fp, "%s%s ", titles[o->columns[i]], o->separator);
	if (tails[o->view].first)
		fprintf(o->fp, "%s%s ", tails[o->view].first, o->separator);
	if (o->view == LOCK_VIEW_LOCK)
		fprintf(o->fp, "%s%s type", tails[o->view].second, o->separator);
	else
		fputs(tails[o->view].second, o->fp);
	fputc('\n', o->fp);
}

static void print_fields(const struct lock_output_opts *o, const struct lock_row *row)
{
	for (unsigned int i = 0; i < o->nr_columns; i++)
		fprintf(o->fp, "%" PRIu64 "%s ", lock_row__number(row, o->columns[i]), o->separator);
	if (o->view == LOCK_VIEW_CALLER)
		fprintf(o->fp, "%s%s %s", lock_type__name(row->type), o->separator, row->name);
	else if (o->view == LOCK_VIEW_LOCK)
		fprintf(o->fp, "%" PRIx64 "%s %s%s %s", row->lock, o->separator, row->name, o->separator, lock_type__name(row->type));
	else if (o->view == LOCK_VIEW_TASK)
		fprintf(o->fp, "%d%s %s", row->tid >= LOCK_OWNER_READERS ? -1 : (int)row->tid, o->separator, row->name);
	else
		fputs(row->name, o->fp);
}

static void print_stack_field(const struct lock_output_opts *o, const struct lock_row *row, const struct lock_frames *frames)
{
	char name[LOCK_NAME_MAX];

	for (u32 i = 0; i < row->nr_frames; i++)
		fprintf(o->fp, "%s %" PRIx64 " %s", i ? ":" : o->separator, (u64)row->frame[i],
			lock_frames__name(frames, row->stack_pid, row->frame[i], name, sizeof(name)));
}

int lock_output__rows(const struct lock_output_opts *o, struct lock_rows *rows, const struct lock_frames *frames)
{
	size_t nr;
	struct lock_row **row = lock_rows__sorted(rows, o->sort, &nr);

	if (!row)
		return -ENOMEM;
	if (o->interval)
		round_time__print(o->fp);
	if (!o->quiet && o->separator)
		print_names(o);
	else if (!o->quiet)
		print_header(o);
	for (size_t i = 0; i < nr && (!o->max_rows || i < o->max_rows); i++) {
		if (!o->separator) {
			print_row(o, row[i]);
			if (o->stacks)
				print_stack(o, row[i], frames);
			continue;
		}
		print_fields(o, row[i]);
		if (o->stacks)
			print_stack_field(o, row[i], frames);
		fputc('\n', o->fp);
	}
	return 0;
}

int lock_output__tasks(const struct lock_output_opts *o, struct lock_rows *rows)
{
	size_t nr;
	struct lock_row **row = lock_rows__sorted(rows, LOCK_CONTENDED, &nr);

	if (!row)
		return -ENOMEM;
	fprintf(o->fp, "%10s: comm\n", "Thread ID");
	for (size_t i = 0; i < nr; i++)
		fprintf(o->fp, "%10u: %s\n", row[i]->tid, row[i]->name);
	return 0;
}

int lock_output__locks(const struct lock_output_opts *o, struct lock_rows *rows)
{
	size_t nr;
	struct lock_row **row = lock_rows__sorted(rows, LOCK_CONTENDED, &nr);

	if (!row)
		return -ENOMEM;
	fputs("Address of instance: name of class\n", o->fp);
	for (size_t i = 0; i < nr; i++)
		fprintf(o->fp, " %#" PRIx64 ": %s\n", row[i]->lock, row[i]->name);
	return 0;
}

static void note(const struct lock_output_opts *o, u64 nr, const char *text)
{
	char line[240];

	if (nr)
		fprintf(o->fp, "%s%s%s\n", o->separator ? "# " : "", counted(line, sizeof(line), nr, text),
			o->chosen_late ? " (-L or -S may leave out some of them)" : "");
}

void lock_output__notes(const struct lock_output_opts *o, const struct lock_totals *t, const struct tally_counts *c, unsigned int max_waits)
{
	char text[160];

	if (o->quiet || !t)
		return;
	note(o, t->open - t->unjudged, "{wait|waits} had not ended: {it was|they were} counted with {its|their} time so far");
	note(o, t->unjudged, "{wait|waits} had not ended: {it was|they were} not counted, as the filter could not judge {it|them}");
	note(o, t->seeded, "{wait|waits} had begun before perf watched: {its|their} time counts from then");
	note(o, t->early, "{wait|waits} had begun before perf watched: {it was|they were} not counted, as {its|their} time is unknown");
	snprintf(text, sizeof(text), "{wait was|waits were} lost: more than %u went on at the same time. Make room (-M)", max_waits);
	note(o, t->lost, text);
	note(o, c->lost_keys + c->lost_spill, "{wait was|waits were} lost: the tables were full. Make room (-M)");
	note(o, t->unended, "{wait was|waits were} lost: {its|their} end was not seen");
	note(o, t->nested, "{wait in an interrupt was|waits in interrupts were} not counted: a program of perf was running on the CPU");
	note(o, t->missed, "{hit (of any task) was|hits (of any task) were} missed: a BPF program was already running on that CPU");
	note(o, t->timed_out, "{wait|waits} timed out: nobody woke the task");
	note(o, t->interrupted, "{wait was ended by a signal|waits were ended by signals}");
	if (o->by == LOCK_BY_OWNER_STACK && !o->futexes)
		note(o, t->no_stack, "{wait has|waits have} no stack: {its|their} lock names no owner, or the owner was running");
	if (o->by == LOCK_BY_OWNER)
		note(o, t->late_owners, "{owner is a guess|owners are guesses}: the lock was free again, so the task that got it last after a wait is shown");
}
