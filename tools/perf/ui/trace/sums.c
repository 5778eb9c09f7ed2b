// SPDX-License-Identifier: GPL-2.0
#include "ui/trace/sums.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ui/trace/calls.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/types.h"

struct row {
	u64 id; /* tid or cgroup; 0 in a total */
	u32 nr;
	struct trace_sum sum;
};

struct error_row {
	struct trace_error_key key;
	u64 nr;
};

struct trace_sums {
	enum trace_sums_by by;
	unsigned int max_rows; /* 0: all */
	struct row *row;
	unsigned int nr_rows;
	struct error_row *error;
	unsigned int nr_errors;
};

struct trace_sums *trace_sums__new(enum trace_sums_by by, unsigned int max_rows)
{
	struct trace_sums *sums = calloc(1, sizeof(*sums));

	if (sums)
		*sums = (struct trace_sums){ .by = by, .max_rows = max_rows };
	return sums;
}

void trace_sums__delete(struct trace_sums *sums)
{
	if (!sums)
		return;
	free(sums->row);
	free(sums->error);
	free(sums);
}

static void merge(struct trace_sum *to, const struct trace_sum *from)
{
	to->calls += from->calls;
	to->errors += from->errors;
	to->unreturned += from->unreturned;
	to->total += from->total;
	if (from->least < to->least)
		to->least = from->least;
	if (from->greatest > to->greatest)
		to->greatest = from->greatest;
	to->squares_low += from->squares_low;
	to->squares_high += from->squares_high + (to->squares_low < from->squares_low);
}

int trace_sums__add(struct trace_sums *sums, const struct trace_sum_key *key, const struct trace_sum *sum)
{
	const u64 id = sums->by == TRACE_BY_CPU ? 0 : key->id;
	struct row *bigger;

	for (unsigned int i = 0; i < sums->nr_rows && sums->by != TRACE_BY_THREAD; i++) {
		if (sums->row[i].nr != key->nr || sums->row[i].id != id)
			continue;
		merge(&sums->row[i].sum, sum);
		return 0;
	}
	bigger = reallocarray(sums->row, sums->nr_rows + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	sums->row = bigger;
	sums->row[sums->nr_rows++] = (struct row){ .id = id, .nr = key->nr, .sum = *sum };
	return 0;
}

int trace_sums__add_error(struct trace_sums *sums, const struct trace_error_key *key, u64 nr)
{
	const u64 id = sums->by == TRACE_BY_CPU ? 0 : key->id;
	struct error_row *bigger;

	for (unsigned int i = 0; i < sums->nr_errors && sums->by != TRACE_BY_THREAD; i++) {
		if (sums->error[i].key.nr != key->nr || sums->error[i].key.id != id || sums->error[i].key.error != key->error)
			continue;
		sums->error[i].nr += nr;
		return 0;
	}
	bigger = reallocarray(sums->error, sums->nr_errors + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	sums->error = bigger;
	sums->error[sums->nr_errors] = (struct error_row){ *key, nr };
	sums->error[sums->nr_errors].key.id = id;
	sums->nr_errors++;
	return 0;
}

/* By thread, and then the most time first. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->sum.total != y->sum.total)
		return x->sum.total > y->sum.total ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Begins and ends, as other perfs count. */
static u64 nr_events(const struct row *row, unsigned int nr)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < nr; i++)
		sum += 2 * row[i].sum.calls - row[i].sum.unreturned;
	return sum;
}

/* By Newton's method, as perf is not linked to libm. n > 0 */
static double square_root(double n)
{
	double root = n > 1 ? n : 1, last;

	do {
		last = root;
		root = (root + n / root) / 2;
	} while (root < last);
	return last;
}

/* The standard error of the mean, in % of it. */
static double deviation(const struct trace_sum *sum)
{
	const double n = sum->calls - sum->unreturned, squares = ldexp(sum->squares_high, 64) + sum->squares_low;
	const double mean = n ? sum->total / n : 0, variance = n > 1 ? (squares - n * mean * mean) / (n - 1) : 0;

	return mean && variance > 0 ? 100 * square_root(variance / n) / mean : 0;
}

static void print_errors(const struct trace_sums *sums, const struct row *row, FILE *fp)
{
	char buf[16];

	for (unsigned int i = 0; i < sums->nr_errors; i++) {
		const struct error_row *error = &sums->error[i];

		if (error->key.id == row->id && error->key.nr == row->nr)
			fprintf(fp, "\t\t\t\t%s: %" PRIu64 "\n", trace_error__name(error->key.error, buf, sizeof(buf)), error->nr);
	}
}

static void print_row(const struct trace_sums *sums, const struct row *row, const struct syscall_formats *formats, FILE *fp)
{
	const struct trace_sum *sum = &row->sum;
	const u64 n = sum->calls - sum->unreturned;

	fprintf(fp, "   %-15s %8" PRIu64 " %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", formats->format[row->nr].name ?: "?", (u64)sum->calls,
		(u64)sum->errors, sum->total / 1e6, n ? sum->least / 1e6 : 0, n ? sum->total / 1e6 / n : 0, sum->greatest / 1e6, deviation(sum));
	print_errors(sums, row, fp);
}

static void print_title(const struct trace_sums *sums, const struct row *row, u64 events, FILE *fp)
{
	struct text name = {};
	char path[PATH_MAX];

	if (sums->by == TRACE_BY_CPU) {
		fprintf(fp, " total, %" PRIu64 " events\n\n", events);
	} else if (sums->by == TRACE_BY_CGROUP) {
		if (cgroup__path(row->id, path, sizeof(path)))
			snprintf(path, sizeof(path), "%" PRIu64 " (removed)", row->id);
		trace_values__escaped(&name, path, strlen(path));
		fprintf(fp, " cgroup %.*s, %" PRIu64 " events\n\n", (int)name.len, name.buf ?: "", events);
	} else {
		trace_values__escaped(&name, row->sum.comm, strnlen(row->sum.comm, sizeof(row->sum.comm)));
		fprintf(fp, " %.*s (%" PRIu64 "), %" PRIu64 " events, %.1f%%\n\n", (int)name.len, name.buf ?: "", row->id, events,
			100.0 * events / nr_events(sums->row, sums->nr_rows));
	}
	text__exit(&name);
}

static void print_table(const struct trace_sums *sums, const struct row *row, unsigned int nr, const struct syscall_formats *formats, FILE *fp)
{
	const u64 events = nr_events(row, nr);

	print_title(sums, row, events, fp);
	fputs("   syscall            calls  errors  total       min       avg       max       stddev\n"
	      "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
	      "   --------------- --------  ------ -------- --------- --------- ---------     ------\n", fp);
	for (unsigned int i = 0; i < nr && (!sums->max_rows || i < sums->max_rows); i++)
		print_row(sums, row + i, formats, fp);
	fputs("\n\n", fp);
}

void trace_sums__print(struct trace_sums *sums, const struct syscall_formats *formats, FILE *fp)
{
	unsigned int from = 0, to;

	fputs("\n Summary of events:\n\n", fp);
	if (sums->nr_rows)
		qsort(sums->row, sums->nr_rows, sizeof(*sums->row), compare_rows);
	for (; from < sums->nr_rows; from = to) {
		for (to = from + 1; to < sums->nr_rows && sums->row[to].id == sums->row[from].id; to++)
			;
		print_table(sums, sums->row + from, to - from, formats, fp);
	}
}
