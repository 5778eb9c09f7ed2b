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
#include "util/lib/hash.h"
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

struct fault_row { /* of a thread, or of all */
	u64 id; /* as in struct row */
	u64 major, minor;
	char comm[16];
	UT_hash_handle hh;
};

struct trace_sums {
	enum trace_sums_by by;
	unsigned int max_rows; /* 0: all */
	/* In any order until they are printed, then one for each key, in the order of the tables */
	struct row *row;
	size_t nr_rows, row_room;
	struct error_row *error;
	size_t nr_errors, error_room;
	struct fault_row *faults;
	u64 nr_events; /* of all rows, with faults */
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
	struct fault_row *faults, *next;

	if (!sums)
		return;
	HASH_ITER(hh, sums->faults, faults, next) {
		HASH_DEL(sums->faults, faults);
		free(faults);
	}
	free(sums->row);
	free(sums->error);
	free(sums);
}

/* Make room for one more. The array, moved; NULL: no memory, and nothing has changed */
static void *grow(void *array, size_t nr, size_t *room, size_t size)
{
	const size_t wanted = *room ? 2 * *room : 64;
	void *bigger;

	if (nr < *room)
		return array;
	bigger = reallocarray(array, wanted, size);
	if (bigger)
		*room = wanted;
	return bigger;
}

int trace_sums__add(struct trace_sums *sums, const struct trace_sum_key *key, const struct trace_sum *sum)
{
	struct row *row = grow(sums->row, sums->nr_rows, &sums->row_room, sizeof(*row));

	if (!row)
		return -ENOMEM;
	sums->row = row;
	row[sums->nr_rows++] = (struct row){ .id = sums->by == TRACE_BY_CPU ? 0 : key->id, .nr = key->nr, .sum = *sum };
	return 0;
}

int trace_sums__add_error(struct trace_sums *sums, const struct trace_error_key *key, u64 nr)
{
	struct error_row *row = grow(sums->error, sums->nr_errors, &sums->error_room, sizeof(*row));

	if (!row)
		return -ENOMEM;
	sums->error = row;
	row += sums->nr_errors++;
	*row = (struct error_row){ *key, nr };
	if (sums->by == TRACE_BY_CPU)
		row->key.id = 0;
	return 0;
}

static struct fault_row *find_faults(const struct trace_sums *sums, u64 id)
{
	struct fault_row *faults;

	HASH_FIND(hh, sums->faults, &id, sizeof(id), faults);
	return faults;
}

int trace_sums__add_fault(struct trace_sums *sums, u32 tid, const char *comm, bool major)
{
	const u64 id = sums->by == TRACE_BY_THREAD ? tid : 0;
	struct fault_row *faults = find_faults(sums, id);

	if (!faults) {
		faults = calloc(1, sizeof(*faults));
		if (!faults)
			return -ENOMEM;
		faults->id = id;
		HASH_ADD(hh, sums->faults, id, sizeof(faults->id), faults);
		if (!hash_added(faults)) {
			free(faults);
			return -ENOMEM;
		}
	}
	snprintf(faults->comm, sizeof(faults->comm), "%s", comm);
	faults->major += major;
	faults->minor += !major;
	return 0;
}

/* Putting rows in order */

#define COMPARE(x, y)				\
	do {					\
		if ((x) != (y))			\
			return (x) < (y) ? -1 : 1;	\
	} while (0)

static int compare_keys(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	COMPARE(x->id, y->id);
	COMPARE(x->nr, y->nr);
	return 0;
}

/* By thread, and then the most time first. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	COMPARE(x->id, y->id);
	COMPARE(y->sum.total, x->sum.total);
	COMPARE(x->nr, y->nr);
	return 0;
}

static int compare_errors(const void *a, const void *b)
{
	const struct error_row *x = a, *y = b;

	COMPARE(x->key.id, y->key.id);
	COMPARE(x->key.nr, y->key.nr);
	COMPARE(x->key.error, y->key.error);
	return 0;
}

static void merge(struct trace_sum *to, const struct trace_sum *from)
{
	to->calls += from->calls;
	to->errors += from->errors;
	to->untimed += from->untimed;
	to->single += from->single;
	to->total += from->total;
	if (from->least < to->least)
		to->least = from->least;
	if (from->greatest > to->greatest)
		to->greatest = from->greatest;
	to->squares_low += from->squares_low;
	to->squares_high += from->squares_high + (to->squares_low < from->squares_low);
}

static void settle_rows(struct trace_sums *sums)
{
	struct row *row = sums->row;
	size_t nr = 0;

	if (!sums->nr_rows)
		return;
	qsort(row, sums->nr_rows, sizeof(*row), compare_keys);
	for (size_t i = 1; i < sums->nr_rows; i++) {
		if (compare_keys(row + nr, row + i))
			row[++nr] = row[i];
		else
			merge(&row[nr].sum, &row[i].sum);
	}
	sums->nr_rows = nr + 1;
	qsort(row, sums->nr_rows, sizeof(*row), compare_rows);
}

static void settle_errors(struct trace_sums *sums)
{
	struct error_row *row = sums->error;
	size_t nr = 0;

	if (!sums->nr_errors)
		return;
	qsort(row, sums->nr_errors, sizeof(*row), compare_errors);
	for (size_t i = 1; i < sums->nr_errors; i++) {
		if (compare_errors(row + nr, row + i))
			row[++nr] = row[i];
		else
			row[nr].nr += row[i].nr;
	}
	sums->nr_errors = nr + 1;
}

/* Printing */

/* Begins and ends, as other perfs count. */
static u64 nr_events(const struct row *row, size_t nr)
{
	u64 sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += 2 * row[i].sum.calls - row[i].sum.single;
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
	const double n = sum->calls - sum->untimed, squares = ldexp(sum->squares_high, 64) + sum->squares_low;
	const double mean = n ? sum->total / n : 0, variance = n > 1 ? (squares - n * mean * mean) / (n - 1) : 0;

	return mean && variance > 0 ? 100 * square_root(variance / n) / mean : 0;
}

/* The first error at or after this key; sums->nr_errors: none */
static size_t find_error(const struct trace_sums *sums, const struct error_row *wanted)
{
	size_t first = 0, end = sums->nr_errors;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (compare_errors(&sums->error[middle], wanted) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static void print_errors(const struct trace_sums *sums, const struct row *row, FILE *fp)
{
	const struct error_row wanted = { .key = { .id = row->id, .nr = row->nr } };
	char buf[16];

	for (size_t i = find_error(sums, &wanted); i < sums->nr_errors; i++) {
		const struct error_row *error = &sums->error[i];

		if (error->key.id != row->id || error->key.nr != row->nr)
			break;
		fprintf(fp, "\t\t\t\t%s: %" PRIu64 "\n", trace_error__name(error->key.error, buf, sizeof(buf)), error->nr);
	}
}

#define NAME_ROOM 48
#define NAME_WIDTH 15

/* Calls of 32-bit programs are others of the same name. Returns the length. */
static int make_name(const struct syscall_formats *formats, u32 nr, char *name)
{
	const bool is_other = trace_is_compat(nr) && formats->format[trace_row(nr)].name;
	char buf[SYSCALL_NAME_ROOM];

	return snprintf(name, NAME_ROOM, "%s%s", syscall_formats__name(formats, nr, buf, sizeof(buf)), is_other ? "/32" : "");
}

static void print_row(const struct trace_sums *sums, const struct row *row, const struct syscall_formats *formats, int width, FILE *fp)
{
	char name[NAME_ROOM];
	const struct trace_sum *sum = &row->sum;
	const u64 n = sum->calls - sum->untimed;

	make_name(formats, row->nr, name);
	fprintf(fp, "   %-*s", width, name);
	fprintf(fp, " %8" PRIu64 " %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", (u64)sum->calls, (u64)sum->errors, sum->total / 1e6,
		n ? sum->least / 1e6 : 0, n ? sum->total / 1e6 / n : 0, sum->greatest / 1e6, deviation(sum));
	print_errors(sums, row, fp);
}

static u64 nr_faults(const struct fault_row *faults)
{
	return faults ? faults->major + faults->minor : 0;
}

/* As other perfs do: ", 1 majfaults" */
static void print_faults(const struct fault_row *faults, FILE *fp)
{
	if (faults && faults->major)
		fprintf(fp, ", %" PRIu64 " majfaults", faults->major);
	if (faults && faults->minor)
		fprintf(fp, ", %" PRIu64 " minfaults", faults->minor);
	fputs("\n\n", fp);
}

static void print_title(const struct trace_sums *sums, u64 id, const char *comm, u64 events, FILE *fp)
{
	const struct fault_row *faults = find_faults(sums, id);
	struct text name = {};
	char path[PATH_MAX];

	events += nr_faults(faults);
	if (sums->by == TRACE_BY_CPU) {
		fprintf(fp, " total, %" PRIu64 " events", events);
	} else if (sums->by == TRACE_BY_CGROUP) {
		if (cgroup__path(id, path, sizeof(path)))
			snprintf(path, sizeof(path), "%" PRIu64 " (removed)", id);
		trace_values__escaped(&name, path, strlen(path));
		fprintf(fp, " cgroup %.*s, %" PRIu64 " events", (int)name.len, name.buf ?: "", events);
	} else {
		trace_values__escaped(&name, comm, strnlen(comm, sizeof(faults->comm)));
		fprintf(fp, " %.*s (%" PRIu64 "), %" PRIu64 " events, %.1f%%", (int)name.len, name.buf ?: "", id, events,
			100.0 * events / sums->nr_events);
	}
	print_faults(faults, fp);
	text__exit(&name);
}

static void print_table(const struct trace_sums *sums, const struct row *row, size_t nr, const struct syscall_formats *formats, FILE *fp)
{
	static const char dashes[NAME_ROOM] = "-----------------------------------------------";
	int width = NAME_WIDTH, len;
	char name[NAME_ROOM];

	if (sums->max_rows && nr > sums->max_rows)
		nr = sums->max_rows;
	for (size_t i = 0; i < nr; i++) {
		len = make_name(formats, row[i].nr, name);
		width = len > width ? len : width;
	}
	fprintf(fp, "   %-*s    calls  errors  total       min       avg       max       stddev\n", width, "syscall");
	fprintf(fp, "   %-*s                   (msec)    (msec)    (msec)    (msec)        (%%)\n", width, "");
	fprintf(fp, "   %.*s --------  ------ -------- --------- --------- ---------     ------\n", width, dashes);
	for (size_t i = 0; i < nr; i++)
		print_row(sums, row + i, formats, width, fp);
	fputs("\n\n", fp);
}

static int compare_faults(const struct fault_row *x, const struct fault_row *y)
{
	COMPARE(x->id, y->id);
	return 0;
}

/* Print the faults of tasks below this id that have no rows, as they made no calls. Returns the next one. */
static const struct fault_row *print_lone_faults(const struct trace_sums *sums, const struct fault_row *faults, u64 below, FILE *fp)
{
	for (; faults && faults->id < below; faults = faults->hh.next) {
		print_title(sums, faults->id, faults->comm, 0, fp);
		print_table(sums, NULL, 0, NULL, fp);
	}
	return faults;
}

void trace_sums__print(struct trace_sums *sums, const struct syscall_formats *formats, FILE *fp)
{
	const struct fault_row *faults;
	size_t from = 0, to;

	settle_rows(sums);
	settle_errors(sums);
	HASH_SORT(sums->faults, compare_faults);
	sums->nr_events = nr_events(sums->row, sums->nr_rows);
	for (faults = sums->faults; faults; faults = faults->hh.next)
		sums->nr_events += nr_faults(faults);
	fputs("\n Summary of events:\n\n", fp);
	faults = sums->faults;
	for (; from < sums->nr_rows; from = to) {
		const struct row *row = &sums->row[from];

		for (to = from + 1; to < sums->nr_rows && sums->row[to].id == row->id; to++)
			;
		faults = print_lone_faults(sums, faults, row->id, fp);
		if (faults && faults->id == row->id)
			faults = faults->hh.next;
		print_title(sums, row->id, row->sum.comm, nr_events(row, to - from), fp);
		print_table(sums, row, to - from, formats, fp);
	}
	print_lone_faults(sums, faults, UINT64_MAX, fp);
}
