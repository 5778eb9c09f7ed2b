// SPDX-License-Identifier: GPL-2.0
#include "cmd/annotate/lines.h"

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
	const char **of; /* by line of the code: the place of its instruction; NULL: unknown, or too small a share */
	struct source_sum *sum;
	u32 nr_sums;
};

/* Which samples fell on the instruction: those from it on to the next one. */
static struct code_hit hits_of(const struct annotated *a, u32 line)
{
	const struct symbol *sym = a->function->loc.sym;
	const struct code_text *code = a->code;
	u32 next = line + 1;

	while (next < code->nr && code->line[next].offset < 0)
		next++;
	return code_hits__sum(a->hits, a->function, code->line[line].offset,
			      next < code->nr ? (u64)code->line[next].offset : sym->end - sym->start);
}

static double percent(const struct annotated *a, const struct code_hit *hit)
{
	const u64 whole[ANNOTATE_NR_PERCENTS] = {
		[ANNOTATE_LOCAL_PERIOD] = a->function->period,
		[ANNOTATE_LOCAL_HITS] = a->function->nr,
		[ANNOTATE_GLOBAL_PERIOD] = a->hists->total_period,
		[ANNOTATE_GLOBAL_HITS] = a->hists->nr_samples,
	};
	enum annotate_percent type = a->options->percent;
	bool of_hits = type == ANNOTATE_LOCAL_HITS || type == ANNOTATE_GLOBAL_HITS;

	return whole[type] ? (of_hits ? hit->nr : hit->period) * 100.0 / whole[type] : 0.0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int share_width(const struct annotated *a)
{
	return a->options->show_period ? PERIOD_WIDTH : SHARE_WIDTH;
}

static void print_title(const struct annotated *a, FILE *fp)
{
	const struct annotate_options *o = a->options;
	const struct dso *dso = a->function->loc.dso;
	int width = share_width(a);
	int len = fprintf(fp, " %-*s|\tSource code & Disassembly of %s for %s (%" PRIu64 " samples, percent: %s)\n", width,
			  o->show_period ? "Period" : o->show_samples ? "Samples" : "Percent", o->full_paths ? dso->shown : base_name(dso->shown),
			  a->event, (uint64_t)a->function->nr, annotate_percents[o->percent]);

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

static void print_instruction(const struct annotated *a, FILE *fp, u32 i, int width)
{
	const struct code_line *line = &a->code->line[i];
	const struct code_hit hit = hits_of(a, i);

	if (a->options->show_period)
		fprintf(fp, " %11" PRIu64, (uint64_t)hit.period);
	else if (a->options->show_samples)
		fprintf(fp, " %7" PRIu64, (uint64_t)hit.nr);
	else
		fprintf(fp, " %7.2f", percent(a, &hit));
	fprintf(fp, " :   %*" PRIx64 ":%s", width, (uint64_t)(a->code->start + line->offset), line->text);
}

static void print_code(const struct annotated *a, FILE *fp, const char *const *place)
{
	const struct code_text *code = a->code;
	int width = address_width(code);
	const char *before = NULL;

	for (u32 i = 0; i < code->nr; i++) {
		const struct code_line *line = &code->line[i];

		if (line->offset < 0) {
			fprintf(fp, *line->text ? " %*s: %-*d %s\n" : " %*s:\n", share_width(a), "", width, line->number, line->text);
			continue;
		}
		print_instruction(a, fp, i, width);
		if (place && place[i] && (!before || strcmp(before, place[i]))) {
			fprintf(fp, " // %s", place[i]);
			before = place[i];
		}
		fputc('\n', fp);
	}
}

/* "file.c:12" of an instruction; NULL: unknown */
static char *place_of(const struct annotated *a, u64 offset)
{
	const struct location *first = &a->function->loc;
	struct location loc = *first;
	const struct srcline *source;
	char text[4096];

	loc.number = 0;
	loc.sym_addr = first->sym->start + offset;
	loc.addr = first->addr - first->sym_addr + loc.sym_addr;
	source = resolver__srcline(a->resolver, &loc);
	if (!source || !source->frame[0].file)
		return NULL;
	srcline_frame__snprint(&source->frame[0], a->options->full_paths, text, sizeof(text));
	return strdup(text);
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

static int find_source_lines(const struct annotated *a, struct source_lines *lines)
{
	lines->of = calloc(a->code->nr + 1, sizeof(*lines->of));
	lines->sum = calloc(a->code->nr + 1, sizeof(*lines->sum));
	if (!lines->of || !lines->sum)
		return -ENOMEM;
	for (u32 i = 0; i < a->code->nr; i++) {
		const struct code_hit hit = a->code->line[i].offset >= 0 ? hits_of(a, i) : (struct code_hit){};
		char *place = percent(a, &hit) > LINE_PERCENT ? place_of(a, a->code->line[i].offset) : NULL;

		if (place)
			lines->of[i] = add_sum(lines, place, percent(a, &hit));
	}
	qsort(lines->sum, lines->nr_sums, sizeof(*lines->sum), cmp_sums);
	return 0;
}

static void print_sums(const struct annotated *a, FILE *fp, const struct source_lines *lines)
{
	fprintf(fp, "\nSorted summary for file %s\n----------------------------------------------\n\n", a->function->loc.dso->shown);
	if (!lines->nr_sums)
		fprintf(fp, " Nothing higher than %.1f%%\n", LINE_PERCENT);
	for (u32 i = 0; i < lines->nr_sums; i++)
		fprintf(fp, " %7.2f %s\n", lines->sum[i].percent, lines->sum[i].place);
}

int annotated__fprintf(const struct annotated *a, FILE *fp)
{
	struct source_lines lines = {};
	int ret = a->options->print_lines ? find_source_lines(a, &lines) : 0;

	if (!ret) {
		if (a->options->print_lines)
			print_sums(a, fp, &lines);
		print_title(a, fp);
		print_code(a, fp, lines.of);
	}
	for (u32 i = 0; i < lines.nr_sums; i++)
		free(lines.sum[i].place);
	free(lines.sum);
	free(lines.of);
	return ret;
}
