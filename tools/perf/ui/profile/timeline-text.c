// SPDX-License-Identifier: GPL-2.0
/*
 * A timeline as text: for each event a grid whose columns are seconds, and whose rows are parts of them, and below it a row for each
 * thread, from the first time to the last.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "ui/heat-shades.h"
#include "ui/profile/time-cells.h"
#include "util/lib/advice.h"
#include "util/lib/printable.h"

#define PLAIN_WIDTH 80
#define PLAIN_ROWS 20
#define LABEL 26 /* of a thread, before its row, and of a row of the grid: both have the same axis */
#define MAX_POINTS 50000000
#define MAX_ROWS 4096 /* of a screen */

/* The names of perfdata/wall-state.h, in the brackets that nodes have. */
static const struct {
	const char *name;
	char letter;
	int color; /* of 256 */
} states[] = {
	{ "[user]", 'u', 215 },	    { "[kernel]", 'k', 209 },	{ "[running]", 'x', 179 }, { "[runnable]", 'r', 185 }, { "[sleeping]", '.', 110 },
	{ "[disk]", 'd', 140 },	    { "[lock]", 'l', 168 },	{ "[futex]", 'f', 175 },   { "[idle]", 'i', 152 },	   { "[stopped]", 't', 247 },  { "[unknown]", '?', 252 },
};

#define NR_STATES ARRAY_SIZE(states)

struct picture {
	const struct profile *profile;
	const struct profile_event *event;
	struct time_cells cells;
	u32 index; /* of the event in the session */
	u32 width, grid_rows, thread_rows;
	u32 nr_columns, wide; /* of the grid, and the characters of each */
	enum heat_shades shades;
	FILE *fp;
};

static u32 state_of(void *data, const struct stack_node *node)
{
	for (u32 i = 0; node->kind == STACK_STATE && i < NR_STATES; i++) {
		if (!strcmp(node->name, states[i].name))
			return i + 1;
	}
	return 0;
}

static u32 nothing_of(void *data, const struct stack_node *node)
{
	return 0;
}

/* What fits on the terminal, with the lines around it, and a prompt below. */
static void measure_output(struct picture *p)
{
	struct winsize size = {};

	p->shades = heat_shades__of(p->fp);
	p->width = PLAIN_WIDTH;
	p->grid_rows = p->thread_rows = PLAIN_ROWS;
	if (!isatty(fileno(p->fp)) || ioctl(fileno(p->fp), TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return;
	p->width = size.ws_col < 2 * LABEL ? 2 * LABEL : size.ws_col < MAX_ROWS ? size.ws_col : MAX_ROWS;
	p->grid_rows = size.ws_row >= 40 ? 20 : 10;
	p->thread_rows = size.ws_row > p->grid_rows + 12 ? (size.ws_row < MAX_ROWS ? size.ws_row : MAX_ROWS) - p->grid_rows - 9 : 3;
}

static int fill(struct picture *p, u64 cell, bool by_thread)
{
	const struct time_cells_opts opts = {
		.cell = cell ?: 1,
		.max = MAX_POINTS,
		.event = p->index,
		.nr_rows = UINT32_MAX,
		.one_row = !by_thread,
		.place = by_thread ? state_of : nothing_of,
	};

	return time_cells__fill(&p->cells, p->profile, &opts);
}

static void print_time(FILE *fp, u64 ns)
{
	if (ns < 1000000)
		fprintf(fp, "%g us", ns / 1e3);
	else if (ns < 1000000000)
		fprintf(fp, "%g ms", ns / 1e6);
	else
		fprintf(fp, "%g s", ns / 1e9);
}

static void print_times(const struct picture *p, u32 margin, u32 width, u64 all)
{
	char last[32];

	snprintf(last, sizeof(last), "%.3f s", all / 1e9);
	fprintf(p->fp, "%*s0%*s\n", margin, "", width > 1 ? width - 1 : 1, last);
}

static void print_shade(const struct picture *p, u64 weight, u64 max)
{
	u32 nr = heat_shades__nr(p->shades);

	heat_shades__print(p->shades, weight ? 1 + (u32)((double)weight / max * (nr - 1) + 0.5) : 0, p->fp);
}

/* --- seconds and their parts --- */

static void print_grid_row(const struct picture *p, const u64 *weight, u32 row, u64 max)
{
	fprintf(p->fp, "%*.5g |", LABEL - 2, row * (p->cells.cell / 1e6));
	for (u32 column = 0; column < p->nr_columns; column++) {
		u64 cell = (u64)column * p->grid_rows + row;

		for (u32 i = 0; i < p->wide; i++)
			print_shade(p, cell < p->cells.nr_cells ? weight[cell] : 0, max);
	}
	fputs("|\n", p->fp);
}

/* The weight of each cell; the largest one goes to max. NULL: no memory. */
static u64 *weigh_cells(const struct picture *p, u64 *max)
{
	u64 *weight = calloc(p->cells.nr_cells, sizeof(*weight));

	*max = 1;
	for (u32 i = 0; weight && i < p->cells.nr_points; i++) {
		const struct time_point *point = &p->cells.point[i];

		for (u32 k = 0; k <= point->len; k++)
			weight[point->cell + k] += time_point__in_cell(point, k);
	}
	for (u32 i = 0; weight && i < p->cells.nr_cells; i++)
		*max = weight[i] > *max ? weight[i] : *max;
	return weight;
}

static int print_grid(struct picture *p)
{
	u64 column = time_cells__column(&p->cells, p->profile->time_quantum, p->width - LABEL - 2), max, *weight;
	int ret = fill(p, column / p->grid_rows, false);

	weight = ret ? NULL : weigh_cells(p, &max);
	if (!weight)
		return -ENOMEM;
	p->nr_columns = (p->cells.nr_cells + p->grid_rows - 1) / p->grid_rows;
	p->wide = (p->width - LABEL - 2) / p->nr_columns ?: 1;
	fprintf(p->fp, "%*s  columns of ", LABEL - 2, "ms");
	print_time(p->fp, p->grid_rows * p->cells.cell);
	fputs(", rows are parts of them\n", p->fp);
	for (u32 row = p->grid_rows; row-- > 0;)
		print_grid_row(p, weight, row, max);
	print_times(p, LABEL, p->nr_columns * p->wide, p->nr_columns * p->grid_rows * p->cells.cell);
	free(weight);
	return 0;
}

/* --- threads --- */

struct bin { /* what a thread did in one column */
	u64 weight[NR_STATES + 1];
};

static u64 bin__sum(const struct bin *bin)
{
	u64 sum = 0;

	for (u32 i = 0; i <= NR_STATES; i++)
		sum += bin->weight[i];
	return sum;
}

static void print_state(const struct picture *p, const struct bin *bin)
{
	u32 most = 0;

	for (u32 i = 1; i <= NR_STATES; i++)
		most = bin->weight[i] > bin->weight[most] ? i : most;
	if (!most)
		fputc(bin->weight[0] ? '*' : ' ', p->fp);
	else if (p->shades == HEAT_GREYS)
		fprintf(p->fp, "\033[38;5;16;48;5;%dm%c\033[0m", states[most - 1].color, states[most - 1].letter);
	else
		fputc(states[most - 1].letter, p->fp);
}

static void print_label(const struct picture *p, const struct timeline_row *row)
{
	const u8 *comm = (const u8 *)row->comm, *end = comm + strlen(row->comm);
	u32 width = 0;

	while (comm < end && width < LABEL - 11) {
		size_t len = utf8_length(comm, end) ?: 1;

		fwrite(comm, 1, len, p->fp);
		comm += len;
		width++;
	}
	fprintf(p->fp, "%*s %8u |", (int)(LABEL - 11 - width), "", row->tid);
}

static void fill_bins(struct bin *bins, const struct time_point *points, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		for (u32 k = 0; k <= points[i].len; k++)
			bins[points[i].cell + k].weight[points[i].place] += time_point__in_cell(&points[i], k);
	}
}

/* The end of the points of the same thread. */
static u32 end_of_row(const struct time_cells *cells, u32 from)
{
	u32 i = from;

	while (i < cells->nr_points && cells->point[i].row == cells->point[from].row)
		i++;
	return i;
}

/* Of all threads that are shown, for shades. */
static u64 greatest_bin(const struct picture *p, struct bin *bins, bool *has_states)
{
	u32 rows = 0;
	u64 max = 1;

	for (u32 i = 0, end; i < p->cells.nr_points && rows < p->thread_rows; i = end, rows++) {
		end = end_of_row(&p->cells, i);
		memset(bins, 0, p->cells.nr_cells * sizeof(*bins));
		fill_bins(bins, &p->cells.point[i], end - i);
		for (u32 k = 0; k < p->cells.nr_cells; k++) {
			*has_states |= bin__sum(&bins[k]) != bins[k].weight[0];
			max = bin__sum(&bins[k]) > max ? bin__sum(&bins[k]) : max;
		}
	}
	return max;
}

static void print_thread(const struct picture *p, struct bin *bins, u32 from, u32 to, bool has_states, u64 max)
{
	memset(bins, 0, p->cells.nr_cells * sizeof(*bins));
	fill_bins(bins, &p->cells.point[from], to - from);
	print_label(p, &p->profile->timeline->row[p->cells.point[from].row]);
	for (u32 i = 0; i < p->cells.nr_cells; i++) {
		if (has_states)
			print_state(p, &bins[i]);
		else
			print_shade(p, bin__sum(&bins[i]), max);
	}
	fprintf(p->fp, "%*s|\n", (int)(p->nr_columns * p->wide - p->cells.nr_cells), "");
}

static void print_key(const struct picture *p, bool has_states)
{
	if (!has_states)
		return;
	for (u32 i = 0; i + 3 < NR_STATES; i++)
		fprintf(p->fp, "%c %.*s%s", states[i].letter, (int)strlen(states[i].name) - 2, states[i].name + 1, i + 4 < NR_STATES ? " " : "\n");
}

static int print_threads(struct picture *p)
{
	const u64 column = p->grid_rows * p->cells.cell; /* of the grid, which was printed before */
	u32 rows = 0, others = 0;
	bool has_states = false;
	struct bin *bins;
	int ret = fill(p, (column + p->wide - 1) / p->wide, true);
	u64 max;

	bins = ret ? NULL : calloc(p->cells.nr_cells, sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	max = greatest_bin(p, bins, &has_states);
	fprintf(p->fp, "%-*s%8s  a column is ", LABEL - 10, "thread", "tid");
	print_time(p->fp, p->cells.cell / 1000 * 1000);
	fprintf(p->fp, "; blank: %s\n", has_states ? "nothing is known" : "no sample");
	for (u32 i = 0, end; i < p->cells.nr_points; i = end) {
		end = end_of_row(&p->cells, i);
		if (rows++ < p->thread_rows)
			print_thread(p, bins, i, end, has_states, max);
		else
			others++;
	}
	print_times(p, LABEL, p->nr_columns * p->wide, p->nr_columns * column);
	print_key(p, has_states);
	if (others)
		fprintf(p->fp, "# %u more thread%s, with less time: choose by --comm, --tid\n", others, plural(others));
	free(bins);
	return 0;
}

/* --- the whole --- */

static int print_event(struct picture *p)
{
	fprintf(p->fp, "# %s: %" PRIu64 " sample%s, from %.6f to %.6f\n", p->event->name, p->event->nr_samples,
		plural(p->event->nr_samples), p->cells.first / 1e9, p->cells.end / 1e9);
	return print_grid(p) ?: print_threads(p);
}

int profile__write_timeline_text(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	struct picture p = { .profile = profile, .fp = fp };
	int ret = 0;

	measure_output(&p);
	if (!time_cells__measure(&p.cells, profile))
		fputs("# no sample has a time\n", fp);
	for (u32 i = 0; p.cells.first && i < profile->nr_events && !ret; i++) {
		p.event = &profile->event[i];
		for (p.index = 0; profile->timeline_event[p.index] != p.event;)
			p.index++;
		if (i)
			fputc('\n', fp);
		ret = print_event(&p);
	}
	time_cells__exit(&p.cells);
	return ret ? errmsg__set(err, -ret, "out of memory") : 0;
}
