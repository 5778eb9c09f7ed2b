/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wraps libelf for queries about one ELF file. Files come from recordings and may be anything: only regular files are opened, none
 * is mapped (it might shrink in the meantime), and what libelf returns is checked.
 *
 * Sections that exceed the file's budget get the type SHT_NOBITS, for libdw and libdwfl, too: reading a section takes all of it into
 * memory. The budget notes what was left out.
 */
#ifndef PERF_SYMBOL_ELF_FILE_H
#define PERF_SYMBOL_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */
#include "util/symbol/elf-budget.h"

struct elf_load { /* a PT_LOAD header */
	u64 vaddr, size, offset;
	u64 file_size; /* size of the part that is in the file; size is at least that */
	u32 flags;     /* PF_* */
};

struct elf_strings { /* the contents of a string table */
	const char *text;
	size_t size; /* 0: there is none, or the last string is unterminated */
};

struct elf_unpacked; /* see elf-unpack.h */

struct elf_file {
	int fd; /* -1: in memory */
	Elf *elf;
	GElf_Ehdr ehdr;
	struct elf_strings section_names;
	struct elf_load *load;
	u32 nr_load;
	struct elf_unpacked *unpacked; /* contents of sections that were compressed, or NULL */
	struct elf_budget budget;
};

/* 0 or -errno (-ENOEXEC: not an ELF file); after an error there is nothing to close. */
int elf_file__open(struct elf_file *file, const char *path, struct errmsg *err);
/* Takes over fd, which was opened by regular-file.h; path is for messages. */
int elf_file__open_fd(struct elf_file *file, int fd, const char *path, struct errmsg *err);
int elf_file__open_memory(struct elf_file *file, const void *image, size_t size);
/* The same for an image that was packed in a file: it takes memory from that file's budget. */
int elf_file__open_unpacked(struct elf_file *file, const void *image, size_t size, struct elf_budget *budget);
void elf_file__close(struct elf_file *file);
/* Close all but what elf_file__offset() and elf_file__vaddr() need. Call elf_file__close() afterwards. */
void elf_file__close_contents(struct elf_file *file);

/* Make the section appear without contents. */
void elf_file__hide(Elf_Scn *scn);
/* Does the whole file fit into the budget? */
bool elf_file__may_read_whole(struct elf_file *file);
/* The first section with that name, or NULL. */
Elf_Scn *elf_file__section(const struct elf_file *file, const char *name, GElf_Shdr *shdr);

/* The string table in the section with this index; valid until close. */
struct elf_strings elf_file__strings(const struct elf_file *file, size_t index);
/*
 * For a copy of that table: its size (0: there is none), and its contents, into a buffer of that size. false: it cannot be read, or its last
 * string is unterminated.
 */
size_t elf_file__strings_size(const struct elf_file *file, size_t index);
bool elf_file__read_strings(const struct elf_file *file, size_t index, char *to, size_t size);
static inline const char *elf_strings__at(const struct elf_strings *s, size_t offset) /* NULL: out of range */
{
	return offset < s->size ? s->text + offset : NULL;
}

static inline const char *elf_file__section_name(const struct elf_file *file, const GElf_Shdr *shdr) /* "" if there is none */
{
	return elf_strings__at(&file->section_names, shdr->sh_name) ?: "";
}

/* Convert vaddr to an offset in the file: false if no segment contains it. */
bool elf_file__offset(const struct elf_file *file, u64 vaddr, u64 *offset);
bool elf_file__vaddr(const struct elf_file *file, u64 offset, u64 *vaddr); /* the reverse */
/* Read size bytes at an offset of the file; false: they are not all there. */
bool elf_file__read(const struct elf_file *file, u64 offset, void *buf, size_t size);
/* The first program header of that type; false: there is none. */
bool elf_file__phdr(const struct elf_file *file, u32 type, GElf_Phdr *phdr);

int elf_file__build_id(const struct elf_file *file, struct build_id *id); /* 0 or -ENOENT */
/* The name and checksum in .gnu_debuglink; the name is valid until close. 0 or -ENOENT. */
int elf_file__debuglink(const struct elf_file *file, const char **name, u32 *crc);

#endif
