// SPDX-License-Identifier: GPL-2.0
/* What can be probed: lines of the source, variables at a place, functions. */
#define LOG_DOMAIN "probe"
#include "cmd/probe/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"
#include "util/probe/kernel.h"
#include "util/probe/lines.h"
#include "util/probe/name-filter.h"
#include "util/probe/point.h"
#include "util/probe/ranges.h"
#include "util/probe/variable.h"
#include "util/symbol/dwarf-type.h"
#include "util/symbol/probe-finder.h"
#include "util/symbol/symtab.h"

static int fail(const char *what, const struct errmsg *err)
{
	pr_err("%s\n  Error: Failed to show %s.\n", err->text, what);
	return EXIT_SETUP;
}

/* Lines */

#define LINES_BEHIND 3 /* shown behind the last one of a function that can be probed */

static void print_line(const struct probe_lines *lines, u64 number, char *text)
{
	const u64 shown = number - lines->first;

	text[strcspn(text, "\n")] = '\0';
	if (probe_lines__has(lines, number))
		printf("%7" PRIu64 "  ", shown);
	else
		printf("%9s", "");
	printable__clean_line(text, strlen(text));
	fputs(text, stdout);
	putchar('\n');
}

static void print_head(const struct probe_line_range *range, const char *path)
{
	printf("<%s%s", range->function ?: "", range->function ? "@" : "");
	printable__fputs(path, stdout);
	printf(":%" PRIu64 ">\n", range->first);
}

static bool has_any(const struct probe_lines *lines, u64 first, u64 last)
{
	for (size_t i = 0; i < lines->nr; i++) {
		if (lines->line[i] >= first && lines->line[i] <= last)
			return true;
	}
	return false;
}

static int print_lines(const struct probe_lines *lines, const struct probe_line_range *range, const char *source)
{
	char *path = probe_source__path(lines->file, source), *text = NULL;
	FILE *fp = path ? probe_source__open(path) : NULL;
	const u64 first = lines->first + range->first;
	u64 last = range->last == UINT64_MAX ? lines->line[lines->nr - 1] + LINES_BEHIND : lines->first + range->last;
	size_t size = 0;

	if (!fp) {
		pr_err("Failed to open %s: %s\n", path ?: lines->file, strerror(errno));
		free(path);
		return EXIT_SETUP;
	}
	print_head(range, path);
	for (u64 number = 1; number <= last && getline(&text, &size, fp) > 0; number++) {
		if (number >= first)
			print_line(lines, number, text);
	}
	fclose(fp);
	free(text);
	free(path);
	return 0;
}

static int find_and_print_lines(const struct probe_options *options, struct probe_debug *debug, const struct probe_line_range *range)
{
	struct probe_lines lines;
	struct errmsg err;
	int status;

	if (probe_lines__find(&lines, debug, range, &err)) {
		status = fail("lines", &err);
	} else if (!has_any(&lines, lines.first + range->first, range->last == UINT64_MAX ? UINT64_MAX : lines.first + range->last)) {
		errmsg__set(&err, ENOENT, "Specified source line is not found.");
		status = fail("lines", &err);
	} else {
		status = print_lines(&lines, range, options->target.source);
	}
	probe_lines__exit(&lines);
	return status;
}

int probe_command__show_lines(const struct probe_options *options)
{
	struct probe_line_range range;
	struct probe_debug debug;
	struct errmsg err;
	char *path = NULL;
	int status;

	if (probe_line_range__parse(&range, options->words.word[0], &err)) {
		pr_err("%s\n", err.text);
		status = EXIT_USAGE;
	} else if (probe_target__open_debug(&options->target, &debug, &path, &err)) {
		status = fail("lines", &err);
	} else {
		status = find_and_print_lines(options, &debug, &range);
		probe_debug__close(&debug);
	}
	probe_line_range__exit(&range);
	free(path);
	return status;
}

/* Variables */

#define DEFAULT_VARIABLES "!__k???tab_* & !__crc_*"

struct variables {
	const struct probe_options *options;
	struct probe_debug *debug;
	const struct probe_point *point;
	char **line;
	size_t nr;
};

static char *variable_line(struct variables *v, Dwarf_Die *variable)
{
	struct text t = { 0 };
	Dwarf_Die type;
	char *name = dwarf_type__of(variable, &type) ? dwarf_type__name(&type) : strdup("(unknown type)");

	text__printf(&t, "%s\t%s", name ?: "", dwarf_diename(variable));
	if (v->options->ranges)
		probe_ranges__put(&t, v->debug, v->point, variable);
	text__char(&t, '\0');
	t.failed |= !name;
	free(name);
	if (!t.failed) {
		printable__clean_line(t.buf, strlen(t.buf)); /* its tab comes before the name */
		return t.buf;
	}
	text__exit(&t);
	return NULL;
}

static int add_variable(Dwarf_Die *variable, void *data)
{
	struct variables *v = data;

	if (!name_filter__fits(v->options->filter ?: DEFAULT_VARIABLES, dwarf_diename(variable)) ||
	    !probe_variable__has_place(v->debug, v->point->vaddr, variable))
		return 0;
	if (array__extend(v->line, v->nr))
		return -ENOMEM;
	v->line[v->nr] = variable_line(v, variable);
	return v->line[v->nr] ? (v->nr++, 0) : -ENOMEM;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_variables(const struct variables *v, const char *kind)
{
	for (size_t i = 0; i < v->nr; i++)
		printf("\t\t%s%s\n", v->options->ranges ? kind : "", v->line[i]);
	for (size_t i = 0; i < v->nr; i++)
		free(v->line[i]);
	free(v->line);
}

static int show_of_kind(struct variables *v, enum probe_scope scope, size_t *nr)
{
	int ret = scope == SCOPE_ALL ? probe_variables__for_each_global(v->debug, v->point->vaddr, add_variable, v) :
				       probe_variables__for_each(v->debug, v->point, scope, add_variable, v);

	if (v->nr)
		qsort(v->line, v->nr, sizeof(*v->line), compare_texts);
	*nr += v->nr;
	print_variables(v, scope == SCOPE_ALL ? "[EXT]\t" : "[VAL]\t");
	return ret;
}

/* Both kinds are sorted together unless each shows its kind. */
static int show_point(const struct probe_options *options, struct probe_debug *debug, const struct probe_point *point)
{
	struct variables local = { options, debug, point, NULL, 0 }, global = local;
	size_t nr = 0;
	int ret = 0;

	fputs("\t@<", stdout);
	printable__fputs(point->outer ?: point->function ?: "?", stdout);
	printf("%+" PRId64 ">\n", point->vaddr - point->entry); /* a function's cold part may be before it */
	if (options->externs && !options->ranges)
		ret = probe_variables__for_each_global(debug, point->vaddr, add_variable, &local);
	else if (options->externs)
		ret = show_of_kind(&global, SCOPE_ALL, &nr);
	ret = ret ?: show_of_kind(&local, SCOPE_SEEN, &nr);
	if (!nr)
		printf("\t\t(No matched variables)\n");
	return ret;
}

static int show_points(const struct probe_options *options, struct probe_debug *debug, const struct probe_definition *def)
{
	const struct probe_point_opts opts = { options->target.max_points, options->target.no_inlines, options->target.source };
	char *place = probe_definition__place(def);
	struct probe_points points;
	struct errmsg err;
	int ret = probe_points__find(&points, debug, def, &opts, &err);

	if (!ret)
		printf("Available variables at %s\n", place ?: "");
	for (unsigned int i = 0; i < points.nr && !ret; i++) {
		ret = show_point(options, debug, &points.point[i]);
		if (ret)
			errmsg__set(&err, ENOMEM, "out of memory");
	}
	probe_points__exit(&points);
	free(place);
	return ret ? fail("vars", &err) : 0;
}

static int show_variables_of(const struct probe_options *options, const struct probe_definition *def)
{
	struct probe_debug debug;
	struct errmsg err;
	char *path;
	int status;

	if (probe_target__open_debug(&options->target, &debug, &path, &err)) {
		status = fail("vars", &err);
	} else {
		status = show_points(options, &debug, def);
		probe_debug__close(&debug);
	}
	free(path);
	return status;
}

int probe_command__show_variables(const struct probe_options *options)
{
	int status = 0;

	for (size_t i = 0; i < options->words.nr && !status; i++) {
		struct probe_definition def;
		struct errmsg err;
		int ret = probe_definition__parse(&def, options->words.word[i], &err);

		if (!ret && (def.nr_operands || def.event || def.mark))
			ret = errmsg__set(&err, EINVAL, "-V takes a place only, without names and arguments: %s", options->words.word[i]);
		if (ret)
			pr_err("%s\n", err.text);
		status = ret ? EXIT_USAGE : show_variables_of(options, &def);
		probe_definition__exit(&def);
	}
	return status;
}

/* Functions */

#define DEFAULT_FUNCTIONS "!_* & !*@plt"

static void print_if_new(const char *name, const char **last, const char *filter)
{
	if ((*last && !strcmp(*last, name)) || !name_filter__fits(filter, name))
		return;
	*last = name;
	printable__fputs(name, stdout);
	putchar('\n');
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Labels of data may be in the table like those of functions, and so may the tables of calls into libraries, which are none. */
static bool is_code(const struct elf_file *file, const struct symbol *sym)
{
	u64 vaddr;

	return !sym->is_data && strncmp(sym->name, ".plt", 4) && elf_file__vaddr(file, sym->start, &vaddr) && probe_finder__is_code(file, vaddr);
}

static int print_symbols(const struct symtab *tab, const struct elf_file *file, const char *filter)
{
	const char **name = calloc(symtab__nr(tab) + 1, sizeof(*name)), *last = NULL;
	size_t nr = 0;

	if (!name) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	for (u32 i = 0; i < symtab__nr(tab); i++) {
		if (is_code(file, symtab__at(tab, i)))
			name[nr++] = symtab__at(tab, i)->name;
	}
	qsort(name, nr, sizeof(*name), compare_names);
	for (size_t i = 0; i < nr; i++)
		print_if_new(name[i], &last, filter);
	free(name);
	return 0;
}

static int show_functions_of_file(const struct probe_options *options, const char *filter)
{
	const struct symtab_opts opts = { .opened = options->target.opened, .symfs = options->target.symfs, .short_names = true };
	const struct probe_file exec = probe_target__file(&options->target);
	struct elf_file file;
	struct symtab *tab;
	struct errmsg err;
	int status;

	if (probe_finder__open(&exec, &file, &err))
		return fail("functions", &err);
	if (symtab__load_elf(options->target.exec, NULL, &opts, &tab, &err)) {
		status = fail("functions", &err);
	} else {
		status = print_symbols(tab, &file, filter);
		symtab__delete(tab);
	}
	elf_file__close(&file);
	return status;
}

int probe_command__show_functions(const struct probe_options *options)
{
	const char *filter = options->filter ?: DEFAULT_FUNCTIONS, *last = NULL;
	struct probe_kernel_functions functions;
	struct errmsg err;
	int ret;

	if (options->target.exec)
		return show_functions_of_file(options, filter);
	ret = probe_kernel_functions__find(&functions, "*", options->target.module, &err);
	if (!ret && !functions.nr && options->target.module)
		ret = errmsg__set(&err, ENOENT, "There is no loaded module '%s'.", options->target.module);
	for (size_t i = 0; i < functions.nr && !ret; i++)
		print_if_new(functions.function[i].name, &last, filter);
	probe_kernel_functions__exit(&functions);
	return ret ? fail("functions", &err) : 0;
}
