// SPDX-License-Identifier: GPL-2.0
#include "ui/sched/latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/sched-account.bpf.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"

#define NAME_WIDTH 26
#define BAR_WIDTH 40

struct shown {
	UT_hash_handle hh;
	char *name;
	u32 nr_tasks;
	struct sched_row row;
	struct sched_frames *frames;
};

struct sched_rows {
	bool by_task;
	struct shown *shown; /* by name, or each task for itself */
	const enum sched_sort *key;
	unsigned int nr_keys;
};

struct sched_rows *sched_rows__new(bool by_task)
{
	struct sched_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->by_task = by_task;
	return rows;
}

static void shown__delete(struct shown *shown)
{
	if (shown) {
		free(shown->name);
		free(shown->frames);
	}
	free(shown);
}

static struct shown *add_shown(struct sched_rows *rows, const char *name, const struct sched_row *row)
{
	struct shown *shown = calloc(1, sizeof(*shown));

	if (shown)
		shown->name = strdup(name);
	if (!shown || !shown->name) {
		shown__delete(shown);
		return NULL;
	}
	shown->row = *row;
	if (rows->by_task)
		HASH_ADD_PTR(rows->shown, name, shown); /* never equal */
	else
		HASH_ADD_KEYPTR(hh, rows->shown, shown->name, strlen(shown->name), shown);
	if (hash_added(shown))
		return shown;
	shown__delete(shown);
	return NULL;
}

static void merge(struct sched_row *to, const struct sched_row *from)
{
	const u64 count = to->wait.count + from->wait.count, total = to->wait.total + from->wait.total;

	if (from->wait.greatest > to->wait.greatest) {
		to->wait = from->wait;
		to->by_tid = from->by_tid;
		memcpy(to->by_comm, from->by_comm, sizeof(to->by_comm));
	}
	to->wait.count = count;
	to->wait.total = total;
	to->runtime += from->runtime;
}

static int set_frames(struct shown *shown, const struct sched_frames *frames)
{
	if (!shown->frames)
		shown->frames = malloc(sizeof(*shown->frames));
	if (!shown->frames)
		return -ENOMEM;
	*shown->frames = *frames;
	return 0;
}

int sched_rows__add(struct sched_rows *rows, const struct sched_row *row, const char *comm, const struct sched_frames *frames)
{
	struct shown *shown = NULL;
	bool greatest = true;

	if (!rows->by_task)
		HASH_FIND(hh, rows->shown, comm, strlen(comm), shown);
	if (shown) {
		greatest = row->wait.greatest > shown->row.wait.greatest;
		merge(&shown->row, row);
	} else {
		shown = add_shown(rows, comm, row);
		if (!shown)
			return -ENOMEM;
	}
	shown->nr_tasks++;
	return frames && greatest ? set_frames(shown, frames) : 0;
}

/* Order: the greatest first */

static int compare_numbers(u64 a, u64 b)
{
	return (a < b) - (a > b);
}

static u64 average(const struct sched_waits *w)
{
	return w->count ? w->total / w->count : 0;
}

static int compare_by(const struct shown *a, const struct shown *b, enum sched_sort key)
{
	switch (key) {
	case SCHED_SORT_AVG:
		return compare_numbers(average(&a->row.wait), average(&b->row.wait));
	case SCHED_SORT_MAX:
		return compare_numbers(a->row.wait.greatest, b->row.wait.greatest);
	case SCHED_SORT_SWITCH:
		return compare_numbers(a->row.wait.count, b->row.wait.count);
	case SCHED_SORT_RUNTIME:
		return compare_numbers(a->row.runtime, b->row.runtime);
	default:
		return compare_numbers(a->row.tid, b->row.tid);
	}
}

static int compare(const void *a, const void *b, void *data)
{
	const struct shown *one = *(struct shown *const *)a, *other = *(struct shown *const *)b;
	const struct sched_rows *rows = data;
	int ret = 0;

	for (unsigned int i = 0; i < rows->nr_keys && !ret; i++)
		ret = compare_by(one, other, rows->key[i]);
	if (!ret && !rows->by_task)
		ret = strcmp(other->name, one->name);
	return ret ?: compare_by(one, other, SCHED_SORT_PID);
}

/* Text */

static const char *duration(u64 ns, char *buf, size_t size)
{
	if (ns < 1000)
		snprintf(buf, size, "%6" PRIu64 " ns", (uint64_t)ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%6.3f us", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%6.3f ms", ns / 1e6);
	else
		snprintf(buf, size, "%6.3f s ", ns / 1e9);
	return buf;
}

static void line(FILE *fp, int width)
{
	fputc(' ', fp);
	while (width-- > 0)
		fputc('-', fp);
	fputc('\n', fp);
}

#define TABLE_LINE 138
#define TOTAL_LINE 54

static void print_row(const struct shown *s, FILE *fp)
{
	char runtime[32], avg[32], max[32], begin[32], end[32], *name = strdup(s->name);
	const struct sched_waits *w = &s->row.wait;
	int len;

	len = fprintf(fp, "  %s:", name ? printable__clean(name) : "?");
	free(name);
	len += s->nr_tasks > 1 ? fprintf(fp, "(%u)", s->nr_tasks) : fprintf(fp, "%u", s->row.tid);
	if (len < NAME_WIDTH - 2)
		fprintf(fp, "%*s", NAME_WIDTH - 2 - len, "");
	fprintf(fp, "  |%15s |%9" PRIu64 " |%16s |%16s |%20s s |%20s s |\n", duration(s->row.runtime, runtime, sizeof(runtime)), (uint64_t)w->count,
		duration(average(w), avg, sizeof(avg)), duration(w->greatest, max, sizeof(max)), text__format_time(begin, sizeof(begin), w->begin),
		text__format_time(end, sizeof(end), w->end));
}

/* Who had the CPU, and where the task had left its own. */
static void print_stack(const struct shown *s, FILE *fp)
{
	if (!s->row.wait.greatest)
		return;
	fputs("      longest: until ", fp);
	if (s->row.by_tid == SCHED_NOBODY) {
		fputs("some task left the CPU", fp);
	} else if (s->row.by_tid) {
		printable__fputs(s->row.by_comm, fp);
		fprintf(fp, ":%u left the CPU", s->row.by_tid);
	} else {
		fputs("the idle CPU took it", fp);
	}
	fprintf(fp, "%s\n", s->frames ? ", after" : "");
	for (u32 i = 0; s->frames && i < s->frames->nr; i++) {
		fputs("          ", fp);
		printable__fputs(s->frames->name[i] ?: "[unknown]", fp);
		fputc('\n', fp);
	}
}

static void print_table(struct shown *const *all, size_t nr, bool stacks, FILE *fp)
{
	char buf[32];
	u64 runtime = 0, count = 0;

	fputc('\n', fp);
	line(fp, TABLE_LINE);
	fputs("  Task                    |    Runtime     |  Count   |    Avg delay    |    Max delay    |      Max delay start  |     "
	      "Max delay end     |\n", fp);
	line(fp, TABLE_LINE);
	for (size_t i = 0; i < nr; i++) {
		print_row(all[i], fp);
		if (stacks)
			print_stack(all[i], fp);
		runtime += all[i]->row.runtime;
		count += all[i]->row.wait.count;
	}
	line(fp, TABLE_LINE);
	fprintf(fp, "  TOTAL:                  |%15s |%9" PRIu64 " |\n", duration(runtime, buf, sizeof(buf)), (uint64_t)count);
	line(fp, TOTAL_LINE);
}

int sched_rows__print(struct sched_rows *rows, const enum sched_sort *key, unsigned int nr_keys, bool stacks, FILE *fp)
{
	struct shown **all = calloc(HASH_COUNT(rows->shown) + 1, sizeof(*all)), *shown, *next;
	size_t nr = 0;

	if (!all)
		return -ENOMEM;
	HASH_ITER(hh, rows->shown, shown, next) {
		if (shown->row.wait.count)
			all[nr++] = shown;
	}
	rows->key = key;
	rows->nr_keys = nr_keys;
	qsort_r(all, nr, sizeof(*all), compare, rows);
	if (nr)
		print_table(all, nr, stacks, fp);
	else
		fputs("No matching trace samples found.\n", fp);
	free(all);
	return 0;
}

/* The histogram */

static void name_bucket(u32 nr, bool linear, char *buf, size_t size)
{
	const u32 last = SCHED_NR_BUCKETS - 1;
	const char *unit = nr > (linear ? 9 : 10) ? "ms" : "us";
	u64 from, to;

	if (!nr)
		snprintf(buf, size, "< %s", linear ? "100 us" : "1 us");
	else if (nr == last)
		snprintf(buf, size, ">= %s", linear ? "2.1 ms" : "1.05 s");
	else if (linear && nr > 9)
		snprintf(buf, size, "%.1f - %.1f ms", nr / 10.0, (nr + 1) / 10.0);
	else {
		from = linear ? nr * 100 : 1UL << (nr > 10 ? nr - 11 : nr - 1);
		to = linear ? from + 100 : 2 * from;
		snprintf(buf, size, "%" PRIu64 " - %" PRIu64 " %s", (uint64_t)from, (uint64_t)to, unit);
	}
}

void sched_rows__print_histogram(const struct sched_totals *totals, bool linear, FILE *fp)
{
	static const char bar[BAR_WIDTH + 1] = "########################################";
	char name[32];

	if (!totals->kept)
		return;
	fprintf(fp, "\n CPU Wait Latency Distribution Histogram (between snapshots) (total samples: %" PRIu64 ")\n", (uint64_t)totals->kept);
	line(fp, 67);
	fprintf(fp, "  %-16s | %10s | %6s | %s\n", "Latency Range", "Count", "Pct", "Histogram Graph");
	line(fp, 67);
	for (u32 i = 0; i < SCHED_NR_BUCKETS; i++) {
		const u64 nr = totals->bucket[i];
		const int width = (double)nr / totals->kept * BAR_WIDTH;

		if (!nr)
			continue;
		name_bucket(i, linear, name, sizeof(name));
		fprintf(fp, "  %-16s | %10" PRIu64 " | %5.1f%% | %.*s\n", name, (uint64_t)nr, 100.0 * nr / totals->kept, width ?: 1, bar);
	}
	line(fp, 67);
}

void sched_rows__delete(struct sched_rows *rows)
{
	struct shown *shown, *next;

	if (!rows)
		return;
	HASH_ITER(hh, rows->shown, shown, next) {
		HASH_DEL(rows->shown, shown);
		shown__delete(shown);
	}
	free(rows);
}
