// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash.h"

struct thread_row {
	UT_hash_handle hh;
	struct thread_key {
		u32 pid, tid;
	} key;
	u64 count[]; /* by event */
};

struct thread_counts {
	struct thread_row *rows; /* in the order of arrival */
	u32 nr_events;
	bool counted[]; /* by event: does any thread have a count of it? */
};

struct thread_counts *thread_counts__new(u32 nr_events)
{
	struct thread_counts *counts = calloc(1, sizeof(*counts) + nr_events * sizeof(counts->counted[0]));

	if (counts)
		counts->nr_events = nr_events;
	return counts;
}

void thread_counts__delete(struct thread_counts *counts)
{
	struct thread_row *row, *next;

	if (!counts)
		return;
	HASH_ITER(hh, counts->rows, row, next) {
		HASH_DEL(counts->rows, row);
		free(row);
	}
	free(counts);
}

static struct thread_row *find_or_add(struct thread_counts *counts, struct thread_key key)
{
	struct thread_row *row;

	HASH_FIND(hh, counts->rows, &key, sizeof(key), row);
	if (row)
		return row;
	row = calloc(1, sizeof(*row) + counts->nr_events * sizeof(row->count[0]));
	if (!row)
		return NULL;
	row->key = key;
	HASH_ADD(hh, counts->rows, key, sizeof(row->key), row);
	if (hash_added(row))
		return row;
	free(row);
	return NULL;
}

int thread_counts__add(struct thread_counts *counts, const struct session_event *event, const struct record_read *read)
{
	struct thread_row *row;

	/* In a group there are several values, each a sum over all threads. */
	if (event->event->attr.read_format & PERF_FORMAT_GROUP)
		return 0;
	row = find_or_add(counts, (struct thread_key){ read->pid, read->tid });
	if (!row)
		return -ENOMEM;
	row->count[event->idx] += read->value;
	counts->counted[event->idx] = true;
	return 0;
}

static int number_width(u64 number, int least)
{
	int width = snprintf(NULL, 0, "%llu", (unsigned long long)number);

	return width > least ? width : least;
}

struct widths {
	int pid, tid;
};

static struct widths widths_of(const struct thread_counts *counts)
{
	struct widths w = { strlen("PID"), strlen("TID") };

	for (const struct thread_row *row = counts->rows; row; row = row->hh.next) {
		w.pid = number_width(row->key.pid, w.pid);
		w.tid = number_width(row->key.tid, w.tid);
	}
	return w;
}

static int count_width(const struct thread_counts *counts, u32 event, int least)
{
	for (const struct thread_row *row = counts->rows; row; row = row->hh.next)
		least = number_width(row->count[event], least);
	return least;
}

static void print_pretty(const struct thread_counts *counts, FILE *fp, struct session *s)
{
	const struct widths w = widths_of(counts);

	fprintf(fp, "# %*s  %*s", w.pid, "PID", w.tid, "TID");
	for (u32 i = 0; i < counts->nr_events; i++) {
		if (counts->counted[i])
			fprintf(fp, "  %*s", count_width(counts, i, strlen(session__event(s, i)->name)), session__event(s, i)->name);
	}
	fputc('\n', fp);
	for (const struct thread_row *row = counts->rows; row; row = row->hh.next) {
		fprintf(fp, "  %*u  %*u", w.pid, row->key.pid, w.tid, row->key.tid);
		for (u32 i = 0; i < counts->nr_events; i++) {
			if (counts->counted[i])
				fprintf(fp, "  %*llu", count_width(counts, i, strlen(session__event(s, i)->name)),
					(unsigned long long)row->count[i]);
		}
		fputc('\n', fp);
	}
}

static void print_raw(const struct thread_counts *counts, FILE *fp, struct session *s)
{
	const struct widths w = widths_of(counts);
	int name = strlen("Name"), count = strlen("Count"), number = strlen("Raw");

	for (u32 i = 0; i < counts->nr_events; i++) {
		int len = strlen(session__event(s, i)->name);

		if (!counts->counted[i])
			continue;
		name = len > name ? len : name;
		count = count_width(counts, i, count);
	}
	fprintf(fp, "# %*s  %*s  %*s  %*s  %*s\n", w.pid, "PID", w.tid, "TID", name, "Name", number, "Raw", count, "Count");
	for (const struct thread_row *row = counts->rows; row; row = row->hh.next) {
		for (u32 i = 0; i < counts->nr_events; i++) {
			if (counts->counted[i])
				fprintf(fp, "  %*u  %*u  %*s  %*x  %*llu\n", w.pid, row->key.pid, w.tid, row->key.tid, name,
					session__event(s, i)->name, number, i, count, (unsigned long long)row->count[i]);
		}
	}
}

void thread_counts__fprintf(const struct thread_counts *counts, FILE *fp, struct session *s, bool raw)
{
	if (raw)
		print_raw(counts, fp, s);
	else
		print_pretty(counts, fp, s);
}
