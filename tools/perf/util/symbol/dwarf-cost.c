// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-cost.h"

#include <dwarf.h>
#include <endian.h>
#include <gelf.h>
#include <string.h>

/* Sizes in libdw 0.188, including the overhead of malloc(). */
#define PER_UNIT 1280	 /* Dwarf_CU, its node in a tree, its first table of abbreviations */
#define PER_ABBREV 96	 /* Dwarf_Abbrev, and its slot in a table that is half full */
#define PER_LINE 104	 /* Dwarf_Line, and its copy in a list */
#define PER_LINE_KEPT 40
#define PER_FILE 80	 /* Dwarf_Fileinfo, and its copy in a list */
#define MAX_ABBREV_READS 256 /* times the size of the section: dwz(1) lets many units share one table */
#define PER_DIRECTORY 24 /* a pointer, twice, and a length */

struct cursor { /* reads stop at the end and set bad */
	const u8 *at, *end;
	bool big_endian, bad;
};

static u64 cursor__number(struct cursor *c, u32 size)
{
	u64 value = 0;

	if ((size_t)(c->end - c->at) < size) {
		c->bad = true;
		c->at = c->end;
		return 0;
	}
	for (u32 i = 0; i < size; i++)
		value |= (u64)c->at[i] << 8 * (c->big_endian ? size - 1 - i : i);
	c->at += size;
	return value;
}

static u64 cursor__leb(struct cursor *c)
{
	u64 value = 0;

	for (u32 shift = 0; c->at < c->end; shift += 7) {
		u8 byte = *c->at++;

		if (shift < 64)
			value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->bad = true;
	return 0;
}

static void cursor__skip(struct cursor *c, u64 size)
{
	if ((u64)(c->end - c->at) < size) {
		c->bad = true;
		c->at = c->end;
	} else if (size) { /* there may be nothing to point to */
		c->at += size;
	}
}

/* The length of the string at the cursor, which moves past its NUL. */
static u64 cursor__string(struct cursor *c)
{
	const u8 *nul = c->at < c->end ? memchr(c->at, 0, c->end - c->at) : NULL;
	u64 len = nul ? nul - c->at : 0;

	if (!nul)
		c->bad = true;
	c->at = nul ? nul + 1 : c->end;
	return len;
}

/* libdw uses the sections of programs if there are any, otherwise those of .dwo files, otherwise those of link-time optimization. */
enum family { OF_PROGRAM, OF_DWO, OF_LTO, NR_FAMILIES };

static bool is_of(const char *name, enum family family)
{
	size_t len = strlen(name);
	bool is_dwo = len > 4 && !strcmp(name + len - 4, ".dwo"), is_debug = !strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8);

	if (family == OF_LTO)
		return !strncmp(name, ".gnu.debuglto_.debug", 20);
	return is_debug && is_dwo == (family == OF_DWO);
}

/* "debug_line" in the names of all three kinds, compressed or not. */
static bool is_named(const char *found, const char *name)
{
	found += !strncmp(found, ".gnu.debuglto_", 14) ? 14 : 0;
	found += *found == '.';
	found += *found == 'z';
	return !strncmp(found, name, strlen(name)) && (!found[strlen(name)] || !strcmp(found + strlen(name), ".dwo"));
}

static const char *section_name(Elf *elf, Elf_Scn *scn, GElf_Shdr *shdr)
{
	size_t names;

	return elf_getshdrstrndx(elf, &names) || !gelf_getshdr(scn, shdr) ? "" : elf_strptr(elf, names, shdr->sh_name) ?: "";
}

static enum family family_of(Elf *elf)
{
	enum family best = NR_FAMILIES;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = section_name(elf, scn, &shdr);

		for (enum family f = 0; f < best; f++)
			best = is_of(name, f) ? f : best;
	}
	return best;
}

/* The contents of the section whose name ends so, among those that libdw uses; none: empty. */
static struct cursor section(Elf *elf, const char *name)
{
	enum family family = family_of(elf);
	struct cursor c = {};
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;

	while (!c.at && (scn = elf_nextscn(elf, scn))) {
		const char *found = section_name(elf, scn, &shdr);
		Elf_Data *data;

		if (shdr.sh_type == SHT_NOBITS || shdr.sh_flags & SHF_GROUP || !is_of(found, family) || !is_named(found, name))
			continue;
		data = elf_getdata(scn, NULL);
		if (data && data->d_buf && data->d_size && gelf_getehdr(elf, &ehdr))
			c = (struct cursor){ .at = data->d_buf, .end = (const u8 *)data->d_buf + data->d_size,
					     .big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB };
	}
	return c;
}

/* Count the abbreviations up to the end of the table, as libdw reads it: both stop at damage. */
static u64 count_abbrevs(struct cursor *c)
{
	u64 nr = 0, name, form;

	while (!c->bad && cursor__leb(c)) {
		nr++;
		cursor__leb(c); /* the tag */
		cursor__skip(c, 1);
		do {
			name = cursor__leb(c);
			form = cursor__leb(c);
			if (form == DW_FORM_implicit_const)
				cursor__leb(c);
		} while (!c->bad && (name || form));
	}
	return nr;
}

struct unit_costs {
	struct elf_budget *budget;
	struct cursor abbrevs;
	u64 offset, nr; /* of the last table counted */
	u64 left; /* limit in bytes of tables to read: each unit may use another table, or the same one again */
	bool counted;
};

static bool take_unit(struct unit_costs *costs, u64 offset)
{
	struct cursor c = costs->abbrevs;

	if (!costs->counted || offset != costs->offset) {
		const u8 *begin;

		cursor__skip(&c, offset);
		begin = c.at;
		costs->nr = count_abbrevs(&c);
		costs->offset = offset;
		costs->counted = true;
		if ((u64)(c.at - begin) > costs->left) {
			elf_budget__note(costs->budget, "the abbreviations of its units take too long to read");
			return false;
		}
		costs->left -= c.at - begin;
	}
	return elf_budget__take(costs->budget, PER_UNIT + PER_ABBREV * costs->nr, "the abbreviations of its units");
}

static bool take_all(Dwarf *dw, struct unit_costs *costs, bool types)
{
	Dwarf_Off offset = 0, next, abbrevs;
	uint64_t signature;
	Dwarf_Off type;
	size_t header;

	while (!dwarf_next_unit(dw, offset, &next, &header, NULL, &abbrevs, NULL, NULL, types ? &signature : NULL, types ? &type : NULL)) {
		if (!take_unit(costs, abbrevs))
			return false;
		if (next <= offset)
			break;
		offset = next;
	}
	return true;
}

bool dwarf_cost__take_units(Dwarf *dw, struct elf_budget *b)
{
	struct unit_costs costs = { .budget = b, .abbrevs = section(dwarf_getelf(dw), "debug_abbrev") };

	costs.left = MAX_ABBREV_READS * (u64)(costs.abbrevs.end - costs.abbrevs.at);
	return take_all(dw, &costs, false) && take_all(dw, &costs, true);
}

struct line_costs {
	struct elf_budget *budget;
	struct cursor str, line_str;
	u64 bytes;
	u64 lines;
	u64 longest; /* longest directory */
	u32 offset_size;
};

static bool lines__add(struct line_costs *l, u64 nr, u64 bytes)
{
	u64 sum;

	if (__builtin_mul_overflow(nr, bytes, &sum) || __builtin_add_overflow(sum, l->bytes, &l->bytes))
		l->bytes = UINT64_MAX;
	return elf_budget__has(l->budget, l->bytes, "a line table");
}

/* Limited by the budget: thousands of files may share one endless name. */
static u64 length_at(const struct line_costs *l, struct cursor strings, u64 offset)
{
	u64 max;

	cursor__skip(&strings, offset);
	max = strings.end - strings.at;
	return max ? strnlen((const char *)strings.at, max < l->budget->left ? max : l->budget->left) : 0;
}

/* Read a value in a table of directories or files: the length if it is a string, otherwise 0. */
static u64 read_form(struct line_costs *l, struct cursor *c, u64 form)
{
	switch (form) {
	case DW_FORM_string:
		return cursor__string(c);
	case DW_FORM_line_strp:
		return length_at(l, l->line_str, cursor__number(c, l->offset_size));
	case DW_FORM_strp:
		return length_at(l, l->str, cursor__number(c, l->offset_size));
	case DW_FORM_udata:
	case DW_FORM_sdata:
		cursor__leb(c);
		return 0;
	case DW_FORM_block:
		cursor__skip(c, cursor__leb(c));
		return 0;
	case DW_FORM_block1:
		cursor__skip(c, cursor__number(c, 1));
		return 0;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_data16:
		cursor__skip(c, form == DW_FORM_data1 ? 1 : form == DW_FORM_data2 ? 2 : form == DW_FORM_data4 ? 4 :
				form == DW_FORM_data8 ? 8 : 16);
		return 0;
	}
	c->bad = true; /* no compiler writes other forms there */
	return 0;
}

/* One of the two tables of DWARF 5: the format of the entries, their number, and the entries. */
static bool take_entries(struct line_costs *l, struct cursor *c, bool files)
{
	u8 nr_forms = cursor__number(c, 1);
	struct {
		u64 what, form;
	} field[256];
	u64 nr;

	for (u32 i = 0; i < nr_forms; i++) {
		field[i].what = cursor__leb(c);
		field[i].form = cursor__leb(c);
	}
	nr = cursor__leb(c);
	for (u64 n = 0; n < nr && nr_forms && !c->bad; n++) {
		for (u32 i = 0; i < nr_forms; i++) {
			u64 len = read_form(l, c, field[i].form);

			if (field[i].what != DW_LNCT_path)
				continue;
			if (!files && len > l->longest)
				l->longest = len;
			if (!lines__add(l, 1, files ? PER_FILE + l->longest + len : PER_DIRECTORY))
				return false;
		}
	}
	return true;
}

/* The two tables of DWARF 2 to 4. */
static bool take_names(struct line_costs *l, struct cursor *c)
{
	u64 len;

	while ((len = cursor__string(c))) {
		if (len > l->longest)
			l->longest = len;
		if (!lines__add(l, 1, PER_DIRECTORY))
			return false;
	}
	while ((len = cursor__string(c))) {
		for (int i = 0; i < 3; i++) /* directory, time, size */
			cursor__leb(c);
		if (!lines__add(l, 1, PER_FILE + l->longest + len))
			return false;
	}
	return true;
}

/*
 * The line program. It need not be decoded: a line takes one byte, a special opcode or DW_LNS_copy; the end of a sequence and the
 * name of a file take a zero and two more. So there are no more lines and files than such bytes.
 */
static bool take_program(struct line_costs *l, struct cursor c, u8 opcode_base)
{
	u64 lines = 0, files = 0;

	for (const u8 *p = c.at; p < c.end; p++) {
		lines += *p >= opcode_base || *p == DW_LNS_copy;
		files += *p == 0 && c.end - p > 2 && p[2] == DW_LNE_define_file;
	}
	l->lines = lines;
	return lines__add(l, lines, PER_LINE) && lines__add(l, files, PER_FILE + l->longest);
}

/* The header after its length; the cursor ends with the unit. libdw reports damage. */
static bool take_table(struct line_costs *l, struct cursor c)
{
	u64 version = cursor__number(&c, 2);
	u8 opcode_base;

	if (version >= 5)
		cursor__skip(&c, 2); /* sizes of addresses and of segments */
	cursor__skip(&c, l->offset_size + (version >= 4 ? 2 : 1) + 3);
	opcode_base = cursor__number(&c, 1);
	cursor__skip(&c, opcode_base ? opcode_base - 1 : 0);
	if (version < 5 ? !take_names(l, &c) : !take_entries(l, &c, false) || !take_entries(l, &c, true))
		return false;
	return take_program(l, c, opcode_base);
}

/* Offset of the unit's table: for all units of a .dwo file libdw uses the first table. */
static u64 table_offset(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;

	return dwarf_formudata(dwarf_attr(cu, DW_AT_stmt_list, &attr), &offset) ? 0 : offset;
}

bool dwarf_cost__take_lines(Dwarf_Die *cu, struct elf_budget *b, u64 *lines)
{
	Dwarf_Attribute attr;
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(cu->cu));
	struct cursor c = section(elf, "debug_line");
	const char *directory = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
	struct line_costs l = {
		.budget = b, .str = section(elf, "debug_str"), .line_str = section(elf, "debug_line_str"),
		.longest = directory ? strlen(directory) : 0, .offset_size = 4,
	};
	u64 length;

	cursor__skip(&c, table_offset(cu));
	length = cursor__number(&c, 4);
	if (length == UINT32_MAX) {
		l.offset_size = 8;
		length = cursor__number(&c, 8);
	}
	if (length < (u64)(c.end - c.at))
		c.end = c.at + length;
	if (!take_table(&l, c) || !elf_budget__take(b, l.bytes, "a line table"))
		return false;
	*lines = l.lines;
	return true;
}

void dwarf_cost__settle_lines(struct elf_budget *b, u64 lines, Dwarf_Die *cu)
{
	Dwarf_Lines *table;
	size_t nr;

	if (dwarf_getsrclines(cu, &table, &nr))
		nr = 0;
	if (nr <= lines)
		b->left += lines * PER_LINE - nr * PER_LINE_KEPT;
}
