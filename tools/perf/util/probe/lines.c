// SPDX-License-Identifier: GPL-2.0
#include "util/probe/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

struct finding {
	struct probe_lines *lines;
	struct probe_debug *debug;
	const char *file;	/* what the user wrote; NULL: any */
	struct probe_function *function;
	size_t nr;
};

static int add_line(struct probe_lines *lines, u64 line)
{
	if (lines->nr && lines->line[lines->nr - 1] == line)
		return 0;
	if (array__extend(lines->line, lines->nr))
		return -ENOMEM;
	lines->line[lines->nr++] = line;
	return 0;
}

static int set_file(struct probe_lines *lines, const char *file)
{
	if (!lines->file)
		lines->file = strdup(file);
	return lines->file ? 0 : -ENOMEM;
}

/* The first instruction of a function belongs to the line that its name is on. */
static bool is_entry(struct finding *f, u64 vaddr)
{
	struct probe_function outer;

	return probe_debug__outer_function_at(f->debug, vaddr, &outer) && outer.entry == vaddr;
}

/* Functions */

static int keep_function(const struct probe_function *function, void *data)
{
	struct finding *f = data;
	const char *file;
	u64 line;

	file = probe_function__declared(function, &line);
	if (!file || (f->lines->file && (strcmp(f->lines->file, file) || f->lines->first != line)))
		return 0;
	if (array__extend(f->function, f->nr))
		return -ENOMEM;
	f->function[f->nr++] = *function;
	f->lines->first = line;
	return set_file(f->lines, file);
}

static bool is_inside(struct finding *f, u64 vaddr)
{
	struct probe_function inner;
	const char *file;
	u64 line;
	bool contained = false;

	for (size_t i = 0; i < f->nr && !contained; i++)
		contained = probe_function__contains(&f->function[i], vaddr);
	if (!contained || !probe_debug__function_at(f->debug, vaddr, &inner))
		return false;
	file = probe_function__declared(&inner, &line);
	return file && line == f->lines->first && !strcmp(file, f->lines->file);
}

static int try_row_of_function(const struct probe_row *row, void *data)
{
	struct finding *f = data;

	if (row->line < f->lines->first || strcmp(row->file, f->lines->file) || !is_inside(f, row->vaddr) || is_entry(f, row->vaddr))
		return 0;
	return add_line(f->lines, row->line);
}

static int find_of_function(struct finding *f, const struct probe_line_range *range)
{
	const struct probe_wanted_function wanted = { range->function, range->file, false };
	int ret = probe_debug__for_each_function(f->debug, &wanted, keep_function, f);

	if (ret || !f->nr)
		return ret;
	ret = add_line(f->lines, f->lines->first);
	return ret ?: probe_debug__for_each_row(f->debug, try_row_of_function, f);
}

/* Files */

static int try_declared(const struct probe_function *function, void *data)
{
	struct finding *f = data;
	u64 line;
	const char *file = probe_function__declared(function, &line);

	if (!file || !probe_path__fits(file, f->file))
		return 0;
	return set_file(f->lines, file) ?: strcmp(file, f->lines->file) ? 0 : add_line(f->lines, line);
}

static int try_row_of_file(const struct probe_row *row, void *data)
{
	struct finding *f = data;

	if (!probe_path__fits(row->file, f->file))
		return 0;
	if (set_file(f->lines, row->file))
		return -ENOMEM;
	return strcmp(row->file, f->lines->file) || is_entry(f, row->vaddr) ? 0 : add_line(f->lines, row->line);
}

static int find_of_file(struct finding *f)
{
	const struct probe_wanted_function all = { "*", f->file, false };
	int ret = probe_debug__for_each_row(f->debug, try_row_of_file, f);

	return ret ?: probe_debug__for_each_function(f->debug, &all, try_declared, f);
}

static int compare(const void *a, const void *b)
{
	const u64 l = *(const u64 *)a, r = *(const u64 *)b;

	return (l > r) - (l < r);
}

static void sort(struct probe_lines *lines)
{
	size_t nr = 0;

	if (lines->nr)
		qsort(lines->line, lines->nr, sizeof(*lines->line), compare);
	for (size_t i = 0; i < lines->nr; i++) {
		if (!nr || lines->line[i] != lines->line[nr - 1])
			lines->line[nr++] = lines->line[i];
	}
	lines->nr = nr;
}

int probe_lines__find(struct probe_lines *lines, struct probe_debug *debug, const struct probe_line_range *range, struct errmsg *err)
{
	struct finding f = { .lines = lines, .debug = debug, .file = range->file };
	int ret;

	*lines = (struct probe_lines){ 0 };
	ret = range->function ? find_of_function(&f, range) : find_of_file(&f);
	free(f.function);
	sort(lines);
	if (ret)
		return errmsg__set(err, ENOMEM, "out of memory");
	if (lines->nr)
		return 0;
	return errmsg__set(err, ENOENT, "Specified source line(%s: %s, line:%" PRIu64 ") is not found.", range->function ? "function" : "file",
			   range->function ?: range->file, range->first);
}

void probe_lines__exit(struct probe_lines *lines)
{
	free(lines->file);
	free(lines->line);
	*lines = (struct probe_lines){ 0 };
}

bool probe_lines__has(const struct probe_lines *lines, u64 line)
{
	return lines->nr && bsearch(&line, lines->line, lines->nr, sizeof(line), compare);
}
