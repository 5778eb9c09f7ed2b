// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/srcline.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash.h"
#include "util/lib/printable.h"

#define MAX_INLINED 64 /* for one address */

struct found { /* result for one address */
	UT_hash_handle hh;
	u64 offset;
	struct srcline *line; /* NULL: unknown, or not yet read */
	bool line_read, inlined_known;
	bool inlined; /* something is inlined; valid if inlined_known */
};

struct inlined_key { /* both pointers are unique and live as long as the table: equal pointers mean equal keys */
	const struct symbol *base;
	const char *name; /* as in the file */
};

struct inlined {
	UT_hash_handle hh;
	struct inlined_key key;
	struct symbol sym;
	char *name; /* owned; sym.name */
};

struct srclines {
	struct dwarf_file file;
	struct dwarf_units *units;
	bool no_demangle;
	bool lacked_memory; /* during a lookup */
	struct found *found;
	struct inlined *inlined;
};

static void found__delete(struct found *found)
{
	free(found->line);
	free(found);
}

static void inlined__delete(struct inlined *inlined)
{
	free(inlined->name);
	free(inlined);
}

int srclines__open(const char *path, const struct build_id *want, const struct dwarf_file_opts *opts, bool no_demangle,
		   struct srclines **lines, struct errmsg *err)
{
	struct srclines *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return errmsg__set(err, ENOMEM, "%s: out of memory", path);
	new->no_demangle = no_demangle;
	ret = dwarf_file__open(&new->file, path, want, opts, err);
	if (ret) {
		free(new);
		return ret;
	}
	if (!new->file.dw) {
		*lines = new;
		return 0;
	}
	/* each DIE takes at least one byte, each range two */
	new->units = dwarf_units__new(new->file.dw, dwarf_file__elf(&new->file), new->file.size);
	if (!new->units) {
		srclines__delete(new);
		return errmsg__set(err, ENOMEM, "%s: out of memory", path);
	}
	*lines = new;
	return 0;
}

void srclines__delete(struct srclines *lines)
{
	struct inlined *inlined, *next_inlined;
	struct found *found, *next_found;

	if (!lines)
		return;
	HASH_ITER(hh, lines->found, found, next_found) {
		HASH_DEL(lines->found, found);
		found__delete(found);
	}
	HASH_ITER(hh, lines->inlined, inlined, next_inlined) {
		HASH_DEL(lines->inlined, inlined);
		inlined__delete(inlined);
	}
	dwarf_units__delete(lines->units);
	dwarf_file__close(&lines->file);
	free(lines);
}

/* The linkage name includes namespace and template arguments, the plain name does not. */
static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	return name ?: dwarf_diename(die) ?: "[unknown]";
}

static const struct symbol *srclines__symbol(struct srclines *lines, const char *name, const struct symbol *base)
{
	struct inlined_key key = { base, name };
	struct inlined *inlined;

	HASH_FIND(hh, lines->inlined, &key, sizeof(key), inlined);
	if (inlined)
		return &inlined->sym;
	inlined = calloc(1, sizeof(*inlined));
	if (!inlined)
		return NULL;
	if (!lines->no_demangle)
		inlined->name = demangle(name, false);
	if (!inlined->name)
		inlined->name = strdup(name);
	if (!inlined->name) {
		inlined__delete(inlined);
		return NULL;
	}
	if (base)
		inlined->sym = *base;
	inlined->sym.name = printable__clean(inlined->name);
	inlined->sym.inlined = true;
	inlined->key = key;
	HASH_ADD(hh, lines->inlined, key, sizeof(inlined->key), inlined);
	if (hash_added(inlined))
		return &inlined->sym;
	inlined__delete(inlined);
	return NULL;
}

static u32 number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attr), &value) ? 0 : value;
}

static void set_place(struct srcline_frame *frame, const char *file, u32 line, Dwarf_Die *cu)
{
	Dwarf_Attribute attr;

	frame->file = file;
	frame->line = line;
	if (file && *file != '/')
		frame->dir = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
}

/* Where an inlined function was called. File numbers refer to its own unit, which may be in a .dwo file. */
static void set_call(struct srcline_frame *frame, Dwarf_Die *inlined, Dwarf_Die *cu)
{
	Dwarf_Die own, *unit = dwarf_diecu(inlined, &own, NULL, NULL);
	const char *file = NULL;
	Dwarf_Files *files;
	size_t nr;

	if (unit && dwarf_hasattr(inlined, DW_AT_call_file) && !dwarf_getsrcfiles(unit, &files, &nr))
		file = dwarf_filesrc(files, number(inlined, DW_AT_call_file), NULL, NULL);
	set_place(frame, file, number(inlined, DW_AT_call_line), cu);
}

static struct srcline *srclines__read(struct srclines *lines, struct dwarf_unit *unit, u64 vaddr, const struct symbol *base)
{
	Dwarf_Die *cu = dwarf_unit__die(unit), inlined[MAX_INLINED];
	Dwarf_Line *code = dwarf_units__has_lines(lines->units, unit) ? dwarf_getsrc_die(cu, vaddr) : NULL;
	struct srcline *line;
	int code_line = 0;
	u32 nr;

	if (!code)
		return NULL;
	nr = dwarf_units__inlined(lines->units, unit, vaddr, inlined, MAX_INLINED);
	line = calloc(1, sizeof(*line) + (nr + 1) * sizeof(line->frame[0]));
	if (!line)
		return NULL;
	line->nr = nr + 1;
	dwarf_lineno(code, &code_line);
	set_place(&line->frame[0], dwarf_linesrc(code, NULL, NULL), code_line, cu);
	for (u32 i = 0; i < nr; i++) {
		line->frame[i].sym = srclines__symbol(lines, function_name(&inlined[i]), base);
		if (!line->frame[i].sym) {
			free(line);
			return NULL;
		}
		set_call(&line->frame[i + 1], &inlined[i], cu);
	}
	return line;
}

/* The cached result for an address, empty if new; NULL: no memory. */
static struct found *srclines__found(struct srclines *lines, u64 offset)
{
	struct found *found;

	HASH_FIND(hh, lines->found, &offset, sizeof(offset), found);
	if (found)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->offset = offset;
	HASH_ADD(hh, lines->found, offset, sizeof(found->offset), found);
	if (hash_added(found))
		return found;
	found__delete(found);
	return NULL;
}

/* NULL: no debug information covers the address. */
static struct dwarf_unit *srclines__unit(struct srclines *lines, u64 offset, u64 *vaddr)
{
	return elf_file__vaddr(&lines->file.runtime, offset, vaddr) ? dwarf_units__find(lines->units, *vaddr) : NULL;
}

static const struct srcline *found__line(struct found *found, struct srclines *lines, const struct symbol *base)
{
	struct dwarf_unit *unit;
	u64 vaddr;

	if (found->line_read)
		return found->line;
	unit = srclines__unit(lines, found->offset, &vaddr);
	if (unit)
		found->line = srclines__read(lines, unit, vaddr, base);
	found->line_read = true;
	return found->line;
}

static bool found__is_inlined(struct found *found, struct srclines *lines)
{
	struct dwarf_unit *unit;
	Dwarf_Die die;
	u64 vaddr;

	if (found->inlined_known)
		return found->inlined;
	unit = srclines__unit(lines, found->offset, &vaddr);
	found->inlined = unit && dwarf_units__inlined(lines->units, unit, vaddr, &die, 1);
	found->inlined_known = true;
	return found->inlined;
}

/* Failed allocations leave ENOMEM in errno, in libdw, too, whose results do not distinguish them from missing data. */
static void begin_lookup(void)
{
	errno = 0;
}

static void end_lookup(struct srclines *lines)
{
	lines->lacked_memory |= errno == ENOMEM;
}

const struct srcline *srclines__find(struct srclines *lines, u64 offset, const struct symbol *base)
{
	const struct srcline *line;
	struct found *found;

	begin_lookup();
	found = lines->units ? srclines__found(lines, offset) : NULL;
	line = found ? found__line(found, lines, base) : NULL;
	end_lookup(lines);
	return line;
}

const struct srcline *srclines__inlined(struct srclines *lines, u64 offset, const struct symbol *base)
{
	const struct srcline *line;
	struct found *found;

	begin_lookup();
	found = lines->units ? srclines__found(lines, offset) : NULL;
	line = found && found__is_inlined(found, lines) ? found__line(found, lines, base) : NULL;
	end_lookup(lines);
	return line && line->nr > 1 ? line : NULL;
}

const struct dwarf_file *srclines__file(const struct srclines *lines)
{
	return &lines->file;
}

struct dwarf_units *srclines__units(const struct srclines *lines)
{
	return lines->units;
}

const char *srclines__left_out(struct srclines *lines)
{
	return dwarf_file__left_out(&lines->file);
}

bool srclines__lacked_memory(const struct srclines *lines)
{
	return lines->lacked_memory;
}

u64 srclines__vaddr(const struct srclines *lines, u64 offset)
{
	u64 vaddr;

	return elf_file__vaddr(&lines->file.runtime, offset, &vaddr) ? vaddr : offset;
}

u64 srclines__offset(const struct srclines *lines, u64 vaddr)
{
	u64 offset;

	return elf_file__offset(&lines->file.runtime, vaddr, &offset) ? offset : UINT64_MAX;
}

static int print_frame(const struct srcline_frame *frame, bool full, char *buf, size_t size)
{
	const char *slash;

	if (!frame->file)
		return snprintf(buf, size, "??:0");
	if (full)
		return snprintf(buf, size, "%s%s%s:%u", frame->dir ?: "", frame->dir ? "/" : "", frame->file, frame->line);
	slash = strrchr(frame->file, '/');
	return snprintf(buf, size, "%s:%u", slash ? slash + 1 : frame->file, frame->line);
}

int srcline_frame__snprint(const struct srcline_frame *frame, bool full, char *buf, size_t size)
{
	int len = print_frame(frame, full, buf, size);

	if (size)
		printable__clean(buf);
	return len;
}
