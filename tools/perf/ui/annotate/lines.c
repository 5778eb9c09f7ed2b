// SPDX-License-Identifier: GPL-2.0
#include "ui/annotate/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_WIDTH 8
#define PERIOD_WIDTH 12
#define LINE_PERCENT 0.5 /* instructions above this count for -l, as in perf */

struct source_sum {
	char *place; /* "file.c:12" */
	double percent;
};

struct source_lines {
	const char **of; /* by instruction: its place; NULL: unknown, or too small a share */
	struct source_sum *sum;
	u32 nr_sums;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int share_width(const struct annotated *a)
{
	return (a->source.view->show_period ? PERIOD_WIDTH : SHARE_WIDTH) * a->nr_events;
}

/* As in perf: the samples are those of the first event. */
static void print_title(const struct annotated *a, const char *events, FILE *fp)
{
	const struct annotate_view_opts *o = a->source.view;
	const struct dso *dso = a->loc.dso;
	u64 nr = a->event[0].function ? a->event[0].function->nr : 0;
	int len = fprintf(fp, " %-*s|\tSource code & Disassembly of %s for %s (%" PRIu64 " samples, percent: %s)\n", share_width(a),
			  o->show_period ? "Period" : o->show_samples ? "Samples" : "Percent", o->full_paths ? dso->shown : base_name(dso->shown),
			  events, (uint64_t)nr, annotate_percents[o->percent]);

	for (int i = 0; i < len + 4; i++)
		fputc('-', fp);
	fputc('\n', fp);
}

/* Of the last one, as in perf: the others are as long or shorter. */
static int address_width(const struct code_text *code)
{
	for (u32 i = code->nr; i > 0; i--) {
		if (code->line[i - 1].offset >= 0)
			return snprintf(NULL, 0, "%" PRIx64, (uint64_t)(code->start + code->line[i - 1].offset));
	}
	return 0;
}

static void print_instruction(const struct annotated *a, FILE *fp, u32 instruction, int width)
{
	const struct code_line *line = &a->code.line[a->line[instruction]];

	for (u32 i = 0; i < a->nr_events; i++) {
		const struct code_sum *sum = &a->event[i].sum[instruction];

		if (a->source.view->show_period)
			fprintf(fp, " %11" PRIu64, (uint64_t)sum->period);
		else if (a->source.view->show_samples)
			fprintf(fp, " %7" PRIu64, (uint64_t)sum->nr);
		else
			fprintf(fp, " %7.2f", annotated__percent(a, i, instruction));
	}
	fprintf(fp, " :   %*" PRIx64 ":%s", width, (uint64_t)(a->code.start + line->offset), line->text);
}

static void print_code(const struct annotated *a, FILE *fp, const char *const *place)
{
	const struct code_text *code = &a->code;
	int width = address_width(code);
	const char *before = NULL;
	u32 instruction = 0;

	for (u32 i = 0; i < code->nr; i++) {
		const struct code_line *line = &code->line[i];

		if (line->offset < 0) {
			fprintf(fp, *line->text ? " %*s: %-*d %s\n" : " %*s:\n", share_width(a), "", width, line->number, line->text);
			continue;
		}
		print_instruction(a, fp, instruction, width);
		annotated__put_type(a, instruction, "\t\t", fp);
		if (place && place[instruction] && (!before || strcmp(before, place[instruction]))) {
			fprintf(fp, " // %s", place[instruction]);
			before = place[instruction];
		}
		instruction++;
		fputc('\n', fp);
	}
}

/* Add to the sum of a place, which becomes the table's or is freed. The table's copy; NULL: no memory */
static const char *add_sum(struct source_lines *lines, char *place, double percent)
{
	for (u32 i = 0; i < lines->nr_sums; i++) {
		if (strcmp(lines->sum[i].place, place))
			continue;
		free(place);
		lines->sum[i].percent += percent;
		return lines->sum[i].place;
	}
	lines->sum[lines->nr_sums++] = (struct source_sum){ place, percent };
	return place;
}

static int cmp_sums(const void *pa, const void *pb)
{
	const struct source_sum *a = pa, *b = pb;

	if (a->percent != b->percent)
		return a->percent > b->percent ? -1 : 1;
	return strcmp(a->place, b->place);
}

/* The shares are those of the first event. */
static int find_source_lines(const struct annotated *a, struct source_lines *lines)
{
	lines->of = calloc(a->nr + 1, sizeof(*lines->of));
	lines->sum = calloc(a->nr + 1, sizeof(*lines->sum));
	if (!lines->of || !lines->sum)
		return -ENOMEM;
	for (u32 i = 0; i < a->nr; i++) {
		char *place = annotated__percent(a, 0, i) > LINE_PERCENT ? annotated__place(a, i) : NULL;

		if (place)
			lines->of[i] = add_sum(lines, place, annotated__percent(a, 0, i));
	}
	qsort(lines->sum, lines->nr_sums, sizeof(*lines->sum), cmp_sums);
	return 0;
}

static void print_sums(const struct annotated *a, FILE *fp, const struct source_lines *lines)
{
	fprintf(fp, "\nSorted summary for file %s\n----------------------------------------------\n\n", a->loc.dso->shown);
	if (!lines->nr_sums)
		fprintf(fp, " Nothing higher than %.1f%%\n", LINE_PERCENT);
	for (u32 i = 0; i < lines->nr_sums; i++)
		fprintf(fp, " %7.2f %s\n", lines->sum[i].percent, lines->sum[i].place);
}

int annotated__fprintf(const struct annotated *a, const char *events, FILE *fp)
{
	bool print_lines = a->source.view->print_lines;
	struct source_lines lines = {};
	int ret = print_lines ? find_source_lines(a, &lines) : 0;

	if (!ret) {
		if (print_lines)
			print_sums(a, fp, &lines);
		print_title(a, events, fp);
		print_code(a, fp, lines.of);
	}
	for (u32 i = 0; i < lines.nr_sums; i++)
		free(lines.sum[i].place);
	free(lines.sum);
	free(lines.of);
	return ret;
}
