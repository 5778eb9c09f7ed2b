// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/duration-table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BAR 46

struct duration_table {
	struct duration_table_opts opts;
	u64 count, sum, least, greatest; /* times in ns */
	u32 nr_buckets;
	u64 bucket[];
};

static u32 nr_buckets(const struct duration_table_opts *opts)
{
	u64 nr;

	if (!opts->range || !opts->max)
		return DURATION_BUCKETS;
	nr = (opts->max - opts->min + opts->range - 1) / opts->range + 2; /* those below and above */
	return nr < HISTOGRAM_MAX_LINEAR ? nr : HISTOGRAM_MAX_LINEAR;
}

struct duration_table *duration_table__new(const struct duration_table_opts *opts)
{
	const u32 nr = nr_buckets(opts);
	struct duration_table *t = calloc(1, sizeof(*t) + nr * sizeof(t->bucket[0]));

	if (!t)
		return NULL;
	t->opts = *opts;
	t->nr_buckets = nr;
	return t;
}

void duration_table__delete(struct duration_table *t)
{
	free(t);
}

void duration_table__clear(struct duration_table *t)
{
	t->count = t->sum = 0;
	memset(t->bucket, 0, t->nr_buckets * sizeof(t->bucket[0]));
}

/* Linear ones begin behind the one for all below. */
static u32 index_of(const struct duration_table *t, s32 bucket)
{
	if (bucket == HISTOGRAM_UNDER)
		return 0;
	if (bucket == HISTOGRAM_OVER || bucket >= (s32)t->nr_buckets)
		return t->nr_buckets - 1;
	if (t->opts.range)
		bucket++;
	return bucket < (s32)t->nr_buckets ? (u32)bucket : t->nr_buckets - 1;
}

void duration_table__add(struct duration_table *t, const struct tally_row *row)
{
	if (!t->count || row->least < t->least)
		t->least = row->least;
	if (!t->count || row->greatest > t->greatest)
		t->greatest = row->greatest;
	t->count += row->count;
	t->sum += row->period;
	t->bucket[index_of(t, row->bucket)] += row->count;
}

u64 duration_table__count(const struct duration_table *t)
{
	return t->count;
}

static const char *unit_name(const struct duration_table *t, int larger)
{
	static const char *const names[] = { "ns", "us", "ms", "s " };
	const int i = larger + !t->opts.in_ns;

	return names[i < 3 ? i : 3];
}

static void print_bar(const struct duration_table *t, u64 count, FILE *fp)
{
	const int len = t->count ? count * BAR / t->count : 0;

	fprintf(fp, " | %10" PRIu64 " | ", count);
	for (int i = 0; i < BAR; i++)
		fputc(i < len ? '#' : ' ', fp);
	fputs(" |\n", fp);
}

/* Powers of two: units are 1024 times the smaller ones, as in other perfs. */
static void print_power(const struct duration_table *t, u32 i, FILE *fp)
{
	u64 start = i ? 1ULL << (i - 1) : 0, stop = 1ULL << i;
	int larger = 0;

	for (; start >= 1024; start >>= 10, stop >>= 10)
		larger++;
	if (i == t->nr_buckets - 1)
		fprintf(fp, "  %4" PRIu64 " - %-4s %s", start, "...", unit_name(t, larger));
	else
		fprintf(fp, "  %4" PRIu64 " - %4" PRIu64 " %s", start, stop, unit_name(t, larger));
}

static void print_linear(const struct duration_table *t, u32 i, FILE *fp)
{
	const u64 start = i ? t->opts.min + (i - 1) * t->opts.range : 0, stop = i ? start + t->opts.range : t->opts.min;
	const bool last = i == t->nr_buckets - 1;
	double low = start, high = stop;
	int larger = 0;

	for (; low >= 1000 && larger + !t->opts.in_ns < 3; low /= 1000, high /= 1000)
		larger++;
	if (last)
		fprintf(fp, larger ? "  %4.2f - %-4s %s" : "  %4.0f - %-4s %s", low, "...", unit_name(t, larger));
	else
		fprintf(fp, larger ? "  %4.2f - %4.2f %s" : "  %4.0f - %4.0f %s", low, high, unit_name(t, larger));
}

void duration_table__print(const struct duration_table *t, FILE *fp)
{
	fprintf(fp, "# %14s | %10s | %-*s |\n", "  DURATION    ", "COUNT", BAR, "GRAPH");
	for (u32 i = 0; i < t->nr_buckets; i++) {
		if ((t->opts.hide_empty && !t->bucket[i]) || (t->opts.range && !i && !t->opts.min))
			continue;
		if (t->opts.range)
			print_linear(t, i, fp);
		else
			print_power(t, i, fp);
		print_bar(t, t->bucket[i], fp);
	}
}

/* To the ns: times of less than one us are times, too. */
static void print_time(const struct duration_table *t, const char *name, double ns, FILE *fp)
{
	fprintf(fp, "%12s: %20.*f\n", name, t->opts.in_ns ? 0 : 3, t->opts.in_ns ? ns : ns / 1000);
}

void duration_table__print_statistics(const struct duration_table *t, FILE *fp)
{
	fprintf(fp, "\n# statistics  (in %s)\n", t->opts.in_ns ? "nsec" : "usec");
	print_time(t, "total time", t->sum, fp);
	print_time(t, "avg time", t->count ? (double)t->sum / t->count : 0, fp);
	print_time(t, "max time", t->count ? t->greatest : 0, fp);
	print_time(t, "min time", t->count ? t->least : 0, fp);
	fprintf(fp, "%12s: %20" PRIu64 "\n", "count", t->count);
}
