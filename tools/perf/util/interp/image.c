// SPDX-License-Identifier: GPL-2.0
#include "util/interp/image.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/hash.h"
#include "util/lib/text.h"

#define NOTE_AT 0x200 /* the build-id; before it are the headers */

enum section { NONE, NOTE, TEXT, SYMTAB, STRTAB, ABBREV, INFO, LINE, SHSTRTAB, NR_SECTIONS };

static const char *const section_names[NR_SECTIONS] = {
	"", ".note.gnu.build-id", ".text", ".symtab", ".strtab", ".debug_abbrev", ".debug_info", ".debug_line", ".shstrtab",
};

struct image {
	const struct interp_symbol *symbol;
	u32 nr;
	u64 end; /* of .text */
	const char *interpreter;
	struct text contents[NR_SECTIONS]; /* of those behind .text */
	Elf64_Shdr shdr[NR_SECTIONS];
};

/* Symbols */

static void add_symbol(struct image *m, const struct interp_symbol *s)
{
	const Elf64_Sym sym = {
		.st_name = m->contents[STRTAB].len, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = TEXT, .st_value = s->at, .st_size = s->bytes,
	};
	struct text *names = &m->contents[STRTAB];

	text__put(&m->contents[SYMTAB], (const char *)&sym, sizeof(sym));
	interp_function__put_label(&s->fn, names);
	text__char(names, '\0');
}

static void put_symbols(struct image *m)
{
	const Elf64_Sym none = { 0 };

	text__put(&m->contents[SYMTAB], (const char *)&none, sizeof(none));
	text__put(&m->contents[STRTAB], "", 1);
	for (u32 i = 0; i < m->nr; i++)
		add_symbol(m, &m->symbol[i]);
}

/* DWARF */

static void put_number(struct text *t, u64 value, u32 size)
{
	text__put(t, (const char *)&value, size); /* little endian, as the machine */
}

static void put_uleb(struct text *t, u64 value)
{
	do {
		const u8 byte = value & 0x7f;

		value >>= 7;
		text__char(t, byte | (value ? 0x80 : 0));
	} while (value);
}

static void put_sleb(struct text *t, s64 value)
{
	bool more;

	do {
		const u8 byte = value & 0x7f;

		value >>= 7;
		more = value != (byte & 0x40 ? -1 : 0);
		text__char(t, byte | (more ? 0x80 : 0));
	} while (more);
}

static void put_abbrevs(struct image *m)
{
	static const u8 unit[] = {
		1, DW_TAG_compile_unit, DW_CHILDREN_no, DW_AT_name, DW_FORM_string, DW_AT_comp_dir, DW_FORM_string, DW_AT_language, DW_FORM_data1,
		DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0, 0, 0,
	};

	text__put(&m->contents[ABBREV], (const char *)unit, sizeof(unit));
}

static void set_number(struct text *t, size_t at, u32 value)
{
	if (!t->failed)
		memcpy(t->buf + at, &value, sizeof(value));
}

static void put_info(struct image *m)
{
	struct text *t = &m->contents[INFO];

	put_number(t, 0, 4); /* length, set below */
	put_number(t, 4, 2); /* version */
	put_number(t, 0, 4); /* abbreviations */
	put_number(t, 8, 1); /* bytes of an address */
	put_uleb(t, 1);
	text__put(t, m->interpreter, strlen(m->interpreter) + 1);
	text__put(t, "/", 2);
	put_number(t, DW_LANG_Python, 1);
	put_number(t, 0, 4);
	put_number(t, INTERP_FIRST, 8);
	put_number(t, m->end - INTERP_FIRST, 8);
	set_number(t, 0, t->len - 4);
}

struct source_file {
	UT_hash_handle hh;
	u32 number;
};

/* The number of a file in the table of them, which is extended; 0: no memory. */
static u32 file_number(struct text *t, struct source_file **files, const char *path)
{
	struct source_file *file;

	HASH_FIND_STR(*files, path, file);
	if (file)
		return file->number;
	file = calloc(1, sizeof(*file));
	if (!file)
		return 0;
	file->number = HASH_COUNT(*files) + 1;
	HASH_ADD_KEYPTR(hh, *files, path, strlen(path), file);
	if (!hash_added(file)) {
		free(file);
		return 0;
	}
	text__put(t, path, strlen(path) + 1);
	text__put(t, "\0\0", 3); /* directory, time, length */
	return file->number;
}

#define LINE_BASE (-5)
#define LINE_RANGE 14
#define OPCODE_BASE 13

static void put_line_header(struct text *t)
{
	static const u8 operands[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

	put_number(t, 0, 4); /* length, */
	put_number(t, 4, 2); /* version, */
	put_number(t, 0, 4); /* length of the header; both are set later */
	put_number(t, 1, 1); /* bytes of an instruction */
	put_number(t, 1, 1); /* operations of one */
	put_number(t, 1, 1); /* rows are statements */
	put_number(t, (u8)LINE_BASE, 1);
	put_number(t, LINE_RANGE, 1);
	put_number(t, OPCODE_BASE, 1);
	text__put(t, (const char *)operands, sizeof(operands));
	put_number(t, 0, 1); /* no directories */
}

static void put_row(struct text *t, u32 *offset, u32 *line, const struct interp_line *row)
{
	const s64 lines = (s64)row->line - *line;
	const u64 bytes = row->offset - *offset;
	const s64 special = lines - LINE_BASE + (s64)(bytes * LINE_RANGE) + OPCODE_BASE;

	*offset = row->offset;
	*line = row->line;
	if (lines >= LINE_BASE && lines < LINE_BASE + LINE_RANGE && bytes < 256 && special <= 255) {
		text__char(t, special);
		return;
	}
	text__char(t, DW_LNS_advance_pc);
	put_uleb(t, bytes);
	text__char(t, DW_LNS_advance_line);
	put_sleb(t, lines);
	text__char(t, DW_LNS_copy);
}

/* A sequence for each function */
static void put_rows(struct text *t, const struct interp_symbol *s, u32 file)
{
	u32 offset = 0, line = 1;

	if (!file || !s->fn.nr_lines)
		return;
	text__put(t, "\0\x09", 2);
	text__char(t, DW_LNE_set_address);
	put_number(t, s->at, 8);
	text__char(t, DW_LNS_set_file);
	put_uleb(t, file);
	for (u32 i = 0; i < s->fn.nr_lines; i++)
		put_row(t, &offset, &line, &s->fn.line[i]);
	text__char(t, DW_LNS_advance_pc);
	put_uleb(t, s->bytes - offset);
	text__put(t, "\0\x01", 2);
	text__char(t, DW_LNE_end_sequence);
}

static void forget_files(struct source_file **files)
{
	struct source_file *file, *next;

	HASH_ITER(hh, *files, file, next) {
		HASH_DEL(*files, file);
		free(file);
	}
}

static void put_lines(struct image *m)
{
	struct text *t = &m->contents[LINE], program = { 0 };
	struct source_file *files = NULL;

	put_line_header(t);
	for (u32 i = 0; i < m->nr; i++)
		put_rows(&program, &m->symbol[i], file_number(t, &files, m->symbol[i].fn.path));
	put_number(t, 0, 1);
	set_number(t, 6, t->len - 10);
	text__put(t, program.buf ?: "", program.len);
	t->failed |= program.failed;
	set_number(t, 0, t->len - 4);
	text__exit(&program);
	forget_files(&files);
}

/* The file */

static int write_at(int fd, const void *bytes, size_t size, u64 at)
{
	const char *from = bytes;

	while (size) {
		ssize_t n = pwrite(fd, from, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		at += n;
		size -= n;
	}
	return 0;
}

struct note {
	Elf64_Nhdr head;
	char name[4];
	u8 id[20];
};

static void describe_sections(struct image *m)
{
	Elf64_Shdr *s = m->shdr;

	s[NOTE] = (Elf64_Shdr){ .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC, .sh_addr = NOTE_AT, .sh_offset = NOTE_AT, .sh_size = sizeof(struct note) };
	s[TEXT] = (Elf64_Shdr){
		.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = INTERP_FIRST, .sh_offset = INTERP_FIRST,
		.sh_size = m->end - INTERP_FIRST, .sh_addralign = 8,
	};
	s[SYMTAB] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = STRTAB, .sh_info = 1, .sh_entsize = sizeof(Elf64_Sym), .sh_addralign = 8 };
	s[STRTAB].sh_type = s[SHSTRTAB].sh_type = SHT_STRTAB;
	s[ABBREV].sh_type = s[INFO].sh_type = s[LINE].sh_type = SHT_PROGBITS;
	for (int i = 0; i < NR_SECTIONS; i++) {
		s[i].sh_name = m->contents[SHSTRTAB].len;
		text__put(&m->contents[SHSTRTAB], section_names[i], strlen(section_names[i]) + 1);
	}
}

/* Returns where the section headers go, or -errno. */
static s64 write_contents(int fd, struct image *m)
{
	u64 at = (m->end + 7) & ~7ULL;
	int ret;

	for (int i = SYMTAB; i < NR_SECTIONS; i++) {
		const struct text *t = &m->contents[i];

		if (t->failed)
			return -ENOMEM;
		m->shdr[i].sh_offset = at;
		m->shdr[i].sh_size = t->len;
		ret = write_at(fd, t->buf, t->len, at);
		if (ret)
			return ret;
		at = (at + t->len + 7) & ~7ULL;
	}
	return at;
}

static int write_head(int fd, const struct image *m, const struct build_id *id, u64 sections_at)
{
	const struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr[2];
	} head = {
		.ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN, .e_machine = EM_X86_64,
			.e_version = EV_CURRENT, .e_phoff = sizeof(Elf64_Ehdr), .e_shoff = sections_at, .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = NR_SECTIONS, .e_shstrndx = SHSTRTAB,
		},
		.phdr = {
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = m->end, .p_memsz = m->end, .p_align = 0x1000 },
			{ .p_type = PT_NOTE, .p_flags = PF_R, .p_offset = NOTE_AT, .p_vaddr = NOTE_AT, .p_filesz = sizeof(struct note),
			  .p_memsz = sizeof(struct note), .p_align = 4 },
		},
	};
	struct note note = { .head = { .n_namesz = 4, .n_descsz = sizeof(note.id), .n_type = NT_GNU_BUILD_ID }, .name = "GNU" };

	memcpy(note.id, id->data, sizeof(note.id));
	return write_at(fd, &head, sizeof(head), 0) ?: write_at(fd, &note, sizeof(note), NOTE_AT) ?: write_at(fd, m->shdr, sizeof(m->shdr), sections_at);
}

int interp_image__write(int fd, const struct build_id *id, const char *interpreter, const struct interp_symbol *symbol, u32 nr)
{
	struct image m = { .symbol = symbol, .nr = nr, .end = INTERP_FIRST, .interpreter = interpreter };
	s64 at;

	for (u32 i = 0; i < nr; i++) {
		if (m.end < (u64)symbol[i].at + symbol[i].bytes)
			m.end = (u64)symbol[i].at + symbol[i].bytes;
	}
	put_symbols(&m);
	put_abbrevs(&m);
	put_info(&m);
	put_lines(&m);
	describe_sections(&m);
	at = write_contents(fd, &m);
	for (int i = 0; i < NR_SECTIONS; i++)
		text__exit(&m.contents[i]);
	return at < 0 ? at : write_head(fd, &m, id, at);
}
