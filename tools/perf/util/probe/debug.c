// SPDX-License-Identifier: GPL-2.0
#include "util/probe/debug.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/function-name.h"
#include "util/lib/array.h"
#include "util/probe/symbols.h"
#include "util/symbol/probe-finder.h"
#include "util/symbol/symtab.h"

static int begin(struct probe_debug *debug, const char *path, struct errmsg *err)
{
	if (!debug->file.dw)
		return errmsg__set(err, ENODATA, "The %s file has no debug information.\nRebuild with -g, or install an appropriate debuginfo package.",
				   path);
	debug->units = dwarf_units__new(debug->file.dw, dwarf_file__elf(&debug->file), debug->file.size);
	if (debug->units)
		debug->vars = dwarf_vars__new(debug->units, debug->file.dw, debug->code.elf);
	return debug->vars ? 0 : errmsg__set(err, ENOMEM, "%s: out of memory", path);
}

int probe_debug__open(struct probe_debug *debug, const struct probe_file *file, const char *symfs, struct errmsg *err)
{
	const struct dwarf_file_opts opts = { .opened = file->opened, .symfs = symfs, .locations = true };
	const char *path = file->path;
	int ret;

	*debug = (struct probe_debug){ .path = strdup(path), .opened = file->opened, .symfs = symfs };
	ret = debug->path ? probe_finder__open(file, &debug->code, err)
			  : errmsg__set(err, ENOMEM, "%s: out of memory", path);
	if (ret) {
		free(debug->path);
		return ret;
	}
	ret = dwarf_file__open(&debug->file, path, NULL, &opts, err);
	if (ret) {
		elf_file__close(&debug->code);
		free(debug->path);
		return ret;
	}
	ret = begin(debug, path, err);
	if (ret)
		probe_debug__close(debug);
	return ret;
}

void probe_debug__close(struct probe_debug *debug)
{
	dwarf_vars__delete(debug->vars);
	dwarf_units__delete(debug->units);
	dwarf_file__close(&debug->file);
	elf_file__close(&debug->code);
	free(debug->path);
}

bool probe_path__fits(const char *path, const char *end)
{
	size_t len, len_end;

	if (!end)
		return true;
	if (!path)
		return false;
	while (!strncmp(end, "./", 2))
		end += 2;
	len = strlen(path);
	len_end = strlen(end);
	return len >= len_end && !strcmp(path + len - len_end, end) && (len == len_end || path[len - len_end - 1] == '/');
}

bool probe_name__fits(const char *name, const char *wanted)
{
	return function_name__is_glob(wanted) ? !fnmatch(wanted, name, 0) : !strcmp(name, wanted);
}

/* Where a DIE is in the source. dwarf_decl_file() would end perf where the line table is damaged. */
static const char *file_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die unit;
	Dwarf_Half version;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attr) || dwarf_formudata(&attr, &number) ||
	    !dwarf_cu_die(attr.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || (!number && version < 5) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || number >= nr)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* Functions */

static bool has_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool flag;

	return dwarf_attr(die, name, &attr) && !dwarf_formflag(&attr, &flag) && flag;
}

static bool entry_of(Dwarf_Die *die, u64 *entry)
{
	Dwarf_Addr base, start, end;

	if (!dwarf_entrypc(die, &start) || dwarf_ranges(die, 0, &base, &start, &end) > 0)
		*entry = start;
	else
		return false;
	return *entry;
}

/* Static functions may have no linkage name: the symbol table has their addresses by the wanted name. */
struct offsets {
	u64 *offset;
	size_t nr;
	bool lacks_memory;
};

static void add_offset(struct offsets *offsets, u64 offset)
{
	if (array__extend(offsets->offset, offsets->nr))
		offsets->lacks_memory = true;
	else
		offsets->offset[offsets->nr++] = offset;
}

static bool has_offset(const struct offsets *offsets, u64 offset)
{
	for (size_t i = 0; i < offsets->nr; i++) {
		if (offsets->offset[i] == offset)
			return true;
	}
	return false;
}

struct searching {
	struct probe_debug *debug;
	const struct probe_wanted_function *wanted;
	int (*cb)(const struct probe_function *function, void *data);
	void *data;
	bool inlined_too; /* some function that was found may be inlined elsewhere */
	bool is_demangled, as_glob;
	struct offsets entries; /* of demangled names: the addresses that the symbol table has */
	struct offsets origins; /* the DIEs of functions that were found by these */
	unsigned int nr, nr_inlined;
};

static bool fits(const struct searching *s, const char *name)
{
	return s->as_glob ? probe_name__fits(name, s->wanted->name) : !strcmp(s->wanted->name, name);
}

static bool fits_demangled(const struct searching *s, const char *linkage_name, bool short_name)
{
	char *name = demangle(linkage_name, short_name);
	const bool fit = name && fits(s, name);

	free(name);
	return fit;
}

/* Saves demangling: the function's own name must be in the wanted one. Parameters of templates are spelled otherwise. */
static bool may_be_wanted(const struct searching *s, const char *name)
{
	size_t len = 0;

	if (!name || s->as_glob)
		return true;
	while (isalnum((unsigned char)name[len]) || name[len] == '_' || name[len] == '~')
		len++;
	return !len || memmem(s->wanted->name, strlen(s->wanted->name), name, len);
}

static bool has_linkage_name(const struct searching *s, Dwarf_Die *die, const char *linkage_name)
{
	if (fits(s, linkage_name))
		return true;
	if (!s->is_demangled || !may_be_wanted(s, dwarf_diename(die)))
		return false;
	return fits_demangled(s, linkage_name, true) ||
	       (strchr(s->wanted->name, '(') && fits_demangled(s, linkage_name, false));
}

static Dwarf_Off origin_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return 0;
	return dwarf_dieoffset(&origin);
}

static bool is_known_otherwise(struct searching *s, Dwarf_Die *die)
{
	const Dwarf_Off origin = origin_of(die);
	u64 entry;

	if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
		return has_offset(&s->origins, origin);
	if (!s->entries.nr || !entry_of(die, &entry) || !has_offset(&s->entries, entry))
		return false;
	if (origin)
		add_offset(&s->origins, origin);
	return true;
}

static bool has_name(struct searching *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;

	if (name && fits(s, name))
		return true;
	name = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ? dwarf_formstring(&attr) : NULL;
	return name ? has_linkage_name(s, die, name) : s->is_demangled && is_known_otherwise(s, die);
}

static bool is_wanted(struct searching *s, Dwarf_Die *die)
{
	return has_name(s, die) && probe_path__fits(s->wanted->file ? file_of(die) : NULL, s->wanted->file);
}

/* Where the linker has left out a function, its debug information has an address outside the code: 0, 1 or the like. */
static bool has_code(const struct searching *s, Dwarf_Die *die, u64 *entry)
{
	return entry_of(die, entry) && probe_finder__is_code(&s->debug->code, *entry);
}

static int try_compiled(Dwarf_Die *die, void *data)
{
	struct searching *s = data;
	struct probe_function function = { .die = *die };
	Dwarf_Attribute attr;

	if (dwarf_tag(die) != DW_TAG_subprogram || has_flag(die, DW_AT_declaration) || !is_wanted(s, die))
		return 0;
	s->inlined_too |= dwarf_attr_integrate(die, DW_AT_inline, &attr) != NULL;
	if (!has_code(s, die, &function.entry))
		return 0;
	s->nr++;
	return s->cb(&function, s->data);
}

static int try_inlined(Dwarf_Die *die, void *data)
{
	struct searching *s = data;
	struct probe_function function = { .die = *die, .is_inlined = true };

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine || !is_wanted(s, die) || !has_code(s, die, &function.entry))
		return 0;
	s->nr_inlined++;
	return s->cb(&function, s->data);
}

static int search(struct probe_debug *debug, bool into_functions, int (*try)(Dwarf_Die *die, void *data), struct searching *s)
{
	struct dwarf_unit *unit;
	int ret = 0;

	for (size_t i = 0; !ret && (unit = dwarf_units__at(debug->units, i)); i++)
		ret = dwarf_units__for_each(debug->units, unit, into_functions, try, s);
	return ret;
}

/* Units that dwz shares are not searched, so a function that is only inlined may not have been seen. */
static int search_all(struct searching *s)
{
	int ret = search(s->debug, s->is_demangled, try_compiled, s); /* lambdas are in functions */

	if (!ret && !s->wanted->no_inlines && (s->inlined_too || !s->nr))
		ret = search(s->debug, true, try_inlined, s);
	return ret;
}

static int keep_entry(const struct symbol *sym, void *data)
{
	struct searching *s = data;
	u64 vaddr;

	if (elf_file__vaddr(&s->debug->file.runtime, sym->start, &vaddr))
		add_offset(&s->entries, vaddr);
	return 0;
}

static void find_entries(struct searching *s)
{
	const struct probe_wanted_symbol wanted = { s->debug->path, s->debug->opened, s->debug->symfs, s->wanted->name };
	struct errmsg unused;

	probe_symbols__for_each(&wanted, keep_entry, s, &unused);
}

int probe_debug__for_each_function(struct probe_debug *debug, const struct probe_wanted_function *wanted,
				   int (*cb)(const struct probe_function *function, void *data), void *data)
{
	struct searching s = { .debug = debug, .wanted = wanted, .cb = cb, .data = data };
	const bool is_glob = function_name__is_glob(wanted->name);
	int ret;

	s.is_demangled = function_name__is_demangled(wanted->name);
	s.as_glob = is_glob && !s.is_demangled;
	if (s.is_demangled)
		find_entries(&s);
	ret = search_all(&s);
	if (!ret && is_glob && !s.as_glob && !s.nr && !s.nr_inlined) {
		s.as_glob = true;
		ret = search_all(&s);
	}
	if (!ret && (s.entries.lacks_memory || s.origins.lacks_memory))
		ret = -ENOMEM;
	free(s.entries.offset);
	free(s.origins.offset);
	return ret;
}

static bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static bool function_at(struct probe_debug *debug, u64 vaddr, bool outer, struct probe_function *function)
{
	Dwarf_Die *scope;

	for (u32 i = dwarf_vars__scopes(debug->vars, vaddr, &scope); i > 0; i--) {
		const int tag = dwarf_tag(&scope[i - 1]);

		if (outer ? tag != DW_TAG_subprogram : !is_function(tag))
			continue;
		*function = (struct probe_function){ .die = scope[i - 1], .is_inlined = tag != DW_TAG_subprogram };
		return entry_of(&function->die, &function->entry);
	}
	return false;
}

bool probe_debug__function_at(struct probe_debug *debug, u64 vaddr, struct probe_function *function)
{
	return function_at(debug, vaddr, false, function);
}

bool probe_debug__outer_function_at(struct probe_debug *debug, u64 vaddr, struct probe_function *function)
{
	return function_at(debug, vaddr, true, function);
}

bool probe_debug__beginning_at(struct probe_debug *debug, u64 vaddr, struct probe_function *function)
{
	if (probe_debug__outer_function_at(debug, vaddr, function) && function->entry == vaddr)
		return true;
	return probe_debug__function_at(debug, vaddr, function);
}

bool probe_debug__function_of_row(struct probe_debug *debug, const struct probe_row *row,
				  struct probe_function *function)
{
	Dwarf_Die *scope;
	u64 line, best = 0;

	for (u32 i = dwarf_vars__scopes(debug->vars, row->vaddr, &scope); i > 0; i--) {
		const int tag = dwarf_tag(&scope[i - 1]);
		struct probe_function candidate = { .die = scope[i - 1], .is_inlined = tag != DW_TAG_subprogram };
		const char *file = is_function(tag) ? probe_function__declared(&candidate, &line) : NULL;

		if (!file || strcmp(file, row->file) || line > row->line || line <= best ||
		    !entry_of(&candidate.die, &candidate.entry))
			continue;
		best = line;
		*function = candidate;
	}
	return best;
}

bool probe_function__contains(const struct probe_function *function, u64 vaddr)
{
	Dwarf_Die die = function->die;

	return dwarf_haspc(&die, vaddr) == 1;
}

const char *probe_function__declared(const struct probe_function *function, u64 *line)
{
	Dwarf_Die die = function->die;
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(&die, DW_AT_decl_line, &attr) || dwarf_formudata(&attr, &word))
		return NULL;
	*line = word;
	return file_of(&die);
}

/* Frames */

/* Of gcc's options, which it keeps: the last one counts. clang keeps none; with optimisation it says of functions that all of their calls are described. */
static bool options_optimise(const char *options)
{
	const char *option = NULL;

	for (const char *next = strstr(options, " -O"); next; next = strstr(next + 1, " -O"))
		option = next;
	return option && option[3] != '0' && (isalnum((unsigned char)option[3]) || !option[3] || option[3] == ' ');
}

bool probe_debug__is_optimised(struct probe_debug *debug, struct probe_function *function)
{
	struct dwarf_unit *unit = dwarf_units__find(debug->units, function->entry);
	Dwarf_Attribute attr;
	const char *producer = NULL;

	if (unit && dwarf_attr(dwarf_unit__die(unit), DW_AT_producer, &attr))
		producer = dwarf_formstring(&attr);
	if (producer && !strncmp(producer, "GNU ", 4))
		return options_optimise(producer);
	return has_flag(&function->die, DW_AT_call_all_calls) ||
	       has_flag(&function->die, DW_AT_GNU_all_call_sites);
}

u64 probe_function__body(struct probe_function *function)
{
	Dwarf_Addr *found = NULL;
	u64 body = function->entry;

	if (!function->is_inlined && dwarf_entry_breakpoints(&function->die, &found) > 0)
		body = found[0];
	free(found);
	return body;
}

/* Lines */

static int walk_rows(struct dwarf_unit *unit, int (*cb)(const struct probe_row *row, void *data), void *data)
{
	Dwarf_Lines *lines;
	size_t nr;
	int ret = 0;

	if (dwarf_getsrclines(dwarf_unit__die(unit), &lines, &nr))
		return 0;
	for (size_t i = 0; i < nr && !ret; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct probe_row row = { 0 };
		Dwarf_Addr vaddr;
		bool begins, ends;
		int number;

		if (dwarf_linebeginstatement(line, &begins) || !begins || dwarf_lineendsequence(line, &ends) || ends ||
		    dwarf_lineaddr(line, &vaddr) || !vaddr || dwarf_lineno(line, &number) || number <= 0)
			continue;
		row.vaddr = vaddr;
		row.line = number;
		row.file = dwarf_linesrc(line, NULL, NULL);
		ret = row.file ? cb(&row, data) : 0;
	}
	return ret;
}

int probe_debug__for_each_row(struct probe_debug *debug, int (*cb)(const struct probe_row *row, void *data), void *data)
{
	struct dwarf_unit *unit;
	int ret = 0;

	for (size_t i = 0; !ret && (unit = dwarf_units__at(debug->units, i)); i++) {
		if (dwarf_units__has_lines(debug->units, unit))
			ret = walk_rows(unit, cb, data);
	}
	return ret;
}
