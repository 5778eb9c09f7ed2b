// SPDX-License-Identifier: GPL-2.0
#include "util/probe/point.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/array.h"
#include "util/lib/regular-file.h"

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* That of the definition, the one whose source has the line, or the one that begins there. */
static bool choose_function(struct probe_debug *debug, u64 vaddr, const struct probe_function *known,
			    const struct probe_row *row, struct probe_function *function)
{
	if (known)
		*function = *known;
	return known || (row && probe_debug__function_of_row(debug, row, function)) ||
	       probe_debug__beginning_at(debug, vaddr, function);
}

static int add_point(struct probe_points *points, struct probe_debug *debug, u64 vaddr,
		     const struct probe_function *known, const struct probe_row *row)
{
	struct probe_point *point;
	struct probe_function function;

	for (unsigned int i = 0; i < points->nr; i++) {
		if (points->point[i].vaddr == vaddr)
			return 0;
	}
	if (array__extend(points->point, points->nr))
		return -ENOMEM;
	point = &points->point[points->nr++];
	*point = (struct probe_point){ .vaddr = vaddr };
	if (choose_function(debug, vaddr, known, row, &function)) {
		point->function = copy_of(dwarf_diename(&function.die));
		point->scope = dwarf_dieoffset(&function.die);
	}
	if (probe_debug__outer_function_at(debug, vaddr, &function)) {
		point->entry = function.entry;
		point->at_entry = function.entry == vaddr;
		point->outer = copy_of(dwarf_diename(&function.die));
	}
	return 0;
}

void probe_points__exit(struct probe_points *points)
{
	for (unsigned int i = 0; i < points->nr; i++) {
		free(points->point[i].function);
		free(points->point[i].outer);
	}
	free(points->point);
	*points = (struct probe_points){ 0 };
}

bool probe_point__skip_frame(struct probe_point *point, struct probe_debug *debug)
{
	struct probe_function function;
	u64 body;

	if (!point->at_entry || !probe_debug__outer_function_at(debug, point->vaddr, &function) ||
	    probe_debug__is_optimised(debug, &function))
		return false;
	body = probe_function__body(&function);
	if (body == point->vaddr)
		return false;
	point->vaddr = body;
	point->at_entry = false;
	point->skipped = true;
	return true;
}

char *probe_source__path(const char *written, const char *directory)
{
	char *path;

	if (!directory)
		return strdup(written);
	for (; written; written = strchr(written + 1, '/')) { /* the longest end that exists there */
		if (asprintf(&path, "%s/%s", directory, written + (*written == '/')) < 0)
			return NULL;
		if (!access(path, R_OK) || !strchr(written + 1, '/'))
			return path;
		free(path);
	}
	return NULL;
}

#define MAX_SOURCE (256 << 20) /* limit of a source file's size: the file with debug information names any file */

FILE *probe_source__open(const char *path)
{
	const int fd = regular_file__open(path, 0);
	struct stat st;
	FILE *fp;
	int error = EFBIG;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	if (!fstat(fd, &st) && st.st_size <= MAX_SOURCE) {
		fp = fdopen(fd, "r");
		if (fp)
			return fp;
		error = errno;
	}
	close(fd);
	errno = error;
	return NULL;
}

/* What a definition looks for */

struct lines { /* those of a source file that fit a pattern */
	char *file; /* as the compiler wrote it */
	u64 *line;
	size_t nr;
};

struct finding {
	struct probe_points *points;
	struct probe_debug *debug;
	const struct probe_definition *def;
	const struct probe_point_opts *opts;
	bool too_many;
	struct probe_function *function; /* those with the name */
	size_t nr_functions;
	struct lines *lines;
	size_t nr_lines;
};

static int add(struct finding *f, u64 vaddr, const struct probe_function *function, const struct probe_row *row)
{
	if (f->opts->max && f->points->nr >= f->opts->max) {
		f->too_many = true;
		return -E2BIG;
	}
	return add_point(f->points, f->debug, vaddr, function, row);
}

/* Patterns */

static void remove_blanks(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	}
	*to = '\0';
}

static int add_line(struct lines *lines, u64 number)
{
	if (array__extend(lines->line, lines->nr))
		return -ENOMEM;
	lines->line[lines->nr++] = number;
	return 0;
}

static int read_lines(struct lines *lines, const struct probe_definition *def, const char *directory)
{
	char *path = probe_source__path(lines->file, directory), *pattern = strdup(def->pattern), *text = NULL;
	FILE *fp = path && pattern ? probe_source__open(path) : NULL;
	int ret = path && pattern ? 0 : -ENOMEM;
	size_t size = 0;

	if (pattern)
		remove_blanks(pattern);
	for (u64 number = 1; fp && !ret && getline(&text, &size, fp) > 0; number++) {
		remove_blanks(text);
		if (!fnmatch(pattern, text, 0))
			ret = add_line(lines, number);
	}
	if (fp)
		fclose(fp);
	free(text);
	free(path);
	free(pattern);
	return ret;
}

/* NULL: no memory */
static struct lines *lines_of(struct finding *f, const char *file)
{
	struct lines *lines;

	for (size_t i = 0; i < f->nr_lines; i++) {
		if (!strcmp(f->lines[i].file, file))
			return &f->lines[i];
	}
	if (array__extend(f->lines, f->nr_lines))
		return NULL;
	lines = &f->lines[f->nr_lines];
	*lines = (struct lines){ .file = strdup(file) };
	if (!lines->file)
		return NULL;
	f->nr_lines++;
	return read_lines(lines, f->def, f->opts->source) ? NULL : lines;
}

/* 1, 0 or -ENOMEM */
static int fits_pattern(struct finding *f, const struct probe_row *row)
{
	const struct lines *lines = lines_of(f, row->file);

	for (size_t i = 0; lines && i < lines->nr; i++) {
		if (lines->line[i] == row->line)
			return 1;
	}
	return lines ? 0 : -ENOMEM;
}

/* Functions */

static int keep_function(const struct probe_function *function, void *data)
{
	struct finding *f = data;

	if (array__extend(f->function, f->nr_functions))
		return -ENOMEM;
	f->function[f->nr_functions++] = *function;
	return 0;
}

static int find_functions(struct finding *f)
{
	const struct probe_wanted_function wanted = { f->def->function, f->def->file, f->opts->no_inlines };

	return probe_debug__for_each_function(f->debug, &wanted, keep_function, f);
}

static int add_entries(struct finding *f, struct errmsg *err)
{
	int ret = 0;

	for (size_t i = 0; i < f->nr_functions && !ret; i++) {
		const u64 vaddr = f->function[i].entry + f->def->offset;

		if (f->def->is_return && f->function[i].is_inlined)
			continue; /* what is inlined does not return */
		if (f->def->offset && !probe_function__contains(&f->function[i], vaddr))
			return errmsg__set(err, ENOENT, "Offset %llu is bigger than the size of %s", (unsigned long long)f->def->offset, f->def->function);
		ret = add(f, vaddr, &f->function[i], NULL);
	}
	return ret;
}

/* Rows of line tables */

static const struct probe_function *containing(struct finding *f, u64 vaddr)
{
	for (size_t i = 0; i < f->nr_functions; i++) {
		if (probe_function__contains(&f->function[i], vaddr))
			return &f->function[i];
	}
	return NULL;
}

static int try_row(const struct probe_row *row, void *data)
{
	struct finding *f = data;
	const struct probe_function *function = NULL;
	const char *file = f->def->file;
	u64 first = 0;
	int fits;

	if (f->def->function) {
		function = containing(f, row->vaddr);
		file = function ? probe_function__declared(function, &first) : NULL;
		if (!file || strcmp(file, row->file) || row->line < first)
			return 0;
	} else if (!probe_path__fits(row->file, file)) {
		return 0;
	}
	fits = f->def->pattern ? fits_pattern(f, row) : row->line == first + f->def->line;
	if (fits <= 0)
		return fits;
	return add(f, row->vaddr, function, row);
}

/* Line 0 of a function is its begin, which may have another line. */
static bool is_begin(const struct probe_definition *def)
{
	return def->function && !def->pattern && !def->line;
}

static int find_points(struct finding *f, struct errmsg *err)
{
	const struct probe_definition *def = f->def;
	int ret = 0;

	if (def->is_address)
		return add(f, def->address + def->offset, NULL, NULL);
	if (def->function)
		ret = find_functions(f);
	if (ret)
		return ret;
	return is_begin(def) ? add_entries(f, err) : probe_debug__for_each_row(f->debug, try_row, f);
}

static void finding__exit(struct finding *f)
{
	for (size_t i = 0; i < f->nr_lines; i++) {
		free(f->lines[i].file);
		free(f->lines[i].line);
	}
	free(f->lines);
	free(f->function);
}

int probe_points__find(struct probe_points *points, struct probe_debug *debug, const struct probe_definition *def,
		       const struct probe_point_opts *opts, struct errmsg *err)
{
	struct finding f = { .points = points, .debug = debug, .def = def, .opts = opts };
	struct errmsg why = { "" };
	char *place;
	int ret;

	*points = (struct probe_points){ 0 };
	ret = find_points(&f, &why);
	finding__exit(&f);
	if (f.too_many)
		return errmsg__set(err, E2BIG, "Too many( > %u) probe point found.", opts->max);
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "out of memory");
	if (ret)
		return errmsg__set(err, -ret, "%s", why.text);
	if (points->nr)
		return 0;
	place = probe_definition__place(def);
	errmsg__set(err, ENOENT, "Probe point '%s' not found.", place ? place : "");
	free(place);
	return -ENOENT;
}
