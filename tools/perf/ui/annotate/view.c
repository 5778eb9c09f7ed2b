// SPDX-License-Identifier: GPL-2.0
#include "ui/annotate/view.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/annotate/instruction.h"

#define SHARE_WIDTH 7 /* and a blank behind each */
#define PERIOD_WIDTH 11
#define TEXT_MAX 4096

struct code_insn {
	struct instruction parsed;
	u32 target; /* instruction that it jumps to; NONE: none of this function */
	u32 nr_jumps; /* to it */
	u32 row;
};

struct hot {
	u32 instruction;
	double percent;
};

struct code_view {
	const struct annotated *a;
	unsigned int flags;
	struct code_insn *insn;
	u32 *row; /* line of the code */
	u32 nr;
	u32 *instruction; /* by line of the code; NONE: it is none */
	struct hot *hot;
	u32 nr_hot;
	int name_width, offset_width, address_width, jumps_width;
};

static u64 offset_of(const struct code_view *view, u32 instruction)
{
	return view->a->code.line[view->a->line[instruction]].offset;
}

/* The instruction at an offset; NONE: none begins there. */
static u32 instruction_at(const struct code_view *view, u64 offset)
{
	u32 from = 0, to = view->a->nr;

	while (from < to) {
		u32 middle = from + (to - from) / 2;

		if (offset_of(view, middle) < offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from < view->a->nr && offset_of(view, from) == offset ? from : CODE_VIEW_NONE;
}

static int hex_width(u64 number)
{
	return snprintf(NULL, 0, "%" PRIx64, (uint64_t)number);
}

static void parse(struct code_view *view)
{
	const struct annotated *a = view->a;
	u32 most_jumps = 0;

	for (u32 i = 0; i < a->nr; i++) {
		struct code_insn *insn = &view->insn[i];

		instruction__parse(&insn->parsed, a->code.machine, a->code.line[a->line[i]].text, a->source.code->raw);
		insn->target = instruction__jumps_within(&insn->parsed, a->code.start, annotated__size(a)) ?
				       instruction_at(view, insn->parsed.target - a->code.start) : CODE_VIEW_NONE;
		if (view->name_width < insn->parsed.name_len)
			view->name_width = insn->parsed.name_len;
	}
	for (u32 i = 0; i < a->nr; i++) {
		u32 target = view->insn[i].target;

		if (target != CODE_VIEW_NONE && ++view->insn[target].nr_jumps > most_jumps)
			most_jumps = view->insn[target].nr_jumps;
	}
	view->jumps_width = snprintf(NULL, 0, "%u", most_jumps);
	view->offset_width = hex_width(annotated__size(a));
	view->address_width = hex_width(a->code.start + annotated__size(a));
}

/* Objdump's headings say what the screen's title does. */
static bool is_heading(const char *text)
{
	size_t len = strlen(text);

	return !*text || !strncmp(text, "Disassembly of section ", 23) ||
	       (len > 4 && isxdigit((unsigned char)*text) && !strcmp(text + len - 2, ">:") && strstr(text, " <"));
}

static void make_rows(struct code_view *view)
{
	const struct annotated *a = view->a;

	view->nr = 0;
	for (u32 i = 0; i < a->code.nr; i++) {
		u32 instruction = view->instruction[i];

		if (instruction != CODE_VIEW_NONE)
			view->insn[instruction].row = view->nr;
		else if (!(view->flags & CODE_VIEW_SOURCE) || is_heading(a->code.line[i].text))
			continue;
		view->row[view->nr++] = i;
	}
}

static double percent_of(const struct code_view *view, u32 instruction)
{
	double most = 0;

	for (u32 i = 0; i < view->a->nr_events; i++) {
		double percent = annotated__percent(view->a, i, instruction);

		most = percent > most ? percent : most;
	}
	return most;
}

static int cmp_hot(const void *pa, const void *pb)
{
	const struct hot *a = pa, *b = pb;

	if (a->percent != b->percent)
		return a->percent > b->percent ? -1 : 1;
	return a->instruction < b->instruction ? -1 : 1;
}

void code_view__recount(struct code_view *view)
{
	view->nr_hot = 0;
	for (u32 i = 0; i < view->a->nr; i++) {
		double percent = percent_of(view, i);

		if (percent > 0)
			view->hot[view->nr_hot++] = (struct hot){ i, percent };
	}
	qsort(view->hot, view->nr_hot, sizeof(*view->hot), cmp_hot);
}

struct code_view *code_view__new(const struct annotated *a, unsigned int flags)
{
	struct code_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->a = a;
	view->flags = flags;
	view->insn = calloc(a->nr + 1, sizeof(*view->insn));
	view->hot = calloc(a->nr + 1, sizeof(*view->hot));
	view->row = calloc(a->code.nr + 1, sizeof(*view->row));
	view->instruction = malloc((a->code.nr + 1) * sizeof(*view->instruction));
	if (!view->insn || !view->hot || !view->row || !view->instruction) {
		code_view__delete(view);
		return NULL;
	}
	memset(view->instruction, 0xff, (a->code.nr + 1) * sizeof(*view->instruction));
	for (u32 i = 0; i < a->nr; i++)
		view->instruction[a->line[i]] = i;
	parse(view);
	make_rows(view);
	code_view__recount(view);
	return view;
}

void code_view__delete(struct code_view *view)
{
	if (!view)
		return;
	free(view->insn);
	free(view->hot);
	free(view->row);
	free(view->instruction);
	free(view);
}

u32 code_view__set_flags(struct code_view *view, unsigned int flags, u32 row)
{
	u32 line = row < view->nr ? view->row[row] : 0;

	view->flags = flags;
	make_rows(view);
	for (row = 0; row + 1 < view->nr && view->row[row] < line;)
		row++;
	return row;
}

u32 code_view__nr(const struct code_view *view)
{
	return view->nr;
}

/* The instruction of a row; NULL: it is a source line. */
static const struct code_insn *insn_of(const struct code_view *view, u32 row, u32 *instruction)
{
	*instruction = row < view->nr ? view->instruction[view->row[row]] : CODE_VIEW_NONE;
	return *instruction == CODE_VIEW_NONE ? NULL : &view->insn[*instruction];
}

bool code_view__has_source(const struct code_view *view)
{
	return view->nr > view->a->nr;
}

u64 code_view__offset(const struct code_view *view, u32 row)
{
	u32 instruction = CODE_VIEW_NONE;

	while (row < view->nr && !insn_of(view, row, &instruction))
		row++;
	return instruction == CODE_VIEW_NONE ? 0 : offset_of(view, instruction);
}

u32 code_view__row_at(const struct code_view *view, u64 offset)
{
	u32 instruction = instruction_at(view, offset);

	return instruction == CODE_VIEW_NONE ? 0 : view->insn[instruction].row;
}

double code_view__percent(const struct code_view *view, u32 row)
{
	u32 instruction;

	return insn_of(view, row, &instruction) ? percent_of(view, instruction) : -1;
}

u32 code_view__target(const struct code_view *view, u32 row)
{
	u32 instruction;
	const struct code_insn *insn = insn_of(view, row, &instruction);

	return insn && insn->target != CODE_VIEW_NONE ? view->insn[insn->target].row : CODE_VIEW_NONE;
}

char *code_view__callee(const struct code_view *view, u32 row, char *buf, size_t size)
{
	u32 instruction;
	const struct code_insn *insn = insn_of(view, row, &instruction);

	if (!insn || (insn->parsed.kind != INSTRUCTION_CALL && insn->parsed.kind != INSTRUCTION_JUMP) || !insn->parsed.has_target ||
	    insn->target != CODE_VIEW_NONE)
		return NULL;
	snprintf(buf, size, "%.*s", insn->parsed.symbol_len, insn->parsed.symbol);
	return buf;
}

u32 code_view__hottest(const struct code_view *view, u32 rank)
{
	return rank < view->nr_hot ? view->insn[view->hot[rank].instruction].row : CODE_VIEW_NONE;
}

u32 code_view__find(const struct code_view *view, const char *text, u32 row, bool backwards)
{
	char line[TEXT_MAX];

	for (s64 i = (s64)row + (backwards ? -1 : 1); i >= 0 && i < view->nr; i += backwards ? -1 : 1) {
		if (strcasestr(code_view__text(view, i, line, sizeof(line)), text))
			return i;
	}
	return CODE_VIEW_NONE;
}

static int share_width(const struct code_view *view)
{
	return view->a->source.view->show_period ? PERIOD_WIDTH : SHARE_WIDTH;
}

/* Of the column with offsets or addresses, without its colon. */
static int place_width(const struct code_view *view)
{
	int width = view->flags & CODE_VIEW_ADDRESSES ? view->address_width : view->offset_width;

	return width + (view->flags & CODE_VIEW_JUMPS ? view->jumps_width + 1 : 0);
}

int code_view__arrow_column(const struct code_view *view)
{
	return (share_width(view) + 1) * view->a->nr_events + 1 + place_width(view) + 2;
}

static void print_share(const struct code_view *view, FILE *fp, u32 event, u32 instruction)
{
	const struct annotate_view_opts *o = view->a->source.view;
	const struct code_sum *sum = &view->a->event[event].sum[instruction];

	if (o->show_period)
		fprintf(fp, "%*" PRIu64 " ", PERIOD_WIDTH, (uint64_t)sum->period);
	else if (o->show_samples)
		fprintf(fp, "%*" PRIu64 " ", SHARE_WIDTH, (uint64_t)sum->nr);
	else
		fprintf(fp, "%*.2f ", SHARE_WIDTH, annotated__percent(view->a, event, instruction));
}

/* As in perf the first row has the title, unless it has samples. */
static void print_shares(const struct code_view *view, FILE *fp, u32 row, u32 instruction)
{
	const struct annotate_view_opts *o = view->a->source.view;
	const char *title = row ? "" : o->show_period ? "Period" : o->show_samples ? "Samples" : "Percent";

	if (instruction != CODE_VIEW_NONE && percent_of(view, instruction) > 0) {
		for (u32 i = 0; i < view->a->nr_events; i++)
			print_share(view, fp, i, instruction);
	} else {
		fprintf(fp, "%-*s", (share_width(view) + 1) * view->a->nr_events, title);
	}
	fputc(' ', fp);
}

static bool shows_place(const struct code_view *view, const struct code_insn *insn)
{
	if (insn->nr_jumps || view->flags & (CODE_VIEW_ALL_OFFSETS | CODE_VIEW_ADDRESSES))
		return true;
	return insn->parsed.kind == INSTRUCTION_CALL && view->flags & CODE_VIEW_CALL_OFFSETS;
}

static void print_place(const struct code_view *view, FILE *fp, const struct code_insn *insn, u32 instruction)
{
	u64 place = offset_of(view, instruction) + (view->flags & CODE_VIEW_ADDRESSES ? view->a->code.start : 0);
	int width = place_width(view);

	if (!shows_place(view, insn)) {
		fprintf(fp, "%*s  ", width, "");
		return;
	}
	if (view->flags & CODE_VIEW_JUMPS) {
		if (insn->nr_jumps)
			fprintf(fp, "%*u ", view->jumps_width, insn->nr_jumps);
		else
			fprintf(fp, "%*s ", view->jumps_width, "");
		width -= view->jumps_width + 1;
	}
	fprintf(fp, "%*" PRIx64 ": ", width, (uint64_t)place);
}

enum arrow { ARROW_NONE, ARROW_DOWN, ARROW_UP, ARROW_OUT, ARROW_BACK };

static enum arrow arrow_of(const struct code_insn *insn, u32 instruction)
{
	switch (insn->parsed.kind) {
	case INSTRUCTION_JUMP:
		if (insn->target == CODE_VIEW_NONE)
			return insn->parsed.has_target ? ARROW_OUT : ARROW_NONE;
		return insn->target > instruction ? ARROW_DOWN : ARROW_UP;
	case INSTRUCTION_CALL:
		return ARROW_OUT;
	case INSTRUCTION_RETURN:
		return ARROW_BACK;
	default:
		return ARROW_NONE;
	}
}

static const char *arrow_text(const struct code_view *view, enum arrow arrow)
{
	static const char *const text[] = { " ", "↓", "↑", "→", "←" }, *const ascii[] = { " ", "v", "^", ">", "<" };

	return view->flags & CODE_VIEW_ASCII ? ascii[arrow] : text[arrow];
}

static void print_instruction(const struct code_view *view, FILE *fp, const struct code_insn *insn, u32 instruction)
{
	const struct annotated *a = view->a;
	char operands[TEXT_MAX];

	fprintf(fp, "%s ", arrow_text(view, arrow_of(insn, instruction)));
	if (view->flags & CODE_VIEW_PLAIN || a->source.code->raw) {
		const char *text = a->code.line[a->line[instruction]].text;

		fputs(text + strspn(text, " "), fp);
		return;
	}
	instruction__short_operands(&insn->parsed, a->code.start, annotated__size(a), operands, sizeof(operands));
	fprintf(fp, "%-*.*s %s", view->name_width, insn->parsed.name_len, insn->parsed.name, operands);
}

static void print_row(const struct code_view *view, FILE *fp, u32 row)
{
	const struct code_line *line = &view->a->code.line[view->row[row]];
	u32 instruction;
	const struct code_insn *insn = insn_of(view, row, &instruction);

	print_shares(view, fp, row, instruction);
	if (insn) {
		print_place(view, fp, insn, instruction);
		print_instruction(view, fp, insn, instruction);
		annotated__put_type(view->a, instruction, "  ", fp);
	} else if (view->flags & CODE_VIEW_NUMBERS) {
		fprintf(fp, "%-*d %s", place_width(view) + 1, line->number, line->text);
	} else {
		fprintf(fp, "%*s  %s", place_width(view), "", line->text);
	}
}

char *code_view__text(const struct code_view *view, u32 row, char *buf, size_t size)
{
	FILE *fp = fmemopen(buf, size, "w");
	size_t len;

	buf[0] = '\0';
	if (!fp)
		return buf;
	print_row(view, fp, row);
	fclose(fp);
	buf[size - 1] = '\0';
	for (len = strlen(buf); len && buf[len - 1] == ' '; len--)
		buf[len - 1] = '\0';
	return buf;
}

void code_view__fprintf(const struct code_view *view, FILE *fp)
{
	char text[TEXT_MAX];

	for (u32 i = 0; i < view->nr; i++)
		fprintf(fp, "%s\n", code_view__text(view, i, text, sizeof(text)));
}
